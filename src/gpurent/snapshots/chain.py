"""The digest chain over collections, and its verification.

    digest = sha256(previous digest, the collection's row, every row that began or ended with it)
    state  = sha256(the adapter's open spans afterwards, with their latest readings)

`verify` computes both again from what the file holds now; a changed price, a lost row, a moved end all show.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from gpurent.snapshots import store, stored_offer
from gpurent.snapshots.stored_offer import IDENTITY, canonical

COLLECTION = (
    "seq", "run", "provider", "status", "started", "ended", "observed_at", "complete", "offers", "held", "rejects",
    "out_of_scope", "opened", "closed", "open_after", "capture", "capture_sha", "remarks", "state",
)  # fmt: skip
HEAD, PRUNED = "head", "captures_pruned_before"
_COUNTED = {"collections": "collection", "offers": "offer", "spans": "span"}

OPEN_SPANS = """
    SELECT o.collected_by, o.key, s.first_in, s.last_in, s.amount, s.stock, hex(f.sha), o.readings
    FROM span s JOIN offer o ON o.id = s.offer JOIN facts f ON f.id = s.facts WHERE s.ended_in IS NULL
"""


def opened(key: str, facts: str, amount: str | None, stock: str) -> str:
    """The line of a span that begins; `facts` is the hex name of its facts."""
    return canonical(["o", key, facts, amount, stock])


def closed(key: str, first_in: int, last_in: int) -> str:
    """The line of a span that ends."""
    return canonical(["c", key, first_in, last_in])


def named(collected_by: str, key: str, *identity: Any) -> str:
    """The line of an offer that is seen for the first time."""
    return canonical(["n", collected_by, key, *identity])


def other(kind: str, *values: Any) -> str:
    """The line of a run, an aggregate, a rejection, a currency rate."""
    return canonical([kind, *values])


def digest(previous: str, row: Iterable[Any], lines: Iterable[str]) -> str:
    """The digest of one collection, in hex.

    Args:
        previous: digest of the collection before it, "" for the first.
        row: its values in the order of `COLLECTION`.
        lines: of all rows that name it, in any order.
    """
    text = "\n".join([previous, canonical(list(row)), *sorted(lines)])
    return hashlib.sha256(text.encode()).hexdigest()


def state(spans: Iterable[tuple[Any, ...]]) -> str:
    """The digest of an adapter's open spans: (key, first_in, last_in, amount, stock, facts, readings) in any order."""
    return hashlib.sha256("\n".join(sorted(map(canonical, spans))).encode()).hexdigest()


def _lines(db: sqlite3.Connection) -> dict[int, list[str]]:
    lines: dict[int, list[str]] = defaultdict(list)
    spans = db.execute("""
        SELECT s.first_in, s.last_in, s.ended_in, o.key, hex(f.sha), s.amount, s.stock
        FROM span s JOIN offer o ON o.id = s.offer JOIN facts f ON f.id = s.facts""")
    for first_in, last_in, ended_in, key, facts, amount, stock in spans:
        lines[first_in].append(opened(key, facts, amount, stock))
        if ended_in is not None:
            lines[ended_in].append(closed(key, first_in, last_in))
    identity = ", ".join(f"o.{name}" for name in ("collected_by", "key", *IDENTITY))
    for seq, *rest in db.execute(
        f"SELECT min(s.first_in), {identity} FROM offer o JOIN span s ON s.offer = o.id GROUP BY o.id"  # noqa: S608
    ):
        lines[seq].append(named(*rest))
    for seq, *rest in db.execute(
        "SELECT c.seq, r.started, r.how, r.version FROM collection c JOIN run r ON r.id = c.run"
    ):
        lines[seq].append(other("u", *rest))
    for seq, *rest in db.execute(
        "SELECT seq, card, gpu_count, purchase, currency, n, lowest, p25, median FROM aggregate"
    ):
        lines[seq].append(other("a", *rest))
    for seq, *rest in db.execute("SELECT seq, part, path, value, reason FROM reject"):
        lines[seq].append(other("r", *rest))
    for seq, *rest in db.execute("SELECT seq, day, currency, per_eur FROM ecb_rate"):
        lines[seq].append(other("e", *rest))
    return lines


def verify(db: sqlite3.Connection, captures: Path | None = None) -> list[str]:
    """Every difference between what the history says and what can be computed again from it; none when it is whole.

    Args:
        db: the history.
        captures: folder of the kept answers; None: they are not looked at.
    """
    checks = [_damage(db), _form(db), _chain(db), _states(db), _facts(db), _aside(db)]
    if captures:
        checks.append(_captures(db, captures))
    return [difference for check in checks for difference in _told(check)]


