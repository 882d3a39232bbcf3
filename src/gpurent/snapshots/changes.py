"""What changed between two moments, how each night went, and one offer's own history."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, NamedTuple

from gpurent.errors import UNKNOWN, Problem
from gpurent.offer import Offer
from gpurent.snapshots.collection import unpack
from gpurent.snapshots.current import KNOWN_AT, accepted, offers_of
from gpurent.snapshots.moments import moment, shown

Kind = Literal["new", "gone", "cheaper", "dearer", "currency", "sold-out", "available", "facts"]
KINDS: tuple[Kind, ...] = ("new", "gone", "cheaper", "dearer", "currency", "sold-out", "available", "facts")
COLUMNS = (
    "change", "offer_id", "provider", "via", "sku", "listing", "card", "gpu_count", "region", "purchase", "before",
    "after", "currency", "percent",
)  # fmt: skip


class Point(NamedTuple):
    """What was known at a moment, or after a run (its last collection: two runs may end in the same second)."""

    until: datetime | int
    at: datetime


def at_time(moment: datetime) -> Point:
    """What was known at a moment."""
    return Point(moment, moment)


@dataclass(frozen=True)
class Change:
    """One offer that is not what it was."""

    kind: Kind
    collected_by: str
    offer: Offer  # as it is now; as it was, when gone
    before: Decimal | None  # native price of the whole offer an hour
    after: Decimal | None

    @property
    def percent(self) -> float | None:
        """How much dearer, in percent of what it was; None where there is nothing to compare."""
        if self.before is None or self.after is None or self.kind == "currency":
            return None
        return float((self.after / self.before - 1) * 100)


@dataclass(frozen=True)
class Difference:
    """What changed between two points, and the adapters nothing can be said of."""

    changes: list[Change]
    first: tuple[str, ...] = ()  # first collected between the two
    same: tuple[str, ...] = ()  # no answer was accepted between the two


def diff(db: sqlite3.Connection, before: Point, after: Point) -> Difference:
    """Changes between what was known at two points, by adapter.

    Offers that an incomplete answer did not show are neither gone nor changed.

    Raises:
        Problem: nothing was kept by the first point (exit 3).
    """
    earlier = {provider: seq for provider, seq, _ in accepted(db, before.until)}
    later = {provider: seq for provider, seq, _ in accepted(db, after.until)}
    if not earlier:
        raise Problem("nothing was kept by then", shown(before.at), "see `gpurent runs` for what was", UNKNOWN)
    changes: list[Change] = []
    for provider in earlier.keys() & later.keys():
        if earlier[provider] != later[provider]:
            old, new = (dict(offers_of(db, provider, point[provider])) for point in (earlier, later))
            changes.extend(_between(provider, old, new))
    order = {kind: place for place, kind in enumerate(KINDS)}
    changes.sort(key=lambda change: (order[change.kind], change.percent or 0.0, change.offer.offer_id))
    first = tuple(provider for provider in later if provider not in earlier)
    return Difference(changes, first, tuple(name for name, seq in later.items() if earlier.get(name) == seq))


def _between(provider: str, old: Mapping[str, Offer], new: Mapping[str, Offer]) -> Iterator[Change]:
    for key, offer in new.items():
        was = old.get(key)
        if was is None:
            yield Change("new", provider, offer, None, offer.price_per_hour)
        elif (kind := _kind(was, offer)) is not None:
            yield Change(kind, provider, offer, was.price_per_hour, offer.price_per_hour)
    for key, offer in old.items():
        if key not in new:
            yield Change("gone", provider, offer, offer.price_per_hour, None)


def _kind(was: Offer, now: Offer) -> Kind | None:
    if was.price and now.price and was.price.currency != now.price.currency:
        return "currency"
    before, after = was.price_per_hour, now.price_per_hour
    if before is not None and after is not None and before != after:
        return "cheaper" if after < before else "dearer"
    if was.stock != now.stock and "sold-out" in (was.stock, now.stock):
        return "sold-out" if now.stock == "sold-out" else "available"
    return "facts" if was.gpu != now.gpu or was.vcpus != now.vcpus or was.ram_gib != now.ram_gib else None


@dataclass(frozen=True)
class Run:
    """One run and its collections, as `runs` shows them."""

    number: int
    started: datetime
    ended: datetime | None  # None: interrupted, or still running
    how: str
    collections: tuple[Mapping[str, Any], ...]

    def as_row(self) -> dict[str, Any]:
        """The keys of a run in JSON."""
        return {
            "run": self.number, "started": self.started.isoformat(), "how": self.how,
            "ended": self.ended.isoformat() if self.ended else None, "collections": self.collections,
        }  # fmt: skip


def runs(db: sqlite3.Connection, last: int) -> list[Run]:
    """The last runs, newest first, each with how every provider ended."""
    heads = db.execute("SELECT id, started, ended, how FROM run ORDER BY id DESC LIMIT ?", (last,)).fetchall()
    collections: dict[int, list[Mapping[str, Any]]] = {number: [] for number, *_ in heads}
    rows = db.execute(
        """SELECT run, seq, provider, status, complete, offers, held, rejects, out_of_scope, opened, closed,
        observed_at, remarks FROM collection WHERE run >= ? ORDER BY seq""",
        (min(collections, default=0),),
    ).fetchall()
    again = _again(db, rows[0][1] if rows else 0)
    for (
        number,
        seq,
        provider,
        status,
        complete,
        offers,
        held,
        rejects,
        scope,
        opened,
        closed,
        observed,
        remarks,
    ) in rows:
        came_back, changed = again.get(seq, (0, 0))
        collections[number].append({
            "seq": seq, "provider": provider, "status": status,
            "complete": None if complete is None else bool(complete),
            "offers": offers, "held": held, "rejects": rejects, "out_of_scope": scope, "new": opened - came_back,
            "changed": changed, "gone": closed - came_back, "observed_at": observed,
            "remarks": [remark._asdict() for remark in unpack(remarks)],
        })  # fmt: skip
    return [
        Run(number, moment(started), moment(ended) if ended else None, how, tuple(collections[number]))
        for number, started, ended, how in heads
    ]


def _again(db: sqlite3.Connection, since: int) -> dict[int, tuple[int, int]]:
    """Of each collection: offers whose span begins where their last one ended, and those of them that differ."""
    rows = db.execute(
        """SELECT s.first_in, count(*), sum((s.facts, s.amount, s.stock) IS NOT (was.facts, was.amount, was.stock))
        FROM span s JOIN span was ON was.offer = s.offer AND was.ended_in = s.first_in
        WHERE s.first_in >= ? GROUP BY s.first_in""",
        (since,),
    )
    return {seq: (count, changed) for seq, count, changed in rows}


def after_run(db: sqlite3.Connection, number: int) -> Point:
    """What was known after a run; its time is that of its last answer.

    Raises:
        Problem: no such run (exit 3).
    """
    row = db.execute(
        f"""SELECT max({KNOWN_AT}) FILTER (WHERE c.status = 'kept'), r.started,
        (SELECT coalesce(max(seq), 0) FROM collection WHERE run <= r.id)
        FROM run r LEFT JOIN collection c ON c.run = r.id WHERE r.id = ? GROUP BY r.id""",  # noqa: S608
        (number,),
    ).fetchone()
    if row is None:
        raise Problem("no such run", number, "see `gpurent runs`", UNKNOWN)
    return Point(row[2], moment(row[0] or row[1]))


def last_points(db: sqlite3.Connection) -> tuple[Point, Point]:
    """The last two runs that kept something: what `diff` compares when it is not told.

    Raises:
        Problem: fewer than two runs (exit 3).
    """
    rows = db.execute(
        "SELECT run FROM collection WHERE status = 'kept' AND offers > 0 GROUP BY run ORDER BY run DESC LIMIT 2"
    ).fetchall()
    if len(rows) < 2:
        raise Problem(
            "there is nothing to compare yet", f"{len(rows)} runs", "run `gpurent snapshot` again later", UNKNOWN
        )
    return after_run(db, rows[1][0]), after_run(db, rows[0][0])


@dataclass(frozen=True)
class Spell:
    """One span of an offer's history: a price and the time it stood."""

    first_seen: datetime
    last_seen: datetime
    ended: datetime | None  # when it was found to be gone or changed
    amount: str | None
    stock: str
    offer: Offer

    def as_row(self) -> dict[str, Any]:
        """The keys of `history ID`."""
        price = self.offer.price
        return {
            "first_seen": self.first_seen.isoformat(), "last_seen": self.last_seen.isoformat(),
            "ended": self.ended.isoformat() if self.ended else None, "price": self.amount,
            "price_unit": price.unit if price else None, "price_per": price.per if price else None,
            "price_per_hour": self.offer.price_per_hour, "currency": price.currency if price else None,
            "stock": self.stock, "gpu": self.offer.gpu,
        }  # fmt: skip


