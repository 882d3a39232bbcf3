"""One GPU: every measured cell of the core tasks predicted without its card, its chip, or anything newer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from gpurent import tables
from gpurent.hardware import cards
from gpurent.normalizer import matrix, observed, refit, spread, transfer
from gpurent.normalizer.observed import Observed, Task
from gpurent.validation.scores import Cell

CORE_STACK = "lambda-ngc"
_OLD = ("Kepler", "Maxwell", "Pascal", "Volta", "Turing", "Ampere")


@cache
def core() -> tuple[Task, ...]:
    """The core eight: the fitted tasks of lambda-ngc that tables/validation_core.csv names."""
    return tuple(observed.tasks()[row["task"], CORE_STACK] for row in tables.rows("validation_core"))


def rows_of(task: Task, group: str) -> Observed:
    """What a task is fitted on."""
    return observed.observed(observed.rate_rows(task.task, task.stack), group, task)


def runs_of(task: Task, group: str) -> Observed:
    """Every measured one-GPU run of a task."""
    single = [row for row in observed.runs(task.task, task.stack) if row["n_gpus"] == "1"]
    return observed.observed(single, group, task)


def card_out() -> list[Cell]:
    """Leave the card variant out."""
    return [cell for task in core() for cell in _out(task, refit.card_id)]


def cell_out() -> list[Cell]:
    """Leave the cell out: what the card did in other tasks is known."""
    return [cell for task in core() for cell in _out(task, refit.card_id, effects=True)]


def die_out() -> list[Cell]:
    """Leave every card of the chip out."""
    return [cell for task in core() for cell in _out(task, lambda place: cards.table()[place].chip)]


def newer() -> list[Cell]:
    """Ampere and older predict what came later."""
    found = []
    for task in core():
        for group in ("half", "single"):
            rows, runs = rows_of(task, group), runs_of(task, group)
            book = refit.book_without(task, rows, group, is_new(rows), task.usual_batch)
            for row in np.flatnonzero(is_new(runs) & np.isfinite(runs.batch)) if book else ():
                told = refit.predict(book, runs, group, int(row)) if book else None
                if told is not None:
                    found.append(cell_of(task, group, runs, int(row), told[1], told[0].sigma, told[0].evidence))
    return found


def is_new(rows: Observed) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Rows of cards that came after Ampere."""
    return np.array([cards.table()[int(place)].architecture not in _OLD for place in rows.card], dtype=bool)


def naive(name: str) -> list[Cell]:
    """The same cells by "flops" (nominal) or "bandwidth" alone: the median constant of the other cards."""
    found = []
    for task in core():
        for group in ("half", "single"):
            rows, runs = rows_of(task, group), runs_of(task, group)
            fit = refit.fit_rows(rows)
            if fit is None:
                continue
            constant = rows.unit_s * naive_speed(rows, name) / transfer.factors(rows, fit.fit)
            speed, factor = naive_speed(runs, name), transfer.factors(runs, fit.fit)
            for row in np.flatnonzero(np.isfinite(runs.batch)):
                unit_s = float(np.median(constant[rows.card != runs.card[row]]) / speed[row] * factor[row])
                found.append(cell_of(task, group, runs, int(row), unit_s, 0.0, "naive"))
    return found


def _out(task: Task, key: Callable[[int], str], *, effects: bool = False) -> Iterator[Cell]:
    for group in ("half", "single"):
        rows, runs = rows_of(task, group), runs_of(task, group)
        for row, entry, unit_s in refit.leave_one_out(task, group, rows, key, runs, effects=effects):
            yield cell_of(task, group, runs, row, unit_s, entry.sigma, entry.evidence)


def cell_of(task: Task, group: str, rows: Observed, row: int, unit_s: float, sigma: float, evidence: str) -> Cell:
    """A row of one GPU with its prediction; the interval by the product's own draws."""
    card = cards.table()[int(rows.card[row])].card
    predicted = 1.0 / unit_s
    what = spread.normals("card", [f"{card}/{task.task}/{rows.row_precision[row]}"])
    draws = predicted * np.exp(sigma * what + spread.sigma("host") * spread.normals("host", [f"{task.stack}/{card}"]))
    low, high = spread.interval(draws)
    return Cell(
        task.task, task.stack, group, rows.row_precision[row], card, 1, float(rows.batch[row]), rows.container[row],
        1.0 / float(rows.unit_s[row]), predicted, float(low[0]), float(high[0]), evidence,
    )  # fmt: skip


def naive_speed(rows: Observed, name: str) -> matrix.Floats:
    """The one number a naive ranking goes by, of each row's card: nominal TFLOP/s or memory GB/s."""
    table = cards.table()
    if name == "bandwidth":
        return np.array([table[int(place)].bandwidth_gbyte_s or np.nan for place in rows.card])
    names = {"half": "amp", "tf32": "tf32", "fp32": "fp32", "fp8": "fp8"}
    pairs = zip(rows.card, rows.row_precision, strict=True)
    return np.array([matrix.nominal_tflops(table[int(card)], names[kind]) or np.nan for card, kind in pairs])
