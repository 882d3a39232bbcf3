"""Peers: who they are, how they widen, and when nothing is said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from gpurent.hardware.resolve import resolve
from gpurent.money import Price
from gpurent.offer import Offer
from gpurent.quotes.market import Market, Peers, count_class, in_china, usd_per_gpu_hour
from tests.quotes.asking import NOW


def offer(provider: str = "here", usd: str = "2", count: int = 1, days: int = 1, **fields: object) -> Offer:
    return Offer.model_validate({
        "provider": provider, "gpu": "L40S", "gpu_count": count, "price": Price(amount=usd, per="gpu"),
        "observed_at": NOW - timedelta(days=days), **fields,
    })  # fmt: skip


def market(asked: Offer, *others: Offer) -> Market | None:
    return Peers(others, NOW).of(asked, resolve(asked))


FIVE = tuple(offer(f"p{n}", usd=str(1 + n / 10)) for n in range(5))


def test_five_of_the_same_kind_are_enough() -> None:
    found = market(offer(usd="1.35"), *FIVE)
    assert found is not None
    assert (found.peers, found.n, found.enough) == ("same", 5, True)
    assert found.median == pytest.approx(1.2)
    assert found.percentile == pytest.approx(80)


def test_four_are_not_and_no_percentile_is_given() -> None:
    found = market(offer(), *FIVE[:4])
    assert found is not None
    assert (found.n, found.enough, found.percentile) == (4, False, None)


def test_it_widens_by_number_of_cards_then_by_purchase() -> None:
    found = market(offer(count=8), *FIVE)
    assert found is not None
    assert found.peers == "any-count"
    found = market(offer(purchase="spot"), *FIVE)
    assert found is not None
    assert found.peers == "any-purchase"


def test_china_is_another_market() -> None:
    yuan = offer(price=Price(amount="9", currency="CNY"))
    assert in_china(yuan)
    found = market(yuan, *FIVE)
    assert found is not None
    assert found.peers == "anywhere"
    one_there = offer("there", price=Price(amount="8", currency="CNY"))
    found = market(yuan, *FIVE, one_there)
    assert found is not None
    assert (found.n, found.percentile) == (1, None)


def test_one_vote_a_machine() -> None:
    same = [offer("cloud", usd=str(n), sku="g1", region=f"r{n}") for n in range(1, 8)]
    sizes = [offer("host", usd="3", count=n, machine="m1", listing=str(n)) for n in (1, 2, 4)]
    found = market(offer(count=1), *same, *sizes)
    assert found is not None
    assert found.n == 2


def test_a_slice_is_no_peer_of_a_whole_card() -> None:
    slices = [offer(f"s{n}", gpu_share="vgpu", share_profile="1/4", gpu_memory_gib=12, usd="0.2") for n in range(6)]
    assert market(offer(), *slices) is None
    asked = offer(gpu_share="vgpu", share_profile="1/4", gpu_memory_gib=12)
    found = market(asked, *slices, *FIVE)
    assert found is not None
    assert found.n == 6


def test_old_prices_and_partial_prices_are_no_market() -> None:
    assert market(offer(), offer("old", days=800), offer("part", note="partial price: CPU apart")) is None


def test_an_unknown_card_has_no_market() -> None:
    assert market(offer(gpu="Frobnicator 9000"), *FIVE) is None


def test_published_monthly_rents_are_dated_votes() -> None:
    rent = Price(amount="12000", currency="CNY", unit="month")
    asked = Offer(provider="quoted", gpu="RTX 5090", gpu_count=8, purchase="reserved", price=rent)
    found = market(asked)
    assert found is not None
    assert found.n == 1
    assert found.observed_from == datetime(2026, 7, 1, tzinfo=UTC).date()
    assert usd_per_gpu_hour(asked, NOW.date()) == pytest.approx(found.median)


@pytest.mark.parametrize(("count", "size"), [(1, 0), (2, 1), (4, 1), (8, 2), (16, 3)])
def test_count_classes(count: int, size: int) -> None:
    assert count_class(count) == size
