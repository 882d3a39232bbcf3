"""The user's own rates: they pin the constant for all cards and stand for their own."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gpurent import workloads
from gpurent.errors import Problem
from gpurent.hardware import cards
from gpurent.normalizer import anchor
from gpurent.normalizer.anchor import Anchor
from gpurent.normalizer.compute import CardRates, card_rates
from gpurent.workloads import Workload

MINE = Workload(
    name="mine",
    sample="image",
    samples_per_epoch=1000,
    epochs=1,
    bytes_per_sample=1000,
    batch=64,
    flops_per_sample=25e9,
)
UNKNOWN = Workload(name="mine", sample="image", samples_per_epoch=1000, epochs=1, bytes_per_sample=1000, batch=64)


def rate(rates: CardRates, card: str, batch: float = 64.0) -> float:
    return batch / float(rates.whole_card_s(batch)[cards.index()[card]])


def test_an_anchor_is_its_own_cards_rate() -> None:
    rates = card_rates(MINE, "amp", [Anchor("rtx-3090", 905.0)])
    place = cards.index()["rtx-3090"]
    assert rate(rates, "rtx-3090") == pytest.approx(905.0)
    assert (rates.evidence[place], rates.source[place]) == ("measured", "your anchor")
    assert rates.sigma[place] == 0.05


def test_others_move_in_proportion_and_get_surer() -> None:
    before, after = card_rates(MINE, "amp"), card_rates(MINE, "amp", [Anchor("rtx-3090", 905.0)])
    factor = 905.0 / rate(before, "rtx-3090")
    assert rate(after, "h100-sxm-80gb") == pytest.approx(factor * rate(before, "h100-sxm-80gb"))
    place = cards.index()["h100-sxm-80gb"]
    assert after.sigma[place] < before.sigma[place]
    assert after.evidence[place] == "transferred"


def test_an_anchor_is_enough_to_know_a_workload() -> None:
    assert not np.isfinite(rate(card_rates(UNKNOWN, "amp"), "a100-sxm-80gb"))
    pinned = card_rates(UNKNOWN, "amp", [Anchor("rtx-3090", 100.0)])
    assert rate(pinned, "rtx-3090") == pytest.approx(100.0)
    assert rate(pinned, "a100-sxm-80gb") > 100.0


def test_a_measured_workload_can_be_pinned_too() -> None:
    loaded = workloads.load("bert-large")
    rates = card_rates(loaded, "amp", [Anchor("rtx-3090", 26.0)])
    before = card_rates(loaded, "amp")
    assert rate(rates, "a100-sxm-80gb", 32) == pytest.approx(
        rate(before, "a100-sxm-80gb", 32) * 26.0 / rate(before, "rtx-3090", 32)
    )


def test_contradictory_anchors_are_said_and_both_stand() -> None:
    rates = card_rates(MINE, "amp", [Anchor("rtx-3090", 900.0), Anchor("a100-sxm-80gb", 300.0)])
    assert rate(rates, "rtx-3090") == pytest.approx(900.0)
    assert rate(rates, "a100-sxm-80gb") == pytest.approx(300.0)
    code, values = rates.notes[0]
    assert code == "anchors-contradict"
    assert {values["one"], values["other"]} == {"rtx-3090 = 900", "a100-sxm-80gb = 300"}


def test_anchors_that_agree_say_nothing() -> None:
    agreeing = [Anchor("rtx-3090", 905.0), Anchor("a100-sxm-80gb", 1500.0)]
    assert card_rates(MINE, "amp", agreeing).notes == ()


def test_two_rates_of_one_card_meet_in_the_middle() -> None:
    told = anchor.pin([Anchor("a", 50.0), Anchor("a", 200.0)], {"a": 100.0}, 0.2)
    assert told.own == pytest.approx({"a": 100.0})
    assert told.factor == pytest.approx(1.0)
    assert told.contradiction is not None


def test_order_does_not_matter() -> None:
    pair = [Anchor("a", 50.0), Anchor("b", 300.0)]
    one, other = (anchor.pin(each, {"a": 100.0, "b": 200.0}, 0.2) for each in (pair, pair[::-1]))
    assert math.isclose(one.factor, other.factor)


@pytest.mark.parametrize(
    "text", ["rtx-3090", "rtx-3090=", "rtx-3090=0", "rtx-3090=-5", "rtx-3090=fast", "rtx-3090=1e999"]
)
def test_a_rate_must_be_a_positive_number(text: str) -> None:
    with pytest.raises(Problem, match="positive rate"):
        anchor.read(text)


def test_a_card_must_be_known() -> None:
    with pytest.raises(Problem, match="no known card"):
        anchor.read("rtx-9999=5")


def test_any_spelling_of_a_card() -> None:
    assert anchor.read("RTX 3090=905") == Anchor("rtx-3090", 905.0)
