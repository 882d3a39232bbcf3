"""Parquet holds what the history holds, to the digit."""

from __future__ import annotations

from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest

from gpurent.errors import Problem
from gpurent.snapshots import keep, store
from gpurent.snapshots.collection import Verdict
from gpurent.snapshots.export import export
from tests.snapshots.making import NIGHT, ONE_DAY, answer, keep_night, offer

duckdb = pytest.importorskip("duckdb")


def test_duckdb_reads_back_equal_sums(tmp_path: Path) -> None:
    folder = tmp_path / "it's parquet"
    with closing(store.open_to_write(tmp_path / store.FILE_NAME)) as db:
        keep_night(
            db, [offer("a", "0.1"), offer("b", "0.000001", note='say "hi", \\N'), offer("c", None, region="华东")]
        )
        keep_night(db, [offer("a", "0.3"), offer("b", "999999999")], NIGHT + ONE_DAY)
        run = keep.begin_run(db, NIGHT, "live", "test")
        given = answer([offer("a", "0.3")], NIGHT + 2 * ONE_DAY, complete=None)
        keep.keep(db, run, given, Verdict((), (), given.offers), [
            keep.Aggregate("a100-sxm-80gb", 1, "spot", "USD", 3, "0.1", "0.15", "0.2")
        ])  # fmt: skip
        counts = export(db, folder)
        amounts = [Decimal(text) for (text,) in db.execute("SELECT amount FROM span WHERE amount IS NOT NULL")]
        spans = db.execute("SELECT count(*) FROM span").fetchone()[0]
    assert counts == {"spans": spans, "collections": 3, "aggregates": 1}
    with duckdb.connect() as engine:
        total, rows, ended = engine.execute(
            "SELECT sum(amount), count(*), count(ended) FROM read_parquet(?)", [str(folder / "spans.parquet")]
        ).fetchone()
        assert (total, rows, ended) == (sum(amounts), spans, 3)
        text = engine.execute(
            "SELECT DISTINCT region FROM read_parquet(?) WHERE region IS NOT NULL", [str(folder / "spans.parquet")]
        ).fetchall()
        assert text == [("华东",)]
        complete = engine.execute(
            "SELECT complete FROM read_parquet(?) ORDER BY seq", [str(folder / "collections.parquet")]
        ).fetchall()
        assert complete == [(True,), (True,), (None,)]
        assert engine.execute(
            "SELECT sum(median) FROM read_parquet(?)", [str(folder / "aggregates.parquet")]
        ).fetchone() == (Decimal("0.2"),)
    assert sorted(path.name for path in folder.iterdir()) == [
        "aggregates.parquet", "collections.parquet", "spans.parquet",
    ]  # fmt: skip


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with closing(store.open_to_write(tmp_path / store.FILE_NAME)) as db, pytest.raises(Problem) as problem:
        export(db, tmp_path / "file" / "parquet")
    assert problem.value.code == 4
