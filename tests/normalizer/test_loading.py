"""Loading: the host side of whole machines, and the published cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gpurent import workloads
from gpurent.normalizer import combine, loading
from gpurent.normalizer.combine import LIMITS
from gpurent.workloads.workload import Workload
from tests.normalizer.hosts_for_tests import machines

GIB = 2**30


def rate(work: Workload, gpu: float, *, synthetic: bool = False, **row: Any) -> tuple[float, float, str, str]:
    """samples/s, busy share, limit, limit_also of one machine."""
    given = np.array([gpu])
    host = loading.host_stages(machines(row), work, given)
    found = combine.combine(host.steady, given, synthetic_anchor=synthetic)
    also = int(found.limit_also[0])
    other = LIMITS[also] if also >= 0 else ""
    return float(found.samples_per_s[0]), float(found.gpu_busy[0]), LIMITS[found.limit[0]], other


# An 8-vCPU Xeon Platinum 8259CL (J measured 547.7) with a 200 MB/s network disk, and a desk-side machine: Ryzen 9
# 5950X (J 1044 by its PassMark), two threads a core, NVMe 7 GB/s.
RENTED = {
    "vcpus": 8, "cpu_index": 547.7, "cpu_efficiency": 0.60, "ram_bytes": 60 * GIB, "disk_bytes_per_s": 200e6,
    "small_file_factor": 1.0, "disk_iops": np.inf,
}  # fmt: skip
OWN = {
    "vcpus": 32, "cpu_index": 1044, "cpu_efficiency": 0.69, "ram_bytes": 64e9, "disk_bytes_per_s": 7e9,
    "memory_bytes": 24 * GIB,
}  # fmt: skip


class TestTheArticlesCase:
    """A rented A100 behind few old CPUs against an RTX 3090 at home; ResNet-50, amp, ImageNet files."""

    def test_the_a100_starves(self) -> None:
        samples, busy, limit, _ = rate(workloads.load("resnet50"), 1582, synthetic=True, **RENTED)
        assert samples == pytest.approx(740, rel=0.08)
        assert busy < 0.55
        assert limit == "cpu"

    def test_the_3090_works(self) -> None:
        samples, busy, limit, _ = rate(workloads.load("resnet50"), 905, synthetic=True, **OWN)
        assert samples == pytest.approx(870, rel=0.05)
        assert busy > 0.9
        assert limit == "gpu"

    def test_with_dali_the_a100_wins(self) -> None:
        dali = workloads.load("resnet50", ["pipeline=dali"])
        rented, own = (rate(dali, gpu, synthetic=True, **host) for gpu, host in ((1582, RENTED), (905, OWN)))
        assert rented[0] > own[0]


ALL_CACHED = {"ram_bytes": 1e12}


class TestCpuStarvation:
    """ResNet-50 with DALI on an A100 that needs 2,470 images/s; tolerance 15 points of busy share."""

    @pytest.mark.parametrize(
        ("vcpus", "index", "efficiency", "most"),
        [
            (2, 547.7, 0.60, 0.40),
            (2, 720, 0.65, 0.40),
            (4, 495.6, 0.60, 0.35),
            (4, 720, 0.97, 0.75),
            (4, 1044, 0.97, 0.90),
        ],
    )
    def test_few_cpus(self, vcpus: float, index: float, efficiency: float, most: float) -> None:
        host = {"vcpus": vcpus, "cpu_index": index, "cpu_efficiency": efficiency, **ALL_CACHED}
        _, busy, limit, _ = rate(workloads.load("resnet50-dali"), 2470, **host)
        assert busy <= most
        assert limit == "cpu"

    @pytest.mark.parametrize(("vcpus", "index", "efficiency"), [(16, 720, 0.97), (16, 720, 0.65), (24, 547.7, 0.60)])
    def test_enough_cpus(self, vcpus: float, index: float, efficiency: float) -> None:
        host = {"vcpus": vcpus, "cpu_index": index, "cpu_efficiency": efficiency, **ALL_CACHED}
        _, busy, limit, _ = rate(workloads.load("resnet50-dali"), 2470, **host)
        assert limit == "gpu"
        assert busy > 0.85

    def test_eight_are_borderline(self) -> None:
        host = {"vcpus": 8, "cpu_index": 600, "cpu_efficiency": 0.97, **ALL_CACHED}
        _, busy, _, also = rate(workloads.load("resnet50-dali"), 2470, **host)
        assert 0.65 < busy < 0.95
        assert also in ("gpu", "cpu")

    def test_smaller_images_help(self) -> None:
        host = {"vcpus": 2, "cpu_index": 547.7, "cpu_efficiency": 0.60, **ALL_CACHED}
        large, *_ = rate(workloads.load("resnet50-dali"), 2470, **host)
        small, *_ = rate(workloads.load("resnet50-dali", ["pipeline=dali-256px"]), 2470, **host)
        assert small / large == pytest.approx(2.2, abs=0.05)

    def test_text_needs_no_cpus(self) -> None:
        host = {"vcpus": 4, "cpu_index": 500, "cpu_efficiency": 0.6}
        _, busy, limit, _ = rate(workloads.load("bert-large"), 152, **host)
        assert busy > 0.95
        assert limit == "gpu"


VOLUME = {"vcpus": 64, "cpu_index": 900, "cpu_efficiency": 0.97, "ram_bytes": 16e9, "disk_bytes_per_s": 237e6}


class TestNetworkVolume:
    """2,470 images/s of 110 kB from a volume of 237 MB/s."""

    def test_large_sequential_files(self) -> None:
        shards = workloads.load("resnet50-dali", ["read=shards", "read_order=sequential"])
        _, busy, limit, _ = rate(shards, 2470, **VOLUME)
        assert busy == pytest.approx(0.87, abs=0.10)
        assert limit == "disk"

    def test_small_random_files_are_worse(self) -> None:
        shards = workloads.load("resnet50-dali", ["read=shards", "read_order=sequential"])
        slow = VOLUME | {"disk_latency_s": 0.0023, "small_file_factor": 0.36}
        files, _, limit, _ = rate(workloads.load("resnet50-dali"), 2470, **slow)
        assert limit == "disk"
        assert files < rate(shards, 2470, **VOLUME)[0]


class TestWorkers:
    def test_a_serial_loader_takes_as_many_as_serve_it(self) -> None:
        host = loading.host_stages(machines(RENTED), workloads.load("resnet50"), np.array([1582.0]))
        assert 5 <= host.workers[0] <= 7

    def test_a_parallel_one_leaves_memory_to_the_cache(self) -> None:
        host = loading.host_stages(machines(RENTED), workloads.load("resnet50-dali"), np.array([2470.0]))
        assert host.workers[0] == 1

    def test_memory_goes_to_the_cache_where_the_gpu_is_slow(self) -> None:
        slow, fast = (
            loading.host_stages(machines(OWN), workloads.load("resnet50"), np.array([gpu])).workers[0]
            for gpu in (100.0, 1e6)
        )
        assert slow < fast

    def test_without_the_gpus_the_loader_decides(self) -> None:
        host = loading.host_stages(machines(RENTED), workloads.load("resnet50"))
        assert host.workers[0] >= 5

    def test_a_gpu_that_does_not_fit_does_not_matter(self) -> None:
        host = loading.host_stages(machines(RENTED, RENTED), workloads.load("resnet50"), np.array([np.nan, 1582.0]))
        assert np.isfinite(host.steady.prep).all()

    def test_counts_are_nested(self) -> None:
        small, large = loading._worker_counts(40.0), loading._worker_counts(300.0)
        assert set(small) <= set(large)
        assert small[:16].tolist() == list(range(1, 17))
        assert (np.diff(large) / large[:-1])[16:].max() <= 0.13


class TestEpochs:
    def test_the_first_reads_everything(self) -> None:
        host = loading.host_stages(machines(OWN | {"ram_bytes": 1e12}), workloads.load("resnet50"), np.array([905.0]))
        assert host.miss[0] == 0
        assert host.cached_fraction[0] == 1
        assert host.first.read[0] < host.steady.read[0]

    def test_data_in_memory_is_read_once(self) -> None:
        host = loading.host_stages(machines({"ram_bytes": 4e9}), workloads.load("bert-large"), np.array([152.0]))
        assert host.miss[0] == 0

    def test_a_shared_file_system_opens_what_is_cached(self) -> None:
        cached = {"ram_bytes": 1e12, "disk_latency_s": 0.0023}
        host = loading.host_stages(machines(cached), workloads.load("resnet50"), np.array([905.0]))
        assert host.steady.read[0] <= host.workers[0] / 0.0023 + 1e-9


class TestManyGpus:
    def test_the_host_is_shared_and_the_ceiling_is_not(self) -> None:
        rows = [{"gpu_count": count} for count in (1, 8)]
        host = loading.host_stages(machines(*rows), workloads.load("resnet50-dali"), np.array([2470.0, 8 * 2470.0]))
        assert host.steady.prep[0] == host.steady.prep[1]
        assert host.steady.ceiling.tolist() == [5000, 40000]

    def test_two_nodes_share_an_epoch(self) -> None:
        row = {"ram_bytes": 90e9}
        one, two = (
            loading.host_stages(machines(row), workloads.load("resnet50-dali"), np.array([n * 2470.0]), nodes=n)
            for n in (1, 2)
        )
        assert two.steady.prep[0] == 2 * one.steady.prep[0]
        assert two.steady.ceiling[0] == 2 * one.steady.ceiling[0]
        assert two.miss[0] != one.miss[0]

    def test_none(self) -> None:
        empty = machines()
        assert loading.host_stages(empty, workloads.load("resnet50"), np.zeros(0)).workers.shape == (0,)

    def test_more_than_one_part(self) -> None:
        count = loading._ROWS_AT_ONCE + 3
        many = machines(*[{}] * count)
        host = loading.host_stages(many, workloads.load("resnet50-dali"), np.full(count, 2470.0))
        assert host.steady.read.shape == host.workers.shape == (count,)
