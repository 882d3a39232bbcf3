"""Questions about prices over time, as rows: by day and group, the cheapest moment of each, what changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from gpurent.errors import UNKNOWN, Problem
from gpurent.hardware.resolve import Resolution, resolve
from gpurent.offer import Offer
from gpurent.selection import Selector, Wanted, check_providers
from gpurent.snapshots import gate, series
from gpurent.snapshots.changes import Change
from gpurent.snapshots.current import known_rates
from gpurent.snapshots.moments import moment, shown
from gpurent.snapshots.series import By, Floats, Group, Prices
from gpurent.workloads.workload import Workload


def prices(db: sqlite3.Connection, wanted: Wanted, since: datetime, until: datetime) -> Prices:
    """The prices of the wanted offers day by day, from `since` or the first collection on.

    Raises:
        Problem: nothing was kept yet or nothing matches (exit 3); a misspelt provider or card (exit 2).
    """
    (first,) = db.execute("SELECT min(observed_at) FROM collection WHERE status = 'kept' AND offers > 0").fetchone()
    if first is None:
        raise Problem("nothing was kept yet", "0 collections", "collect once with `gpurent snapshot`", UNKNOWN)
    names = db.execute("SELECT DISTINCT provider FROM offer UNION SELECT DISTINCT via FROM offer").fetchall()
    check_providers(wanted, {name for (name,) in names if name})
    selector = Selector(wanted)
    direct = {name for (name,) in db.execute("SELECT DISTINCT provider FROM offer WHERE via IS NULL")}

    def chosen(offer: Offer, found: Resolution) -> bool:
        resold = offer.via is not None and offer.provider in direct and not wanted.include_via
        return not resold and not selector.reason(offer, found)

    if since <= until < moment(first):
        raise Problem(
            "nothing was kept by then", shown(until), f"the first answer is of {shown(moment(first))}", UNKNOWN
        )
    start = since if since >= until else min(max(since, moment(first)), until)
    days = series.days_between(start, until)
    found = series.prices(db, days, resolve, chosen, known_rates(db))
    if not found.pairs:
        raise Problem("nothing in the history matches", f"{days[0]} to {days[-1]}", "loosen the filters", UNKNOWN)
    return found


def costs(db: sqlite3.Connection, found: Prices, workload: Workload, precision: str | None, now: datetime) -> Floats:
    """US dollars an epoch of a workload, in place of the prices."""
    from gpurent.comparison import Options  # the model, which questions about prices do without
    from gpurent.snapshots import epochs

    options = Options(precision=precision or workload.precision)
    return epochs.costs(found, workload, options, now, known_rates(db))


def groups(found: Prices, values: Floats, by: Sequence[By]) -> list[Group]:
    """The groups that had a value on any day.

    Raises:
        Problem: none had (exit 3).
    """
    made = series.group(found, values, by)
    if not made:
        raise Problem("nothing had a price then", f"{found.days[0]} to {found.days[-1]}", "ask for other days", UNKNOWN)
    return made


def day_rows(made: Sequence[Group], found: Prices, by: Sequence[By], unit: str) -> Iterator[dict[str, Any]]:
    """A row a group and day: n, lowest, median, and whose the lowest was."""
    for group in made:
        label: dict[str, str] = dict(zip(by, group.key, strict=True))
        for place, day in enumerate(group.days):
            if group.n[place]:
                offer = found.pairs[group.cheapest[place]].offer
                yield {
                    "day": day.isoformat(), **label, "n": int(group.n[place]), f"lowest_{unit}": group.lowest[place],
                    f"median_{unit}": group.median[place], "cheapest_offer_id": offer.offer_id,
                    "cheapest_provider": offer.provider,
                }  # fmt: skip


def summary(group: Group) -> dict[str, Any]:
    """A group in a line: first, lowest and last value, and the percent between the first and the last.

    Where the last day has no offer, there is no value now.
    """
    known = np.flatnonzero(group.n)
    lowest = known[np.argmin(group.lowest[known])]
    first = float(group.lowest[known[0]])
    now, median = (float(line[-1]) if group.n[-1] else None for line in (group.lowest, group.median))
    return {
        "key": group.key, "n": int(group.n[-1]), "first": first, "now": now,
        "lowest": float(group.lowest[lowest]), "lowest_on": group.days[lowest].isoformat(),
        "median": median, "change": (now / first - 1) * 100 if first and now is not None else None,
        "values": group.lowest.tolist(),
    }  # fmt: skip


def cheapest_rows(made: Sequence[Group], found: Prices, below: float | None) -> list[dict[str, Any]]:
    """When each group was cheapest, which offer that was, and the cheapest now; the cheapest group first.

    Raises:
        Problem: no price lies below the limit (exit 3).
    """
    rows = sorted((_cheapest(group, found) for group in made), key=lambda row: float(row["usd_per_gpu_hour"]))
    if below is None:
        return rows
    under = [row for row in rows if row["usd_per_gpu_hour"] < below]
    if not under:
        what = f"nothing below {below:g} USD/GPU-h since {found.days[0]}"
        raise Problem(what, f"lowest {rows[0]['usd_per_gpu_hour']:.4g}", "wait, or raise --below", UNKNOWN)
    return under


def _cheapest(group: Group, found: Prices) -> dict[str, Any]:
    known = np.flatnonzero(group.n)
    place = known[np.argmin(group.lowest[known])]
    pair = found.pairs[group.cheapest[place]]
    lowest = float(group.lowest[place])
    now = float(group.lowest[-1]) if group.n[-1] else None
    return {
        **_place(pair.offer, pair.card), "usd_per_gpu_hour": lowest, "day": group.days[place].isoformat(),
        "usd_per_gpu_hour_now": now, "percent_above": None if now is None else (now / lowest - 1) * 100,
    }  # fmt: skip


def change_rows(changes: Sequence[Change], wanted: Wanted) -> list[dict[str, Any]]:
    """The wanted changes as rows."""
    selector = Selector(wanted)
    return [
        {
            "change": one.kind, **_place(one.offer, gate.card_label(found, one.offer)), "before": one.before,
            "after": one.after, "currency": one.offer.price.currency if one.offer.price else None,
            "percent": one.percent,
        }
        for one in changes
        if not selector.reason(one.offer, found := resolve(one.offer))
    ]  # fmt: skip


def _place(offer: Offer, card: str) -> dict[str, Any]:
    """Which offer a row is about."""
    return {
        "offer_id": offer.offer_id, "provider": offer.provider, "via": offer.via, "sku": offer.sku,
        "listing": offer.listing, "card": card, "gpu_count": offer.gpu_count, "region": offer.region,
        "purchase": offer.purchase,
    }  # fmt: skip
