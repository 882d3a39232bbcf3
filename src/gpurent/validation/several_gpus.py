"""Several GPUs: measured rates of 2 to 8 GPUs predicted from one known GPU, and for cards that were left out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from statistics import median

import numpy as np

from gpurent.hardware import cards
from gpurent.normalizer import matrix, observed, refit, spread, sync
from gpurent.normalizer.observed import Task
from gpurent.normalizer.task_book import Entry
from gpurent.validation.one_gpu import core, rows_of
from gpurent.validation.scores import Cell

Row = Mapping[str, str]


def one_known() -> list[Cell]:
    """Rows of several GPUs from the measured rate of one: same card, container, precision and batch."""
    found = []
    for task in core():
        rates: dict[tuple[str, ...], list[float]] = {}
        for row in observed.runs(task.task, task.stack):
            if row["n_gpus"] == "1":
                rates.setdefault(_setting(row), []).append(float(row["rate"]))
        for row in observed.runs(task.task, task.stack):
            known = rates.get(_setting(row))
            if row["n_gpus"] != "1" and row["batch"] and known is not None:
                batch = float(row["batch"])
                step_1 = batch * task.units_per_sample / median(known)
                found.append(cell_of(task, row, batch, step_1, spread.sigma("measured"), "measured"))
    return found


def unseen_card() -> list[Cell]:
    """Rows of several GPUs of a card whose every rate was left out of the fit."""
    found = []
    for task in core():
        for row in observed.runs(task.task, task.stack):
            entry = _entry_without(task, row) if row["n_gpus"] != "1" and row["batch"] else None
            if entry is not None:
                told, factor = entry
                batch = float(row["batch"])
                step = told.unit_s(batch) * factor * batch * task.units_per_sample
                found.append(cell_of(task, row, batch, step, told.sigma, told.evidence))
    return found


def cell_of(task: Task, row: Row, batch: float, step_1_s: float, sigma: float, evidence: str) -> Cell:
    """A row of N GPUs of one node with its prediction; the interval by draws of card, link and host."""
    card = cards.by_id()[row["card"]]
    charge = matrix.charge(card, row["precision"])
    gpus = int(row["n_gpus"])
    place = np.array([cards.index()[card.card]])
    bus = sync.bus(place, ("",), np.array([gpus]), 1, np.array([np.nan]))
    gradient = task.gradient_bytes.get(charge.group, 0.0)
    count = np.array([float(gpus)])

    def rate(step_1: spread.Floats, bus_gbyte_s: spread.Floats) -> spread.Floats:
        step: spread.Floats = sync.step_s_n(step_1, count, gradient, 1, bus_gbyte_s, task.step_variation)
        return gpus * batch * task.units_per_sample / step

    work = np.exp(sigma * spread.normals("card", [f"{card.card}/{task.task}/{charge.precision}"])[0])
    link = np.exp(bus.sigma * spread.normals("link", bus.key)[0])
    host = np.exp(spread.sigma("host") * spread.normals("host", [f"{task.stack}/{card.card}"])[0])
    low, high = spread.interval((rate(step_1_s / work, bus.gbyte_s * link) * host)[None, :])
    return Cell(
        task.task, task.stack, charge.group, charge.precision, card.card, gpus, batch, row["container"],
        float(row["rate"]), float(rate(np.array([step_1_s]), bus.gbyte_s)[0]), float(low[0]), float(high[0]), evidence,
    )  # fmt: skip


def _setting(row: Row) -> tuple[str, ...]:
    return row["card"], row["container"], row["precision"], row["batch"]


def _entry_without(task: Task, row: Row) -> tuple[Entry, float] | None:
    """The entry of a row's card without its rates, and the factor of the row's container."""
    card = cards.by_id()[row["card"]]
    charge = matrix.charge(card, row["precision"])
    return entry_without(task.task, task.stack, charge.group, card.card, row["precision"], row["container"])


@cache
def entry_without(
    task: str, stack: str, group: str, card_id: str, precision: str, container: str
) -> tuple[Entry, float] | None:
    """What the package says of a card in a precision when none of the card's own rates of that group is known."""
    known = next(each for each in core() if (each.task, each.stack) == (task, stack))
    rows = rows_of(known, group)
    out = rows.card == cards.index()[card_id]
    book = refit.book_without(known, rows, group, out, known.usual_batch)
    entry = (
        None if book is None else book.entry(cards.index()[card_id], matrix.charge(cards.by_id()[card_id], precision))
    )
    if book is None or entry is None:
        return None
    return entry, book.coefficients[group].fit.factors.get(container, 1.0)
