"""What was measured of a task in a stack, as numpy columns; and the coefficients fitted to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpurent import tables
from gpurent.hardware import cards
from gpurent.normalizer import matrix, sync
from gpurent.normalizer.fitting import Fit

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """A measured task in its stack; see tables/tasks.csv."""

    task: str
    stack: str
    workload: str
    shape_of: str | None
    kind: str
    synthetic: bool
    largest_n: int
    units_per_sample: float
    usual_batch: float  # of the shipped workload
    step_variation: float  # standard deviation of a step between GPUs, over its mean
    gradient_bytes: Mapping[str, float]  # exchanged a step, by precision group; absent where not known
    flops_per_unit: float | None


@dataclass(frozen=True)
class Observed:
    """Measured rows of one task, stack and precision group, as columns of equal length.

    `unit_s` is seconds per unit on ONE GPU, data ready: several-GPU rows of tasks measured only so give it less their
    exchange of gradients. `batch` is NaN where it is not known; `row_precision` is what the card really ran.
    """

    card: NDArray[np.int64]
    gpus: NDArray[np.int64]
    batch: Floats
    unit_s: Floats
    matrix_tflops: Floats
    bandwidth_gbyte_s: Floats
    container: tuple[str, ...]
    row_precision: tuple[str, ...]
    source: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.card)

    def where(self, mask: NDArray[np.bool_]) -> Observed:
        """The rows under a mask."""
        pick = np.flatnonzero(mask)

        def words(column: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(column[place] for place in pick)

        return Observed(
            card=self.card[pick],
            gpus=self.gpus[pick],
            batch=self.batch[pick],
            unit_s=self.unit_s[pick],
            matrix_tflops=self.matrix_tflops[pick],
            bandwidth_gbyte_s=self.bandwidth_gbyte_s[pick],
            container=words(self.container),
            row_precision=words(self.row_precision),
            source=words(self.source),
        )


@cache
def tasks() -> dict[tuple[str, str], Task]:
    """Every measured task by (task, stack)."""
    return {
        (row["task"], row["stack"]): Task(
            row["task"],
            row["stack"],
            row["workload"],
            row["shape_of"] or None,
            row["kind"],
            row["synthetic"] == "1",
            int(row["largest_n"]),
            float(row["units_per_sample"]),
            float(row["usual_batch"]),
            float(row["step_variation_share"]),
            _gradient_bytes(row),
            tables.number(row["flops_per_unit"]),
        )
        for row in tables.rows("tasks")
    }


def task_of(name: str, task: str | None, stack: str | None) -> Task | None:
    """The measured task a workload stands for: by its task, its name, or the shipped workload of that name."""
    if stack is None:
        return None
    known = tasks()
    for key in (task, name):
        if key is not None and (key, stack) in known:
            return known[key, stack]
    return next((each for each in known.values() if each.workload == name and each.stack == stack), None)


@cache
def reference_containers() -> frozenset[str]:
    """Containers of today's software: a rate measured in one of them stands as it is."""
    return frozenset(row["container"] for row in tables.rows("measured_containers") if row["reference"] == "1")


def reference_of(containers: Iterable[str]) -> set[str]:
    """The reference containers among some; where none is among them, the newest stands for them."""
    found = set(containers)
    return found & reference_containers() or {max(found)}


@cache
def baseline_containers() -> frozenset[str]:
    """Reference containers that a fit counts as 1: the software most cards were measured in, one a stack."""
    return frozenset(row["container"] for row in tables.rows("measured_containers") if row["baseline"] == "1")


def fixed_factors(containers: Sequence[str], card: Sequence[int]) -> set[str]:
    """Containers whose factor a fit does not look for: the baseline, and those of a single card.

    Where one card alone was measured in a container, nothing tells the software from the card. Rows without the
    baseline take their reference containers as 1.
    """
    cards_in: dict[str, set[int]] = {}
    for container, place in zip(containers, card, strict=True):
        cards_in.setdefault(container, set()).add(int(place))
    if not set(cards_in) & baseline_containers():
        return reference_of(cards_in)
    least = tables.constants("model")["container_min_cards"]
    return set(baseline_containers()) | {container for container, each in cards_in.items() if len(each) < least}


def _gradient_bytes(row: Mapping[str, str]) -> dict[str, float]:
    by_group = {"half": "half", "fp8": "half", "single": "single"}
    cells = {group: tables.number(row[f"gradient_bytes_{column}"]) for group, column in by_group.items()}
    return {group: size for group, size in cells.items() if size is not None}


