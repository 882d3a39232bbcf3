"""Small collections for the tests of the history: offers, answers, nights."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from gpurent.adapters.contract import AdapterMeta, Client, Part, Raw
from gpurent.money import Price
from gpurent.offer import Offer, Reject
from gpurent.snapshots import keep
from gpurent.snapshots.collection import Answer, Ended, Verdict

NIGHT = datetime(2026, 11, 1, 3, 0, tzinfo=UTC)
ONE_DAY = timedelta(days=1)


def offer(name: str = "a", amount: str | None = "1.50", **facts: Any) -> Offer:
    """An A100 of provider "cloud"; price facts go by `currency`, `unit`, `per`."""
    terms = {key: facts.pop(key) for key in ("currency", "unit", "per") if key in facts}
    price = None if amount is None else Price(amount=amount, **terms)
    return Offer(**{"provider": "cloud", "gpu": "A100 SXM4 80GB", "sku": name, "price": price, **facts})


def answer(
    offers: Sequence[Offer], at: datetime = NIGHT, *, complete: bool | None = True, provider: str = "cloud",
    rejects: Sequence[Reject] = (),
) -> Answer:  # fmt: skip
    return Answer(
        provider, at, at + timedelta(seconds=3), at, at + timedelta(seconds=2), complete, tuple(offers), tuple(rejects)
    )


def keep_night(
    db: sqlite3.Connection, offers: Sequence[Offer], at: datetime = NIGHT, held: Sequence[Any] = (), **facts: Any
) -> Ended:
    """A night of one provider whose offers were all believed, but those held."""
    run = keep.begin_run(db, at, "live", "test")
    held_ids = {one.offer_id for one, _ in held}
    believed = tuple(one for one in offers if one.offer_id not in held_ids)
    ended = keep.keep(db, run, answer(offers, at, **facts), Verdict((), (), believed, tuple(held)))
    keep.end_run(db, run, at + timedelta(minutes=1))
    return ended


class Fake:
    """An adapter whose answer is a list of offers, or an error."""

    def __init__(self, name: str, offers: Sequence[Offer | Reject | Exception], **meta: Any) -> None:
        self.META = AdapterMeta(name=name, title=name, covers="tests", hosts=("example.org",), **meta)
        self.offers = list(offers)
        self.complete: bool | None = True
        self.fetching: Exception | None = None
        self.at = NIGHT
        self.troubles: tuple[str, ...] = ()

    def fetch(self, client: Client) -> Raw:
        del client
        if self.fetching:
            raise self.fetching
        body = f"{self.META.name} {self.at.isoformat()} {len(self.offers)}".encode()
        return Raw(self.META.name, (Part("all", "https://example.org", body, self.at),), self.complete, self.troubles)

    def parse(self, raw: Raw) -> Iterator[Offer | Reject]:
        del raw
        for one in self.offers:
            if isinstance(one, Exception):
                raise one
            yield one
