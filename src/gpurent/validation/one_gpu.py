"""One GPU: every measured cell of the core tasks predicted without its card, its chip, or anything newer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from gpurent import tables
from gpurent.hardware import cards
from gpurent.normalizer import matrix, observed, refit, spread
from gpurent.normalizer.observed import Observed, Task
from gpurent.validation.scores import Cell

CORE_STACK = "lambda-ngc"
_OLD = ("Kepler", "Maxwell", "Pascal", "Volta", "Turing", "Ampere")


@cache
def core() -> tuple[Task, ...]:
    """The core eight: the fitted tasks of lambda-ngc that tables/validation_core.csv names."""
    return tuple(observed.tasks()[row["task"], CORE_STACK] for row in tables.rows("validation_core"))


def rows_of(task: Task, group: str) -> Observed:
    """The package's measured one-GPU rows of a task."""
    return observed.observed(observed.rate_rows(task.task, task.stack), group, task)


def card_out() -> list[Cell]:
    """Leave the card variant out."""
    return [cell for task in core() for cell in _out(task, refit.card_id)]


def die_out() -> list[Cell]:
    """Leave every card of the chip out."""
    return [cell for task in core() for cell in _out(task, lambda place: cards.table()[place].chip)]


def newer() -> list[Cell]:
    """Ampere and older predict what came later."""
    found = []
    for task in core():
        for group in ("half", "single"):
            rows = rows_of(task, group)
            new = np.array([cards.table()[int(place)].architecture not in _OLD for place in rows.card], dtype=bool)
            book = refit.book_without(task, rows, group, new, 1.0) if new.any() else None
            for row in np.flatnonzero(new & np.isfinite(rows.batch)) if book else ():
                told = refit.predict(book, rows, group, int(row)) if book else None
                if told is not None:
                    found.append(cell_of(task, group, rows, int(row), told[1], told[0].sigma, told[0].evidence))
    return found


def naive(by_bandwidth: bool) -> list[Cell]:
    """The same cells by nominal FLOPS alone, or by memory bandwidth alone: the median constant of the other cards."""
    found = []
    for task in core():
        for group in ("half", "single"):
            rows = rows_of(task, group)
            fit = refit.fit_rows(rows)
            if fit is None:
                continue
            factor = np.array([fit.fit.factors.get(name, 1.0) for name in rows.container])
            speed = rows.bandwidth_gbyte_s if by_bandwidth else _nominal(rows)
            constant = rows.unit_s * speed / factor
            for row in np.flatnonzero(np.isfinite(rows.batch)):
                other = rows.card != rows.card[row]
                unit_s = float(np.median(constant[other]) / speed[row] * factor[row])
                found.append(cell_of(task, group, rows, int(row), unit_s, 0.0, "naive"))
    return found


def _out(task: Task, key: Callable[[int], str]) -> Iterator[Cell]:
    for group in ("half", "single"):
        rows = rows_of(task, group)
        for row, entry, unit_s in refit.leave_one_out(task, group, rows, key):
            yield cell_of(task, group, rows, row, unit_s, entry.sigma, entry.evidence)


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


def _nominal(rows: Observed) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    names = {"half": "amp", "tf32": "tf32", "fp32": "fp32", "fp8": "fp8"}
    pairs = zip(rows.card, rows.row_precision, strict=True)
    return np.array([matrix.nominal_tflops(cards.table()[int(card)], names[name]) or np.nan for card, name in pairs])
