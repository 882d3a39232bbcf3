"""What counts as current: the last complete answer of each adapter, with later incomplete ones on top."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from gpurent import fx
from gpurent.fx import EcbDay
from gpurent.snapshots import changes, current, keep, store
from gpurent.snapshots.current import current_offers
from tests.snapshots.making import NIGHT, ONE_DAY, answer, keep_night, offer

SEEN = timedelta(seconds=2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / store.FILE_NAME


@pytest.fixture
def db(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(store.open_to_write(path)) as opened:
        yield opened


def shown(path: Path, **at: object) -> dict[str, tuple[str, int]]:
    """sku -> amount and the night it was seen."""
    offers, _ = current_offers(path, **at)  # type: ignore[arg-type]
    return {
        str(one.sku): (str(one.price and one.price.amount), (one.observed_at - NIGHT).days)
        for one in offers
        if one.observed_at
    }


def test_nothing_collected_is_nothing(path: Path) -> None:
    assert current_offers(path) == ((), {})


def test_a_cut_answer_renews_what_it_shows_and_leaves_the_rest(path: Path, db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a"), offer("b")])
    keep_night(db, [offer("a", "1.60")], NIGHT + ONE_DAY, complete=False)
    assert shown(path) == {"a": ("1.60", 1), "b": ("1.50", 0)}
    source = current_offers(path)[1]["cloud"]
    assert (source.complete, source.offers, source.unseen) == (False, 2, 0)
    assert (source.collected_at, source.complete_at) == (NIGHT + ONE_DAY + SEEN, NIGHT + SEEN)


def test_what_a_never_complete_source_stops_showing_is_unseen_not_gone(path: Path, db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a"), offer("b")], complete=None)
    keep_night(db, [offer("a")], NIGHT + ONE_DAY, complete=None)
    assert shown(path) == {"a": ("1.50", 1)}
    assert current_offers(path)[1]["cloud"].unseen == 1
    assert db.execute("SELECT count(*) FROM span WHERE ended_in IS NOT NULL").fetchone()[0] == 0


def test_a_provider_that_failed_keeps_its_age(path: Path, db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a")])
    keep_night(db, [offer("x", provider="other")], NIGHT + ONE_DAY, provider="other")
    run = keep.begin_run(db, NIGHT + ONE_DAY, "live", "test")
    keep.fail(db, run, answer([], NIGHT + ONE_DAY), "answered 503")
    offers, sources = current_offers(path)
    assert len(offers) == 2
    assert sources["cloud"].collected_at == NIGHT + SEEN
    assert (sources["cloud"].last_status, sources["other"].last_status) == ("failed", "kept")


def test_any_earlier_moment_is_as_it_was_known_then(path: Path, db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a"), offer("b")])
    keep_night(db, [offer("a", "1.60")], NIGHT + ONE_DAY)
    keep_night(db, [offer("a", "1.70"), offer("b")], NIGHT + 2 * ONE_DAY)
    noon = timedelta(hours=9)
    assert shown(path, at=NIGHT - ONE_DAY) == {}
    assert shown(path, at=NIGHT + noon) == {"a": ("1.50", 0), "b": ("1.50", 0)}
    assert shown(path, at=NIGHT + ONE_DAY + noon) == {"a": ("1.60", 1)}
    assert shown(path, at=NIGHT + 2 * ONE_DAY + noon) == {"a": ("1.70", 2), "b": ("1.50", 2)}


@pytest.mark.parametrize("complete", [False, None])
def test_an_offer_that_comes_back_leaves_what_was_known_in_between(
    path: Path, db: sqlite3.Connection, complete: bool | None
) -> None:
    for night, names in enumerate(["ab", "a", "ab", "ab"]):
        given = complete if night else True
        ended = keep_night(db, [offer(name) for name in names], NIGHT + night * ONE_DAY, complete=given)
        assert (ended.new, ended.changed, ended.gone) == (0 if night else 2, 0, 0)
    noon = timedelta(hours=9)
    assert shown(path, at=NIGHT + ONE_DAY + noon) == {"a": ("1.50", 1), "b": ("1.50", 0)}
    assert shown(path) == {"a": ("1.50", 3), "b": ("1.50", 3)}
    assert db.execute("SELECT count(*) FROM span").fetchone()[0] == 3
    newest = changes.runs(db, 2)[-1].collections[0]
    assert (newest["new"], newest["changed"], newest["gone"]) == (0, 0, 0)


def test_rates_kept_with_a_night_are_preferred(path: Path, db: sqlite3.Connection) -> None:
    day = date(2026, 11, 27)
    run = keep.begin_run(db, NIGHT, "live", "test")
    published = [EcbDay(day, "USD", "1.2000"), EcbDay(day, "CNY", "7.5")]
    keep.keep_rates(db, run, answer([], provider="ecb"), published)
    again = keep.keep_rates(db, run, answer([], provider="ecb"), [EcbDay(day, "USD", "9")])
    assert again.remarks[0].subject == "0"  # a day that is there already stays
    known = current.rates(path)
    assert known.newest == day
    converted = fx.to_usd(Decimal("7.5"), "CNY", date(2026, 11, 30), known)
    assert converted is not None
    assert (converted.usd, converted.age_days) == (Decimal("1.2"), 3)
    assert current_offers(path) == ((), {})  # the bank is no provider


def test_without_a_history_the_embedded_rates_serve(path: Path) -> None:
    assert current.rates(path) is fx.embedded()