def _told(check: Iterator[str]) -> Iterator[str]:
    """A check's differences; damage that keeps it from being made is one itself."""
    try:
        yield from check
    except (sqlite3.DatabaseError, OSError, ValueError, TypeError, KeyError) as error:
        yield f"file: {error}"


def extent(db: sqlite3.Connection) -> dict[str, Any]:
    """How much there is, and the newest digest: what to write down to notice a history that was cut short."""
    counted = {name: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for name, table in _COUNTED.items()}  # noqa: S608
    head = db.execute("SELECT value FROM meta WHERE key = ?", (HEAD,)).fetchone()
    return {**counted, "head": head[0] if head else ""}


def _damage(db: sqlite3.Connection) -> Iterator[str]:
    for (answer,) in db.execute("PRAGMA integrity_check"):
        if answer != "ok":
            yield f"file: {answer}"
    for table, row, parent, _ in db.execute("PRAGMA foreign_key_check"):
        yield f"{table} row {row}: names a {parent} that is not there"


def _form(db: sqlite3.Connection) -> Iterator[str]:
    """Tables and indexes that are not those of this format: a damaged one can be read and no longer written."""
    query = "SELECT type, name, tbl_name, sql FROM sqlite_master"
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        store.build(fresh, store.migrations())
        different = set(db.execute(query)) ^ set(fresh.execute(query))
        for name in sorted({str(row[1]) for row in different}):
            yield f"table or index {name}: is not as this format has it"


def _chain(db: sqlite3.Connection) -> Iterator[str]:
    lines = _lines(db)
    previous, expected = "", 1
    columns = ", ".join((*COLLECTION, "previous", "digest"))
    for *row, said_previous, said in db.execute(f"SELECT {columns} FROM collection ORDER BY seq"):  # noqa: S608
        seq, provider = row[0], row[2]
        if seq != expected:
            yield f"collection {expected}: is missing"
        if said_previous != previous:
            yield f"collection {seq} ({provider}): does not follow the one before it"
        if digest(said_previous, row, lines.pop(seq, ())) != said:
            yield f"collection {seq} ({provider}): its rows are not the ones that were written"
        previous, expected = said, seq + 1
    for seq in lines:
        yield f"collection {seq}: has rows and no collection"
    head = db.execute("SELECT value FROM meta WHERE key = ?", (HEAD,)).fetchone()
    if (head[0] if head else "") != previous:
        yield "the last collections are missing"


def _states(db: sqlite3.Connection) -> Iterator[str]:
    spans: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for provider, *span in db.execute(OPEN_SPANS):
        spans[provider].append(tuple(span))
    last = db.execute("""
        SELECT provider, seq, state, open_after FROM collection
        WHERE seq IN (SELECT max(seq) FROM collection GROUP BY provider)""")
    for provider, seq, said, count in last:
        if len(spans[provider]) != count:
            yield f"{provider}: {len(spans[provider])} open offers, {count} after collection {seq}"
        elif state(spans[provider]) != said:
            yield f"{provider}: its open offers are not those of collection {seq}"


def _facts(db: sqlite3.Connection) -> Iterator[str]:
    for number, name, text in db.execute("SELECT id, sha, json FROM facts"):
        if not isinstance(text, str) or stored_offer.sha(text) != name:
            yield f"facts {number}: are not the ones that were written"


def _aside(db: sqlite3.Connection) -> Iterator[str]:
    from gpurent.errors import Problem
    from gpurent.snapshots import aside

    for (provider,) in db.execute("SELECT provider FROM aside").fetchall():
        try:
            aside.taken(db, provider)
        except Problem as problem:
            yield f"{provider}: {problem.what}: {problem.value}"


def _captures(db: sqlite3.Connection, folder: Path) -> Iterator[str]:
    from gpurent.adapters import captures
    from gpurent.errors import Problem

    pruned = db.execute("SELECT value FROM meta WHERE key = ?", (PRUNED,)).fetchone()
    for name, said in db.execute("SELECT DISTINCT capture, capture_sha FROM collection WHERE capture IS NOT NULL"):
        path = folder / name
        if not path.exists():
            if pruned is None or path.name >= pruned[0]:
                yield f"capture {name}: is missing"
            continue
        if hashlib.sha256(path.read_bytes()).hexdigest() != said:
            yield f"capture {name}: is not the one that was kept"
            continue
        try:
            captures.load(path)
        except Problem as problem:
            yield f"capture {name}: {problem.value}"
