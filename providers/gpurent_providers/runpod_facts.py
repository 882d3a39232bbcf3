"""What RunPod's two interfaces have in common: facts of a card, the clouds and counts it is rented in, its stock."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from typing import Any

from gpurent.adapters.reading import Row, table, terms

PROVIDER = "runpod"
COUNTS = (1, 2, 4, 8)
CLOUDS = ("secure", "community")


def of_card(row: Row, name_key: str, memory_key: str, cloud: str) -> dict[str, Any]:
    """What holds for a card in one cloud, whatever the count."""
    name = row.need_text("id")
    if name.lower() == "unknown":
        raise row.bad("id", "names no card")
    slice_of = re.search(r"\bMIG (\d+g\.\d+gb)", name)
    return {
        **terms(PROVIDER),
        "provider": PROVIDER,
        "sku": name,
        "tier": cloud,
        "gpu": name,
        "gpu_share": "mig" if slice_of else "whole",
        "share_profile": slice_of[1] if slice_of else None,
        "gpu_memory_gib": row.need_positive(memory_key) if slice_of else row.positive(memory_key),
        "note": row.text(name_key),
    }


@cache
def placeholders() -> frozenset[Decimal]:
    """Prices of the community cloud that stand for "not sold here"."""
    return frozenset(
        Decimal(fact["value"]) for fact in table(__package__, "runpod_facts") if fact["key"].startswith("placeholder")
    )


def stock(status: str | None) -> dict[str, str]:
    """A stock level as Offer fields; null is none."""
    return {"stock": "available" if status else "sold-out", "stock_grade": "realtime"}
