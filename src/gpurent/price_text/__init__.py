"""A price in somebody's words, English or Chinese: amount, currency, period, what one payment buys.

The grammar is a stream of tokens around one amount (or a range): currency, 万/k, discount, "/h", "per card", "月付",
tax, "from". One pass over the text; what no token explains is reported as left over, never guessed away.
"""

from __future__ import annotations

import re

from gpurent.money import InvalidNumber, Per, Price, Unit
from gpurent.price_text.clusters import clusters as _clusters
from gpurent.price_text.meaning import PriceReading, PriceText, amount_of, currency_of, meaning_of

__all__ = [
    "PriceReading", "PriceText", "amount_of", "currency_of", "exact_price", "find_prices", "read_price", "write_price",
]  # fmt: skip

MAX_PRICE_TEXT = 6_000


def find_prices(text: str) -> list[PriceText]:
    """Every price in a text, in order. A number is money only beside a currency or a period of payment."""
    text = text[:MAX_PRICE_TEXT]
    found = (meaning_of(text, cluster) for cluster in _clusters(text))
    return [price for price in found if price is not None]


def read_price(text: str) -> PriceText | None:
    """The one price of a short text (a table cell, a price tag), with what no rule explains as `leftover`.

    >>> [str(r.price.amount) for r in read_price("$2.99/GPU/hr").readings]
    ['2.99']
    >>> read_price("call us") is None
    True
    """
    found = find_prices(text)
    if not found:
        return None
    price = found[0]
    rest = text[: price.start] + " " + text[price.end : MAX_PRICE_TEXT]
    leftover = " ".join(re.sub(r"[\s:=,.(){}\[\]|_;*]+", " ", rest).split())
    return PriceText(
        price.text, price.start, price.end, price.readings, price.high, price.gpu_count, price.flags, leftover
    )


def exact_price(text: str, *, currency: str | None = None, unit: Unit | None = None, per: Per | None = None) -> Price:
    """The price of a text that must say exactly one thing; what the caller knows from its source fills what is unsaid.

    Raises:
        InvalidNumber: no price, a range, something left over, or a contradiction to what the caller knows.

    >>> exact_price("$3.20", unit="hour", per="gpu").per_hour(8)
    Decimal('25.60')
    """
    found = read_price(text) or (read_price(f"{text} {currency}") if currency else None)
    if found is None or found.leftover or found.high is not None or "currency-contradicted" in found.flags:
        raise InvalidNumber("not one price")
    for reading in found.readings:
        known: dict[str, object] = {}
        for flag, key, value in (("currency", "currency", currency), ("unit", "unit", unit), ("per", "per", per)):
            if value and f"{flag}-missing" in found.flags:
                known[key] = value
        price = reading.price.model_copy(update=known)
        if all(
            wanted in (None, has) for wanted, has in ((currency, price.currency), (unit, price.unit), (per, price.per))
        ):
            return price
    raise InvalidNumber("another currency, period or basis")


_SAY_UNIT = {
    "en": {"second": "s", "hour": "h", "day": "day", "week": "week", "month": "month", "year": "year"},
    "zh": {"second": "秒", "hour": "小时", "day": "天", "week": "周", "month": "月", "year": "年"},
}


def write_price(price: Price, lang: str = "en") -> str:
    """A price as words `find_prices` reads back to the same price.

    >>> write_price(Price(amount="4.5", currency="USD", per="gpu"))
    '4.5 USD/GPU/h'
    >>> write_price(Price(amount="45000", currency="CNY", unit="month"), "zh")
    '45000 CNY/台/月 720小时'
    """
    basis = {"en": {"gpu": "GPU", "offer": "node"}, "zh": {"gpu": "卡", "offer": "台"}}[lang][price.per]
    text = f"{price.amount:f} {price.currency}/{basis}/{_SAY_UNIT[lang][price.unit]}"
    if price.unit == "month" and price.hours_per_month == price.hours_per_month.to_integral_value():
        text += f" {price.hours_per_month:.0f}h" if lang == "en" else f" {price.hours_per_month:.0f}小时"
    if price.tax_included is not None:
        taxed = {"en": ("excl. VAT", "incl. VAT"), "zh": ("不含税", "含税")}[lang]
        text += " " + taxed[price.tax_included]
    return text
