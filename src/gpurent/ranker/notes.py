"""What is said under a ranking: ties, exchange rates, from when a term price pays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpurent import fx
from gpurent.normalizer.plausible import plausible_rate
from gpurent.offer import Offer
from gpurent.ranker.rows import Columns
from gpurent.ranker.terms import PricedTerms

Ints = NDArray[np.int64]
Note = tuple[str, Mapping[str, Any]]  # message code, its values


def notes_of(
    offers: Sequence[Offer], columns: Columns, prices: PricedTerms, ranked: Ints, tied: NDArray[np.bool_]
) -> tuple[Note, ...]:
    """What a person should know of a ranking, as message codes with their values.

    Args:
        offers: all of them, aligned with `columns`.
        columns, prices: of the comparison.
        ranked: positions of the ranked offers, best first; `tied` says which of them tie with the first.
    """
    notes: list[Note] = []
    if tied.sum() > 1:
        notes.append(("compare.tied", {"n": int(tied.sum())}))
    if prices.unconverted:
        notes.append(("compare.no-rate-of-exchange", {"currencies": ", ".join(prices.unconverted)}))
    if fx.is_stale(prices.oldest_rate_days):
        notes.append(("compare.old-rate-of-exchange", {"days": prices.oldest_rate_days}))
    notes.extend((f"compare.{code}", values) for code, values in columns.model.notes)
    if columns.model.request.nodes > 1:
        notes.append(("compare.nodes", {"n": columns.model.request.nodes}))
    notes.extend(_implausible_anchors(columns))
    notes.extend(_breakevens(offers, columns, ranked))
    return tuple(notes)


def _implausible_anchors(columns: Columns) -> Iterator[Note]:
    """Rates of the user's own that no such card reaches: used as told, and said."""
    request = columns.model.request
    for anchor in request.anchors:
        believed = plausible_rate(request.workload, request.precision, anchor.card)
        # A slow rate is the user's own affair: his step may do more than ours.
        if believed is not None and anchor.samples_per_s > believed.high:
            values = {"card": anchor.card, "rate": f"{anchor.samples_per_s:.4g}", "limit": f"{believed.high:.4g}"}
            yield "compare.anchor-implausible", values


_BREAKEVENS = 3  # term prices that are set beside on-demand, best first


def _breakevens(offers: Sequence[Offer], columns: Columns, ranked: Ints) -> Iterator[Note]:
    """From how many hours a month a ranked term price beats the same machine on demand."""

    def same(offer: Offer) -> tuple[Any, ...]:
        return offer.provider, offer.via, offer.gpu, offer.gpu_count, offer.gpu_memory_gib

    terms = [place for place in ranked if offers[place].purchase == "reserved"][:_BREAKEVENS]
    if not terms:
        return
    on_demand: dict[tuple[Any, ...], float] = {}
    for place, offer in enumerate(offers):
        price = float(columns.usd_per_hour[place])
        if offer.purchase == "on-demand" and np.isfinite(price):
            on_demand[same(offer)] = min(price, on_demand.get(same(offer), price))
    for place in terms:
        offer = offers[place]
        hourly = on_demand.get(same(offer))
        if hourly and offer.price:
            hours = float(columns.usd_per_hour[place]) * float(offer.price.hours_per_month) / hourly
            months = offer.price.term_months or "?"
            values = {"id": offer.offer_id[:6], "months": months, "usd": f"${hourly:.3g}", "hours": f"{hours:.0f}"}
            yield "compare.term-breakeven", values
