"""The gate: is an answer believable beside the last accepted one of its adapter, and each price inside its card's band?

Prices are compared per GPU and hour in native currency; only the bands are in US dollars. Thresholds: tables/gate.csv.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from statistics import median
from typing import NamedTuple

from gpurent import tables
from gpurent.hardware import cards
from gpurent.hardware.resolve import Resolution
from gpurent.offer import Offer
from gpurent.snapshots.collection import Answer, Remark, Verdict
from gpurent.snapshots.moments import shown

Resolve = Callable[[Offer], Resolution]

CLOCK = "clock-backwards"
REFUSALS = {CLOCK, "empty", "bands", "count", "all-new", "currency", "median"}
NEVER_TWICE = {CLOCK}  # refusals that no repetition accepts


@dataclass(frozen=True)
class Past:
    """What the history knows of an adapter before its next answer."""

    offers: Mapping[str, Offer] = field(default_factory=dict)  # by id, as its last accepted answers showed them
    observed_at: datetime | None = None  # None: never collected
    refused: tuple[Remark, ...] = ()  # why its last answer was refused, if it was
    refusals: int = 0  # how many refusals in a row, that one included
    held: Mapping[str, str] = field(default_factory=dict)  # offer ids held last time, with the amount


class Group(NamedTuple):
    """Offers whose prices are comparable: one card or slice, one purchase kind, one currency."""

    card: str
    purchase: str
    currency: str


def card_label(found: Resolution, offer: Offer) -> str:
    """The card's id, its candidates, or the text nobody knows; with the slice."""
    name = found.card or "|".join(found.candidates) or offer.gpu.lower()
    return name if found.share == "whole" else f"{name}/{found.share_profile or found.share}"


def per_gpu_hour(offer: Offer) -> Decimal | None:
    """Native price of one GPU an hour."""
    hourly = offer.price_per_hour
    return None if hourly is None else hourly / offer.gpu_count


def is_marketplace(offers: Sequence[Offer]) -> bool:
    """Whether a source's offers are listings that come and go."""
    listings = sum(offer.listing is not None for offer in offers)
    return bool(offers) and listings >= tables.constants("gate")["marketplace_listings"] * len(offers)


def judge(answer: Answer, past: Past, rates: Mapping[str, float], resolve: Resolve) -> Verdict:
    """What to do with an answer.

    Args:
        answer: parsed, one offer an id.
        past: what the history knows of its adapter.
        rates: US dollars for one unit of each currency; a currency without a rate is not held against its band.
        resolve: text to card (`hardware.resolve.resolve`).

    Returns:
        A verdict: refused as a whole, or believed apart from single held offers. Two equal refusals in a row (see
        `equal_refusals`) accept themselves, since a source that truly changed must not stay frozen.
    """
    outside = dict(_outside(answer.offers, rates, resolve))
    refused = tuple(_reasons(answer, past, outside, resolve))
    notes = [*_spot_above(answer.offers)]
    if past.observed_at is None:
        notes.append(Remark("first", str(len(answer.offers))))
    if refused:
        twice = past.refusals + 1 >= tables.constants("gate")["equal_refusals"] and equal(refused, past.refused)
        if not twice:
            return Verdict(refused, tuple(notes))
        return Verdict((), (Remark("accepted-twice"), *refused, *notes), answer.offers)
    held = {name: remark for name, remark in outside.items() if not _same_number(past.held.get(name), remark.now)}
    notes.extend(Remark("held-twice", *remark[1:]) for name, remark in outside.items() if name not in held)
    if not held:
        return Verdict((), tuple(notes), answer.offers)
    return Verdict(
        (),
        tuple(notes),
        tuple(offer for offer in answer.offers if offer.offer_id not in held),
        tuple((offer, held[offer.offer_id]) for offer in answer.offers if offer.offer_id in held),
    )


def _reasons(answer: Answer, past: Past, outside: Mapping[str, Remark], resolve: Resolve) -> Iterator[Remark]:
    limits = tables.constants("gate")
    if past.observed_at and (past.observed_at - answer.observed_to).total_seconds() > limits["clock_back"]:
        yield Remark(CLOCK, "", shown(past.observed_at), shown(answer.observed_to))
    if not answer.offers:
        yield Remark("empty", "", str(len(past.offers)), "0")
        return
    priced = sum(offer.price is not None for offer in answer.offers)
    if len(outside) > limits["band_offers"] * priced:
        example = min(outside.values())
        yield Remark("bands", example.subject, str(priced), str(len(outside)))
    if not past.offers:
        return
    if answer.complete is not False and len(answer.offers) < limits["count_drop"] * len(past.offers):
        yield Remark("count", "", str(len(past.offers)), str(len(answer.offers)))
    common = [(old, offer) for offer in answer.offers if (old := past.offers.get(offer.offer_id))]
    if not common:
        yield Remark("all-new", "", str(len(past.offers)), str(len(answer.offers)))
    yield from _currency_changes(common)
    yield from _median_moves(tuple(past.offers.values()), answer.offers, resolve)


