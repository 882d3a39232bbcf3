"""A price in somebody's words, English or Chinese: amount, currency, period, what one payment buys.

The grammar is a stream of tokens around one amount (or a range): currency, 万/k, discount, "/h", "per card", "月付",
tax, "from". One pass over the text; what no token explains is reported as left over, never guessed away.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from math import prod
from typing import Literal, NamedTuple

from gpurent.money import InvalidNumber, Per, Price, Unit, bounded_decimal
from gpurent.price_words import ADVERBS, CURRENCIES, MULTIPLES, NOT_MONEY, PERIODS, TOKEN

MAX_PRICE_TEXT = 6_000
MONTHS_OF_HOURS = (Decimal(720), Decimal(730))

_GAP = re.compile(r"^[\s:=,(){}\[\]|_;*]*$")
_MAX_GAP = 4
_FRACTION_COMMA = re.compile(r"\d{1,12},(?:\d{1,2}|\d{4,12})|\d{1,3}(?:\.\d{3})+,\d{1,2}")
Tax = Literal["included", "excluded"]


class Token(NamedTuple):
    """One piece of the price grammar where it stands in the text."""

    kind: str
    match: re.Match[str]

    @property
    def start(self) -> int:
        return self.match.start()

    @property
    def end(self) -> int:
        return self.match.end()


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


def find_prices(text: str) -> list[PriceText]:
    """Every price in a text, in order. A number is money only beside a currency or a period of payment."""
    text = text[:MAX_PRICE_TEXT]
    tokens = [Token(match.lastgroup or "", match) for match in TOKEN.finditer(text)]
    found: list[PriceText] = []
    used = 0  # tokens before this index belong to an earlier price
    for index, token in enumerate(tokens):
        if token.kind != "num" or index < used or NOT_MONEY.match(text, token.end):
            continue
        first, last = _left(text, tokens, index, used), _right(text, tokens, index)
        cluster = tokens[first : last + 1]
        if any(one.kind in _MONEY for one in cluster) or _ten_thousands(text, cluster):
            price = _read(text, cluster)
            if price is not None:
                found.append(price)
                used = last + 1
    return found


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


def _ten_thousands(text: str, cluster: list[Token]) -> bool:
    """ "1.2 万" with nothing countable behind it is money in a Chinese offer."""
    numbers = [token for token in cluster if token.kind == "num"]
    return (
        numbers[-1].match["mult"] in ("万", "萬")
        and re.match(r"\s*(?:$|[\s,.;()|])", text[cluster[-1].end :]) is not None
    )


def _near(text: str, left: Token, right: Token) -> bool:
    gap = text[left.end : right.start]
    return len(gap) <= _MAX_GAP and "\n" not in gap and _GAP.match(gap) is not None


_BEFORE_AMOUNT = {"$", "¥", "￥", "£", "US$", "us$", "HK$", "S$", "A$", "C$", "NT$", "₹"}
_MONEY = {"cur", "cents", "unit", "adverb", "gpuhour", "nodehour"}
_UNITS = {"unit", "adverb", "gpuhour", "nodehour"}
_BASES = {"gpu", "node", "whole", "gpuhour", "nodehour"}
_LEFT = {
    "cur",
    "unit",
    "adverb",
    "gpu",
    "node",
    "whole",
    "start",
    "about",
    "off",
    "untaxed",
    "taxed",
    "shell",
    "gpuhour",
}
_RIGHT = _LEFT | {"cents", "nodehour", "hours"}


def _left(text: str, tokens: list[Token], index: int, used: int) -> int:
    seen: set[str] = set()
    while index > used and tokens[index - 1].kind in _LEFT and _near(text, tokens[index - 1], tokens[index]):
        kind = tokens[index - 1].kind
        if kind == "unit" and not _label(text, tokens[index - 1], tokens[index]):
            break
        if kind == "cur" and _parted(text, tokens[index - 1], tokens[index]):
            break
        if kind in seen or (kind in _UNITS and seen & _UNITS):
            break
        seen.add(kind)
        index -= 1
    return index


def _parted(text: str, left: Token, right: Token) -> bool:
    """A comma between two tokens: a currency does not reach over it."""
    return re.search("[,;|]", text[left.end : right.start]) is not None


def _label(text: str, unit: Token, amount: Token) -> bool:
    """Whether a period stands before its amount: "每小时 1.98", "Price/hr: $2.99", but not "400 Gb/s, $32.77"."""
    if not unit.match.group().startswith("/"):
        return True
    return unit.match["period"].lower() != "s" and not re.search("[,;]", text[unit.end : amount.start])


def _right(text: str, tokens: list[Token], index: int) -> int:
    kinds: list[str] = []
    first = index
    while index + 1 < len(tokens) and _near(text, tokens[index], tokens[index + 1]):
        token = tokens[index + 1]
        if token.kind == "dash":
            after = _range_end(text, tokens, index + 1)
            if after is None or "num" in kinds:
                break
            kinds.append("num")
            index = after
            continue
        if token.kind not in _RIGHT or (token.kind == "cur" and "cur" in kinds):
            break
        if token.kind == "cur" and _parted(text, tokens[index], token):
            break
        if token.kind in _UNITS and any(kind in _UNITS for kind in kinds):
            break
        following = tokens[index + 2] if index + 2 < len(tokens) else None
        next_amount = following is not None and following.kind == "num" and _near(text, token, following)
        if token.kind == "cur" and next_amount and following is not None and not NOT_MONEY.match(text, following.end):
            signed = first > 0 and tokens[first - 1].kind == "cur" and _near(text, tokens[first - 1], tokens[first])
            if signed or (token.match["cur"] in _BEFORE_AMOUNT and token.start > tokens[index].end):
                break  # the sign of the next price
        amount_behind = following and following.kind in ("num", "cur") and _near(text, token, following)
        if token.kind == "adverb" and amount_behind:  # "时租1.98 月租1052": the word belongs to the amount behind it
            break
        kinds.append(token.kind)
        index += 1
    return index


def _range_end(text: str, tokens: list[Token], dash: int) -> int | None:
    """The token of the second amount of a range whose dash is at a place; None: it is no range."""
    end = dash + 1
    if end < len(tokens) and tokens[end].kind == "cur" and _near(text, tokens[dash], tokens[end]):
        end += 1
    if end < len(tokens) and tokens[end].kind == "num" and _near(text, tokens[end - 1], tokens[end]):
        return None if NOT_MONEY.match(text, tokens[end].end) else end
    return None


def _read(text: str, cluster: list[Token]) -> PriceText | None:
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


def _discount(cluster: list[Token]) -> Decimal | None:
    for token in cluster:
        if token.kind == "off":
            words = token.match["off"]
            number = Decimal(re.match(r"[\d.]+", words).group())  # type: ignore[union-attr]
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
                word, many = token.match["period"], Decimal(token.match["many"] or 1)
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
