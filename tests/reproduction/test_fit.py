"""The committed tables are what the tools make, and agree with each other."""

from __future__ import annotations

import csv
import io
import runpy
import sys
from pathlib import Path

import pytest

from gpurent import tables, workloads
from gpurent.hardware import cards
from gpurent.normalizer import observed, refit
from tests.shared import shared

ROOT = Path(__file__).parents[2]


def close(made: dict[str, object], committed: dict[str, str], numbers: tuple[str, ...]) -> None:
    for name, cell in committed.items():
        if name in numbers and cell:
            assert float(str(made[name])) == pytest.approx(float(cell), rel=1e-4, abs=1e-9), (name, committed)
        else:
            assert str(made[name]) == cell, (name, committed)


def test_the_fit_comes_back() -> None:
    numbers = ("a_tflop", "b_gbyte", "c_s", "d_step_s", "ratio", "loo_median", "loo_p90", "factor", "time_ratio")
    names = ("coefficients", "container_factors", "card_deviations")
    for made, name in zip(refit.tables_of_all_tasks(), names, strict=True):
        committed = tables.rows(name)
        assert len(made) == len(committed)
        for one, other in zip(made, committed, strict=True):
            close(one, other, numbers)


def test_the_rates_are_a_selection_of_what_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    source, tool = shared("data/train_throughput.csv"), ROOT / "tools" / "make_rates.py"
    arguments, sys.argv = sys.argv, [str(tool), str(source)]
    try:
        runpy.run_path(str(tool), run_name="__main__")
    finally:
        sys.argv = arguments
    assert list(csv.DictReader(io.StringIO(capsys.readouterr().out))) == list(tables.rows("rates"))


def test_every_shipped_workload_of_a_stack_has_rates() -> None:
    for name in workloads.names():
        loaded = workloads.load(name)
        task = observed.task_of(loaded.name, loaded.task, loaded.stack)
        assert (task is not None) == (loaded.stack is not None), name
        if task is not None:
            assert observed.runs(task.task, task.stack), name


def test_tasks_agree_with_their_workloads() -> None:
    for task in observed.tasks().values():
        loaded = workloads.load(task.workload)
        assert loaded.stack == task.stack
        assert loaded.units_per_sample == task.units_per_sample
        assert loaded.batch == task.usual_batch
        for group, precision in (("half", "amp"), ("single", "fp32")):
            told = loaded.footprint(precision).gradient_bytes
            if told is not None and group in task.gradient_bytes:
                assert task.gradient_bytes[group] == pytest.approx(told, rel=0.02), (task.task, group)


def test_every_rate_has_a_known_card_source_and_date() -> None:
    sources = {row["source"] for row in tables.rows("sources")}
    for row in tables.rows("rates"):
        assert row["card"] in cards.by_id()
        assert row["source"] in sources
        assert row["commit"]
        assert row["source_path"]
        assert row["as_of"]
        assert float(row["rate"]) > 0
