"""Money: runs, increments, storage, spot, and what never ranks first."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from math import expm1
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent.offer import Offer
from gpurent.ranker import rank, spot
from gpurent.ranker.run_cost import Job, Terms, run_cost, steady_epoch_s
from gpurent.ranker.terms import terms_of

JOB = Job(samples_per_epoch=1000, epochs=10, dataset_bytes=0, checkpoint_bytes=0, checkpoint_interval_s=None)


def column(value: float) -> Any:
    return np.array([value])


def terms(**given: Any) -> Terms:
    usual = {
        "usd_per_hour": 3.6,
        "increment_s": 1.0,
        "minimum_s": 0.0,
        "usd_per_gib_month": 0.0,
        "included_gib": 0.0,
        "usd_per_egress_gib": 0.0,
        "usd_per_ingress_gib": 0.0,
        "spot": False,
        "interruptions_per_hour": 0.0,
    }
    return Terms(**{name: np.array([value]) for name, value in {**usual, **given}.items()})


def cost(paid: Terms, job: Job = JOB, steady: float = 100.0, first: float = 200.0, setup: float = 50.0) -> Any:
    return run_cost(paid, column(steady), column(first), column(setup), column(0.0), job)


def test_a_run_is_set_up_first_epoch_and_the_rest() -> None:
    found = cost(terms())
    assert found.run_s[0] == 50 + 200 + 9 * 100
    assert found.run_cost_usd[0] == pytest.approx(1.150)
    assert found.cost_per_epoch_usd[0] == pytest.approx(0.1150)
    assert found.steady_cost_per_epoch_usd[0] == pytest.approx(0.1)


def test_less_than_one_epoch_pays_its_part() -> None:
    assert cost(terms(), replace(JOB, epochs=0.5)).run_s[0] == 50 + 100


@pytest.mark.parametrize(
    ("increment", "minimum", "billed"), [(1, 0, 1150), (60, 0, 1200), (3600, 0, 3600), (1, 7200, 7200), (1150, 0, 1150)]
)
def test_billing_goes_up_to_the_increment_and_the_minimum(increment: float, minimum: float, billed: float) -> None:
    assert cost(terms(increment_s=increment, minimum_s=minimum)).billed_s[0] == pytest.approx(billed)


def test_storage_traffic_and_checkpoints_are_paid() -> None:
    gib = 2.0**30
    job = replace(JOB, dataset_bytes=100 * gib, checkpoint_bytes=10 * gib, checkpoint_interval_s=500.0)
    paid = terms(
        usd_per_gib_month=0.72, included_gib=10.0, usd_per_egress_gib=0.1, usd_per_ingress_gib=0.01, increment_s=3600.0
    )
    found = run_cost(paid, column(100.0), column(200.0), column(50.0), column(7.0), job)
    assert found.run_s[0] == 50 + 1100 + 2 * 7
    hour = 3.6
    storage = 100 * 0.72 / 720
    assert found.run_cost_usd[0] == pytest.approx(hour + storage + 10 * 0.1 + 100 * 0.01)


def test_overheads_of_an_epoch() -> None:
    steps = column(400.0)
    assert steady_epoch_s(column(10.0), steps, np.array([False]), JOB)[0] == 105
    assert steady_epoch_s(column(10.0), steps, np.array([True]), JOB)[0] == pytest.approx(105.3)


def test_spot_expects_interruptions_by_the_formula() -> None:
    rate, run, restart = 0.15, 48.5 * 3600, 600.0
    per_s = rate / 3600
    whole = spot.expected_wall_s(column(run), column(rate), column(restart), None)[0]
    assert whole == pytest.approx(expm1(per_s * run) * (1 / per_s + restart))
    often = spot.expected_wall_s(column(run), column(rate), column(restart), 1800.0)[0]
    assert run < often < 1.1 * run
    assert whole > 100 * often


def test_a_long_job_without_checkpoints_is_thousands_of_hours_and_hopeless() -> None:
    hours = spot.expected_wall_s(column(48.5 * 3600), column(0.15), column(0.0), None)[0] / 3600
    assert hours == pytest.approx(9600, rel=0.02)
    assert spot.hopeless(column(48.5 * 3600), column(0.15), None)[0]
    assert not spot.hopeless(column(48.5 * 3600), column(0.15), 1800.0)[0]


@given(st.floats(1, 1e6), st.floats(0, 5), st.floats(0, 1e4), st.none() | st.floats(1, 1e6))
def test_interruptions_never_shorten_a_run(run: float, rate: float, restart: float, interval: float | None) -> None:
    wall = spot.expected_wall_s(column(run), column(rate), column(restart), interval)[0]
    assert np.isfinite(wall)
    more = spot.expected_wall_s(column(run), column(2 * rate), column(restart), interval)[0]
    assert more >= wall * (1 - 1e-9)
    assert wall >= run * (1 - 1e-9)


def priced(**given: Any) -> Offer:
    return Offer.model_validate(
        {"provider": "p", "gpu": "T4", "observed_at": datetime(2026, 1, 1, tzinfo=UTC), **given}
    )


def test_terms_convert_native_money_and_share_equal_terms() -> None:
    day = date(2026, 10, 30)
    offers = [
        priced(price={"amount": "7.4326", "currency": "CNY"}, storage_per_gib_month="7.4326"),
        priced(price={"amount": "1.1172", "currency": "USD"}),
        priced(price={"amount": "1", "currency": "XYZ"}),
        priced(),
        priced(price={"amount": "1"}, purchase="spot"),
        priced(price={"amount": "1"}, purchase="spot", interruptions_per_hour="0"),
    ]
    found = terms_of([*offers, offers[0]], day)
    usd = found.terms.usd_per_hour[found.of_offer]
    assert usd[:2] == pytest.approx([1.1172, 1.1172])
    assert np.isnan(usd[2])
    assert np.isnan(usd[3])
    assert found.unconverted == ("XYZ",)
    assert found.of_offer[6] == found.of_offer[0]
    assert found.terms.usd_per_gib_month[found.of_offer[0]] == pytest.approx(1.1172)
    assert list(found.interruptions_assumed[found.of_offer[4:6]]) == [True, False]
    assert found.terms.interruptions_per_hour[found.of_offer[5]] == 0


def test_an_old_rate_widens_and_never_refuses() -> None:
    offers = [priced(price={"amount": "1", "currency": "CNY"}), priced(price={"amount": "1"})]
    found = terms_of(offers, date(2027, 10, 30))
    assert found.oldest_rate_days == 365
    assert found.fx_sigma[0] > 0
    assert found.fx_sigma[1] == 0
    assert np.isfinite(found.terms.usd_per_hour).all()


def test_order_puts_the_hopeless_last_and_breaks_ties_by_name() -> None:
    key = np.array([3.0, 1.0, 1.0 + 1e-15, np.nan, 0.5])
    last = np.array([False, False, False, False, True])
    assert list(rank.order(key, last, lambda place: "edcba"[place])) == [2, 1, 0, 3, 4]


def test_ties_count_by_probability() -> None:
    best = np.array([1.0, 1.0, 1.0, 1.0])
    draws = np.stack([best, np.array([0.9, 1.1, 1.1, 1.1]), np.array([1.1, 1.1, 1.1, 1.1]), best])
    assert list(rank.tied_with_best(draws, 0)) == [True, True, False, True]
