"""Prices over time: every offer's price by day as one matrix, and what a group of offers cost on each day.

A day shows what `compare` would have seen at its end: of each adapter the last accepted answer so far.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpurent.errors import Problem
from gpurent.fx import Rates
from gpurent.fx import rates as usd_rates
from gpurent.hardware.resolve import Resolution
from gpurent.money import Price
from gpurent.offer import Offer
from gpurent.snapshots import bank
from gpurent.snapshots.current import KNOWN_AT
from gpurent.snapshots.gate import Resolve, card_label
from gpurent.snapshots.moments import stamp
from gpurent.snapshots.stored_offer import IDENTITY, join

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
By = Literal["card", "share", "provider", "region", "purchase", "count", "tier", "offer"]
Chooser = Callable[[Offer, Resolution], bool]

_IDENTITY = ", ".join(f"o.{name}" for name in IDENTITY)
NEVER = np.iinfo(np.int64).max


class Pair(NamedTuple):
    """One offer with one set of facts: a row of the matrix."""

    offer: Offer  # priced with the newest amount of the pair
    card: str
    share: str


@dataclass(frozen=True)
class Prices:
    """US dollars an hour of whole offers: `usd_per_hour[pair, day]`, NaN where the offer was not there or sold out."""

    pairs: Sequence[Pair]
    days: Sequence[date]
    usd_per_hour: Floats

    @property
    def usd_per_gpu_hour(self) -> Floats:
        """The same for one GPU."""
        counts = np.array([pair.offer.gpu_count for pair in self.pairs], dtype=np.float64)
        return self.usd_per_hour / counts[:, None] if self.pairs else self.usd_per_hour


@dataclass(frozen=True)
class Group:
    """What comparable offers cost on each day; NaN on days without any."""

    key: tuple[str, ...]
    days: Sequence[date]
    n: Ints
    lowest: Floats
    median: Floats
    cheapest: Ints  # position in `Prices.pairs`, -1 on days without any


def days_between(since: datetime, until: datetime) -> list[date]:
    """Every day from one moment to another, both included.

    Raises:
        Problem: the first is after the last, or they are further apart than 20 years.
    """
    first, last = since.astimezone(UTC).date(), until.astimezone(UTC).date()
    count = (last - first).days + 1
    if not 1 <= count <= 20 * 366:
        raise Problem("this is no span of time", f"{first} to {last}", "give a --since before --until")
    return [first + timedelta(days=number) for number in range(count)]


def prices(db: sqlite3.Connection, days: Sequence[date], resolve: Resolve, wanted: Chooser, rates: Rates) -> Prices:
    """The price matrix of the offers that are wanted.

    Args:
        db: the history.
        days: its columns, in order.
        resolve: text to card.
        wanted: which offers become rows.
        rates: currency rates; each day is converted with its own.
    """
    spans = _spans(db, _Timeline(db, days))
    rows = dict(_pairs(db, spans, resolve, wanted))
    pairs = list(rows.values())
    row_of = {key: row for row, key in enumerate(rows)}
    hourly = np.full((len(pairs), len(days)), np.nan)
    slope, offset = _per_hour([pair.offer for pair in pairs])
    columns = (spans.pair.tolist(), spans.amount.tolist(), spans.start.tolist(), spans.end.tolist())
    for key, amount, start, end in zip(*columns, strict=True):
        row = row_of.get(key)
        if row is not None:
            hourly[row, start:end] = slope[row] * amount + offset[row]
    return Prices(pairs, days, _in_usd(hourly, pairs, days, rates))


class _Timeline:
    """Of each adapter and day: the last accepted collection, and the oldest one whose offers still count."""

    def __init__(self, db: sqlite3.Connection, days: Sequence[date]) -> None:
        ends = [stamp(datetime.combine(day, time(23, 59, 59), UTC)) for day in days]
        self.last: dict[str, Ints] = {}
        self.oldest: dict[str, Ints] = {}
        kept = db.execute(
            f"""SELECT c.provider, c.seq, {KNOWN_AT} AS known, c.complete FROM collection c JOIN run r ON r.id = c.run
            WHERE c.status = 'kept' AND c.provider <> ? ORDER BY c.provider, known, c.seq""",  # noqa: S608
            (bank.NAME,),
        ).fetchall()
        by_provider: dict[str, list[tuple[int, str, int | None]]] = {}
        for provider, seq, known, complete in kept:
            by_provider.setdefault(provider, []).append((seq, known, complete))
        for provider, rows in by_provider.items():
            times = [known for _, known, _ in rows]
            place = np.array([bisect_right(times, end) for end in ends])
            last = np.maximum.accumulate(np.array([0, *(seq for seq, _, _ in rows)]))
            whole = np.maximum.accumulate(np.array([0, *(seq if complete else 0 for seq, _, complete in rows)]))
            self.last[provider] = last[place]
            self.oldest[provider] = np.where(whole[place] > 0, whole[place], last[place])


class _Spans(NamedTuple):
    """Spans that touch the days, as columns in the order they were written."""

    pair: Ints  # offer and facts in one number, see `_PAIR`
    amount: Floats  # NaN: no price, or sold out
    start: Ints  # first day
    end: Ints  # day after the last


_PAIR = 2**31  # pair = offer * _PAIR + facts


def _spans(db: sqlite3.Connection, timeline: _Timeline) -> _Spans:
    parts = []
    for provider, last in timeline.last.items():
        rows = db.execute(
            """SELECT s.offer * ? + s.facts, CASE WHEN s.stock = 'sold-out' THEN NULL ELSE s.amount END,
            s.first_in, s.last_in, coalesce(s.ended_in, ?)
            FROM offer o JOIN span s ON s.offer = o.id
            WHERE o.collected_by = ? AND s.first_in <= ? AND (s.ended_in IS NULL OR s.ended_in > ?)
            ORDER BY s.offer, s.first_in""",
            (_PAIR, NEVER, provider, int(last[-1]), int(last[0])),
        ).fetchall()
        if rows:
            pair, amount, first_in, last_in, ended_in = zip(*rows, strict=True)
            start = np.searchsorted(last, np.array(first_in), side="left")
            end = np.minimum(
                np.searchsorted(last, np.array(ended_in), side="left"),
                np.searchsorted(timeline.oldest[provider], np.array(last_in), side="right"),
            )
            prices = np.array([np.nan if text is None else float(text) for text in amount])
            shown = start < end
            parts.append((np.array(pair)[shown], prices[shown], start[shown], end[shown]))
    if not parts:
        nothing = np.zeros(0, dtype=np.int64)
        return _Spans(nothing, np.zeros(0), nothing, nothing)
    return _Spans(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _pairs(db: sqlite3.Connection, spans: _Spans, resolve: Resolve, wanted: Chooser) -> Iterator[tuple[int, Pair]]:
    """The wanted pairs by their number, each as an offer with its newest amount."""
    offers = {
        number: (readings, tuple(identity))
        for number, readings, *identity in db.execute(f"SELECT o.id, o.readings, {_IDENTITY} FROM offer o")  # noqa: S608
    }
    texts = dict(db.execute("SELECT id, json FROM facts"))
    priced = ~np.isnan(spans.amount)
    newest = dict(zip(spans.pair[priced].tolist(), spans.amount[priced].tolist(), strict=True))
    at = datetime(1970, 1, 1, tzinfo=UTC)
    for pair, amount in newest.items():
        readings, identity = offers[pair // _PAIR]
        offer = join(identity, texts[pair % _PAIR], repr(amount), "unknown", readings, at)
        found = resolve(offer)
        if wanted(offer, found):
            yield pair, Pair(offer, card_label(found, offer), found.share)


def _per_hour(offers: Sequence[Offer]) -> tuple[Floats, Floats]:
    """Slope and offset (up-front payment) that turn a native amount into a native price of the whole offer an hour."""
    lines: dict[tuple[Any, ...], tuple[float, float]] = {}
    slope, offset = np.empty(len(offers)), np.empty(len(offers))
    for row, offer in enumerate(offers):
        price = offer.price
        assert price is not None
        terms = {**price.__dict__, "amount": 1}
        key = (*terms.values(), offer.gpu_count)
        if key not in lines:
            one = Price(**terms).per_hour(offer.gpu_count)
            two = Price(**{**terms, "amount": 2}).per_hour(offer.gpu_count)
            lines[key] = float(two - one), float(2 * one - two)
        slope[row], offset[row] = lines[key]
    return slope, offset


def _in_usd(hourly: Floats, pairs: Sequence[Pair], days: Sequence[date], rates: Rates) -> Floats:
    """Each day's native prices with the rate of that day; NaN where there is none."""
    currencies = [pair.offer.price.currency if pair.offer.price else "" for pair in pairs]
    for currency in set(currencies) - {"USD"}:
        rows = [row for row, own in enumerate(currencies) if own == currency]
        hourly[rows] *= np.array([usd_rates([currency], day, rates).get(currency, np.nan) for day in days])
    return hourly


