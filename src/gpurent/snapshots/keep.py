"""Writing a collection into the history: one transaction, and spans that end only where the answer was complete."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from gpurent.adapters import captures
from gpurent.fx import EcbDay
from gpurent.offer import Offer
from gpurent.snapshots import aside, chain
from gpurent.snapshots.collection import Answer, Ended, Remark, Status, Verdict, pack
from gpurent.snapshots.moments import stamp
from gpurent.snapshots.store import transaction
from gpurent.snapshots.stored_offer import IDENTITY, Stored, sha, split

MAX_REJECTS = 50  # kept with their values; all are counted


class Aggregate(NamedTuple):
    """Native price of one GPU an hour over a marketplace's offers of one card, count, purchase kind and currency."""

    card: str
    gpu_count: int
    purchase: str
    currency: str
    n: int
    lowest: str
    p25: str
    median: str


class _Open(NamedTuple):
    span: int
    offer: int
    first_in: int
    last_in: int
    amount: str | None
    stock: str
    facts: bytes
    readings: str


def begin_run(db: sqlite3.Connection, now: datetime, how: str, version: str) -> int:
    """A new run (a night): live, replay or accept."""
    with transaction(db):
        cursor = db.execute("INSERT INTO run (started, how, version) VALUES (?, ?, ?)", (stamp(now), how, version))
        return int(cursor.lastrowid or 0)


def end_run(db: sqlite3.Connection, run: int, now: datetime) -> None:
    """The run came to its end; one without an end was interrupted."""
    with transaction(db):
        db.execute("UPDATE run SET ended = ? WHERE id = ?", (stamp(now), run))


@dataclass
class _Writing:
    """One collection while it is written: its number, the lines of its digest, its counts."""

    db: sqlite3.Connection
    seq: int
    provider: str
    lines: list[str] = field(default_factory=list)
    opened: int = 0
    closed: int = 0
    new: int = 0
    changed: int = 0  # another price, stock or machine
    gone: int = 0

    def close(self, key: str, span: _Open) -> None:
        self.db.execute("UPDATE span SET ended_in = ? WHERE id = ?", (self.seq, span.span))
        self.lines.append(chain.closed(key, span.first_in, span.last_in))
        self.closed += 1

    def open(self, offer: int, stored: Stored, facts: bytes) -> None:
        self.db.execute(
            "INSERT INTO span (offer, facts, amount, stock, first_in, last_in) VALUES (?, ?, ?, ?, ?, ?)",
            (offer, self._facts(facts, stored.facts), stored.amount, stored.stock, self.seq, self.seq),
        )
        self.lines.append(chain.opened(stored.key, facts.hex().upper(), stored.amount, stored.stock))
        self.opened += 1

    def _facts(self, name: bytes, text: str) -> int:
        known = self.db.execute("SELECT id FROM facts WHERE sha = ?", (name,)).fetchone()
        if known is None:
            return int(self.db.execute("INSERT INTO facts (sha, json) VALUES (?, ?)", (name, text)).lastrowid or 0)
        return int(known[0])

    def offer(self, known: dict[str, int], stored: Stored) -> int:
        if stored.key in known:
            return known[stored.key]
        columns = ", ".join(("collected_by", "key", *IDENTITY, "readings"))
        values = (self.provider, stored.key, *stored.identity, stored.readings)
        places = ", ".join("?" * len(values))
        self.lines.append(chain.named(self.provider, stored.key, *stored.identity))
        cursor = self.db.execute(f"INSERT INTO offer ({columns}) VALUES ({places})", values)  # noqa: S608
        return int(cursor.lastrowid or 0)

    def row(self, values: dict[str, Any]) -> str:
        """Write the collection itself, with the digest over it and everything that names it."""
        spans = self.db.execute(f"{chain.OPEN_SPANS} AND o.collected_by = ?", (self.provider,)).fetchall()
        values |= {
            "seq": self.seq, "provider": self.provider, "opened": self.opened, "closed": self.closed,
            "open_after": len(spans), "state": chain.state(span[1:] for span in spans),
        }  # fmt: skip
        last = self.db.execute("SELECT digest FROM collection WHERE seq = ?", (self.seq - 1,)).fetchone()
        previous = last[0] if last else ""
        row = [values[name] for name in chain.COLLECTION]
        run = self.db.execute("SELECT started, how, version FROM run WHERE id = ?", (values["run"],)).fetchone()
        self.lines.append(chain.other("u", *run))
        digest = chain.digest(previous, row, self.lines)
        columns = (*chain.COLLECTION, "previous", "digest")
        self.db.execute(
            f"INSERT INTO collection ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",  # noqa: S608
            (*row, previous, digest),
        )
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (chain.HEAD, digest))
        return digest


