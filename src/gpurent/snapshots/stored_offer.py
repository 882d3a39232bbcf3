"""An offer as the history keeps it, and back: who it is, its price, its facts, and what is measured anew each night.

Facts open a new span when they change; readings do not, or every listing of a marketplace would begin anew each night.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from gpurent.money import Price
from gpurent.offer import DEFAULTS, Offer

IDENTITY = ("provider", "via", "sku", "listing", "region", "tier", "purchase", "gpu_count")
READINGS = (
    "reliability", "download_mbit_s", "disk_read_mbyte_s", "disk_iops", "disk_gib", "host_to_gpu_gbyte_s", "driver",
    "cuda_max", "interruptions_per_hour", "boot_s", "max_hours", "stock_grade", "source", "note",
)  # fmt: skip
_APART = {*IDENTITY, *READINGS, "price", "stock", "observed_at"}
FACTS = ("gpu", *(name for name in DEFAULTS if name not in _APART))
_ENCODE = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode
_PRICE = {name: field.default for name, field in Price.model_fields.items() if name != "amount"}


class Stored(NamedTuple):
    """What the history keeps of one offer."""

    key: str
    identity: tuple[Any, ...]
    facts: str  # canonical JSON
    amount: str | None
    stock: str
    readings: str  # canonical JSON


def _plain(value: object) -> object:
    return format(value, "f") if isinstance(value, Decimal) else value


def canonical(values: object) -> str:
    """JSON that is the same for the same values."""
    return _ENCODE(values)


def sha(text: str) -> bytes:
    """First 16 bytes of the text's sha256: the name of a row of facts."""
    return hashlib.sha256(text.encode()).digest()[:16]


def split(offer: Offer, observed_at: datetime | None = None) -> Stored:
    """An offer as it is kept.

    Args:
        offer: what an adapter parsed.
        observed_at: kept only where the offer says another time than its collection (a dated price list); None: it does
            not.
    """
    values = offer.__dict__
    facts = {name: value for name in FACTS if (value := values[name]) is not None}
    price = offer.price
    if price is not None:
        terms = price.__dict__
        facts["price"] = {name: _plain(terms[name]) for name, usual in _PRICE.items() if terms[name] != usual}
    readings = {name: value for name in READINGS if (value := values[name]) is not None}
    if observed_at is not None:
        readings["observed_at"] = observed_at.isoformat()
    return Stored(
        offer.offer_id,
        tuple(values[name] for name in IDENTITY),
        canonical(facts),
        None if price is None else format(price.amount, "f"),
        offer.stock,
        canonical(readings),
    )


@lru_cache(maxsize=8192)
def _facts(text: str) -> Mapping[str, Any]:
    return {name: value for name, value in json.loads(text).items() if name == "price" or name in FACTS}


@lru_cache(maxsize=65536)
def _price(amount: str, facts: str) -> Price:
    terms = {name: value for name, value in _facts(facts).get("price", {}).items() if name in _PRICE}
    return Price(amount=amount, **terms)


def join(
    identity: tuple[Any, ...], facts: str, amount: str | None, stock: str, readings: str, observed_at: datetime
) -> Offer:
    """The offer again, as it was seen at a time. `join(*split(offer))` is the offer."""
    fields = dict(DEFAULTS)
    fields |= _facts(facts)
    fields |= zip(IDENTITY, identity, strict=True)
    latest = json.loads(readings)
    dated = latest.pop("observed_at", None)
    fields |= {name: value for name, value in latest.items() if name in READINGS}
    fields["price"] = None if amount is None else _price(amount, facts)
    fields["stock"] = stock
    fields["observed_at"] = datetime.fromisoformat(dated) if dated else observed_at
    return Offer.assemble(fields)
