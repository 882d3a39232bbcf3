"""Tables beside the adapters: each row has its source and day, each card is known, a slice is its part of a card."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from gpurent.adapters.reading import table
from gpurent.hardware.resolve import resolve
from gpurent.money import Price
from gpurent.offer import Offer
from gpurent.tables import rows

PACKAGE = "gpurent_providers"
TABLES = ("autodl_facts", "aws_instances", "aws_regions", "azure_skus", "catalogue_wrong_memory", "gpuhunt_clouds",
          "known_types", "skypilot_clouds", "tencent_families")  # fmt: skip
TYPES = {"aws": ("aws_instances", "instance"), "azure": ("azure_skus", "sku"), "gcp": ("known_types", "type")}
FACTS = ("gpu", "gpu_count", "gpu_share", "share_profile", "gpu_memory_gib")

MEMORY = {row["card"]: float(row["memory_gb"]) for row in rows("cards")}


@pytest.mark.parametrize("name", TABLES)
def test_every_row_says_from_where_and_when(name: str) -> None:
    known = {row["source"] for row in rows("sources")}
    for row in table(PACKAGE, name):
        assert row["source"], row
        assert set(row["source"].split()) <= known, row
        assert date.fromisoformat(row["as_of"]) <= date(2026, 11, 30), row


@pytest.mark.parametrize("provider", TYPES)
def test_every_type_has_a_known_card_and_an_honest_share(provider: str) -> None:
    """Sizes with a fraction are read as that fraction, by the adapter and by whoever reads the offer."""
    name, key = TYPES[provider]
    seen = set()
    for row in table(PACKAGE, name):
        assert row[key] not in seen, "twice"
        seen.add(row[key])
        facts = {fact: row[fact] for fact in FACTS if row.get(fact)}
        price = Price(amount=1)
        reading = resolve(Offer(provider=provider, sku=row[key], price=price, **facts))
        assert reading.card, row
        assert reading.share == row["gpu_share"], row
        share = Fraction(row["share_profile"] or 1)
        assert float(row["gpu_memory_gib"]) == pytest.approx(MEMORY[reading.card] * share, rel=0.05), row


def test_families_of_tencent_have_known_cards() -> None:
    for row in table(PACKAGE, "tencent_families"):
        facts = {"gpu": row["gpu"], "gpu_memory_gib": row["gpu_memory_gib"], "gpu_share": "whole"}
        price = Price(amount=1)
        reading = resolve(Offer(provider="tencent", sku=row["family"], price=price, **facts))
        assert reading.card or reading.candidates, row
