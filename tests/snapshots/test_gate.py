"""Every rule of the gate: a case that trips it and one that must not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from gpurent.hardware.resolve import resolve
from gpurent.offer import Offer
from gpurent.snapshots import gate
from gpurent.snapshots.collection import Answer, Verdict
from tests.snapshots.making import NIGHT, ONE_DAY, answer, offer

RATES = {"USD": 1.0, "EUR": 1.1, "CNY": 0.14}


def some(count: int = 10, amount: str = "1.50", **facts: Any) -> list[Offer]:
    return [offer(f"type-{number}", amount, **facts) for number in range(count)]


def past(offers: Sequence[Offer], **facts: Any) -> gate.Past:
    return gate.Past(**{"offers": {one.offer_id: one for one in offers}, "observed_at": NIGHT, **facts})


def judge(offers: Sequence[Offer], before: gate.Past, **facts: Any) -> Verdict:
    return gate.judge(answer(offers, NIGHT + ONE_DAY, **facts), before, RATES, resolve)


def rules(verdict: Verdict) -> set[str]:
    return {remark.rule for remark in verdict.refused}


def test_the_same_again_passes_without_a_word() -> None:
    verdict = judge(some(), past(some()))
    assert verdict == Verdict(believed=tuple(some()))


def test_a_first_collection_passes_with_a_note() -> None:
    verdict = judge(some(), gate.Past())
    assert [remark.rule for remark in verdict.notes] == ["first"]
    assert len(verdict.believed) == 10


# --- empty


def test_empty_is_refused() -> None:
    assert rules(judge([], past(some()))) == {"empty"}
    assert rules(judge([], gate.Past())) == {"empty"}


def test_one_offer_is_not_empty() -> None:
    assert not judge(some(1), past(some(1))).refused


# --- count


def test_less_than_half_is_refused() -> None:
    assert rules(judge(some(4), past(some(10)))) == {"count"}


def test_half_passes_and_so_does_a_cut_answer_which_ends_nothing() -> None:
    assert not judge(some(5), past(some(10))).refused
    assert not judge(some(1), past(some(10)), complete=False).refused


# --- median of a card


def test_a_card_that_costs_half_as_much_more_is_refused() -> None:
    verdict = judge(some(10, "2.20"), past(some(10, "1.50")))
    assert rules(verdict) == {"median"}
    (remark,) = verdict.refused
    assert (remark.subject, remark.before, remark.now) == ("a100-sxm-80gb on-demand USD", "1.50", "2.20")


def test_a_third_more_passes_and_so_does_one_dear_offer_among_ten() -> None:
    assert not judge(some(10, "2.00"), past(some(10, "1.50"))).refused
    assert not judge([*some(9), offer("type-9", "4.00")], past(some(10))).refused


def test_few_listings_of_a_marketplace_may_jump() -> None:
    listings = [offer(None, "1.50", listing=str(number)) for number in range(3)]  # type: ignore[arg-type]
    dearer = [offer(None, "3.50", listing=str(number)) for number in range(3)]  # type: ignore[arg-type]
    assert not judge(dearer, past(listings)).refused
    many = [offer(None, "1.50", listing=str(number)) for number in range(6)]  # type: ignore[arg-type]
    jumped = [offer(None, "3.50", listing=str(number)) for number in range(6)]  # type: ignore[arg-type]
    assert rules(judge(jumped, past(many))) == {"median"}


def test_a_slice_and_a_whole_card_have_no_common_median() -> None:
    slices = some(4, "0.40", gpu_share="mig", share_profile="3g.40gb")
    whole = [offer(f"whole-{number}", "1.50") for number in range(4)]
    assert not judge([*slices, *whole], past([*slices, *whole])).refused
    assert len(gate.groups([*slices, *whole], resolve)) == 2


# --- every row new


def test_nothing_but_new_offers_is_refused() -> None:
    fresh = [offer(f"renamed-{number}") for number in range(10)]
    assert rules(judge(fresh, past(some()))) == {"all-new"}


def test_one_old_offer_among_new_ones_passes() -> None:
    fresh = [offer(f"renamed-{number}") for number in range(9)]
    assert not judge([*fresh, offer("type-0")], past(some())).refused


# --- bands


def test_every_price_ten_times_as_high_is_refused_even_the_first_time() -> None:
    assert rules(judge(some(10, "15.00"), gate.Past())) == {"bands"}


def test_one_price_outside_its_band_is_held_and_the_others_believed() -> None:
    verdict = judge([*some(9), offer("type-9", "15.00")], past(some()))
    assert not verdict.refused
    assert len(verdict.believed) == 9
    ((held, remark),) = verdict.held
    assert held.sku == "type-9"
    assert (remark.rule, remark.now) == ("band", "15.00 USD")


@pytest.mark.parametrize(
    ("amount", "facts"),
    [
        ("1.40", {"currency": "EUR"}),
        ("11.20", {"gpu_count": 8}),  # 1.40 a GPU
        ("0.30", {"purchase": "spot"}),
        ("0.50", {"purchase": "reserved"}),
        ("0.30", {"gpu_share": "mig", "share_profile": "3g.40gb"}),
        ("99", {"gpu": "GeForce GTX 9999"}),  # no band to be held against
        ("99", {"currency": "XAU"}),  # no rate of exchange
        ("0.01", {"note": "partial price: CPU and RAM are billed apart"}),
    ],
)
def test_prices_inside_or_without_a_band_pass(amount: str, facts: dict[str, Any]) -> None:
    verdict = judge(some(10, amount, **facts), gate.Past())
    assert not verdict.refused
    assert not verdict.held


def test_too_cheap_is_outside_too() -> None:
    verdict = judge([*some(9), offer("type-9", "0.01")], past(some()))
    assert [held.sku for held, _ in verdict.held] == ["type-9"]


def test_a_held_price_is_taken_when_it_stands_the_next_night() -> None:
    odd = offer("type-9", "15.00")
    first = judge([*some(9), odd], past(some()))
    again = judge([*some(9), odd], past(some(), held={odd.offer_id: first.held[0][1].now}))
    assert not again.held
    assert [remark.rule for remark in again.notes] == ["held-twice"]
    other = judge([*some(9), offer("type-9", "30.00")], past(some(), held={odd.offer_id: "15.00 USD"}))
    assert len(other.held) == 1


# --- currency


def test_a_changed_currency_is_refused() -> None:
    verdict = judge(some(10, "1.50", currency="EUR"), past(some(10, "1.50")))
    assert "currency" in rules(verdict)


def test_a_new_offer_in_another_currency_passes() -> None:
    assert not judge([*some(), offer("euro", "1.50", currency="EUR")], past(some())).refused


# --- spot above on-demand: a flag


def test_spot_above_on_demand_is_flagged_and_kept() -> None:
    offers = [offer("a", "1.50"), offer("a", "1.80", purchase="spot")]
    verdict = judge(offers, past(offers))
    assert [remark.rule for remark in verdict.notes] == ["spot-above"]
    assert len(verdict.believed) == 2


def test_spot_below_on_demand_is_not() -> None:
    offers = [offer("a", "1.50"), offer("a", "0.80", purchase="spot"), offer("b", "1.60", purchase="spot")]
    assert not judge(offers, past(offers)).notes


# --- clock


def test_an_answer_older_than_the_last_one_is_refused_however_often() -> None:
    before = past(some(), observed_at=NIGHT + 3 * ONE_DAY)
    verdict = judge(some(), before)
    assert rules(verdict) == {"clock-backwards"}
    assert judge(some(), replace(before, refused=verdict.refused, refusals=5)).refused


def test_a_clock_that_was_set_back_by_seconds_passes() -> None:
    assert not judge(some(), past(some(), observed_at=NIGHT + ONE_DAY + timedelta(seconds=60))).refused


# --- two equal refusals in a row


@pytest.mark.parametrize(
    "offers", [[], some(4), some(10, "2.20"), [offer(f"renamed-{number}") for number in range(10)], some(10, "15")]
)
def test_a_source_that_truly_changed_is_not_frozen(offers: list[Offer]) -> None:
    first = judge(offers, past(some()))
    assert first.refused
    second = judge(offers, past(some(), refused=first.refused, refusals=1))
    assert not second.refused
    assert len(second.believed) == len(offers)
    said = [remark.rule for remark in second.notes]
    assert said[: 1 + len(first.refused)] == ["accepted-twice", *(one.rule for one in first.refused)]


def test_two_different_refusals_do_not_accept_each_other() -> None:
    first = judge(some(10, "2.20"), past(some()))
    assert judge(some(10, "3.20"), past(some(), refused=first.refused, refusals=1)).refused
    assert judge(some(4), past(some(), refused=first.refused, refusals=1)).refused


def test_the_answer_is_handed_on_untouched() -> None:
    given: Answer = answer(some(), NIGHT + ONE_DAY)
    assert gate.judge(given, gate.Past(), RATES, resolve).believed == given.offers
