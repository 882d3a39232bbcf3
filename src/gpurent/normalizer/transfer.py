"""Transfer: what measured cards of a task say about cards that were not measured.

The residual of a card is the log of measured over fitted unit time. Cards of one architecture share it, cards of one
chip more so; both are shrunk, for one or two cards are a weak witness.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from gpurent.hardware import cards
from gpurent.hardware.cards import Card
from gpurent.normalizer import matrix
from gpurent.normalizer.fitting import Fit, design
from gpurent.normalizer.observed import Observed
from gpurent.tables import constants

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Transferred:
    """The log residual a card takes from others, and from how many of its architecture (0: the fit stands alone)."""

    log_residual: float
    cards: int


@cache
def family(card_id: str) -> str:
    """What counts as one architecture: data-centre and desktop Blackwell are two, as are their instruction sets."""
    card = cards.by_id()[card_id]
    return f"{card.architecture}/{card.chip[:3]}" if card.architecture == "Blackwell" else card.architecture


def factors(rows: Observed, fit: Fit) -> Floats:
    """The container factor of each row; 1 for a container that was not fitted."""
    return np.array([fit.factors.get(name, 1.0) for name in rows.container])


def log_residuals(rows: Observed, fit: Fit) -> Floats:
    """log(measured / fitted unit time) of each row, NaN where its batch is not known."""
    fitted = design(rows.matrix_tflops, rows.bandwidth_gbyte_s, rows.batch) @ fit.terms * factors(rows, fit)
    result: Floats = np.log(rows.unit_s / fitted)
    return result


def by_card(rows: Observed, fit: Fit) -> dict[int, float]:
    """Mean log residual of each measured card, by its row in `cards.table()`.

    Rows of unknown batch say nothing of other cards: a small batch would pass for a slow card.
    """
    rows = rows.where(np.isfinite(rows.batch))
    residuals = log_residuals(rows, fit)
    return {int(card): float(residuals[rows.card == card].mean()) for card in np.unique(rows.card)}


def transferred(card: int, residuals: Mapping[int, float]) -> Transferred:
    """The residual a card takes from measured OTHERS.

        of the architecture: mean * k / (k + 2);   of siblings (same chip and class): weight q / (q + 1), the rest the
        architecture's

    Args:
        card: row in `cards.table()`.
        residuals: `by_card` of the task.
    """
    model, table = constants("model"), cards.table()
    mine = table[card]
    kin = {
        other: value
        for other, value in residuals.items()
        if other != card and family(table[other].card) == family(mine.card)
    }
    if not kin:
        return Transferred(0.0, 0)
    k = len(kin)
    shared = sum(kin.values()) / (k + model["residual_shrink"])
    siblings = [value for other, value in kin.items() if _sibling(mine, table[other])]
    weight = len(siblings) / (len(siblings) + model["sibling_shrink"])
    own = sum(siblings) / len(siblings) if siblings else 0.0
    return Transferred(weight * own + (1.0 - weight) * shared, k)


def stock_of(card: int, measured: Iterable[int], precision: str) -> int | None:
    """The measured stock card whose export or modded board this is; None where there is none.

    Same chip, class and form, and a matrix rate not cut deeper than the fit can be replaced for.
    """
    table, model = cards.table(), constants("model")
    mine = table[card]
    if mine.status not in ("export", "modded"):
        return None
    rate = matrix.charge(mine, precision).tflops
    near = []
    for other in measured:
        stock = table[other]
        its = matrix.charge(stock, precision).tflops
        same = stock.status == "stock" and stock.form == mine.form and _sibling(mine, stock)
        if same and rate and its and model["variant_min_ratio"] <= rate / its <= 1 / model["variant_min_ratio"]:
            near.append((abs(np.log((mine.bandwidth_gbyte_s or 1.0) / (stock.bandwidth_gbyte_s or 1.0))), other))
    return min(near)[1] if near else None


def variant_time(card: Card, stock: Card, precision: str) -> float:
    """Step of an export or modded board over its stock sibling's.

        0.7 matrix_stock / matrix + 0.3 bandwidth_stock / bandwidth

    Source: an RTX 4090 D trains at 0.91 of a 4090 with 0.87 of its matrix rate and all of its bandwidth.
    """
    share = constants("model")["variant_matrix_share"]
    mine, its = matrix.charge(card, precision).tflops or 1.0, matrix.charge(stock, precision).tflops or 1.0
    return share * its / mine + (1 - share) * (stock.bandwidth_gbyte_s or 1.0) / (card.bandwidth_gbyte_s or 1.0)


def _sibling(one: Card, other: Card) -> bool:
    return one.chip == other.chip and one.class_ == other.class_
