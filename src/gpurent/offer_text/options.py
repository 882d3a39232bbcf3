"""What one part of a quote can mean: options with their likelihood and the choice they take, priced parts first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from gpurent.money import Price
from gpurent.offer_text.facts import Facts
from gpurent.offer_text.terms import purchase_near
from gpurent.price_text import PriceText

_MACHINE_WORDS = re.compile(r"整机|/\s?台|每台|/\s?节点|per\s+(?:node|server)|/\s?(?:node|server)", re.IGNORECASE)
_MOST_CARDS = 8  # of one machine: more are the cards of all machines together
_OF_A_MACHINE = 0.3  # what is left of "per card" where the words speak of whole machines
_CARD_WORDS = re.compile(r"单卡|每卡|每张|/\s?卡|/\s?张|卡时|per\s+(?:gpu|card)|/\s?gpu", re.IGNORECASE)
_UNTAXED = re.compile(
    r"不含\s?(?:增值)?税|未税|税前|(?:excl\w*\.?|ex\.?|plus|before|without)\s?(?:\d{1,2}(?:\.\d)?\s?%\s?)?(?:vat|tax)|\+\s?(?:vat|税)",
    re.IGNORECASE,
)
_TAXED = re.compile(
    r"含\s?(?:\d{1,2}%\s?)?(?:增值)?税|含\S{0,6}专票|(?:incl\w*\.?|including)\s?(?:\d{1,2}(?:\.\d)?\s?%\s?)?(?:vat|tax)",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"一共|总共|合共|总价|总计|合计|打包|全部|共(?=\s?[￥¥$]?\d)|共\s?\Z|(?<![a-z])(?:in\s)?total(?![a-z])|altogether|for\s(?:all|the\slot)",
    re.IGNORECASE,
)
_BESIDE = 12  # characters around a price in which a word for the total stands
_PRICE_WHY = {
    "per-node", "per-card", "month-720", "month-730", "cny-assumed", "usd-assumed", "yuan-sign", "yen-sign",
    "discount-to-take", "discount-taken",
}  # fmt: skip


class Why(NamedTuple):
    """One choice a reading took: a code of messages.toml (area "quote") and what fills it."""

    code: str
    values: dict[str, Any]


Option = tuple[dict[str, Any], float, tuple[Why, ...]]


def several_machines(facts: Facts) -> bool:
    """The words speak of whole machines whose number of cards they do not say."""
    return bool(facts.machines) or _MACHINE_WORDS.search(facts.text) is not None


def price_options(facts: Facts, base: dict[str, Any]) -> list[Option]:
    prices = facts.prices
    if not prices:
        return [({}, 1.0, ())]
    pair = per_card_and_node(prices, facts.count or base.get("gpu_count") or 0)
    if pair is not None:
        card, node = pair
        whys = (
            Why(
                "card-and-node-price", {"card": card.text, "node": node.text, "n": facts.count or base.get("gpu_count")}
            ),
        )
        return [
            (changes, weight, whys + why)
            for changes, weight, why in _of_price(card, facts, base)
            if changes["price"].per == "gpu"
        ]
    options: list[Option] = []
    weights = [1.0] if len(prices) == 1 else [0.8] + [0.2 / (len(prices) - 1)] * (len(prices) - 1)
    for index, (price, weight) in enumerate(zip(prices[:4], weights, strict=False)):
        near = purchase_near(facts.text, price.start, price.end) if len(prices) > 1 else None
        for changes, own, why in _of_price(price, facts, base):
            extra = (Why("other-price", {"price": price.text}),) if index else ()
            if near is None and _by_the_hour_beside_longer(price, prices, facts):
                near = "on-demand"
            bought = {"purchase": near} if near else {}
            options.append(({**changes, **bought}, own * weight, why + extra))
    if facts.spot_price is not None:
        for changes, own, why in _of_price(facts.spot_price, facts, base):
            spot = {**changes, "purchase": "spot"}
            options.append((spot, own * 0.2, (*why, Why("spot-column", {"price": facts.spot_price.text}))))
    return options


def _by_the_hour_beside_longer(price: PriceText, prices: list[PriceText], facts: Facts) -> bool:
    """ "1.39/h 包日 30 包月 850": the words for the month are not the hour's."""
    units = [one.readings[0].price.unit for one in prices]
    longer = set(units) & {"day", "week", "month", "year"}
    return price.readings[0].price.unit == "hour" and bool(longer) and not facts.known.get("term_months")


