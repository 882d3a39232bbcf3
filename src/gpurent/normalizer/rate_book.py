"""The book of rates of a workload: its measured task, or the shape of its kind and its FLOPs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpurent.hardware import cards
from gpurent.normalizer import observed
from gpurent.normalizer.matrix import Charge, charge
from gpurent.normalizer.observed import Task
from gpurent.normalizer.spread import sigma
from gpurent.normalizer.task_book import Entry, TaskBook, shape_task, task_book
from gpurent.workloads.workload import Workload


@dataclass(frozen=True)
class Book:
    """The entries of a workload, and what goes for all of them."""

    tasks: TaskBook | None
    assumed: TaskBook | None  # the shape that stands in where nothing was measured
    ratio: float  # of unit times, workload over that shape
    units_per_sample: float
    assumed_sigma: float
    shape_sigma: float  # of a card predicted from the user's own anchor
    synthetic: bool
    step_variation: float
    own_steps: dict[tuple[int, int], tuple[float, float]]

    def entry(self, place: int, asked: Charge) -> Entry | None:
        """The entry of a card; None where nothing can be said."""
        if asked.reason:
            return None
        if self.tasks is not None:
            return self.tasks.entry(place, asked)
        entry = None if self.assumed is None or np.isnan(self.ratio) else self.assumed.entry(place, asked)
        if entry is None:
            return None
        source = f"FLOPs by the shape of {self.assumed.task.task}" if self.assumed else ""
        # A step launches the same layers whatever a unit is: only the work goes with the FLOPs.
        scale = np.array([self.ratio, self.ratio, self.ratio, 1.0 / self.units_per_sample])
        return Entry(entry.parts * scale, float(np.hypot(self.assumed_sigma, entry.sigma)), "assumed", source)


def open_book(workload: Workload, precision: str, *, anchored: bool = False) -> Book:
    """The book of a workload: its measured task, else its FLOPs by the shape of its kind (level 4).

    Without either the constant of that shape is unknown, and there is no entry unless an anchor will pin it.
    """
    task = observed.task_of(workload.name, workload.task, workload.stack)
    batch = float(workload.batch)
    if task is not None:
        book = task_book(task, batch)
        own = _own_steps(book, precision)
        return Book(book, None, 1.0, 1.0, 0.0, _shape_sigma(task.kind), task.synthetic, task.step_variation, own)
    shape, kind = _shape_of(workload)
    flops = observed.tasks()[shape.task, shape.stack].flops_per_unit
    ratio = 1.0 if anchored else np.nan
    if workload.flops_per_sample and flops:
        ratio = workload.flops_per_sample / workload.units_per_sample / flops
    units = workload.units_per_sample
    spread = sigma("assumed")
    return Book(None, task_book(shape, batch), float(ratio), units, spread, _shape_sigma(kind), False, 0.0, {})


def _shape_of(workload: Workload) -> tuple[Task, str]:
    """The measured task whose shape a workload most likely has, and its kind."""
    image = workload.sample in ("image", "volume", "frame") and workload.task != "transformer"
    kind = workload.task if workload.task in ("cnn", "transformer") else "cnn" if image else "transformer"
    return shape_task("resnet50" if kind == "cnn" else "bert-base"), kind


def _shape_sigma(kind: str) -> float:
    return sigma("shape_of_kind" if kind in ("cnn", "transformer") else "shape_generic")


def _own_steps(book: TaskBook, precision: str) -> dict[tuple[int, int], tuple[float, float]]:
    """Steps measured with several GPUs, for a task that has no one-GPU row: (card, GPUs) -> (batch, seconds).

    Of a card's submissions those of its newest round.
    """
    rows = observed.rate_rows(book.task.task, book.task.stack)
    newest: dict[str, str] = {}
    for row in rows:
        newest[row["card"]] = max(row["container"], newest.get(row["card"], ""))
    steps: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for row in rows:
        if row["container"] != newest[row["card"]]:
            continue
        gpus, batch = int(row["n_gpus"]), float(row["batch"] or book.batch)
        asked = charge(cards.by_id()[row["card"]], precision)
        ran = charge(cards.by_id()[row["card"]], row["precision"])
        if gpus > 1 and asked.precision == ran.precision and asked.slowdown == 1.0:
            step = gpus * batch * book.task.units_per_sample / float(row["rate"])
            steps.setdefault((cards.index()[row["card"]], gpus), []).append((batch, step))
    return {key: _middle(rows) for key, rows in steps.items()}


def _middle(rows: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Of several measured steps the one with the median time a sample."""
    ordered = sorted(rows, key=lambda row: row[1] / row[0])
    return ordered[(len(ordered) - 1) // 2]
