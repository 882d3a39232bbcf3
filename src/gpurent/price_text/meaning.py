"""What the tokens of one price say: amount, currency, period, basis, tax; every ambiguity as readings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from math import prod
from typing import Literal

from gpurent.money import InvalidNumber, Per, Price, Unit, bounded_decimal
from gpurent.price_text.clusters import Token
from gpurent.price_text.words import ADVERBS, CURRENCIES, MULTIPLES, PERIODS

MONTHS_OF_HOURS = (Decimal(720), Decimal(730))
_FRACTION_COMMA = re.compile(r"\d{1,12},(?:\d{1,2}|\d{4,12})|\d{1,3}(?:\.\d{3})+,\d{1,2}")


@dataclass(frozen=True)
class PriceReading:
    """One way to read a price: what it is, how likely among the readings of this text, and which choices it took."""

    price: Price
    confidence: float
    why: tuple[
        str, ...
    ] = ()  # codes: cny, jpy, usd-assumed, cny-assumed, month-720, month-730, per-card, per-node, ...


@dataclass(frozen=True)
class PriceText:
    """What one price in a text says, ambiguities as several readings, most likely first.

    `high` is the upper end of a range (the readings carry the lower), `gpu_count` the number of cards the words for
    the basis name ("/8卡整机"), `flags` codes: from, about, range, point-first, discount, currency-missing,
    currency-contradicted, unit-missing, per-missing, quarterly, half-yearly.
    """

    text: str
    start: int
    end: int
    readings: tuple[PriceReading, ...]
    high: Decimal | None = None
    gpu_count: int | None = None
    flags: frozenset[str] = frozenset()
    leftover: str = ""


def currency_of(word: str) -> tuple[str, ...]:
    """The currencies a sign or word may stand for, most likely first; none: not a currency.

    >>> currency_of("¥"), currency_of("元"), currency_of("US$")
    (('CNY', 'JPY'), ('CNY',), ('USD',))
    """
    for currencies, words in CURRENCIES:
        if re.fullmatch(words, word, re.IGNORECASE):
            return tuple(currencies.split("|"))
    return ()


def amount_of(text: str, decimal: Literal[".", ","] = ".") -> Decimal:
    """A written amount as a decimal, thousands marks taken out.

    Args:
        text: digits with marks, e.g. "1,299.00".
        decimal: the mark before the fraction; a single mark followed by one or two digits, or by more than three, is
            a fraction whatever this says.

    >>> amount_of("1,299.00"), amount_of("1,93"), amount_of("1.299,00", ",")
    (Decimal('1299.00'), Decimal('1.93'), Decimal('1299.00'))
    """
    text = text.strip()
    if (decimal == "," and "," in text) or _FRACTION_COMMA.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    return bounded_decimal(re.sub("[, ']", "", text))


def meaning_of(text: str, cluster: list[Token]) -> PriceText | None:
    """Every way to read one price's tokens; None where the amount is none (zero, or beyond any price)."""
    flags: set[str] = set()
    numbers = [token for token in cluster if token.kind == "num"]
    try:
        low, high = _amounts(numbers)
    except InvalidNumber:
        return None
    if not low:
        return None
    currencies = _currency(text, cluster, flags)
    if any(token.kind == "cents" for token in cluster):
        low, high, currencies = low / 100, high / 100 if high else None, (("USD", 1.0, ""),)
    first = numbers[0].match["num"]
    if first.startswith(".") and not any(token.kind == "cur" and token.end == numbers[0].start for token in cluster):
        flags.add("point-first")
    if any(token.kind == "shell" for token in cluster):
        flags.add("point-first")
    unit, many = _unit(cluster, flags)
    if unit == "second" and many == 1 and "currency-missing" in flags:
        return None  # a rate of something else
    per, count = _per(cluster, flags)
    for kind in ("about", "start"):
        if any(token.kind == kind for token in cluster):
            flags.add({"start": "from"}.get(kind, kind))
    if high is not None:
        flags.add("range")
    discounts: tuple[tuple[Decimal, float, str], ...] = ((Decimal(1), 1.0, ""),)
    scale = _discount(cluster)
    if scale is not None:
        flags.add("discount")
        discounts = ((scale, 0.6, "discount-to-take"), (Decimal(1), 0.4, "discount-taken"))
    months: tuple[tuple[Decimal, float, str], ...] = ((MONTHS_OF_HOURS[0], 1.0, ""),)
    if unit == "month":
        months = _months(cluster)
    readings = []
    for choice in product(currencies, months, discounts, per):
        (currency, *_), (hours, *_), (cut, *_), (basis, *_) = choice
        amount = low if cut == many == 1 else _tidy(low * cut / many)
        try:
            price = Price(
                amount=amount,
                currency=currency,
                unit=unit,
                per=basis,
                hours_per_month=hours,
                tax_included=_tax(cluster),
            )
        except ValueError:
            return None
        confidence = prod(one[1] for one in choice)
        readings.append(PriceReading(price, round(confidence, 4), tuple(one[2] for one in choice if one[2])))
    readings.sort(key=lambda reading: -reading.confidence)
    start, end = cluster[0].start, cluster[-1].end
    return PriceText(
        text[start:end].strip(),
        start,
        end,
        tuple(readings),
        _tidy(high / many) if high else None,
        count,
        frozenset(flags),
    )