def _begin(db: sqlite3.Connection, provider: str) -> _Writing:
    db.execute("PRAGMA defer_foreign_keys = ON")  # the collection's row is written last, with its digest
    return _Writing(db, int(db.execute("SELECT coalesce(max(seq), 0) + 1 FROM collection").fetchone()[0]), provider)


def _open_spans(db: sqlite3.Connection, provider: str) -> dict[str, _Open]:
    rows = db.execute(
        """SELECT o.key, s.id, o.id, s.first_in, s.last_in, s.amount, s.stock, f.sha, o.readings
        FROM offer o JOIN span s ON s.offer = o.id JOIN facts f ON f.id = s.facts
        WHERE o.collected_by = ? AND s.ended_in IS NULL""",
        (provider,),
    )
    return {key: _Open(*rest) for key, *rest in rows}


def _same_price(one: str | None, other: str | None) -> bool:
    return one == other or (one is not None and other is not None and Decimal(one) == Decimal(other))


def _dated(offer: Offer, answer: Answer) -> datetime | None:
    """The offer's own time where its collection does not have it."""
    seen = offer.observed_at
    return None if seen is None or answer.observed_from <= seen <= answer.observed_to else seen


def keep(
    db: sqlite3.Connection, run: int, answer: Answer, verdict: Verdict, aggregates: Sequence[Aggregate] = ()
) -> Ended:
    """Keep an accepted answer: all of it, or nothing when anything fails.

    Offers that are not in it end when the answer was complete and every row of it could be read; when rows could not be
    read, an offer ends when it is missing for the second time. Offers held by the gate stay as they were. An offer that
    comes back after an answer without it begins a new span: what was known between the two stays known.
    """
    with transaction(db):
        writing = _begin(db, answer.provider)
        before = _open_spans(db, answer.provider)
        last_kept = db.execute(
            "SELECT coalesce(max(seq), 0) FROM collection WHERE provider = ? AND status = 'kept'", (answer.provider,)
        ).fetchone()[0]
        seen = _write_spans(writing, answer, verdict, before, last_kept)
        _write_ends(writing, answer, before, last_kept, seen | {offer.offer_id for offer, _ in verdict.held})
        for aggregate in aggregates:
            db.execute("INSERT INTO aggregate VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (writing.seq, *aggregate))
            writing.lines.append(chain.other("a", *aggregate))
        db.execute("DELETE FROM aside WHERE provider = ?", (answer.provider,))
        remarks = (*verdict.notes, *(remark for _, remark in verdict.held))
        _write_collection(writing, run, answer, "kept", remarks, len(verdict.believed), len(verdict.held))
    return _ended(writing, answer, "kept", remarks, len(verdict.believed), len(verdict.held))


def _write_spans(
    writing: _Writing, answer: Answer, verdict: Verdict, before: dict[str, _Open], last_kept: int
) -> set[str]:
    """Write the believed offers; gives their ids."""
    db = writing.db
    known = dict(db.execute("SELECT key, id FROM offer WHERE collected_by = ?", (answer.provider,)).fetchall())
    ids: set[str] = set()
    seen: list[tuple[int, int]] = []
    readings: list[tuple[str, int]] = []
    for offer in verdict.believed:
        stored = split(offer, _dated(offer, answer))
        ids.add(stored.key)
        facts = sha(stored.facts)
        span = before.get(stored.key)
        same = span and span.facts == facts and span.stock == stored.stock and _same_price(span.amount, stored.amount)
        if span and same and span.last_in == last_kept:
            seen.append((writing.seq, span.span))
        else:
            if span:
                writing.close(stored.key, span)
            writing.new += not span
            writing.changed += bool(span and not same)
            writing.open(writing.offer(known, stored), stored, facts)
        if stored.key in known and (span is None or span.readings != stored.readings):
            readings.append((stored.readings, known[stored.key]))
    db.executemany("UPDATE span SET last_in = ? WHERE id = ?", seen)
    db.executemany("UPDATE offer SET readings = ? WHERE id = ?", readings)
    return ids


def _write_ends(writing: _Writing, answer: Answer, before: dict[str, _Open], last_kept: int, seen: set[str]) -> None:
    if not answer.complete:
        return
    for key, span in before.items():
        if key not in seen and (not answer.rejects or span.last_in < last_kept):
            writing.close(key, span)
            writing.gone += 1


def _write_collection(
    writing: _Writing, run: int, answer: Answer, status: Status, remarks: Iterable[Remark], offers: int, held: int
) -> None:
    for reject in answer.rejects[:MAX_REJECTS]:
        writing.db.execute("INSERT INTO reject VALUES (?, ?, ?, ?, ?)", (writing.seq, *reject))
        writing.lines.append(chain.other("r", *reject))
    complete = None if answer.complete is None else int(answer.complete)
    writing.row({
        "run": run, "status": status, "started": stamp(answer.started), "ended": stamp(answer.ended),
        "observed_at": stamp(answer.observed_to), "complete": complete, "offers": offers, "held": held,
        "rejects": len(answer.rejects), "out_of_scope": answer.out_of_scope, "capture": answer.capture,
        "capture_sha": answer.capture_sha, "remarks": pack(remarks),
    })  # fmt: skip


def _ended(
    writing: _Writing, answer: Answer, status: Status, remarks: tuple[Remark, ...], offers: int, held: int
) -> Ended:
    return Ended(
        answer.provider, status, writing.seq, answer.complete, offers, len(answer.rejects), answer.out_of_scope, held,
        writing.new, writing.changed, writing.gone, (answer.ended - answer.started).total_seconds(), remarks,
    )  # fmt: skip


def refuse(db: sqlite3.Connection, run: int, answer: Answer, verdict: Verdict) -> Ended:
    """Keep a refused answer aside, in place of an earlier one; nothing of what is current changes."""
    with transaction(db):
        writing = _begin(db, answer.provider)
        db.execute("INSERT OR REPLACE INTO aside VALUES (?, ?, ?)", (answer.provider, writing.seq, aside.pack(answer)))
        remarks = (*verdict.refused, *verdict.notes)
        _write_collection(writing, run, answer, "refused", remarks, len(answer.offers), 0)
    return _ended(writing, answer, "refused", remarks, len(answer.offers), 0)


def fail(db: sqlite3.Connection, run: int, answer: Answer, reason: str) -> Ended:
    """A provider that gave no usable answer: said, and what is current stays with its age."""
    remarks = (Remark("failed", reason),)
    with transaction(db):
        writing = _begin(db, answer.provider)
        _write_collection(writing, run, answer, "failed", remarks, 0, 0)
    return _ended(writing, answer, "failed", remarks, 0, 0)


def keep_rates(db: sqlite3.Connection, run: int, answer: Answer, published: Sequence[EcbDay]) -> Ended:
    """Keep the bank's day with the night; a day that is there already is left as it is."""
    with transaction(db):
        writing = _begin(db, answer.provider)
        kept = 0
        for day, currency, per_eur in published:
            row = (day.isoformat(), currency, per_eur)
            if db.execute("INSERT OR IGNORE INTO ecb_rate VALUES (?, ?, ?, ?)", (*row, writing.seq)).rowcount:
                writing.lines.append(chain.other("e", *row))
                kept += 1
        remarks = (Remark("rates", str(kept), "", max(day.isoformat() for day, _, _ in published)),)
        _write_collection(writing, run, answer, "kept", remarks, 0, 0)
    return _ended(writing, answer, "kept", remarks, 0, 0)


def forget_captures(db: sqlite3.Connection, folder: Path, before: datetime) -> int:
    """Remove kept answers older than a time; the history first says that they may be missing. Gives how many went."""
    mark = f"{before.astimezone(UTC):%Y%m%dT%H%M%SZ}"  # the captures' own way to write a time
    with transaction(db):
        db.execute(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)",
            (chain.PRUNED, mark),
        )
    return captures.prune(folder, before)