def spells(db: sqlite3.Connection, prefix: str) -> list[Spell]:
    """The spans of the one offer whose id begins so, oldest first.

    Raises:
        Problem: none or several offers have it (exit 3).
    """
    from gpurent.snapshots.stored_offer import IDENTITY, join

    keys = [
        key
        for (key,) in db.execute(
            "SELECT DISTINCT key FROM offer WHERE substr(key, 1, ?) = ?", (len(prefix), prefix.lower())
        )
    ]
    if len(keys) != 1:
        what = "no offer of the history has this id" if not keys else f"{len(keys)} offers have ids that begin so"
        raise Problem(what, prefix, "give more digits of an id, as `gpurent diff` or `compare` shows it", UNKNOWN)
    columns = ", ".join(f"o.{name}" for name in IDENTITY)
    rows = db.execute(
        f"""SELECT a.observed_at, b.observed_at, c.observed_at, s.amount, s.stock, f.json, o.readings, {columns}
        FROM offer o JOIN span s ON s.offer = o.id JOIN facts f ON f.id = s.facts
        JOIN collection a ON a.seq = s.first_in JOIN collection b ON b.seq = s.last_in
        LEFT JOIN collection c ON c.seq = s.ended_in WHERE o.key = ? ORDER BY s.first_in""",  # noqa: S608
        (keys[0],),
    )
    return [
        Spell(
            moment(first), moment(last), moment(end) if end else None, amount, stock,
            join(tuple(identity), facts, amount, stock, readings, moment(last)),
        )
        for first, last, end, amount, stock, facts, readings, *identity in rows
    ]  # fmt: skip