def _currency_changes(common: Iterable[tuple[Offer, Offer]]) -> Iterator[Remark]:
    changes: dict[tuple[str, str], int] = {}
    for old, new in common:
        if old.price and new.price and old.price.currency != new.price.currency:
            pair = (old.price.currency, new.price.currency)
            changes[pair] = changes.get(pair, 0) + 1
    for (old_currency, new_currency), count in sorted(changes.items()):
        yield Remark("currency", f"{old_currency} {new_currency}", "0", str(count))


def groups(offers: Iterable[Offer], resolve: Resolve) -> dict[Group, list[Decimal]]:
    """Prices per GPU and hour of comparable offers; those without a price are left out."""
    found: dict[Group, list[Decimal]] = {}
    for offer in offers:
        price = per_gpu_hour(offer)
        if price is not None and offer.price is not None:
            group = Group(card_label(resolve(offer), offer), offer.purchase, offer.price.currency)
            found.setdefault(group, []).append(price)
    return found


def _median_moves(before: Sequence[Offer], now: Sequence[Offer], resolve: Resolve) -> Iterator[Remark]:
    limits = tables.constants("gate")
    fewest = limits["median_offers_marketplace" if is_marketplace(now) else "median_offers_catalogue"]
    change = Decimal(str(limits["card_median_change"]))
    old_groups, new_groups = groups(before, resolve), groups(now, resolve)
    for group, prices in sorted(new_groups.items()):
        old_prices = old_groups.get(group, [])
        if min(len(prices), len(old_prices)) < fewest:
            continue
        old, new = median(old_prices), median(prices)
        if abs(new - old) > change * old:
            yield Remark("median", " ".join(group), f"{old:.6g}", f"{new:.6g}")


def band(found: Resolution, offer: Offer) -> tuple[float, float] | None:
    """Plausible US dollars an hour of one GPU of this offer: its card's band, or its candidates' together.

    A slice's low end is scaled by its smaller fraction, a spot or committed price's by gate.csv; the high end never is.
    None: the card or its band is not known.
    """
    known = cards.by_id()
    names = (found.card,) if found.card else found.candidates
    bands = [(known[name].usd_h_low, known[name].usd_h_high) for name in names if name in known]
    lows = [low for low, _ in bands if low is not None]
    highs = [high for _, high in bands if high is not None]
    if not lows or len(lows) != len(bands) or len(highs) != len(bands):
        return None
    low = min(lows)
    if found.share != "whole":
        low *= min(found.compute_fraction or 0.0, found.bandwidth_fraction or 0.0)
    if offer.purchase != "on-demand":
        low *= tables.constants("gate")[f"band_low_{offer.purchase}"]
    if (offer.note or "").startswith("partial price"):
        low = 0.0
    return low, max(highs)


def _outside(offers: Iterable[Offer], rates: Mapping[str, float], resolve: Resolve) -> Iterator[tuple[str, Remark]]:
    """Offers whose price lies outside their card's band, by id."""
    for offer in offers:
        price = per_gpu_hour(offer)
        if price is None or offer.price is None or offer.price.currency not in rates:
            continue
        found = resolve(offer)
        limits = band(found, offer)
        usd = float(price) * rates[offer.price.currency]
        if limits and not limits[0] <= usd <= limits[1]:
            shown = f"{card_label(found, offer)}: {limits[0]:.3g}-{limits[1]:.3g} USD/h"
            yield (
                offer.offer_id,
                Remark("band", offer.offer_id, shown, f"{offer.price.amount:f} {offer.price.currency}"),
            )


def _spot_above(offers: Iterable[Offer]) -> Iterator[Remark]:
    """A flag, no reason to refuse: a spot price above the on-demand price of the same thing."""
    on_demand: dict[tuple[object, ...], Decimal] = {}
    spot: list[tuple[tuple[object, ...], Offer, Decimal]] = []
    for offer in offers:
        price = per_gpu_hour(offer)
        if price is None or offer.price is None:
            continue
        thing: tuple[object, ...] = (
            offer.provider, offer.via, offer.listing, offer.sku, offer.gpu, offer.region, offer.tier, offer.gpu_count,
            offer.price.currency,
        )  # fmt: skip
        if offer.purchase == "on-demand":
            on_demand[thing] = price
        elif offer.purchase == "spot":
            spot.append((thing, offer, price))
    for thing, offer, price in spot:
        if thing in on_demand and price > on_demand[thing]:
            yield Remark("spot-above", offer.offer_id, f"{on_demand[thing]:.6g}", f"{price:.6g}")


def _same_number(one: str | None, other: str | None) -> bool:
    """Texts whose leading numbers are within `equal_within`; texts without a number must be the same."""
    if one is None or other is None:
        return False
    try:
        first, second = float(one.split()[0]), float(other.split()[0])
    except (ValueError, IndexError):
        return one == other
    return abs(first - second) <= tables.constants("gate")["equal_within"] * max(abs(first), abs(second))


def equal(one: Sequence[Remark], other: Sequence[Remark]) -> bool:
    """Whether two refusals have the same rules and subjects, with figures close to each other."""
    if any(remark.rule in NEVER_TWICE for remark in one):
        return False
    pairs = list(zip(sorted(one), sorted(other), strict=False))
    return len(one) == len(other) and all(
        mine.rule == theirs.rule
        and (mine.subject == theirs.subject or mine.rule == "bands")
        and _same_number(mine.now, theirs.now)
        for mine, theirs in pairs
    )
