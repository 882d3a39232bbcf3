"""Scores: how far predicted rates are from measured ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gpurent.hardware import cards

_GAP = 0.10  # pairs closer than the noise of two hosts have no order


@dataclass(frozen=True)
class Cell:
    """One measured rate and what was predicted without it. Rates count units over all GPUs together."""

    task: str
    stack: str
    group: str
    precision: str
    card: str
    n_gpus: int
    batch: float
    container: str
    measured: float
    predicted: float
    low: float
    high: float
    evidence: str
    asked: str = ""  # the precision as the file names it
    line: int | None = None  # of the file
    slice_profile: str = ""  # where it is a slice of the card

    @property
    def ape(self) -> float:
        """Absolute relative error: |predicted / measured - 1|."""
        return abs(self.predicted / self.measured - 1.0)

    @property
    def inside(self) -> bool:
        """The measured rate lies in the interval."""
        return self.low <= self.measured <= self.high

    @property
    def class_(self) -> str:
        """data-centre, professional, geforce, or other."""
        kind = cards.by_id()[self.card].class_
        return kind if kind in ("data-centre", "professional", "geforce") else "other"


def errors(cells: Iterable[Cell]) -> dict[str, float | int | None]:
    """n, median, mean and 90 % point of the absolute relative error; None where there is no cell.

    >>> errors([])["median_ape"] is None
    True
    """
    apes = np.array([cell.ape for cell in cells])
    if not len(apes):
        return {"n": 0, "median_ape": None, "mean_ape": None, "p90_ape": None}
    median, p90 = np.quantile(apes, [0.5, 0.9])
    return {"n": len(apes), "median_ape": float(median), "mean_ape": float(apes.mean()), "p90_ape": float(p90)}


def by(cells: Sequence[Cell], key: Callable[[Cell], str]) -> dict[str, dict[str, float | int | None]]:
    """Errors by a key, in its order."""
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(key(cell), []).append(cell)
    return {name: errors(groups[name]) for name in sorted(groups)}


def pair_order(cells: Sequence[Cell]) -> tuple[float | None, int]:
    """Share of pairs of cards whose order is right, over pairs more than 10 % apart, and how many there are.

    A pair is two cards of one task, precision, container and number of GPUs, each at its own batch.
    """
    right = pairs = 0
    for group in _comparable(cells).values():
        for one, other in combinations(group, 2):
            if one.card != other.card and max(one.measured, other.measured) > (1 + _GAP) * min(
                one.measured, other.measured
            ):
                pairs += 1
                right += (one.measured > other.measured) == (one.predicted > other.predicted)
    return (right / pairs if pairs else None), pairs


def _comparable(cells: Sequence[Cell]) -> dict[tuple[str, ...], list[Cell]]:
    groups: dict[tuple[str, ...], list[Cell]] = {}
    for cell in cells:
        if not cell.slice_profile:
            groups.setdefault((cell.task, cell.stack, cell.group, cell.container, str(cell.n_gpus)), []).append(cell)
    return groups


def coverage(cells: Sequence[Cell]) -> float | None:
    """Share of the cells whose measured rate lies in the 10 % to 90 % interval; None without cells."""
    return sum(cell.inside for cell in cells) / len(cells) if cells else None