def per_card_and_node(prices: list[PriceText], count: int) -> tuple[PriceText, PriceText] | None:
    """Two prices of which one is the other times the number of cards: the price of a card and of the node."""
    if len(prices) < 2 or count < 2:
        return None
    first, second = prices[0].readings[0].price, prices[1].readings[0].price
    if first.currency != second.currency or first.unit != second.unit:
        return None
    low, high = sorted((prices[0], prices[1]), key=lambda price: price.readings[0].price.amount)
    ratio = high.readings[0].price.amount / low.readings[0].price.amount
    return (low, high) if abs(ratio / count - 1) < Decimal("0.02") else None


def _of_price(price: PriceText, facts: Facts, base: dict[str, Any]) -> Iterator[Option]:
    term = facts.known.get("term_months")
    if term is None and "quarterly" in price.flags:
        term = Decimal(3)
    if term is None and "half-yearly" in price.flags:
        term = Decimal(6)
    one = facts.instance or (base.get("gpu_count", facts.count or 1) == 1 and not several_machines(facts))
    for reading in price.readings:
        if one and "per-missing" in price.flags and reading.price.per == "gpu":
            continue  # one card: the same price twice
        less = reading.price.per == "gpu" and "per-missing" in price.flags and _whole_machine(facts.text)
        for native, weight, unit_why in _units(reading.price, price.flags):
            months = term or {"month": Decimal(1), "year": Decimal(12)}.get(native.unit)
            update: dict[str, Any] = {"term_months": months} if months else {}
            if native.tax_included is None:
                update["tax_included"] = _tax(facts.text)
            final = native.model_copy(update=update)
            fields: dict[str, Any] = {"price": final}
            if months and "purchase" not in base:
                fields["purchase"] = "reserved"
            whys = tuple(Why(code, {"price": price.text}) for code in reading.why if code in _PRICE_WHY)
            likely = reading.confidence * weight * (_OF_A_MACHINE if less else 1.0)
            total = _of_all_machines(price, final, facts)
            if total is None:
                yield fields, likely, whys + unit_why
                continue
            each, share, why = total
            yield {**fields, "price": each}, likely * share, (*whys, *unit_why, why)
            yield fields, likely * (1 - share), whys + unit_why


def _plain(amount: Decimal) -> Decimal:
    """At most twelve places and no zeros that dividing added."""
    amount = round(amount, 12).normalize()
    return amount.quantize(Decimal(1)) if amount == amount.to_integral_value() else amount


def _of_all_machines(text: PriceText, price: Price, facts: Facts) -> tuple[Price, float, Why] | None:
    """The price of one machine where the text's may be that of all ("10 台 共 7 万/月"), and how likely it is that.

    amount / n for n machines on offer. None: one machine, a price of a card, or "每台" says whose it is.
    """
    n = facts.machines or 0
    if n < 2 or price.per != "offer" or (facts.count or 0) > _MOST_CARDS:
        return None
    beside = facts.text[max(0, text.start - _BESIDE) : text.end + _BESIDE]
    said = _TOTAL.search(beside) is not None
    if not said and "per-missing" not in text.flags:
        return None
    each = price.model_copy(update={"amount": _plain(price.amount / n)})
    why = Why("for-all-machines", {"n": n, "price": text.text})
    return each, 0.9 if said else 0.25, why


def _whole_machine(text: str) -> bool:
    return _MACHINE_WORDS.search(text) is not None and not _CARD_WORDS.search(text)


def _units(price: Price, flags: frozenset[str]) -> Iterator[tuple[Price, float, tuple[Why, ...]]]:
    if "unit-missing" not in flags:
        yield price, 1.0, ()
        return
    yield price, 0.7, (Why("hour-assumed", {}),)
    yield price.model_copy(update={"unit": "month"}), 0.3, (Why("month-assumed", {}),)


def _tax(text: str) -> bool | None:
    return False if _UNTAXED.search(text) else True if _TAXED.search(text) else None
