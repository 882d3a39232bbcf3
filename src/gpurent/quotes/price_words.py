"""Words about a price that change it and whose effect no reading has: discounts, odd periods."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpurent.messages import say
from gpurent.quotes.context import Context
from gpurent.quotes.findings import Finding, money
from gpurent.quotes.settle import Settled

_DISCOUNT = re.compile(
    r"(?:打)?(?:\d{1,2}(?:\.\d)?|[一二三四五六七八九]{1,2}|对)\s?折|\d{1,2}(?:\.\d)?\s?%\s?(?:off|discount|优惠|折扣|cheaper|rebate|cashback|返)"
    r"|(?:discount|save|折扣|立减|优惠)(?:\s?of|\s?up\sto)?\s?[:=]?\s?\d{1,4}\s?(?:%|元(?!\s?/))|(?:save|立减)\s?[$￥¥]\s?\d{1,4}|满\s?\d+\s?元?\s?[减送返]\s?\d*"
    r"|(?:首|第[一二]个?)[月单周日年天][^\s,;]{0,4}?(?:半价|免费?|\d+)|半价|half[\s-](?:price|off)|买\S{1,3}[送赠]\S{1,2}|返现|立减|砍价|券后|充\s?\d+\s?[送赠]\s?\d+"
    r"|(?:promo(?:tional)?|coupon|voucher)(?:\s?(?:code|price))?(?![a-z])",
    re.IGNORECASE,
)
_PAID_AT_ONCE = re.compile(
    r"半?年付|季付|预付\S{0,3}年|一次性付|(?:paid|billed|prepaid|pay)\s(?:annual|year|quarter)ly", re.IGNORECASE
)
_ODD_PERIOD = re.compile(
    r"包夜|包宵|通宵|夜间|[/每一]夜|(?<![a-z])(?:per\snight|a\snight|nightly|overnight)(?![a-z])|小时包|次卡"
    r"|(?<![\d.])\d{1,5}\s?(?:个?小?时|hours?|hrs?|h)(?![a-z])(?=[^,;\n]{0,6}[￥¥$]\s?\d)|[$￥¥]\s?\d[\d.,]*\s?(?:for|=)\s?\d{1,5}\s?(?:hours?|hrs?|h)(?![a-z])"
    r"|\d{1,5}\s?元?\s?[=包]\s?\d{1,5}\s?个?小?时",
    re.IGNORECASE,
)
_ODD_AMOUNT = re.compile(  # "$-1", " -$1", "$1e9"
    r"[$￥¥€£]\s?-\s?\d[\d.]*|(?<=\s)-[$￥¥€£]\d[\d.]*|[$￥¥€£]\s?\d[\d.,]*e[+-]?\d+", re.IGNORECASE
)
_LONE_NUMBER = re.compile(r"(?<![\w.,:/%-])\d{1,6}(?:\.\d{1,4})?(?![\w.,:/%-])")
_SHORT_PERIODS = {"second", "hour", "day", "week", "month"}


def open_discount(settled: Settled, one: str, other: str | None, lang: str) -> dict[str, str]:
    """What fills the sentence about an open discount: its words, the price or prices."""
    both = one if other is None else f"{one} {say('quote.head-or', lang)} {other}"
    return {"words": _words(settled.quote.facts.text), "prices": both}


def _words(text: str) -> str:
    match = _DISCOUNT.search(text) or _PAID_AT_ONCE.search(text)
    return match.group().strip() if match else "?"


def bare_number(context: Context) -> Iterator[Finding]:
    """The numbers nothing explains in a text without a price: one of them may be it."""
    numbers = _LONE_NUMBER.findall(context.facts.unread)
    if numbers:
        yield Finding("bare-number", "warning", {"words": ", ".join(numbers[:3])})


def word_findings(context: Context, said: set[str]) -> Iterator[Finding]:
    """What the words leave open beside the readings.

    Args:
        context: the quote in its chosen reading.
        said: codes of what is found already.
    """
    price, text = context.offer.price, context.facts.text
    hourly = context.offer.price_per_hour
    if price is None or hourly is None:
        return
    flags = context.facts.prices[0].flags if context.facts.prices else frozenset()
    odd = _ODD_PERIOD.search(text)
    if odd and "unit-missing" in flags:
        words = {"words": odd.group().strip(), "unit": price.unit}
        yield Finding("price-period-unread", "warning", words, verdict="need-more-info")
    written = _ODD_AMOUNT.search(text)
    if written and "range" not in flags:
        yield Finding("price-odd", "warning", {"words": written.group().strip()}, verdict="need-more-info")
    at_once = _PAID_AT_ONCE.search(text) and price.unit in _SHORT_PERIODS and not (flags & {"quarterly", "half-yearly"})
    taken = "discount" in flags and "price-discount" in said  # a reading took it, the other cannot be
    if (at_once or (_DISCOUNT.search(text) and not taken)) and "price-discount-open" not in said:
        each = float(hourly) / context.found.gpu_count
        shown = open_discount(context.settled, money(each, context.currency), None, context.settled.quote.lang)
        yield Finding("price-discount-open", "warning", {"one_per_gpu_hour": each}, shown, "need-more-info")
