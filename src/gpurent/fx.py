"""Currency: a dated conversion to US dollars whose age shows. No rate, no conversion.

Rates are the euro reference rates of the European Central Bank: `tables/fx.csv` (daily for two years, month-end
before), and newer days that were fetched with a night and kept in its store.
"""

from __future__ import annotations

import csv
import io
import math
from bisect import bisect_right
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from gpurent import tables
from gpurent.money import InvalidNumber, bounded_decimal

EUR, USD = "EUR", "USD"
_COLUMN = "_per_eur"
MAX_ANSWER_ROWS = 1000  # a bank's answer that is longer is not the one that was asked for


class Conversion(NamedTuple):
    """An amount in US dollars and the rate it was converted with."""

    usd: Decimal
    rate: Decimal  # US dollars for one unit of the currency
    day: date | None  # of the rate; None: the amount was in US dollars already
    age_days: int  # from `day` to the day it was wanted for


class EcbDay(NamedTuple):
    """One published rate: units of the currency for one euro, as text so that its digits are kept."""

    day: date
    currency: str
    per_eur: str


class Rates:
    """Published rates by currency, looked up by day. Immutable; `with_days` gives one that knows more."""

    def __init__(self, published: Iterable[EcbDay]) -> None:
        by_currency: dict[str, dict[date, str]] = {}
        for day, currency, per_eur in published:
            by_currency.setdefault(currency, {})[day] = per_eur
        self._days = {currency: sorted(series) for currency, series in by_currency.items()}
        self._per_eur = by_currency

    def with_days(self, published: Iterable[EcbDay]) -> Rates:
        """These rates and newer ones; where both have a day, the newer reading is preferred."""
        known = (
            EcbDay(day, currency, text) for currency, series in self._per_eur.items() for day, text in series.items()
        )
        return Rates([*known, *published])

    @property
    def currencies(self) -> tuple[str, ...]:
        return (EUR, *self._days)

    @property
    def newest(self) -> date:
        """The last day a dollar rate was published."""
        return self._days[USD][-1]

    def per_eur(self, currency: str, on: date) -> tuple[Decimal, date] | None:
        """Units of a currency for one euro on the last published day up to `on`, and that day."""
        if currency == EUR:
            return Decimal(1), on
        days = self._days.get(currency, [])
        place = bisect_right(days, on)
        if not place:
            return None
        day = days[place - 1]
        return Decimal(self._per_eur[currency][day]), day

    def cross(self, currency: str, on: date) -> tuple[Decimal, Decimal, date] | None:
        """US dollars and units of the currency for one euro, and the older of the two days they are of."""
        dollar, unit = self.per_eur(USD, on), self.per_eur(currency, on)
        if dollar is None or unit is None:
            return None
        return dollar[0], unit[0], min(dollar[1], unit[1])


@cache
def embedded() -> Rates:
    """The rates that ship with the package."""
    return Rates(
        EcbDay(date.fromisoformat(row["as_of"]), column.removesuffix(_COLUMN).upper(), cell)
        for row in tables.rows("fx")
        for column, cell in row.items()
        if column.endswith(_COLUMN) and cell
    )


def to_usd(amount: Decimal, currency: str, on: date | None = None, known: Rates | None = None) -> Conversion | None:
    """An amount in US dollars at the last rate published up to a day.

    usd = amount * (usd per eur) / (currency per eur)

    Args:
        amount: native amount.
        currency: its three-letter code.
        on: the day it is wanted for (`--fx-date`, or the caller's today); None: the newest published day.
        known: rates to use; None: the embedded ones.

    Returns:
        The conversion with the day of its rate and how old that rate was on `on`, or None where no rate is known.
        Source: ecb-eurofxref.

    >>> str(to_usd(Decimal("7.4326"), "CNY", date(2026, 10, 31)).usd)
    '1.1172'
    >>> to_usd(Decimal(1), "CNY", date(2026, 10, 31)).age_days
    1
    >>> to_usd(Decimal(1), "XYZ") is None
    True
    """
    if currency == USD:
        return Conversion(amount, Decimal(1), None, 0)
    known = known or embedded()
    wanted = on or known.newest
    found = known.cross(currency, wanted)
    if found is None:
        return None
    dollars, units, day = found
    return Conversion(amount * dollars / units, dollars / units, day, (wanted - day).days)


