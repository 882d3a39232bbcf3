"""Bounded numbers and typed prices."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent.money import InvalidNumber, Price, bounded_decimal


@pytest.mark.parametrize(
    "text", ["1e5000000", "1e999", "NaN", "Infinity", "-inf", "", "1_000", "٣", "0x10", "1" * 31, "1e10", "call us"]
)
def test_what_is_no_sensible_number_is_refused_before_it_costs_anything(text: str) -> None:
    with pytest.raises(InvalidNumber):
        bounded_decimal(text)


@pytest.mark.parametrize("value", [True, None, [], float("nan"), float("inf"), 10**400])
def test_other_things_than_numbers_are_refused(value: object) -> None:
    with pytest.raises(InvalidNumber):
        bounded_decimal(value)


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=6))
def test_reading_what_was_written_gives_it_back(number: Decimal) -> None:
    assert bounded_decimal(str(number)) == number


@pytest.mark.parametrize(
    ("fields", "gpus", "hourly"),
    [
        ({"amount": "45000", "currency": "CNY", "unit": "month"}, 8, "62.5"),
        ({"amount": "45000", "unit": "month", "hours_per_month": "730"}, 8, "61.64383561643835616438356164"),
        ({"amount": "2", "per": "gpu"}, 8, "16"),
        ({"amount": "24", "unit": "day"}, 1, "1"),
        ({"amount": "168", "unit": "week"}, 1, "1"),
        ({"amount": "8760", "unit": "year"}, 1, "1"),
        ({"amount": "0.001", "unit": "second"}, 1, "3.6"),
        ({"amount": "1", "term_months": "1", "upfront": "720"}, 1, "2"),
    ],
)
def test_a_price_knows_its_hour(fields: dict[str, str], gpus: int, hourly: str) -> None:
    assert Price.model_validate(fields).per_hour(gpus) == Decimal(hourly)


@pytest.mark.parametrize("amount", ["0", "-1"])
def test_zero_is_never_a_price(amount: str) -> None:
    with pytest.raises(ValueError, match="greater than 0"):
        Price.model_validate({"amount": amount})


@given(st.decimals(min_value="0.01", max_value="100000", places=2), st.integers(1, 16))
def test_a_price_per_gpu_is_that_price_for_each(amount: Decimal, gpus: int) -> None:
    per_gpu = Price(amount=amount, per="gpu").per_hour(gpus)
    assert per_gpu == Price(amount=amount).per_hour(gpus) * gpus
