"""Prices over time agree, day by day, with what was current at the end of that day."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpurent import fx
from gpurent.errors import Problem
from gpurent.hardware.resolve import resolve
from gpurent.money import Price
from gpurent.snapshots import series, store
from gpurent.snapshots.current import current_offers
from tests.snapshots.making import NIGHT, ONE_DAY, keep_night, offer


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(store.open_to_write(tmp_path / store.FILE_NAME)) as opened:
        yield opened


def everything(offer: Any, found: Any) -> bool:
    del offer, found
    return True


def prices(db: sqlite3.Connection, nights: int, wanted: Any = everything) -> series.Prices:
    days = series.days_between(NIGHT, NIGHT + (nights - 1) * ONE_DAY)
    return series.prices(db, days, resolve, wanted, fx.embedded())


def test_a_card_s_n_lowest_and_median_by_day(db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a", "1.0"), offer("b", "2.0"), offer("c", "24.0", gpu_count=8)])
    keep_night(db, [offer("a", "1.2"), offer("b", "2.0")], NIGHT + ONE_DAY)
    found = prices(db, 3)
    (group,) = series.group(found, found.usd_per_gpu_hour, ["card"])
    assert group.key == ("a100-sxm-80gb",)
    assert group.n.tolist() == [3, 2, 2]  # the third day: as it was known
    assert group.lowest.tolist() == [1.0, 1.2, 1.2]
    assert group.median.tolist() == pytest.approx([2.0, 1.6, 1.6])
    assert {found.pairs[place].offer.sku for place in group.cheapest} == {"a"}


def test_groups_by_anything(db: sqlite3.Connection) -> None:
    keep_night(db, [
        offer("a", "1.0", region="eu"), offer("b", "2.0", region="us"), offer("c", "0.5", region="us", purchase="spot"),
        offer("d", "0.4", gpu_share="mig", share_profile="3g.40gb"),
    ])  # fmt: skip
    found = prices(db, 1)
    by = {group.key: group.n.tolist() for group in series.group(found, found.usd_per_gpu_hour, ["region", "purchase"])}
    assert by == {("eu", "on-demand"): [1], ("us", "on-demand"): [1], ("us", "spot"): [1], ("–", "on-demand"): [1]}
    shares = {group.key for group in series.group(found, found.usd_per_gpu_hour, ["share", "card"])}
    assert ("mig", "a100-sxm-80gb/3g.40gb") in shares


def test_only_wanted_offers_become_rows(db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a"), offer("b", gpu="RTX 4090")])
    found = prices(db, 1, lambda offer, found: found.card == "rtx-4090")
    assert [pair.card for pair in found.pairs] == ["rtx-4090"]


def test_sold_out_is_a_gap(db: sqlite3.Connection) -> None:
    for night, stock in enumerate(["available", "sold-out", "available"]):
        keep_night(db, [offer("a", stock=stock)], NIGHT + night * ONE_DAY)
    assert [math.isnan(value) for value in prices(db, 3).usd_per_hour[0]] == [False, True, False]


def test_each_day_has_its_own_rate_of_exchange(db: sqlite3.Connection) -> None:
    start = datetime(2026, 10, 28, 3, tzinfo=UTC)
    keep_night(db, [offer("a", "10", currency="CNY")], start)
    days = series.days_between(start, start + 2 * ONE_DAY)
    found = series.prices(db, days, resolve, everything, fx.embedded())
    wanted = [10 * fx.rates(["CNY"], day)["CNY"] for day in days]
    assert len(set(wanted)) == 3
    assert found.usd_per_hour[0].tolist() == pytest.approx(wanted)


def test_an_up_front_payment_is_spread_over_its_term(db: sqlite3.Connection) -> None:
    price = Price(amount=720, unit="month", upfront=8640, term_months=12)
    keep_night(db, [offer("a").model_copy(update={"price": price})])
    assert prices(db, 1).usd_per_hour[0, 0] == pytest.approx(720 / 720 + 8640 / (12 * 720))


def test_a_span_of_time_must_go_forward() -> None:
    with pytest.raises(Problem):
        series.days_between(NIGHT, NIGHT - ONE_DAY)


_night = st.tuples(
    st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["1.0", "1.5", "2.0"]), max_size=4),
    st.sampled_from([True, True, False, None]),
    st.booleans(),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(nights=st.lists(_night, min_size=1, max_size=6))
def test_every_day_is_what_was_current_at_its_end(tmp_path_factory: pytest.TempPathFactory, nights: list[Any]) -> None:
    """Whatever was collected, however incomplete: two roads to the same prices."""
    path = tmp_path_factory.mktemp("history") / store.FILE_NAME
    with closing(store.open_to_write(path)) as db:
        for number, (offers, complete, collected) in enumerate(nights):
            if collected:
                made = [offer(name, amount) for name, amount in offers.items()]
                keep_night(db, made, NIGHT + number * ONE_DAY, complete=complete)
        found = prices(db, len(nights))
    for place, day in enumerate(found.days):
        offers, _ = current_offers(path, datetime.combine(day, time(23, 59, 59), UTC))
        wanted = sorted(float(one.price.amount) for one in offers if one.price)
        column = found.usd_per_hour[:, place] if found.pairs else np.zeros(0)
        assert sorted(column[~np.isnan(column)].tolist()) == wanted
        groups = series.group(found, found.usd_per_gpu_hour, ["provider"]) if found.pairs else []
        if wanted:
            assert groups[0].median[place] == pytest.approx(median(wanted))


def test_days_are_whole_days_of_utc() -> None:
    days = series.days_between(NIGHT, NIGHT + timedelta(hours=23))
    assert [day.isoformat() for day in days] == ["2026-11-01", "2026-11-02"]
