"""Spans: a price that stands is one row; only a complete answer ends an offer; all of a provider or nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent.money import Price
from gpurent.offer import Offer, Reject
from gpurent.snapshots import aside, chain, keep, store
from gpurent.snapshots.collection import Remark, Verdict, without_doubles
from gpurent.snapshots.current import current_offers
from gpurent.snapshots.stored_offer import READINGS, join, split
from tests.snapshots.making import NIGHT, ONE_DAY, answer, keep_night, offer


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / store.FILE_NAME


@pytest.fixture
def db(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(store.open_to_write(path)) as opened:
        yield opened
        assert chain.verify(opened) == []


def spans(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
    return db.execute(
        """SELECT o.sku, s.amount, s.first_in, s.last_in, s.ended_in FROM span s JOIN offer o ON o.id = s.offer
        ORDER BY o.sku, s.first_in"""
    ).fetchall()


def test_a_price_that_stands_is_one_span(db: sqlite3.Connection) -> None:
    for night in range(3):
        keep_night(db, [offer("a"), offer("b", "2")], NIGHT + night * ONE_DAY)
    assert spans(db) == [("a", "1.50", 1, 3, None), ("b", "2", 1, 3, None)]


def test_another_price_ends_a_span_and_begins_one_and_digits_stay(db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a", "1.500")])
    keep_night(db, [offer("a", "1.5")], NIGHT + ONE_DAY)  # the same number
    keep_night(db, [offer("a", "1.499999999")], NIGHT + 2 * ONE_DAY)
    assert spans(db) == [("a", "1.500", 1, 2, 3), ("a", "1.499999999", 3, 3, None)]


@pytest.mark.parametrize(("complete", "ended"), [(True, 2), (False, None), (None, None)])
def test_only_a_complete_answer_ends_an_offer(db: sqlite3.Connection, complete: bool | None, ended: int | None) -> None:
    keep_night(db, [offer("a"), offer("b")])
    keep_night(db, [offer("a")], NIGHT + ONE_DAY, complete=complete)
    assert spans(db) == [("a", "1.50", 1, 2, None), ("b", "1.50", 1, 1, ended)]


def test_an_offer_missing_beside_unreadable_rows_ends_the_second_time(db: sqlite3.Connection) -> None:
    bad = [Reject("all", "rows[1].price", "?", "not a number")]
    keep_night(db, [offer("a"), offer("b")])
    keep_night(db, [offer("a")], NIGHT + ONE_DAY, rejects=bad)
    assert spans(db)[1] == ("b", "1.50", 1, 1, None)
    keep_night(db, [offer("a")], NIGHT + 2 * ONE_DAY, rejects=bad)
    assert spans(db)[1] == ("b", "1.50", 1, 1, 3)


def test_an_offer_that_comes_back_begins_a_new_span(db: sqlite3.Connection) -> None:
    for night, offers in enumerate([[offer("a"), offer("b")], [offer("a")], [offer("a"), offer("b")]]):
        keep_night(db, offers, NIGHT + night * ONE_DAY)
    assert spans(db)[1:] == [("b", "1.50", 1, 1, 2), ("b", "1.50", 3, 3, None)]


def test_a_held_offer_stays_as_it_was(db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a"), offer("b")])
    dear = offer("b", "999")
    keep_night(db, [offer("a"), dear], NIGHT + ONE_DAY, held=[(dear, Remark("band", dear.offer_id, "", "999 USD"))])
    assert spans(db)[1] == ("b", "1.50", 1, 1, None)


def test_another_card_is_a_new_span_a_new_reading_is_not(db: sqlite3.Connection, path: Path) -> None:
    keep_night(db, [offer("a", reliability=0.9, vcpus=8)])
    keep_night(db, [offer("a", reliability=0.8, vcpus=8)], NIGHT + ONE_DAY)
    assert len(spans(db)) == 1
    (found,), _ = current_offers(path)
    assert found.reliability == 0.8
    keep_night(db, [offer("a", reliability=0.8, vcpus=16)], NIGHT + 2 * ONE_DAY)
    assert len(spans(db)) == 2


def test_the_card_is_kept_as_written(db: sqlite3.Connection, path: Path) -> None:
    written = "NVIDIA  RTX-4090（24G） 超频版"
    keep_night(db, [offer("a", gpu=written)])
    (found,), _ = current_offers(path)
    assert found.gpu == "NVIDIA RTX-4090（24G） 超频版"  # one clean line, nothing else


def test_an_offer_without_a_price_is_kept(db: sqlite3.Connection, path: Path) -> None:
    keep_night(db, [offer("a", None, stock="sold-out")])
    (found,), _ = current_offers(path)
    assert (found.price, found.stock) == (None, "sold-out")


def test_refused_and_failed_answers_change_nothing_current(db: sqlite3.Connection, path: Path) -> None:
    keep_night(db, [offer("a"), offer("b")])
    before = spans(db)
    run = keep.begin_run(db, NIGHT + ONE_DAY, "live", "test")
    empty = answer([], NIGHT + ONE_DAY)
    keep.refuse(db, run, empty, Verdict((Remark("empty", "", "2", "0"),)))
    keep.fail(db, run, empty, "answered 500")
    assert spans(db) == before
    offers, sources = current_offers(path)
    assert len(offers) == 2
    assert (sources["cloud"].last_status, sources["cloud"].collected_at) == ("failed", NIGHT + timedelta(seconds=2))


def test_an_answer_kept_aside_comes_back_whole(db: sqlite3.Connection) -> None:
    given = answer(
        [offer("a", "0.1", vcpus=8.5, observed_at=NIGHT), offer("b", None)],
        rejects=[Reject("p", "q", "r", "s")],
        complete=None,
    )
    run = keep.begin_run(db, NIGHT, "live", "test")
    keep.refuse(db, run, given, Verdict((Remark("count", "", "9", "2"),)))
    assert aside.taken(db, "cloud") == given
    assert aside.taken(db, "elsewhere") is None


def test_a_provider_is_kept_whole_or_not_at_all(db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a")])
    before = (spans(db), db.execute("SELECT count(*) FROM collection").fetchone())
    broken = keep.Aggregate("card", 1, "spot", "USD", 1, "1", "1", "1")
    run = keep.begin_run(db, NIGHT + ONE_DAY, "live", "test")
    given = answer([offer("a", "9"), offer("b")], NIGHT + ONE_DAY)
    with pytest.raises(sqlite3.IntegrityError):  # the same row twice, after the spans were written
        keep.keep(db, run, given, Verdict((), (), given.offers), [broken, broken])
    assert (spans(db), db.execute("SELECT count(*) FROM collection").fetchone()) == before


def test_doubles_are_dropped_and_contradictions_told() -> None:
    found = without_doubles(answer([offer("a"), offer("a"), offer("a", "3"), offer("b")]))
    assert [str(one.price and one.price.amount) for one in found.offers] == ["1.50", "1.50"]
    (told,) = found.rejects
    assert (told.value, told.reason) == (offer("a").offer_id, "a second offer of the same id")


def test_a_dated_price_keeps_its_own_day(db: sqlite3.Connection, path: Path) -> None:
    old = datetime(2026, 9, 24, tzinfo=UTC)
    keep_night(db, [offer("a", observed_at=old), offer("b", observed_at=NIGHT + timedelta(seconds=1))])
    seen = {one.sku: one.observed_at for one in current_offers(path)[0]}
    assert seen == {"a": old, "b": NIGHT + timedelta(seconds=2)}


_amounts = st.decimals("0.000001", "999999", allow_nan=False, places=6)


@given(
    amount=_amounts, gpu=st.sampled_from(["RTX 4090", "显卡"]), region=st.none() | st.sampled_from(["eu", "华东"]),
    unit=st.sampled_from(["second", "hour", "month"]), per=st.sampled_from(["offer", "gpu"]),
    vcpus=st.none() | st.floats(0.01, 500), reliability=st.none() | st.floats(0.001, 1),
    upfront=st.none() | st.integers(1, 1000), stock=st.sampled_from(["available", "sold-out", "unknown"]),
)  # fmt: skip
def test_an_offer_comes_back_as_it_was(
    amount: Decimal, gpu: str, region: str | None, unit: Any, per: Any, vcpus: float | None, reliability: float | None,
    upfront: int | None, stock: Any,
) -> None:  # fmt: skip
    price = Price(amount=amount, unit=unit, per=per, upfront=upfront, term_months=12 if upfront else None)
    given_offer = Offer(
        provider="p", gpu=gpu, region=region, vcpus=vcpus, reliability=reliability, stock=stock, price=price,
        observed_at=NIGHT,
    )  # fmt: skip
    stored = split(given_offer)
    back = join(stored.identity, stored.facts, stored.amount, stored.stock, stored.readings, NIGHT)
    assert back == given_offer
    assert back.offer_id == stored.key


def test_readings_are_fields_of_an_offer() -> None:
    assert set(READINGS) <= set(Offer.model_fields)
