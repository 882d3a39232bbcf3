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
from gpurent.hardware import cards, slices
from gpurent.measurements import Measurement
from gpurent.normalizer import compute, matrix, observed, refit, spread
from gpurent.normalizer.observed import Observed, Task
from gpurent.normalizer.task_book import Entry, TaskBook
from gpurent.offer import clean_line
from gpurent.validation import one_gpu, several_gpus
from gpurent.validation.points import Point
from gpurent.validation.scores import Cell

_NAIVE = ("flops", "bandwidth")


@dataclass(frozen=True)
class FileScores:
    """What a file of measured rates says of the model.

    `cells` in the file's order; `given_one` the rows of several GPUs predicted from a measured rate of one (of the
    file, else of the package); `slices` the rates of slices over a measured rate of their whole card; `naive` the same
    rows by FLOPS or bandwidth alone; `skipped` counts by reason, with what was not known.
    """

    cells: list[Cell]
    given_one: list[Cell]
    slices: list[Point]
    naive: dict[str, list[Cell]]
    skipped: dict[str, int]
    examples: dict[str, list[str]]


def score(path: Path) -> FileScores:
    """Score a csv of measured rates.

    Raises:
        Problem: the file cannot be read, or a line of it is not what its header says.
    """
    found = FileScores([], [], [], {name: [] for name in _NAIVE}, {}, {})
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
        rate = None if row.batch is None else known.get(_setting(row))
        if row.batch is None or rate is None:
            continue
        if row.slice_profile is not None:
            found.slices.append(_slice_point(row, row.slice_profile, rate))
        elif row.n_gpus > 1:
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
    told = {"unknown-gpu": row.gpu, "unknown-stack": row.source, "unknown-precision": row.precision}
    name = clean_line(told.get(reason, row.workload))
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
    if row.slice_profile is not None:
        stretch = _stretch(entry, row, row.slice_profile, batch)
        if stretch is None:
            return None
        whole = one_gpu.cell_of(
            task, charge.group, _as_rows(row, charge, batch), 0, unit_s * stretch, entry.sigma, entry.evidence
        )
        return replace(whole, slice_profile=row.slice_profile)
    if row.n_gpus > 1:
        step_1 = unit_s * batch * task.units_per_sample
        return _several(row, task, batch, step_1, entry.sigma, entry.evidence)
    return one_gpu.cell_of(task, charge.group, _as_rows(row, charge, batch), 0, unit_s, entry.sigma, entry.evidence)


def _stretch(entry: Entry, row: Measurement, profile: str, batch: float) -> float | None:
    """Step of a row's slice over its whole card's; None where the profile is none of the card's."""
    share = slices.fractions(row.card or "", "mig", profile)
    if share is None:
        return None
    matrix_s, bandwidth_s, host_s = batch * entry.parts[:3]
    return float(compute.slice_stretch(matrix_s, bandwidth_s, host_s, entry.parts[3], share.compute, share.bandwidth))


def _slice_point(row: Measurement, profile: str, whole_rate: float) -> Point:
    """The slice's share of its card's rate, measured and by what is known of the card without this cell."""
    task, charge = _task(row), _charge(row)
    book = _book_without(task.task, task.stack, charge.group, row.card or "")
    entry = None if book is None else book.entry(cards.index()[row.card or ""], charge)
    stretch = np.nan if entry is None else _stretch(entry, row, profile, row.batch or task.usual_batch) or np.nan
    return Point(f"{row.card} {profile}", "mig", row.rate / whole_rate, 1.0 / stretch)


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
        if each.n_gpus == 1 and each.slice_profile is None:
            own.setdefault(_setting(each), []).append(each.rate)
    return {setting: median(rates) for setting, rates in {**found, **own}.items()}
