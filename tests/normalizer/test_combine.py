"""Stages together."""

from __future__ import annotations

import numpy as np
import pytest

from gpurent.normalizer import combine
from gpurent.normalizer.combine import LIMITS, REASONS, Stages

FREE = np.array([np.inf])


def stages(read: float = np.inf, prep: float = np.inf, ceiling: float = np.inf, bus: float = np.inf) -> Stages:
    return Stages(np.array([read]), np.array([prep]), np.array([ceiling]), np.array([bus]))


class TestSoftmin:
    def test_two_equal_rates(self) -> None:
        assert combine.softmin(4, np.array(1.0), np.array(1.0)) == pytest.approx(2**-0.25)
        assert combine.softmin(6, np.array(1.0), np.array(1.0)) == pytest.approx(2 ** (-1 / 6))

    def test_edges(self) -> None:
        assert combine.softmin(4, np.array(np.inf), np.array(np.inf)) == np.inf
        assert combine.softmin(4, np.array(0.0), np.array(5.0)) == 0
        assert np.isnan(combine.softmin(4, np.array(np.nan), np.array(5.0)))
        assert combine.softmin(6, np.array(1e-300), np.array(1e300)) == pytest.approx(1e-300)

    def test_shapes_broadcast(self) -> None:
        assert combine.softmin(4, np.ones((3, 1)), np.ones((1, 5))).shape == (3, 5)


class TestThroughput:
    def test_the_gpu_alone(self) -> None:
        assert combine.throughput(stages(), np.array([100.0]))[0] == 100

    def test_prep_shares_slack_at_four_and_the_loader_at_six(self) -> None:
        assert combine.throughput(stages(prep=100), np.array([100.0]))[0] == pytest.approx(100 * 2**-0.25)
        assert combine.throughput(stages(read=100), np.array([100.0]))[0] == pytest.approx(100 * 2 ** (-1 / 6))

    def test_synthetic_anchors_cost_four_percent_by_row(self) -> None:
        free = Stages(*(np.full(2, np.inf) for _ in range(4)))
        rate = combine.throughput(free, np.array([100.0, 100.0]), synthetic_anchor=np.array([True, False]))
        assert rate.tolist() == [96, 100]

    def test_draws(self) -> None:
        rate = combine.throughput(Stages(*(np.full((2, 1), 50.0) for _ in range(4))), np.full((2, 7), 100.0))
        assert rate.shape == (2, 7)


class TestLimit:
    @pytest.mark.parametrize(
        ("given", "limit", "reason"),
        [
            ({}, "gpu", "gpu"), ({"prep": 50}, "cpu", "prep"), ({"ceiling": 50}, "cpu", "loader"),
            ({"read": 50}, "disk", "read"), ({"bus": 50}, "disk", "host-to-gpu"),
        ],
    )  # fmt: skip
    def test_the_smallest(self, given: dict[str, float], limit: str, reason: str) -> None:
        found = combine.combine(stages(**given), np.array([100.0]))
        assert (LIMITS[found.limit[0]], REASONS[found.reason[0]]) == (limit, reason)
        assert found.limit_also[0] == -1

    def test_sync_is_the_gpus_limit_by_another_name(self) -> None:
        slow = combine.combine(stages(), np.array([100.0]), sync_ratio=np.array([1.26]))
        assert LIMITS[slow.limit[0]] == "sync"
        assert slow.samples_per_s[0] == 100
        fast = combine.combine(stages(), np.array([100.0]), sync_ratio=1.25)
        assert LIMITS[fast.limit[0]] == "gpu"

    def test_another_within_ten_percent(self) -> None:
        near = combine.combine(stages(prep=95), np.array([100.0]))
        assert (LIMITS[near.limit[0]], LIMITS[near.limit_also[0]]) == ("cpu", "gpu")
        far = combine.combine(stages(prep=90), np.array([100.0]))
        assert far.limit_also[0] == -1

    def test_the_other_has_another_name(self) -> None:
        found = combine.combine(stages(prep=50, ceiling=51, read=54), np.array([100.0]))
        assert (LIMITS[found.limit[0]], LIMITS[found.limit_also[0]]) == ("cpu", "disk")

    def test_busy_is_the_share_of_the_gpus_rate(self) -> None:
        found = combine.combine(stages(prep=10), np.array([100.0]))
        assert found.gpu_busy[0] == pytest.approx(0.1, rel=1e-3)

    def test_no_machines(self) -> None:
        none = np.zeros(0)
        assert combine.combine(Stages(none, none, none, none), none).samples_per_s.shape == (0,)
