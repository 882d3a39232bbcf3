"""The embedded catalogue: every row a valid offer, priced as published, dated, with an address to look it up."""

from __future__ import annotations

import csv
import importlib.util
from collections import Counter
from datetime import UTC, date, datetime
from decimal import Decimal
from types import ModuleType

import pytest

from gpurent import catalogue, tables
from gpurent.offer import Offer
from tests.shared import ROOT, shared


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_catalogue", ROOT / "tools" / "make_catalogue.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_offers_are_valid_dated_and_sourced() -> None:
    offers = catalogue.offers()
    assert len(offers) == len(tables.rows("catalogue")) >= 800
    assert len({offer.provider for offer in offers}) >= 45
    for offer in offers:
        assert Offer.model_validate(offer.model_dump()) == offer
        assert offer.price_per_hour
        assert offer.observed_at is not None
        assert offer.observed_at <= datetime(2026, 11, 30, tzinfo=UTC)
        assert offer.source is not None
        assert offer.source.startswith("https://")


def test_ids_are_distinct() -> None:
    ids = Counter(offer.offer_id for offer in catalogue.offers())
    assert [key for key, count in ids.items() if count > 1] == []


def test_as_of_is_the_newest_price() -> None:
    assert catalogue.as_of() == max(offer.observed_at.date() for offer in catalogue.offers() if offer.observed_at)
    assert catalogue.as_of() > date(2026, 8, 1)


def test_address_prefers_the_recorded_file() -> None:
    recorded = catalogue.address("gpu-pricing-8f09a680", "https://salad.com/pricing", "src/data/offerings.json")
    assert recorded.endswith("/gpu-pricing/blob/8f09a68030967f5c269c304493abf0911dd19858/src/data/offerings.json")
    assert catalogue.address("fal-pricing", "https://fal.ai/pricing", "") == "https://fal.ai/pricing"


def test_partial_prices_say_so() -> None:
    partial = Counter(offer.provider for offer in catalogue.offers() if offer.partial_price)
    assert partial == {"salad": 27, "coreweave": 13, "modal": 10, "tensordock": 1}


def test_prices_are_exact() -> None:
    def one(provider: str, sku: str, purchase: str = "on-demand") -> Offer:
        return next(
            offer
            for offer in catalogue.offers()
            if (offer.provider, offer.sku, offer.purchase) == (provider, sku, purchase)
        )

    gcp = one("gcp", "g4-standard-12")
    assert gcp.price_per_hour == Decimal("1.1249825")  # the list in between had rounded it
    together = next(offer for offer in catalogue.offers() if offer.provider == "together" and offer.gpu_count == 8)
    assert together.price is not None
    assert together.price.per == "gpu"
    assert together.price_per_hour == together.price.amount * 8


def test_the_tool_makes_this_catalogue(tool: ModuleType) -> None:
    with shared("data/baseline_offers.csv").open(encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file))
    dropped: Counter[str] = Counter()
    rows = list(tool.catalogue(published, dropped))
    assert rows == list(tables.rows("catalogue"))
    assert len(rows) + sum(dropped.values()) == len(published)


@pytest.mark.parametrize(
    ("published", "amount", "unit", "per"),
    [
        ("2992 US cents per hour, whole machine", "29.92", "hour", "offer"),
        ("3.74 USD per GPU-hour (new customers)", "3.74", "hour", "gpu"),
        ("compute 29.9 + storage 0.02 USD per hour, whole machine", "29.92", "hour", "offer"),
        ("0.00831111111 USD per second", "0.00831111111", "second", "offer"),
    ],
)
def test_price_as_published(tool: ModuleType, published: str, amount: str, unit: str, per: str) -> None:
    row = {"price_as_published": published, "gpu_count": "8", "price_per_hour": "29.92", "currency": "USD"}
    assert tool.price_of(row) == {"price": amount, "price_unit": unit, "price_per": per}


def test_a_price_that_does_not_add_up_stops_the_tool(tool: ModuleType) -> None:
    row = {"provider": "p", "sku": "s", "gpu_count": "8", "price_per_hour": "3.74", "currency": "USD"}
    with pytest.raises(SystemExit, match=r"is not 3\.74 USD an hour"):
        tool.price_of({**row, "price_as_published": "3.74 USD per GPU-hour"})
