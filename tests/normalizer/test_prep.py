"""Prep: the CPUs."""

from __future__ import annotations

import numpy as np
import pytest

from gpurent.normalizer import prep


def test_a_reference_core() -> None:
    assert prep.prep_rate(np.array(1.0), np.array(1.0), np.array(500.0), 0.0037) == pytest.approx(270.3, abs=0.1)


def test_a_thread_is_less_than_a_core_and_a_faster_core_more() -> None:
    assert prep.prep_rate(np.array(2.0), np.array(0.6), np.array(1000.0), 0.01) == pytest.approx(240)


def test_nothing_to_prepare() -> None:
    assert prep.prep_rate(np.array([4.0]), np.array([0.6]), np.array([500.0]), 0.0).tolist() == [np.inf]


def test_workers_leave_one_cpu() -> None:
    assert prep.most_workers(np.array([0.5, 1.0, 2.0, 8.0])).tolist() == [1, 1, 1, 7]


class TestSerialLoader:
    ARGS = (np.array(8.0), np.array(0.6), np.array(500.0), 0.01)

    def test_it_rises_to_what_the_cores_give(self) -> None:
        rates = [float(prep.serial_loader_rate(np.array(float(w)), *self.ARGS)) for w in range(1, 8)]
        assert rates[:4] == pytest.approx([100, 200, 300, 400])
        assert rates[-1] == pytest.approx(float(prep.prep_rate(*self.ARGS)))

    def test_waiting_costs_each_worker(self) -> None:
        waiting = prep.serial_loader_rate(np.array(2.0), *self.ARGS, 0.01)
        assert waiting == pytest.approx(100)

    def test_nothing_to_do(self) -> None:
        assert prep.serial_loader_rate(np.array(2.0), np.array(8.0), np.array(0.6), np.array(500.0), 0.0) == np.inf


def test_ceiling_is_of_each_process() -> None:
    assert prep.ceiling(np.array([1, 8]), 5000.0).tolist() == [5000, 40000]
    assert prep.ceiling(np.array([1, 8]), None).tolist() == [np.inf, np.inf]
