"""What the history knows at a moment: the current offers, those of an earlier day, the currency rates kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from gpurent import fx
from gpurent.errors import USAGE
from gpurent.fx import EcbDay, Rates
from gpurent.offer import Offer
from gpurent.snapshots import bank, gate
from gpurent.snapshots.collection import unpack
from gpurent.snapshots.moments import moment, stamp
from gpurent.snapshots.store import open_to_read, told
from gpurent.snapshots.stored_offer import IDENTITY, join

# When a collection `c` of a run `r` was known: when it was given, or, refused at first, when it was accepted by hand.
KNOWN_AT = "CASE r.how WHEN 'accept' THEN r.started ELSE c.observed_at END"
_IDENTITY = ", ".join(f"o.{name}" for name in IDENTITY)
_SPANS = f"""
    SELECT o.key, f.json, s.amount, s.stock, o.readings, s.last_in, {_IDENTITY}
    FROM offer o JOIN span s ON s.offer = o.id JOIN facts f ON f.id = s.facts
    WHERE o.collected_by = :provider AND s.last_in >= :from_seq AND
"""  # noqa: S608 - column names of ours
_OPEN = f"{_SPANS} s.ended_in IS NULL ORDER BY o.key"
_AS_OF = f"{_SPANS} s.first_in <= :seq AND (s.ended_in IS NULL OR s.ended_in > :seq) ORDER BY o.key"


@dataclass(frozen=True)
class Source:
    """One adapter in the history at a moment."""

    provider: str  # name of the adapter
    collected_at: datetime  # its last accepted answer
    complete: bool | None  # whether that answer was complete
    complete_at: datetime | None  # its last complete answer
    offers: int
    unseen: int  # offers not shown since its last complete answer: neither gone nor current
    last_status: str  # how its last collection ended: kept, refused, failed
    last_at: datetime


def current_offers(path: Path, at: datetime | None = None) -> tuple[tuple[Offer, ...], dict[str, Source]]:
    """The offers that count as current, and where they come from; nothing where nothing was collected yet.

    Of each adapter: what its last complete answer showed, with later incomplete answers on top. Where no answer was
    ever complete, what its last one showed. Every offer carries the time it was seen.

    Args:
        path: the history file.
        at: as it was known at this moment; None: now.

    Raises:
        Problem: the history cannot be read.
    """
    db = open_to_read(path)
    if db is None:
        return (), {}
    with closing(db), told(path, USAGE):
        offers: list[Offer] = []
        sources: dict[str, Source] = {}
        for provider, seq, from_seq in accepted(db, at):
            shown = [offer for _, offer in offers_of(db, provider, seq, from_seq)]
            offers.extend(shown)
            sources[provider] = _source(db, provider, seq, len(shown), at)
        return tuple(offers), sources


def rates(path: Path) -> Rates:
    """The embedded currency rates and the newer days that were kept with the nights.

    Raises:
        Problem: the history cannot be read.
    """
    db = open_to_read(path)
    if db is None:
        return fx.embedded()
    with closing(db), told(path, USAGE):
        return known_rates(db)


def accepted(db: sqlite3.Connection, until: datetime | int | None) -> list[tuple[str, int, int]]:
    """(adapter, its last accepted collection, the oldest one whose offers still count).

    Args:
        db: the history.
        until: what was known at this moment, or after this collection; None: now.
    """
    rows = db.execute(
        f"""SELECT c.provider, max(c.seq), max(CASE WHEN c.complete = 1 THEN c.seq END)
        FROM collection c JOIN run r ON r.id = c.run
        WHERE c.status = 'kept' AND c.provider <> ? AND {KNOWN_AT} <= ? AND c.seq <= ?
        GROUP BY c.provider ORDER BY c.provider""",  # noqa: S608 - an expression of ours
        (
            bank.NAME, stamp(until) if isinstance(until, datetime) else "9999",
            until if isinstance(until, int) else 2**62,
        ),
    )  # fmt: skip
    return [(provider, seq, complete or seq) for provider, seq, complete in rows]


def offers_of(db: sqlite3.Connection, provider: str, seq: int, from_seq: int = 0) -> Iterator[tuple[str, Offer]]:
    """An adapter's offers and their ids, as they stood after a collection, seen in `from_seq` or later."""
    newest = db.execute(
        "SELECT max(seq) FROM collection WHERE provider = ? AND status = 'kept'", (provider,)
    ).fetchone()
    rows = db.execute(_OPEN if newest[0] == seq else _AS_OF, {"provider": provider, "seq": seq, "from_seq": from_seq})
    seen: dict[int, datetime] = {}
    for key, facts, amount, stock, readings, last_in, *identity in rows.fetchall():
        at = min(last_in, seq)
        if at not in seen:
            (observed,) = db.execute("SELECT observed_at FROM collection WHERE seq = ?", (at,)).fetchone()
            seen[at] = moment(observed)
        yield key, join(tuple(identity), facts, amount, stock, readings, seen[at])


def _source(db: sqlite3.Connection, provider: str, seq: int, offers: int, at: datetime | None) -> Source:
    until = "9999" if at is None else stamp(at)
    observed, complete, open_after = db.execute(
        "SELECT observed_at, complete, open_after FROM collection WHERE seq = ?", (seq,)
    ).fetchone()
    complete_at = db.execute(
        "SELECT max(observed_at) FROM collection WHERE provider = ? AND status = 'kept' AND complete = 1 AND seq <= ?",
        (provider, seq),
    ).fetchone()[0]
    status, last = db.execute(
        f"""SELECT c.status, c.ended FROM collection c JOIN run r ON r.id = c.run
        WHERE c.provider = ? AND {KNOWN_AT} <= ? ORDER BY c.seq DESC LIMIT 1""",  # noqa: S608 - an expression of ours
        (provider, until),
    ).fetchone() or ("kept", observed)
    return Source(
        provider, moment(observed), None if complete is None else bool(complete),
        moment(complete_at) if complete_at else None, offers, open_after - offers, status, moment(last),
    )  # fmt: skip


def known_rates(db: sqlite3.Connection) -> Rates:
    """The embedded currency rates and the days kept with the nights."""
    rows = db.execute("SELECT day, currency, per_eur FROM ecb_rate").fetchall()
    newer = [EcbDay(date.fromisoformat(day), currency, per_eur) for day, currency, per_eur in rows]
    return fx.embedded().with_days(newer) if newer else fx.embedded()


def past_of(db: sqlite3.Connection, provider: str) -> gate.Past:
    """What the gate compares an adapter's next answer with."""
    kept = db.execute(
        """SELECT seq, observed_at, remarks FROM collection
        WHERE provider = ? AND status = 'kept' ORDER BY seq DESC LIMIT 1""",
        (provider,),
    ).fetchone()
    seq, observed, remarks = kept or (0, None, "[]")
    refusals = db.execute(
        "SELECT remarks FROM collection WHERE provider = ? AND status = 'refused' AND seq > ? ORDER BY seq DESC",
        (provider, seq),
    ).fetchall()
    return gate.Past(
        offers=dict(offers_of(db, provider, seq, seq)) if kept else {},
        observed_at=moment(observed) if observed else None,
        refused=tuple(remark for remark in unpack(refusals[0][0]) if remark.rule in gate.REFUSALS) if refusals else (),
        refusals=len(refusals),
        held={remark.subject: remark.now for remark in unpack(remarks) if remark.rule == "band"},
    )
