"""The history as Parquet files: spans, collections, aggregates. Needs the extra `parquet` (DuckDB), and no network."""

from __future__ import annotations

import csv
import sqlite3
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gpurent.errors import PARTIAL, USAGE, Problem
from gpurent.snapshots.stored_offer import IDENTITY

if TYPE_CHECKING:
    import duckdb

NULL = "\\N"
_MONEY = "DECIMAL(28, 12)"  # holds every amount the price type accepts, digit for digit
_IDENTITY = ", ".join(f"o.{name}" for name in IDENTITY)


class _File(NamedTuple):
    """One Parquet file: its query, and the types of its columns."""

    query: str
    types: dict[str, str]


_FILES = {
    "spans": _File(
        f"""SELECT o.key AS offer_id, o.collected_by, {_IDENTITY}, json_extract(f.json, '$.gpu') AS gpu, s.amount,
        CASE WHEN s.amount IS NULL THEN NULL
        ELSE coalesce(json_extract(f.json, '$.price.currency'), 'USD') END AS currency,
        coalesce(json_extract(f.json, '$.price.unit'), 'hour') AS price_unit,
        coalesce(json_extract(f.json, '$.price.per'), 'offer') AS price_per,
        s.stock, a.observed_at AS first_seen, b.observed_at AS last_seen, c.observed_at AS ended, f.json AS facts
        FROM span s JOIN offer o ON o.id = s.offer JOIN facts f ON f.id = s.facts
        JOIN collection a ON a.seq = s.first_in JOIN collection b ON b.seq = s.last_in
        LEFT JOIN collection c ON c.seq = s.ended_in ORDER BY o.collected_by, o.key, s.first_in""",  # noqa: S608
        {
            "gpu_count": "INTEGER", "amount": _MONEY, "first_seen": "TIMESTAMPTZ", "last_seen": "TIMESTAMPTZ",
            "ended": "TIMESTAMPTZ",
        },
    ),
    "collections": _File(
        """SELECT seq, run, provider, status, started, ended, observed_at, complete, offers, held, rejects,
        out_of_scope, opened, closed, open_after, capture, remarks, digest FROM collection ORDER BY seq""",
        {
            **dict.fromkeys(
                ("seq", "run", "offers", "held", "rejects", "out_of_scope", "opened", "closed", "open_after"), "INTEGER"
            ),
            **dict.fromkeys(("started", "ended", "observed_at"), "TIMESTAMPTZ"),
            "complete": "BOOLEAN",
        },
    ),
    "aggregates": _File(
        """SELECT c.observed_at, c.provider, c.complete, a.card, a.gpu_count, a.purchase, a.currency, a.n, a.lowest,
        a.p25, a.median FROM aggregate a JOIN collection c ON c.seq = a.seq
        ORDER BY a.seq, a.card, a.gpu_count, a.purchase""",
        {
            "observed_at": "TIMESTAMPTZ", "complete": "BOOLEAN", "gpu_count": "INTEGER", "n": "INTEGER",
            "lowest": _MONEY, "p25": _MONEY, "median": _MONEY,
        },
    ),
}  # fmt: skip


def export(db: sqlite3.Connection, folder: Path) -> dict[str, int]:
    """Write the history's Parquet files into a folder, each whole or not at all.

    Returns:
        Rows of each file.

    Raises:
        Problem: DuckDB is not installed (exit 2), or the folder cannot be written (exit 4).
    """
    try:
        import duckdb
    except ImportError:
        raise Problem(
            "Parquet needs DuckDB", "duckdb is not installed", "pip install 'gpurent[parquet]'", USAGE
        ) from None
    counts = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as work, duckdb.connect() as engine:
            engine.execute("SET autoinstall_known_extensions = false")
            engine.execute("SET TimeZone = 'UTC'")
            for name, file in _FILES.items():
                cursor = db.execute(file.query)
                columns = [entry[0] for entry in cursor.description]
                table = Path(work) / f"{name}.csv"
                counts[name] = _write_csv(table, columns, cursor)
                half = Path(work) / f"{name}.parquet"
                _copy(engine, table, half, columns, file.types)
                half.replace(folder / half.name)
    except (OSError, duckdb.IOException) as error:
        raise Problem(
            "the Parquet files cannot be written", f"{folder}: {getattr(error, 'strerror', None) or error}",
            "make room or name another folder", PARTIAL,
        ) from None  # fmt: skip
    return counts


def _write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in rows:
            writer.writerow(NULL if cell is None else cell for cell in row)
            count += 1
    return count


def _copy(
    engine: duckdb.DuckDBPyConnection, table: Path, target: Path, columns: Sequence[str], types: dict[str, str]
) -> None:
    listed = ", ".join(f'CAST("{name}" AS {types.get(name, "VARCHAR")}) AS "{name}"' for name in columns)
    source, goal = (str(path).replace("'", "''") for path in (table, target))
    engine.execute(
        f"""COPY (SELECT {listed} FROM read_csv('{source}', header = true, all_varchar = true, nullstr = '{NULL}',
        delim = ',', quote = '"', escape = '"', max_line_size = 16777216))
        TO '{goal}' (FORMAT parquet, COMPRESSION zstd)"""  # noqa: S608 - column names and types of ours
    )
