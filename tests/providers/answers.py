"""Answers of providers for the tests here: fixtures, the team's samples, and bodies written in a test."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from gpurent.adapters.contract import Adapter, Part, Raw
from gpurent.adapters.testing import Parsed, cases, parse
from gpurent.hardware.resolve import resolve
from gpurent.offer import Offer
from tests.shared import ROOT, shared

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def answer(adapter: Adapter, *bodies: object, name: str = "answer", url: str = "file:answer") -> Parsed:
    """What an adapter makes of bodies: bytes and text as they are, anything else as JSON."""
    parts = [Part(f"{name}{number or ''}", url, _bytes(body), NOW) for number, body in enumerate(bodies)]
    return parse(adapter, Raw(adapter.META.name, tuple(parts)))


def _bytes(body: object) -> bytes:
    if isinstance(body, bytes):
        return body
    return (body if isinstance(body, str) else json.dumps(body)).encode()


def sample(adapter: Adapter, *names: str) -> Parsed:
    """What an adapter makes of the team's samples, each named as `providers parse` names a file."""
    paths = [shared(name) for name in names]
    parts = [Part(path.stem, f"file:{path.name}", path.read_bytes(), NOW) for path in paths]
    return parse(adapter, Raw(adapter.META.name, tuple(parts)))


def fixture(adapter: Adapter, case: str) -> Parsed:
    """What an adapter makes of one of its fixtures."""
    name = adapter.META.name
    return next(parse(adapter, one.raw) for one in cases(ROOT / "fixtures" / name, name) if one.name == case)


def one(parsed: Parsed, **facts: object) -> Offer:
    """The only offer with these facts."""
    found = [offer for offer in parsed.offers if all(getattr(offer, key) == value for key, value in facts.items())]
    assert len(found) == 1, f"{len(found)} offers with {facts}"
    return found[0]


def told(offer: Offer, names: str) -> tuple[Any, ...]:
    """Facts of an offer by their names, separated by blanks."""
    return tuple(getattr(offer, name) for name in names.split())


def cost(offer: Offer) -> float:
    """What the whole offer costs an hour, in its own currency."""
    assert offer.price is not None
    return float(offer.price.per_hour(offer.gpu_count))


def card_of(offer: Offer) -> str | None:
    """The card of the card table, None when several or none are meant."""
    return resolve(offer).card


def reasons(parsed: Parsed) -> list[tuple[str, str]]:
    """Where each rejection is and why, without the part."""
    return [(reject.path, reject.reason) for reject in parsed.rejects]
