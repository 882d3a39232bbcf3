"""Where a price stands: the peers of an offer, one vote a machine, widened in named steps; too few is said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from statistics import median

from gpurent import fx, tables
from gpurent.hardware.cards import by_id, labels
from gpurent.hardware.resolve import Resolution, resolve
from gpurent.money import Price
from gpurent.offer import Offer

# The steps of widening, narrowest first: which of count class, purchase kind and place still have to agree.
STEPS: tuple[tuple[str, frozenset[str]], ...] = (
    ("same", frozenset({"count", "purchase", "place"})),
    ("any-count", frozenset({"purchase", "place"})),
    ("any-purchase", frozenset({"place"})),
    ("anywhere", frozenset({"purchase"})),
    ("anywhere-any-purchase", frozenset()),
)
_COUNT_CLASSES = (1, 4, 8)  # one card, a part of a machine, a machine, several machines


@dataclass(frozen=True)
class Vote:
    """One machine's price: US dollars a GPU-hour, and what it has to agree in."""

    usd_per_gpu_hour: float
    card: str
    compute_fraction: float
    count_class: int
    purchase: str
    china: bool
    observed: date | None
    offer: Offer


@dataclass(frozen=True)
class Market:
    """The peers of one offer. `percentile` (0..100) is None while there are too few of them."""

    peers: str  # name of the step
    votes: tuple[Vote, ...]
    median: float | None
    low: float | None
    high: float | None
    percentile: float | None
    observed_from: date | None

    @property
    def n(self) -> int:
        return len(self.votes)

    @property
    def enough(self) -> bool:
        return self.n >= tables.constants("quote")["least_peers"]


@cache
def _china_providers() -> frozenset[str]:
    return frozenset(row["provider"] for row in tables.rows("providers") if row["china"] == "yes")


def in_china(offer: Offer) -> bool:
    """Whether an offer belongs to the Chinese market: by provider, country, region or currency."""
    return (
        offer.provider in _china_providers()
        or offer.country == "CN"
        or (offer.region or "").lower().startswith("cn-")
        or (offer.price is not None and offer.price.currency == "CNY")
    )


def count_class(gpu_count: int) -> int:
    """0 one card, 1 two to four, 2 five to eight, 3 several machines."""
    return sum(gpu_count > limit for limit in _COUNT_CLASSES)


def usd_per_gpu_hour(offer: Offer, on: date) -> float | None:
    """Price of one GPU an hour in US dollars, or None: no price, or no rate of exchange."""
    hourly = offer.price_per_hour
    if hourly is None or offer.price is None:
        return None
    converted = fx.to_usd(hourly, offer.price.currency, on)
    return None if converted is None else float(converted.usd) / offer.gpu_count


