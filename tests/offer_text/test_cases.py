"""Every quote of the collection: each field it states is read, and read right."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from gpurent.hardware.resolve import resolve
from gpurent.offer_text import read_offers
from gpurent.offer_text.readings import Quote
from tests.offer_text.cases import CASES, Case
from tests.offer_text.more_cases import MORE

PRICE = {"amount", "currency", "unit", "per", "tax", "term_months", "hour"}


def said(quote: Quote, key: str) -> Any:
    """One thing the most likely reading says."""
    offer = quote.readings[0].offer
    if key.startswith("fact:"):
        return getattr(quote.facts, key.removeprefix("fact:"))
    if key == "price" or key not in PRICE:
        return getattr(offer, key)
    if offer.price is None:
        return None
    if key == "hour":
        return str(offer.price_per_hour)
    return getattr(offer.price, {"tax": "tax_included"}.get(key, key))


def right(key: str, found: Any, wanted: Any) -> bool:
    """Whether a field is as stated; a CPU's name only has to hold the model's number."""
    if key == "amount":
        return isinstance(found, Decimal) and found == Decimal(wanted)
    if key == "cpu_model":
        return wanted in (found or "")
    if isinstance(wanted, float):
        return found == pytest.approx(wanted, rel=1e-3)
    return bool(found == wanted)


@pytest.mark.parametrize("case", [*CASES, *MORE], ids=lambda case: case.name)
def test_case(case: Case) -> None:
    [quote] = read_offers(case.text)
    wrong = {key: said(quote, key) for key, wanted in case.says.items() if not right(key, said(quote, key), wanted)}
    assert wrong == {}
    found = resolve(quote.readings[0].offer)
    if isinstance(case.card, tuple):
        assert set(found.candidates) == set(case.card)
    else:
        assert (found.card, found.candidates) == (case.card, ())


def test_readings_are_ordered_and_add_up() -> None:
    for case in [*CASES, *MORE]:
        [quote] = read_offers(case.text)
        confidences = [reading.confidence for reading in quote.readings]
        assert confidences == sorted(confidences, reverse=True)
        assert sum(confidences) == pytest.approx(1, abs=0.02)


def test_no_card_no_reading() -> None:
    [quote] = read_offers("数据盘 200G/500G, 工作空间停止后仍计费")
    assert quote.readings == ()
    assert quote.facts.stop_billed
