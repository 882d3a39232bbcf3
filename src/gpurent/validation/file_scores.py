"""A file of measured rates, scored: each row predicted without any rate of its own cell.

A cell is a task in its stack, a precision group and a card, whatever the container, the batch and the number of GPUs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np

from gpurent import measurements
from gpurent.hardware import cards
from gpurent.measurements import Measurement
from gpurent.normalizer import matrix, observed, refit, spread
from gpurent.normalizer.observed import Observed, Task
from gpurent.normalizer.task_book import TaskBook
from gpurent.validation import one_gpu, several_gpus
from gpurent.validation.scores import Cell

_NAIVE = ("flops", "bandwidth")


@dataclass(frozen=True)
class FileScores:
    """What a file of measured rates says of the model.

    `cells` in the file's order; `given_one` the rows of several GPUs predicted from a measured rate of one (of the
    file, else of the package); `naive` the same rows by FLOPS or bandwidth alone; `skipped` counts by reason, with up
    to a few examples of what was not known.
    """

    cells: list[Cell]
    given_one: list[Cell]
    naive: dict[str, list[Cell]]
    skipped: dict[str, int]
    examples: dict[str, list[str]]


def score(path: Path) -> FileScores:
    """Score a csv of measured rates.

    Raises:
        Problem: the file cannot be read, or a line of it is not what its header says.
    """
    found = FileScores([], [], {name: [] for name in _NAIVE}, {}, {})
    scored: list[Measurement] = []
    for row in measurements.read(path):
        reason = measurements.leave_out(row) or _no_coefficients(row)
        cell = None if reason else _cell(row)
        if cell is None:
            _skip(found, row, reason or "no-rate")
            continue
        scored.append(row)
        found.cells.append(replace(cell, asked=row.precision, line=row.line))
        for name in _NAIVE:
            found.naive[name].append(_naive(row, name))
    known = _one_gpu_rates(scored)
    for row in scored:
        if row.n_gpus > 1 and row.batch is not None and (rate := known.get(_setting(row))) is not None:
            task = _task(row)
            step_1 = row.batch * task.units_per_sample / rate
            found.given_one.append(_several(row, task, row.batch, step_1, spread.sigma("measured"), "measured"))
    return found


def _no_coefficients(row: Measurement) -> str | None:
    known = observed.coefficients().get((row.task or "", row.stack or "", _charge(row).group))
    if known is None:
        return "no-coefficients"
    return None if known.kind == "fitted" else "anchors-only"


def _skip(found: FileScores, row: Measurement, reason: str) -> None:
    found.skipped[reason] = found.skipped.get(reason, 0) + 1
    name = row.gpu if reason == "unknown-gpu" else row.source if reason == "unknown-stack" else row.workload
    listed = found.examples.setdefault(reason, [])
    if name not in listed:
        listed.append(name)


def _task(row: Measurement) -> Task:
    return observed.tasks()[row.task or "", row.stack or ""]


def _charge(row: Measurement) -> matrix.Charge:
    return matrix.charge(cards.by_id()[row.card or ""], row.precision)


def _cell(row: Measurement) -> Cell | None:
    """A row predicted without its cell; None where too little is left to fit, or the card lacks a rate."""
    task, charge = _task(row), _charge(row)
    book = _book_without(task.task, task.stack, charge.group, row.card or "")
    place = cards.index()[row.card or ""]
    entry = None if book is None else book.entry(place, charge)
    if book is None or entry is None:
        return None
    factor = book.coefficients[charge.group].fit.factors.get(row.container or "", 1.0)
    batch = row.batch or task.usual_batch
    unit_s = entry.unit_s(batch) * factor
    if row.n_gpus > 1:
        step_1 = unit_s * batch * task.units_per_sample
        return _several(row, task, batch, step_1, entry.sigma, entry.evidence)
    return one_gpu.cell_of(task, charge.group, _as_rows(row, charge, batch), 0, unit_s, entry.sigma, entry.evidence)


@cache
def _book_without(task: str, stack: str, group: str, card: str) -> TaskBook | None:
    known = observed.tasks()[task, stack]
    rows = one_gpu.rows_of(known, group)
    out = rows.card == cards.index()[card]
    return refit.book_without(known, rows, group, out, known.usual_batch, effects=True)


def _as_rows(row: Measurement, charge: matrix.Charge, batch: float) -> Observed:
    """One measured row as columns of length one."""
    bandwidth = matrix.bandwidth_gbyte_s(cards.by_id()[row.card or ""]) or np.nan
    return Observed(
        np.array([cards.index()[row.card or ""]]), np.array([row.n_gpus]), np.array([batch]),
        np.array([row.n_gpus / row.rate]), np.array([charge.tflops or np.nan]), np.array([bandwidth]),
        (row.container or "",), (charge.precision,), (row.source,),
    )  # fmt: skip


def _several(row: Measurement, task: Task, batch: float, step_1_s: float, sigma: float, evidence: str) -> Cell:
    cells = {
        "card": row.card or "",
        "precision": row.precision,
        "n_gpus": str(row.n_gpus),
        "container": row.container or "",
        "rate": str(row.rate),
    }
    return several_gpus.cell_of(task, cells, batch, step_1_s, sigma, evidence)


def _naive(row: Measurement, name: str) -> Cell:
    """The row by one number of the card alone: the median constant of the package's other cards, times N."""
    task, charge = _task(row), _charge(row)
    batch = row.batch or task.usual_batch
    rows = one_gpu.rows_of(task, charge.group)
    rows = rows.where(rows.card != cards.index()[row.card or ""])
    alone = _as_rows(row, charge, batch)
    constants = rows.unit_s * one_gpu.naive_speed(rows, name)
    unit_s = float(np.median(constants) / one_gpu.naive_speed(alone, name)[0]) / row.n_gpus
    cell = one_gpu.cell_of(task, charge.group, alone, 0, unit_s, 0.0, "naive")
    return replace(cell, n_gpus=row.n_gpus, measured=row.rate)


def _setting(row: Measurement) -> tuple[object, ...]:
    return row.task, row.stack, row.card, row.container, row.precision, row.batch


def _one_gpu_rates(rows: Iterable[Measurement]) -> dict[tuple[object, ...], float]:
    """Median one-GPU rate by setting: of the file, else of the package; no container is any of today's."""
    found: dict[tuple[object, ...], list[float]] = {}
    for task in observed.tasks().values():
        for row in observed.runs(task.task, task.stack):
            if row["n_gpus"] == "1" and row["batch"]:
                today = row["container"] in observed.reference_containers()
                for container in {row["container"] or None} | ({None} if today else set()):
                    setting = (task.task, task.stack, row["card"], container, row["precision"], float(row["batch"]))
                    found.setdefault(setting, []).append(float(row["rate"]))
    own: dict[tuple[object, ...], list[float]] = {}
    for each in rows:
        if each.n_gpus == 1:
            own.setdefault(_setting(each), []).append(each.rate)
    return {setting: median(rates) for setting, rates in {**found, **own}.items()}