class Peers:
    """All offers that can be peers, read once.

    Args:
        offers: the current offers or the catalogue.
        now: the moment ages are counted to.
    """

    def __init__(self, offers: Iterable[Offer], now: datetime) -> None:
        self._now = now
        self._votes: dict[str, list[Vote]] = defaultdict(list)
        oldest = tables.constants("quote")["oldest_peer_days"]
        groups: dict[tuple[object, ...], list[Vote]] = defaultdict(list)
        for offer in (*offers, *_index_offers()):
            if (offer.note or "").startswith("partial price"):
                continue
            if offer.observed_at is not None and (now - offer.observed_at).days > oldest:
                continue
            found = resolve(offer)
            price = usd_per_gpu_hour(offer, now.date())
            if price is not None:
                for card in (found.card,) if found.card else found.candidates:
                    vote = _vote(offer, found, card, price)
                    groups[(card, *_machine(offer))].append(vote)
        for key, votes in groups.items():
            self._votes[str(key[0])].append(_middle(votes))

    def of(self, offer: Offer, found: Resolution) -> Market | None:
        """The market of an offer: the narrowest step with enough peers, else the narrowest of its place with any two.

        A price in China is never set against prices elsewhere while there are any in China, and the other way round.

        None where the card is unknown or nobody rents it out.
        """
        names = (found.card,) if found.card else found.candidates
        similar = [vote for vote in self._all(names) if _same_share(vote, found)]
        price = usd_per_gpu_hour(offer, self._now.date())
        markets = [self._step(name, agree, similar, offer, price) for name, agree in STEPS]
        own = [market for market in markets if market.n and "place" in dict(STEPS)[market.peers]]
        for market in markets:
            if market.enough and (not own or market in own):
                return market
        several = [market for market in own if market.n > 1]
        return next(iter(several or own), None) or next((market for market in markets if market.n), None)

    def _all(self, names: Iterable[str | None]) -> list[Vote]:
        """Votes for any of the cards, one a machine: an offer that may be two cards votes once."""
        seen: dict[int, Vote] = {}
        for name in names:
            for vote in self._votes.get(name or "", ()):
                seen.setdefault(id(vote.offer), vote)
        return list(seen.values())

    def _step(
        self, name: str, agree: frozenset[str], votes: Sequence[Vote], offer: Offer, price: float | None
    ) -> Market:
        china, kind, size = in_china(offer), offer.purchase, count_class(offer.gpu_count)
        peers = tuple(
            vote
            for vote in votes
            if ("place" not in agree or vote.china == china)
            and ("purchase" not in agree or vote.purchase == kind)
            and ("count" not in agree or vote.count_class == size)
        )
        prices = sorted(vote.usd_per_gpu_hour for vote in peers)
        days = [vote.observed for vote in peers if vote.observed is not None]
        share = None
        if price is not None and len(prices) >= tables.constants("quote")["least_peers"]:
            below = sum(peer < price for peer in prices) + 0.5 * sum(peer == price for peer in prices)
            share = 100.0 * below / len(prices)
        return Market(
            name, peers, median(prices) if prices else None, prices[0] if prices else None,
            prices[-1] if prices else None, share, min(days) if days else None,
        )  # fmt: skip


def _vote(offer: Offer, found: Resolution, card: str, price: float) -> Vote:
    fraction = 1.0 if found.share == "whole" else (found.compute_fraction or 0.0)
    observed = offer.observed_at.date() if offer.observed_at is not None else None
    return Vote(
        price, card, fraction, count_class(offer.gpu_count), offer.purchase, in_china(offer), observed, offer
    )  # fmt: skip


def _machine(offer: Offer) -> tuple[object, ...]:
    """What makes two offers one machine: the same machine at several sizes, the same type in several regions."""
    name = offer.machine or offer.sku or offer.listing or offer.gpu
    term = offer.price.term_months if offer.price else None
    index = offer.price.amount if offer.provider == INDEX and offer.price else None
    return (offer.provider, offer.via, name, offer.purchase, term, index)


def _middle(votes: list[Vote]) -> Vote:
    """The vote of a machine that is listed several times: its middle price."""
    ordered = sorted(votes, key=lambda vote: vote.usd_per_gpu_hour)
    return ordered[(len(ordered) - 1) // 2]


def _same_share(vote: Vote, found: Resolution) -> bool:
    if found.share == "whole":
        return vote.compute_fraction == 1.0
    wanted = found.compute_fraction or 0.0
    return vote.compute_fraction < 1.0 and abs(vote.compute_fraction - wanted) <= (
        tables.constants("quote")["similar_share"] * max(wanted, vote.compute_fraction)
    )


INDEX = "market-index"  # the provider of rows of tables/market_index.csv


@cache
def _index_offers() -> tuple[Offer, ...]:
    """Published monthly rents as offers: a range is two prices that were asked."""
    offers = []
    for row in tables.rows("market_index"):
        names = labels().get(row["label"], (row["label"],))
        for amount in dict.fromkeys((row["price_low"], row["price_high"])):
            price = Price.model_validate(
                {"amount": amount, "currency": row["currency"], "unit": row["price_unit"], "per": row["price_per"],
                 "hours_per_month": row["hours_per_month"], "term_months": 1}
            )  # fmt: skip
            offers.append(
                Offer(
                    provider=INDEX, gpu=_spelled(names), gpu_count=int(row["gpu_count"]), purchase="reserved",
                    country=row["country"], price=price, source=row["source"],
                    observed_at=datetime.fromisoformat(row["as_of"]).replace(tzinfo=UTC),
                )
            )  # fmt: skip
    return tuple(offers)


def _spelled(names: Sequence[str]) -> str:
    """A name that means all of these cards: the family with its memory, without a form factor."""
    card = by_id()[names[0]]
    return card.name if len(names) == 1 else f"{card.family.upper()} {card.memory_gb:g}GB"