def group(found: Prices, values: Floats, by: Sequence[By]) -> list[Group]:
    """Group rows of a matrix (prices or costs, pair x day) and reduce each day to n, lowest and median.

    Groups are sorted by their key; those without a single value are left out.
    """
    members: dict[tuple[str, ...], list[int]] = {}
    for row, pair in enumerate(found.pairs):
        members.setdefault(tuple(_label(pair, name) for name in by), []).append(row)
    made = [_reduced(key, np.array(rows), found.days, values) for key, rows in sorted(members.items())]
    return [one for one in made if one.n.any()]


def _reduced(key: tuple[str, ...], rows: Ints, days: Sequence[date], values: Floats) -> Group:
    """n, lowest, median and the cheapest row of each day."""
    part = np.ascontiguousarray(values[rows].T)
    known = ~np.isnan(part)
    n = np.count_nonzero(known, axis=1)
    if len(rows) == 1:
        only = part[:, 0]
        return Group(key, days, n, only, only, np.where(n > 0, rows[0], -1))
    cheapest = np.where(n > 0, rows[np.argmin(np.where(known, part, np.inf), axis=1)], -1)
    part.sort(axis=1)  # NaN last
    day = np.arange(len(part))
    middle = (part[day, np.maximum(n - 1, 0) // 2] + part[day, np.minimum(n // 2, len(rows) - 1)]) / 2
    return Group(key, days, n, part[:, 0], middle, cheapest)


def _label(pair: Pair, by: By) -> str:
    if by == "card":
        return pair.card
    if by == "share":
        return pair.share
    if by == "count":
        return str(pair.offer.gpu_count)
    if by == "offer":
        return pair.offer.offer_id
    value: Any = getattr(pair.offer, by)
    return value or "–"
