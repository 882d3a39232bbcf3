"""Which reading of a quote to believe: prices no such card has are ruled out, the others weighed by the market."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date

from gpurent import fx, tables
from gpurent.hardware.cards import by_id, families
from gpurent.hardware.resolve import Resolution, resolve
from gpurent.offer import Offer
from gpurent.offer_text.options import Why
from gpurent.offer_text.readings import Quote, Reading, Rejected
from gpurent.quotes.market import Market, Peers, usd_per_gpu_hour


@dataclass(frozen=True)
class Settled:
    """A quote's readings after weighing: most likely first, and those that cannot be.

    `chosen` is None when there is no reading. `open_price`: a second reading, about as likely, means another price.
    """

    quote: Quote
    readings: tuple[Reading, ...]
    rejected: tuple[Rejected, ...]
    open_price: Reading | None
    implausible: bool  # even the chosen price is none of such a card

    @property
    def chosen(self) -> Reading | None:
        return self.readings[0] if self.readings else None


@dataclass(frozen=True)
class _Band:
    """Prices one GPU of a card can have, US dollars an hour, and where they gather."""

    low: float
    high: float
    centre: float
    sigma: float
    market: Market | None


def settle(quote: Quote, peers: Peers, on: date) -> Settled:
    """Weigh the readings of a quote.

    Args:
        quote: with readings as the words allow them.
        peers: the market.
        on: the day currencies are converted for.
    """
    weighed: list[tuple[Reading, bool]] = []
    rejected: list[Rejected] = []
    for reading in quote.readings:
        found = resolve(reading.offer)
        band = _band(reading.offer, found, peers)
        price = usd_per_gpu_hour(reading.offer, on)
        if price is None or band is None:
            weighed.append((reading, True))
            continue
        fits = band.low <= price <= band.high
        if not fits and not any(why.code == "machine-by-price" for why in reading.why):  # our idea, not the text's
            rejected.append(Rejected(reading.offer, (*reading.why, _ruled_out(reading.offer, price, band, on))))
        distance = math.log(price / band.centre) / band.sigma
        likely = reading.confidence * math.exp(-0.5 * min(distance * distance, 60.0))
        weighed.append((Reading(reading.offer, likely, reading.why), fits))
    weighed = _kept_apart(quote, weighed)
    possible = [reading for reading, fits in weighed if fits]
    implausible = not possible and bool(weighed)
    if implausible:  # the least impossible one stands, and the finding says that no such price is known
        possible, rejected = [reading for reading, _ in weighed], []
    ordered = _normalised(possible)
    return Settled(quote, ordered, tuple(rejected), _open_price(ordered, on), implausible)


def _kept_apart(quote: Quote, weighed: list[tuple[Reading, bool]]) -> list[tuple[Reading, bool]]:
    """A second price of the text (spot beside on-demand) is no rival of the first: each keeps its share of belief."""
    shares = {True: 0.0, False: 0.0}
    for reading in quote.readings:
        shares[_second(reading)] += reading.confidence
    sums = {True: 0.0, False: 0.0}
    for reading, fits in weighed:
        sums[_second(reading)] += reading.confidence if fits else 0.0
    return [
        (Reading(r.offer, r.confidence * shares[_second(r)] / (sums[_second(r)] or 1.0), r.why), fits)
        for r, fits in weighed
    ]


def _second(reading: Reading) -> bool:
    return any(why.code in ("spot-column", "other-price") for why in reading.why)


def _normalised(readings: list[Reading]) -> tuple[Reading, ...]:
    total = sum(reading.confidence for reading in readings) or 1.0
    scaled = [Reading(r.offer, round(r.confidence / total, 3), r.why) for r in readings]
    return tuple(sorted(scaled, key=lambda reading: -reading.confidence))


def _band(offer: Offer, found: Resolution, peers: Peers) -> _Band | None:
    rules = tables.constants("quote")
    cards = [by_id()[name] for name in ((found.card,) if found.card else found.candidates)]
    lows = [card.usd_h_low for card in cards if card.usd_h_low is not None]
    highs = [card.usd_h_high for card in cards if card.usd_h_high is not None]
    if not lows:  # the same card with other memory, or of another form
        kin = [other for card in cards for other in families()[card.family]]
        lows = [card.usd_h_low for card in kin if card.usd_h_low is not None]
        highs = [card.usd_h_high for card in kin if card.usd_h_high is not None]
    market = peers.of(offer, found)
    if not lows or not highs:
        if market is None or not market.low or not market.high:
            return None
        lows, highs = [market.low], [market.high]
    fraction = 1.0 if found.share == "whole" else (found.bandwidth_fraction or found.compute_fraction or 0.05)
    low, high = min(lows) * fraction * rules["implausible_below"], max(highs) * rules["implausible_above"]
    centre = math.sqrt(min(lows) * max(highs)) * fraction
    sigma = max(rules["least_price_sigma"], math.log(max(highs) / min(lows)) / 2.56)  # the band as 10 and 90 %
    if market is not None and market.low and market.high and market.median:
        if not _list_price(offer):
            high = min(high, market.high * rules["market_above"])
        low = max(low, market.low * rules["market_below"])
        spread = math.log(market.high / market.low) / 2.56
        centre, sigma = market.median, max(rules["least_price_sigma"], spread)
    return _Band(low, high, centre, sigma, market)


def _list_price(offer: Offer) -> bool:
    """Whether a big cloud asks it: its list prices are several times a market's of small providers."""
    return any(row["provider"] == offer.provider and row["kind"] == "hyperscaler" for row in tables.rows("providers"))


def _ruled_out(offer: Offer, price: float, band: _Band, on: date) -> Why:
    """The number that rules a price out: how far it is from what such cards cost, in the quote's own currency."""
    currency = offer.price.currency if offer.price else "USD"
    rate = fx.rates([currency], on).get(currency, 1.0)
    market = band.market
    if market is not None and market.low and market.high:
        low, high = market.low, market.high
    else:
        low, high = band.low, band.high
    values = {
        "currency": currency, "price": price / rate, "low": low / rate, "high": high / rate,
        "times_low": price / high if price > high else low / price,
        "times_high": price / low if price > high else high / price,
    }  # fmt: skip
    return Why("price-too-high" if price > band.high else "price-too-low", values)


def _unit(offer: Offer) -> str | None:
    return offer.price.unit if offer.price else None


def _open_price(readings: tuple[Reading, ...], on: date) -> Reading | None:
    """The most likely other reading whose price differs too much and which is too likely to leave out."""
    if not readings:
        return None
    rules, first = tables.constants("quote"), readings[0]
    price = usd_per_gpu_hour(first.offer, on)
    if price is None:
        return None
    for other in readings[1:]:
        if _second(other):
            continue
        differs = usd_per_gpu_hour(other.offer, on)
        if other.confidence < rules["unsettled_confidence"] * first.confidence or differs is None:
            continue
        if other.offer.purchase != first.offer.purchase and _unit(other.offer) == _unit(first.offer):
            continue  # another way to buy the same, not another meaning
        if max(price, differs) / min(price, differs) > rules["unsettled_price"]:
            return other
    return None
