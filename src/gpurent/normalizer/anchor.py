"""Anchors: rates the user measured himself; each pins the constant of the model for the workload he has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpurent.errors import USAGE, Problem
from gpurent.hardware import cards
from gpurent.money import InvalidNumber, bounded_decimal
from gpurent.tables import constants

_MAX_EXPONENT = 15


@dataclass(frozen=True)
class Anchor:
    """Samples per second measured on one whole card, one GPU, this workload and precision."""

    card: str
    samples_per_s: float


@dataclass(frozen=True)
class Pin:
    """What anchors say together.

    `factor` multiplies every predicted unit time; `own` is the measured rate of each anchored card, samples/s;
    `contradiction` holds two anchors that cannot both be right, with the time factors they ask for.
    """

    factor: float
    own: dict[str, float]
    contradiction: tuple[tuple[Anchor, float], tuple[Anchor, float]] | None


def read(text: str) -> Anchor:
    """An anchor of the command line, "CARD=RATE".

    Raises:
        Problem: unknown card or a rate that is not a positive number.

    >>> read("rtx-3090=905")
    Anchor(card='rtx-3090', samples_per_s=905.0)
    """
    name, _, rate = text.partition("=")
    try:
        value = float(bounded_decimal(rate.strip(), max_exponent=_MAX_EXPONENT))
    except InvalidNumber:
        value = 0.0
    if not value > 0:
        raise Problem("an anchor needs a positive rate", text, "write CARD=SAMPLES_PER_S, as in rtx-3090=905", USAGE)
    return Anchor(_card(name.strip(), text), value)


def _card(name: str, text: str) -> str:
    if name in cards.by_id():
        return name
    from gpurent.hardware import names  # the grammar is only needed for other spellings

    reading = names.read_name(name)
    if reading.gpu is not None and (reading.gpu_count or 1) > 1:
        raise Problem("an anchor is the rate of one card", text, f"measure one, or give {reading.gpu}=RATE", USAGE)
    if reading.gpu is None:
        near = f"; it may be {', '.join(reading.candidates)}" if reading.candidates else ""
        raise Problem("an anchor names no known card", text, f"`gpurent gpus list` shows the ids{near}", USAGE)
    return reading.gpu


def pin(anchors: Sequence[Anchor], predicted: Mapping[str, float], sigma: float) -> Pin:
    """What several anchors say together: the geometric mean of what each asks for.

        factor = exp(mean log(predicted / measured))

    Two anchors contradict each other when their factors differ by more than the interval of two such predictions.

    Args:
        anchors: the user's anchors; several of one card count once each.
        predicted: predicted samples/s of the anchored cards, without anchors.
        sigma: spread of one prediction from another card.

    >>> pin([Anchor("a", 50.0)], {"a": 100.0}, 0.2).factor
    2.0
    """
    asked = [(each, predicted[each.card] / each.samples_per_s) for each in anchors]
    factor = math.exp(sum(math.log(ratio) for _, ratio in asked) / len(asked))
    own: dict[str, list[float]] = {}
    for each, _ in asked:
        own.setdefault(each.card, []).append(math.log(each.samples_per_s))
    rates = {card: math.exp(sum(logs) / len(logs)) for card, logs in own.items()}
    least, most = min(asked, key=lambda pair: pair[1]), max(asked, key=lambda pair: pair[1])
    limit = constants("model")["anchor_contradiction_sigmas"] * math.sqrt(2) * sigma
    return Pin(factor, rates, (least, most) if math.log(most[1] / least[1]) > limit else None)
