"""Prices in words: each trap a case, writing and reading back, and anything at all without a crash."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpurent.money import InvalidNumber, Price
from gpurent.price_text import amount_of, currency_of, exact_price, find_prices, read_price, write_price

# text, amount, currency, unit, per (None: open), more
ONE = [
    ("￥1.98/时", "1.98", "CNY", "hour", None),
    ("1.98元/小时", "1.98", "CNY", "hour", None),
    ("1.98元小时", "1.98", "CNY", "hour", None),
    ("2块/小时", "2", "CNY", "hour", None),
    ("一小时12块", "12", "CNY", "hour", None),
    ("每卡每小时1.98元", "1.98", "CNY", "hour", "gpu"),
    ("6元/卡时", "6", "CNY", "hour", "gpu"),
    ("￥7.81/卡时", "7.81", "CNY", "hour", "gpu"),
    ("15 元/卡/时", "15", "CNY", "hour", "gpu"),
    ("10元/天", "10", "CNY", "day", None),
    ("4.5万/月", "45000", "CNY", "month", None),
    ("月付 4.5万/月", "45000", "CNY", "month", None),
    ("4.5w/月", "45000", "CNY", "month", None),
    ("一个月4.5万", "45000", "CNY", "month", None),
    ("4.5万每台每月", "45000", "CNY", "month", "offer"),
    ("3000/月/卡", "3000", "CNY", "month", "gpu"),
    ("1052元包月", "1052", "CNY", "month", None),
    ("一年28.8万", "288000", "CNY", "year", None),
    ("$2.99/hr", "2.99", "USD", "hour", None),
    ("$3.20/hr", "3.20", "USD", "hour", None),
    ("$90/mo", "90", "USD", "month", None),
    ("$1,500/month", "1500", "USD", "month", None),
    ("45k/mo", "45000", "USD", "month", None),
    ("$1.99 per GPU per hour", "1.99", "USD", "hour", "gpu"),
    ("$1.99/GPU-h", "1.99", "USD", "hour", "gpu"),
    ("0.75 USD/hour/GPU", "0.75", "USD", "hour", "gpu"),
    ("Price/GPU/hr: $2.99", "2.99", "USD", "hour", "gpu"),
    ("$19.2 per node-hour", "19.2", "USD", "hour", "offer"),
    ("$3.2/hour for the node", "3.2", "USD", "hour", "offer"),
    ("$0.000222/s", "0.000222", "USD", "second", None),
    ("299 cents/hr", "2.99", "USD", "hour", None),
    ("1.93 €/h", "1.93", "EUR", "hour", None),
    ("1,93 €/h", "1.93", "EUR", "hour", None),
    ("€1.299,00/month", "1299.00", "EUR", "month", None),
    ("EUR 1.93/h", "1.93", "EUR", "hour", None),
    ("£0.79/hr", "0.79", "GBP", "hour", None),
    ("RMB 12/h", "12", "CNY", "hour", None),
    ("CNY 7.8 per card hour", "7.8", "CNY", "hour", "gpu"),
    ("400 Gb/s, $32.77/h", "32.77", "USD", "hour", None),
    ("350W ¥12.5/小时", "12.5", "CNY", "hour", None),
    ("885.6 GB/s $0.347/hr", "0.347", "USD", "hour", None),
]


@pytest.mark.parametrize(("text", "amount", "currency", "unit", "per"), ONE)
def test_one_price(text: str, amount: str, currency: str, unit: str, per: str | None) -> None:
    [found] = find_prices(text)
    price = found.readings[0].price
    assert (price.amount, price.currency, price.unit) == (Decimal(amount), currency, unit)
    bases = {reading.price.per for reading in found.readings}
    assert bases == ({per} if per else {"offer", "gpu"})
    assert sum(reading.confidence for reading in found.readings) == pytest.approx(1, abs=0.25)


@pytest.mark.parametrize(
    "text",
    [
        "call us",
        "16 vCPU 64GB 2.10GHz",
        "RTX 4090",
        "870 images/s",
        "100M带宽",
        "8卡",
        "7GB/s",
        "3000/s",
        "24/7",
        "",
        "面议",
    ],
)
def test_no_price(text: str) -> None:
    assert find_prices(text) == []


def test_months_of_720_and_730_hours_are_two_readings() -> None:
    [found] = find_prices("$90/mo")
    assert {reading.price.hours_per_month for reading in found.readings} == {Decimal(720), Decimal(730)}
    assert found.readings[0].price.hours_per_month == 720
    [said] = find_prices("$90/mo 730h")
    assert {reading.price.hours_per_month for reading in said.readings} == {Decimal(730)}


def test_a_narrow_yen_sign_is_two_currencies_unless_the_text_is_chinese() -> None:
    [open_] = find_prices("¥12/h")
    assert {reading.price.currency for reading in open_.readings} == {"CNY", "JPY"}
    [chinese] = find_prices("显卡 ¥12/h")
    assert {reading.price.currency for reading in chinese.readings} == {"CNY"}


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("7.5-8.0 万元/8卡整机/月", "75000", "80000"),
        ("3.15~3.8 万/台/月", "31500", "38000"),
        ("1.5~2.2元/时", "1.5", "2.2"),
        ("$2.99 - $3.49/hr", "2.99", "3.49"),
        ("0.68至0.88万/台/月", "6800", "8800"),
    ],
)
def test_ranges_keep_both_ends(text: str, low: str, high: str) -> None:
    [found] = find_prices(text)
    assert (found.readings[0].price.amount, found.high) == (Decimal(low), Decimal(high))
    assert "range" in found.flags


def test_the_basis_may_name_the_number_of_cards() -> None:
    [found] = find_prices("7.5-8.0 万元/8卡整机/月")
    assert found.gpu_count == 8
    assert {reading.price.per for reading in found.readings} == {"offer"}


@pytest.mark.parametrize(
    ("text", "amount"), [("2.2元/时 9折", "1.98"), ("20% off $3/hr", "2.4"), ("100元/天 85折", "85")]
)
def test_discounts_are_taken_and_the_other_reading_kept(text: str, amount: str) -> None:
    [found] = find_prices(text)
    assert found.readings[0].price.amount == Decimal(amount)
    assert "discount" in found.flags
    assert len({reading.price.amount for reading in found.readings}) == 2


@pytest.mark.parametrize(
    ("text", "included"),
    [
        ("6.2万/月 含13%专票", True),
        ("4.5万/月 不含税", False),
        ("$2/h + VAT", False),
        ("2 EUR/h incl. VAT", True),
        ("$2/h", None),
    ],
)
def test_tax(text: str, included: bool | None) -> None:
    assert find_prices(text)[0].readings[0].price.tax_included is included


@pytest.mark.parametrize("text", [".49/hr", "A100 .49/hr", "bash.74/hr"])
def test_an_amount_that_begins_with_a_point_is_flagged(text: str) -> None:
    assert "point-first" in find_prices(text)[0].flags


def test_a_dollar_before_the_point_is_how_cents_are_written() -> None:
    assert "point-first" not in find_prices("$.49/hr")[0].flags


def test_several_prices_each_keep_their_words() -> None:
    hour, month = find_prices("时租1.98 月租1052")
    assert (hour.readings[0].price.unit, hour.readings[0].price.amount) == ("hour", Decimal("1.98"))
    assert (month.readings[0].price.unit, month.readings[0].price.amount) == ("month", Decimal(1052))
    on_demand, spot = find_prices("16GB 8 61GB $3.060 $1.024 us-west-2")
    assert (on_demand.readings[0].price.amount, spot.readings[0].price.amount) == (Decimal("3.060"), Decimal("1.024"))


def test_what_is_left_over_is_reported() -> None:
    found = read_price("from $2.99/hr, contact sales for more")
    assert found is not None
    assert found.leftover == "contact sales for more"
    assert "from" in found.flags


def test_exact_price_takes_what_the_source_knows() -> None:
    assert exact_price("$3.20", unit="hour", per="gpu").per_hour(8) == Decimal("25.60")
    assert exact_price("2.49", currency="EUR", unit="hour", per="offer").currency == "EUR"
    for bad in ("$2.99 - $3.49", "$3.20 or so", "call us", "$3.20 EUR", ""):
        with pytest.raises(InvalidNumber):
            exact_price(bad, currency="USD", unit="hour", per="gpu")


def test_exact_price_refuses_a_contradiction() -> None:
    with pytest.raises(InvalidNumber):
        exact_price("$3.20/month", unit="hour", per="gpu")


def test_currencies_and_amounts() -> None:
    assert currency_of("￥") == ("CNY",)
    assert currency_of("xyz") == ()
    assert amount_of("1'299.50") == Decimal("1299.50")
    for bad in ("1e5000000", "9" * 40, "NaN", ""):
        with pytest.raises(InvalidNumber):
            amount_of(bad)


amounts = st.decimals(min_value="0.0001", max_value="99999999", places=4).map(lambda amount: amount.normalize())
prices = st.builds(
    Price,
    amount=amounts,
    currency=st.sampled_from(["USD", "EUR", "CNY", "JPY", "GBP", "INR", "KRW", "CHF", "SGD", "HKD"]),
    unit=st.sampled_from(["second", "hour", "day", "week", "month", "year"]),
    per=st.sampled_from(["offer", "gpu"]),
    hours_per_month=st.sampled_from([Decimal(720), Decimal(730), Decimal(744)]),
    tax_included=st.sampled_from([None, True, False]),
)


@given(prices, st.sampled_from(["en", "zh"]))
@settings(max_examples=500, deadline=None)
def test_writing_and_reading_back_gives_the_same_price(price: Price, lang: str) -> None:
    """parse(format(x)) == x, whatever is written beside it."""
    [found] = find_prices(write_price(price, lang))
    expected = price if price.unit == "month" else price.model_copy(update={"hours_per_month": Decimal(720)})
    assert [reading.price for reading in found.readings] == [expected]


@given(st.text(max_size=300) | st.text(alphabet="$¥￥€.,0123456789 /kKwW万元折月时卡per-hr%~", max_size=300))
@settings(max_examples=500, deadline=None)
def test_any_text_gives_prices_or_none(text: str) -> None:
    """Never a crash, never an amount that is no sensible number, spans in order and inside the text."""
    last = 0
    for found in find_prices(text):
        assert last <= found.start < found.end <= len(text)
        last = found.end
        assert found.readings
        for reading in found.readings:
            assert reading.price.amount > 0
            assert reading.price.amount.is_finite()
