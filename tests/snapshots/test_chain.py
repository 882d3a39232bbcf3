"""The digest chain: whole histories verify, and whatever is changed afterwards shows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gpurent.adapters import captures
from gpurent.adapters.contract import Part, Raw
from gpurent.fx import EcbDay
from gpurent.offer import Reject
from gpurent.snapshots import chain, keep, store
from gpurent.snapshots.collection import Answer, Remark, Verdict
from tests.snapshots.making import NIGHT, ONE_DAY, answer, keep_night, offer


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Three nights with everything a history can hold."""
    with closing(store.open_to_write(tmp_path / store.FILE_NAME)) as opened:
        keep_night(opened, [offer("a"), offer("b", reliability=0.9), offer("c")])
        keep_night(opened, [offer("a", "1.60"), offer("b", reliability=0.8)], NIGHT + ONE_DAY)
        run = keep.begin_run(opened, NIGHT + 2 * ONE_DAY, "live", "test")
        given = answer([offer("a", "1.60")], NIGHT + 2 * ONE_DAY, rejects=[Reject("p", "q", "v", "r")], complete=False)
        keep.keep(opened, run, given, Verdict((), (), given.offers), [
            keep.Aggregate("a100-sxm-80gb", 1, "on-demand", "USD", 1, "1.6", "1.6", "1.6")
        ])  # fmt: skip
        keep.refuse(opened, run, answer([], NIGHT + 3 * ONE_DAY), Verdict((Remark("empty", "", "2", "0"),)))
        keep.keep_rates(opened, run, answer([], NIGHT, provider="ecb"), [EcbDay(NIGHT.date(), "USD", "1.1")])
        yield opened


def test_a_history_as_written_is_whole(db: sqlite3.Connection) -> None:
    assert chain.verify(db) == []


def test_an_empty_history_is_whole(tmp_path: Path) -> None:
    with closing(store.open_to_write(tmp_path / "empty.sqlite")) as empty:
        assert chain.verify(empty) == []


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE span SET amount = '0.01' WHERE id = 1",
        "UPDATE span SET amount = '0.01' WHERE ended_in IS NULL",
        "UPDATE span SET last_in = 2 WHERE id = 1",
        "UPDATE span SET last_in = 1 WHERE ended_in IS NULL",
        "UPDATE span SET stock = 'sold-out' WHERE id = 2",
        "UPDATE span SET ended_in = NULL WHERE id = 1",
        "DELETE FROM span WHERE id = 3",
        "UPDATE offer SET readings = '{}' WHERE key IN (SELECT key FROM offer WHERE readings <> '{}')",
        "UPDATE offer SET key = 'ffffffffff' WHERE id = 1",
        "UPDATE offer SET region = 'elsewhere' WHERE id = 3",
        "UPDATE offer SET collected_by = 'elsewhere'",
        "UPDATE run SET how = 'replay'",
        "UPDATE aside SET answer = substr(answer, 1, length(answer) - 9)",
        "UPDATE facts SET json = replace(json, 'A100', 'H100')",
        "UPDATE collection SET complete = 1 WHERE seq = 3",
        "UPDATE collection SET observed_at = '2020-01-01T00:00:00Z' WHERE seq = 2",
        "UPDATE collection SET remarks = '[]' WHERE seq = 4",
        "UPDATE collection SET digest = 'x' WHERE seq = 1",
        "DELETE FROM collection WHERE seq = 2",
        "DELETE FROM collection WHERE seq = (SELECT max(seq) FROM collection)",
        "UPDATE aggregate SET median = '1'",
        "DELETE FROM reject",
        "UPDATE ecb_rate SET per_eur = '2'",
        "UPDATE meta SET value = 'x'",
    ],
)
def test_a_change_afterwards_shows(db: sqlite3.Connection, change: str) -> None:
    db.execute("PRAGMA foreign_keys = OFF")
    assert db.execute(change).rowcount > 0
    assert chain.verify(db)


def test_captures_are_checked_until_they_are_pruned(tmp_path: Path, db: sqlite3.Connection) -> None:
    folder = tmp_path / "captures"
    kept = captures.keep(Raw("cloud", (Part("all", "https://example.org", b"body", NIGHT),), True), folder)
    given = answer([offer("a")], NIGHT + 4 * ONE_DAY)
    name = kept.path.relative_to(folder).as_posix()
    digest = captures.digest(kept.path.read_bytes())
    given = Answer(**{**given.__dict__, "capture": name, "capture_sha": digest})
    keep.keep(db, keep.begin_run(db, NIGHT, "live", "test"), given, Verdict((), (), given.offers))
    assert chain.verify(db, folder) == []
    whole = kept.path.read_bytes()
    kept.path.write_bytes(whole.replace(b"cloud", b"clown"))
    assert chain.verify(db, folder) == [f"capture {name}: is not the one that was kept"]
    kept.path.write_bytes(whole)
    body = next(folder.glob("bodies/*/*"))
    body.write_bytes(b"")
    assert len(chain.verify(db, folder)) == 1
    captures.prune(folder, NIGHT + ONE_DAY)
    assert chain.verify(db, folder) == [f"capture {name}: is missing"]
    db.execute("INSERT INTO meta VALUES (?, ?)", (chain.PRUNED, f"{NIGHT + ONE_DAY:%Y%m%dT%H%M%SZ}"))
    assert chain.verify(db, folder) == []