def observed(rows: Iterable[Mapping[str, str]], group: str, task: Task) -> Observed:
    """Rate rows of one task and stack as columns of a precision group.

    A row of N GPUs is undone by the relation of `sync`: step_1 = (step_N - exchange) / overhead.

    Args:
        rows: rows of tables/rates.csv of THIS task.
        group: half, single or fp8.
        task: whose units and gradient bytes they have.
    """
    picked = [each for row in rows if (each := _column(row, group, task)) is not None]
    return Observed(
        card=np.array([each.card for each in picked], dtype=np.int64),
        gpus=np.array([each.gpus for each in picked], dtype=np.int64),
        batch=np.array([each.batch for each in picked], dtype=float),
        unit_s=np.array([each.unit_s for each in picked], dtype=float),
        matrix_tflops=np.array([each.matrix_tflops for each in picked], dtype=float),
        bandwidth_gbyte_s=np.array([each.bandwidth_gbyte_s for each in picked], dtype=float),
        container=tuple(each.container for each in picked),
        row_precision=tuple(each.row_precision for each in picked),
        source=tuple(each.source for each in picked),
    )


class _Row(NamedTuple):
    card: int
    gpus: int
    batch: float
    unit_s: float
    matrix_tflops: float
    bandwidth_gbyte_s: float
    container: str
    row_precision: str
    source: str


def _column(row: Mapping[str, str], group: str, task: Task) -> _Row | None:
    """One rate row of the group; None where it belongs to another, or cannot be brought to one GPU."""
    card = cards.by_id()[row["card"]]
    charge, bandwidth = matrix.charge(card, row["precision"]), matrix.bandwidth_gbyte_s(card)
    if charge.group != group or charge.tflops is None or bandwidth is None:
        return None
    gpus, batch = int(row["n_gpus"]), tables.number(row["batch"])
    unit_s = gpus / float(row["rate"])
    if gpus > 1:
        if batch is None:
            return None
        units = batch * task.units_per_sample
        exchanged = task.gradient_bytes.get(group, 0.0)
        unit_s = sync.step_s_1(unit_s * units, gpus, exchanged, sync.bus_of_card(card, gpus)) / units
    return _Row(
        cards.index()[card.card], gpus, np.nan if batch is None else batch, unit_s, charge.tflops,
        bandwidth, row["container"], charge.precision, row["source"],
    )  # fmt: skip


@cache
def runs(task: str, stack: str) -> tuple[dict[str, str], ...]:
    """Every measured run of a task, rows of tables/rates.csv."""
    return tuple(row for row in tables.rows("rates") if row["task"] == task and row["stack"] == stack)


@cache
def rate_rows(task: str, stack: str) -> tuple[dict[str, str], ...]:
    """What a task is fitted on: one row a setting, the median of its runs, so that no host counts twice.

    Runs of one GPU; where a task has none, those of four and eight.
    """
    mine = runs(task, stack)
    single = [row for row in mine if row["n_gpus"] == "1"]
    settings: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in single or [row for row in mine if row["n_gpus"] in ("4", "8")]:
        setting = tuple(row[name] for name in ("container", "card", "n_gpus", "precision", "batch"))
        settings.setdefault(setting, []).append(row)
    return tuple(_middle(rows) for rows in settings.values())


def _middle(rows: list[dict[str, str]]) -> dict[str, str]:
    ordered = sorted(rows, key=lambda row: float(row["rate"]))
    return ordered[(len(ordered) - 1) // 2]


@dataclass(frozen=True)
class Coefficients:
    """A row of tables/coefficients.csv: how a task's step is made up in a precision group.

    `kind`: fitted (least squares over its own rows), shaped (the shape of a kindred task times a ratio), anchors (as
    shaped, but the task's own spread is so large that its rates speak for their own cards only), crossed (no row in
    this group: another group's ratio).
    """

    kind: str
    fit: Fit
    ratio: float = 1.0  # of unit times, task over shape; of kinds other than fitted
    checked: bool = True  # predictions without a card were possible, and held


@cache
def coefficients() -> dict[tuple[str, str, str], Coefficients]:
    """Coefficients by (task, stack, group)."""
    factors: dict[tuple[str, str, str], dict[str, float]] = {}
    for row in tables.rows("container_factors"):
        factors.setdefault((row["task"], row["stack"], row["group"]), {})[row["container"]] = float(row["factor"])
    found = {}
    for row in tables.rows("coefficients"):
        key = row["task"], row["stack"], row["group"]
        terms = np.array([float(row[name] or 0.0) for name in ("a_tflop", "b_gbyte", "c_s", "d_step_s")])
        fit = Fit(terms, factors.get(key, {}))
        found[key] = Coefficients(row["kind"], fit, float(row["ratio"] or 1.0), bool(row["loo_p90"]))
    return found


@cache
def spread_factor(task: str, stack: str, group: str) -> float:
    """How much wider a task scatters on left-out cards than the core tasks together; 1 where that is not known.

    Its median leave-one-out error over the usual one, between 0.75 and 1.75.
    """
    model = tables.constants("model")
    for row in tables.rows("coefficients"):
        if (row["task"], row["stack"], row["group"]) == (task, stack, group) and row["loo_median"]:
            ratio = float(row["loo_median"]) / model["usual_loo_median"]
            return min(model["spread_factor_high"], max(model["spread_factor_low"], ratio))
    return 1.0
