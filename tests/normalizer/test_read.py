"""Read: disk and page cache."""

from __future__ import annotations

import numpy as np
import pytest

from gpurent.normalizer import read


class TestCachedFraction:
    def test_workers_take_their_part(self) -> None:
        few = read.cached_fraction(np.array(64e9), np.array(1.0), 100e9)
        assert few == pytest.approx(0.85 * 54e9 / 100e9)
        assert read.cached_fraction(np.array(64e9), np.array(10.0), 100e9) < few

    def test_a_small_machine_caches_nothing(self) -> None:
        assert read.cached_fraction(np.array(8e9), np.array(1.0), 100e9) == 0


class TestHitRate:
    @pytest.mark.parametrize(
        ("cached", "order", "miss"), [(0.35, "shuffled", 0.862), (0.65, "shuffled", 0.536), (0.65, "sequential", 0.607)]
    )
    def test_known_points(self, cached: float, order: str, miss: float) -> None:
        assert 1 - read.hit_rate(np.array(cached), order) == pytest.approx(miss, abs=0.001)

    @pytest.mark.parametrize("cached", [0.02, 0.1, 0.35, 0.5, 0.65, 0.9, 0.99])
    @pytest.mark.parametrize("fraction", [1.0, 0.5, 0.125])
    def test_it_solves_its_equation(self, cached: float, fraction: float) -> None:
        hit = float(read.hit_rate(np.array(cached), "shuffled", fraction))
        k = (1 - hit) * fraction / cached
        right = ((1 - np.exp(-k)) / k) ** 2 * fraction / (1 - (1 - fraction) * np.exp(-k))
        assert hit == pytest.approx(right, abs=2e-6)
        sequential = float(read.hit_rate(np.array(cached), "sequential"))
        assert sequential == pytest.approx(np.exp(-(1 - sequential) / cached), abs=2e-6)

    def test_edges(self) -> None:
        assert read.hit_rate(np.array([0.0, 1.0, 5.0])).tolist() == pytest.approx([0, 1, 1], abs=1e-6)

    def test_it_rises_with_the_cache(self) -> None:
        for order in ("shuffled", "sequential"):
            assert (np.diff(read.hit_rate(np.linspace(0, 1, 2001), order)) >= 0).all()

    def test_a_cached_share_is_not_a_hit_share(self) -> None:
        assert read.hit_rate(np.array(0.5)) < 0.5


class TestDiskRate:
    def test_bandwidth(self) -> None:
        assert read.disk_rate(np.array(100e6), 1e5) == 1000
        assert read.disk_rate(np.array(100e6), 1e5, small_file_factor=0.36) == pytest.approx(360)

    def test_operations(self) -> None:
        assert read.disk_rate(np.array(1e9), 1e5, iops=np.array(3000.0), ops_per_sample=1.0) == 3000
        assert read.disk_rate(np.array(1e9), 1e5, iops=np.array(3000.0), ops_per_sample=0.0) == 10000

    def test_an_unknown_cap_does_not_limit(self) -> None:
        assert read.disk_rate(np.array(1e9), 1e5, iops=np.array(np.nan), ops_per_sample=1.0) == 10000

    def test_no_bytes(self) -> None:
        assert read.disk_rate(np.array([1e9]), 0.0).tolist() == [np.inf]


def test_opens_of_a_shared_file_system() -> None:
    assert read.open_rate(np.array(1.0), np.array(0.0023), 1.0) == pytest.approx(434.8, abs=0.1)
    assert read.open_rate(np.array(1.0), np.array(0.0), 1.0) == np.inf
    assert read.open_rate(np.array(1.0), np.array(0.0023), 0.0) == np.inf


def test_read_is_a_mix_of_times() -> None:
    assert read.read_rate(0.25, np.array(100.0), np.array(1e9)) == pytest.approx(400, rel=1e-5)
    assert read.read_rate(1.0, np.array(100.0), np.array(1e9)) == pytest.approx(100)


def test_the_bus() -> None:
    assert read.host_to_gpu_rate(np.array(3e9), np.array(2.0), 150e3) == pytest.approx(40000)
    assert read.host_to_gpu_rate(np.array(3e9), np.array(2.0), None) == np.inf
    assert read.host_to_gpu_rate(np.array(np.nan), np.array(2.0), 150e3) == np.inf