def rates(currencies: Iterable[str], day: date | None = None, known: Rates | None = None) -> dict[str, float]:
    """US dollars for one unit of each currency on a day, for vector use. A currency without a rate is not in it.

    >>> rates(["USD", "EUR", "XYZ"], date(2026, 10, 30))
    {'USD': 1.0, 'EUR': 1.1172}
    """
    known = known or embedded()
    found = {currency: known.cross(currency, day or known.newest) for currency in currencies}
    return {currency: float(cross[0] / cross[1]) for currency, cross in found.items() if cross}


def is_stale(age_days: int) -> bool:
    """Whether a rate of this age is worth a note."""
    return age_days > tables.constants("fx_age")["stale_after"]


def age_sigma(age_days: int) -> float:
    """Sigma of the log that an old rate adds to a converted price: 0 while it is fresh, never a reason to refuse.

    sigma = daily_sigma * sqrt(age_days), from `stale_after` days on. Source: fx_age.csv, from ecb-eurofxref.

    >>> age_sigma(3)
    0.0
    """
    return tables.constants("fx_age")["daily_sigma"] * math.sqrt(age_days) if is_stale(age_days) else 0.0


class UnreadableRatesError(ValueError):
    """A bank's answer without a single rate that can be believed."""


def read_answer(text: str, today: date, known: Rates | None = None) -> tuple[EcbDay, ...]:
    """The rates of an answer of the bank, in either of its csv shapes; only currencies that are listed already.

    The data interface gives a row a currency (CURRENCY, TIME_PERIOD, OBS_VALUE); eurofxref.csv one row of all, with
    spaces after its commas and the date as "30 October 2026". A rate that is not a positive number, is of a day after
    `today`, or is further from the last known one than `plausible_factor` allows, is left out.

    Raises:
        UnreadableRatesError: nothing usable in it, or no dollar rate.
    """
    known = known or embedded()
    reader = csv.DictReader(io.StringIO(text.lstrip("\ufeff")), skipinitialspace=True)
    try:
        rows = [row for row, _ in zip(reader, range(MAX_ANSWER_ROWS), strict=False)]
    except csv.Error as error:
        raise UnreadableRatesError(str(error)) from None
    columns = reader.fieldnames or ()
    if {"CURRENCY", "TIME_PERIOD", "OBS_VALUE"} <= set(columns):
        cells = [(row["TIME_PERIOD"], row["CURRENCY"], row["OBS_VALUE"]) for row in rows]
    elif "Date" in columns:
        cells = [(row["Date"], column, row[column]) for row in rows for column in columns if column not in ("Date", "")]
    else:
        raise UnreadableRatesError("neither CURRENCY, TIME_PERIOD, OBS_VALUE nor Date is among its columns")
    published = tuple(read for cell in cells if (read := _believed(*cell, known)) and read.day <= today)
    if not any(rate.currency == USD for rate in published):
        raise UnreadableRatesError("no dollar rate in it")
    return published


def _believed(day_text: str | None, currency: str | None, value: str | None, known: Rates) -> EcbDay | None:
    if currency not in known.currencies or currency == EUR:
        return None
    try:
        day = _day((day_text or "").strip())
        rate = bounded_decimal((value or "").strip())
    except (InvalidNumber, ValueError):
        return None
    last = known.per_eur(currency, day)
    factor = Decimal(tables.constants("fx_age")["plausible_factor"])
    if rate <= 0 or last is None or not last[0] / factor <= rate <= last[0] * factor:
        return None
    return EcbDay(day, currency, str(rate))


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return datetime.strptime(text, "%d %B %Y").date()
