"""The page of `compare --html`: the comparison, and prices over the nights when any were collected."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from gpurent.cli import state

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from gpurent.comparison import Comparison
    from gpurent.fx import Rates
    from gpurent.offer import Offer
    from gpurent.render.page_data import CardHistory

_DAYS = 365  # of history at most


def write(path: str, found: Comparison, answer: Mapping[str, Any], rate: float, rates: Rates) -> int:
    """Write the page and give its size in bytes.

    Args:
        path: where.
        found: the comparison.
        answer: its JSON document.
        rate: units of the currency of the view for one US dollar.
        rates: the rates prices were converted with.
    """
    from gpurent.render.page import write_page

    history = _history(found)
    return write_page(path, found, answer, lang=state.lang(), rate=rate, history=history, fx_rates=rates)


def _history(found: Comparison) -> list[CardHistory]:
    """Lowest price and cost per epoch of the ranked whole cards on every day of the last year."""
    from gpurent.cli import paths
    from gpurent.errors import USAGE
    from gpurent.snapshots import store

    path = paths.history()
    db = store.open_to_read(path)
    if db is None:
        return []
    with closing(db), store.told(path, USAGE):
        return _of(db, found)


def _of(db: sqlite3.Connection, found: Comparison) -> list[CardHistory]:
    from datetime import timedelta

    import numpy as np

    from gpurent.hardware.resolve import resolve
    from gpurent.render.page_data import CardHistory
    from gpurent.selection import Selector
    from gpurent.snapshots import epochs, series
    from gpurent.snapshots.current import known_rates
    from gpurent.snapshots.moments import moment, stamp

    since = stamp(found.now - timedelta(days=_DAYS))
    nights = {
        moment(at).date()
        for (at,) in db.execute(
            "SELECT observed_at FROM collection WHERE status = 'kept' AND offers > 0 AND observed_at >= ?", (since,)
        )
    }
    if not nights:
        return []
    days = [min(nights) + timedelta(days=day) for day in range((max(nights) - min(nights)).days + 1)]
    selector, rates = Selector(found.options.wanted), known_rates(db)
    whole = {row["gpu"] for row in found.rows() if row["gpu"] is not None and row["gpu_share"] == "whole"}

    def chosen(offer: Offer, meant: Any) -> bool:
        return meant.share == "whole" and meant.card in whole and not selector.reason(offer, meant)

    prices = series.prices(db, days, resolve, chosen, rates)
    if not prices.pairs:
        return []
    costs = epochs.costs(prices, found.workload, found.options, found.now, rates)
    missing = np.array([day not in nights for day in days])

    def lowest(values: Any) -> dict[str, list[float | None]]:
        shown = np.where(missing, np.nan, values)
        return {
            group.key[0]: [None if np.isnan(value) else float(value) for value in group.lowest]
            for group in series.group(prices, shown, ("card",))
        }

    price, cost = lowest(prices.usd_per_gpu_hour), lowest(costs)
    unknown: list[float | None] = [None] * len(days)
    told = [day.isoformat() for day in days]
    return [CardHistory(card, told, values, cost.get(card, unknown)) for card, values in price.items()]