def _tidy(amount: Decimal) -> Decimal:
    """No exponent, no zeros that multiplying added; at most twelve places."""
    amount = round(amount, 12).normalize()
    exponent = amount.as_tuple().exponent
    return amount.quantize(Decimal(1)) if isinstance(exponent, int) and exponent > 0 else amount


def _amounts(numbers: list[Token]) -> tuple[Decimal, Decimal | None]:
    values: list[Decimal] = []
    multiples: list[int] = []
    for token in numbers[:2]:
        word, tail = token.match["mult"], (token.match["tail"] or "").removesuffix("千")
        digits = token.match["num"][: token.match.start("mult") - token.start] if word else token.match["num"]
        value = amount_of(digits if not digits.startswith(".") else "0" + digits)
        if tail:  # "5万2" is 52,000
            value += Decimal(tail.ljust(4, "0")) / 10_000
        values.append(value)
        multiples.append(MULTIPLES[word.lower()] if word else 0)
    if len(values) == 1:
        return (_tidy(values[0] * multiples[0]) if multiples[0] else values[0]), None
    shared = multiples[1] if not multiples[0] and values[0] < values[1] * (multiples[1] or 1) else multiples[0]
    low, high = _tidy(values[0] * (multiples[0] or shared or 1)), _tidy(values[1] * (multiples[1] or 1))
    return (low, high) if low < high else (low, None)


_NUMERALS = str.maketrans("一二三四五六七八九", "123456789")


def _number(words: str) -> Decimal:
    """A number in digits, or in Chinese as discounts and periods are written (八五 -> 85, 千 -> 1000)."""
    return Decimal(MULTIPLES[words]) if words in MULTIPLES else Decimal(words.translate(_NUMERALS))


def _discount(cluster: list[Token]) -> Decimal | None:
    for token in cluster:
        if token.kind == "off":
            words = token.match["off"]
            written = re.search(r"\d[\d.]*|[一二三四五六七八九]+(?=\s?折)", words).group()  # type: ignore[union-attr]
            number = _number(written)
            rest = number / (10 if number < 10 else 100)  # 9折, 9.5折 and 95折 are all read in tenths or hundredths
            scale = rest if "折" in words else 1 - number / 100
            return scale if 0 < scale < 1 else None
    return None


def _currency(text: str, cluster: list[Token], flags: set[str]) -> tuple[tuple[str, float, str], ...]:
    chinese = re.search(r"[\u4e00-\u9fff]", text) is not None
    said = [currency_of(token.match["cur"]) for token in cluster if token.kind == "cur"]
    if said:
        names = tuple(name for name in said[0] if all(name in others for others in said))
        if not names:
            flags.add("currency-contradicted")
        names = names or said[0]
        if len(names) == 1 or chinese:
            return ((names[0], 1.0, ""),)
        return (("CNY", 0.75, "yuan-sign"), ("JPY", 0.25, "yen-sign"))
    flags.add("currency-missing")
    if chinese:
        return (("CNY", 0.97, "cny-assumed"),)
    return (("USD", 0.8, "usd-assumed"),)


def _unit(cluster: list[Token], flags: set[str]) -> tuple[Unit, Decimal]:
    for token in cluster:
        if token.kind in ("gpuhour", "nodehour"):
            return "hour", Decimal(1)
    for kind in ("unit", "adverb"):
        for token in cluster:
            if token.kind != kind:
                continue
            if kind == "unit":
                word, many = token.match["period"], _number(token.match["many"] or "1")
                for unit, times, words in PERIODS:
                    if re.fullmatch(words, word, re.IGNORECASE):
                        return unit, max(many, Decimal(1)) * times  # type: ignore[return-value]
            for unit, words in ADVERBS:
                if re.fullmatch(words, token.match.group(), re.IGNORECASE):
                    if unit in ("quarter", "half"):
                        flags.add({"quarter": "quarterly", "half": "half-yearly"}[unit])
                        return "month", Decimal(3 if unit == "quarter" else 6)
                    return unit, Decimal(1)  # type: ignore[return-value]
    flags.add("unit-missing")
    return "hour", Decimal(1)


def _months(cluster: list[Token]) -> tuple[tuple[Decimal, float, str], ...]:
    for token in cluster:
        if token.kind == "hours":
            return ((Decimal(re.match(r"\d+", token.match["hours"]).group()), 1.0, ""),)  # type: ignore[union-attr]
    return ((MONTHS_OF_HOURS[0], 0.7, "month-720"), (MONTHS_OF_HOURS[1], 0.3, "month-730"))


def _per(cluster: list[Token], flags: set[str]) -> tuple[tuple[tuple[Per, float, str], ...], int | None]:
    for token in cluster:
        if token.kind == "whole":
            word = token.match["whole_n"]
            count = {"八": 8, "四": 4, "两": 2, "双": 2, "二": 2}.get(word) or int(word)
            return ((("offer", 1.0, ""),), count)
    kinds = {token.kind for token in cluster}
    if kinds & {"node", "nodehour"}:
        return ((("offer", 1.0, ""),), None)
    if kinds & {"gpu", "gpuhour"}:
        return ((("gpu", 1.0, ""),), None)
    flags.add("per-missing")
    return ((("offer", 0.6, "per-node"), ("gpu", 0.4, "per-card")), None)


def _tax(cluster: list[Token]) -> bool | None:
    kinds = {token.kind for token in cluster}
    return False if "untaxed" in kinds else True if "taxed" in kinds else None
