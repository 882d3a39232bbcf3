"""The history as a person reads it: sparklines, changes, runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gpurent.messages import say
from gpurent.render.grid import MISSING, Column, grid, significant

_LEVELS = "▁▂▃▄▅▆▇█"


def spark(values: Sequence[float], width: int = 24) -> str:
    """A line of blocks, lowest to highest; a gap where nothing is known. Longer series are averaged to the width.

    >>> spark([1.0, 2.0, float("nan"), 3.0])
    '▁▅ █'
    """
    buckets = [
        [value for value in values[start:end] if math.isfinite(value)]
        for start, end in _cuts(len(values), min(width, len(values)))
    ]
    means = [sum(bucket) / len(bucket) if bucket else math.nan for bucket in buckets]
    known = [mean for mean in means if not math.isnan(mean)]
    if not known:
        return ""
    low, spread = min(known), max(known) - min(known)
    return "".join(
        " "
        if math.isnan(mean)
        else _LEVELS[round((mean - low) / spread * (len(_LEVELS) - 1)) if spread else len(_LEVELS) // 2 - 1]
        for mean in means
    )


def _cuts(length: int, parts: int) -> list[tuple[int, int]]:
    return [(length * part // parts, length * (part + 1) // parts) for part in range(parts)]


def _head(lang: str, *names: str, **values: Any) -> list[str]:
    return [say(f"history.{name}", lang, **values) for name in names]


def series_table(lines: Iterable[Mapping[str, Any]], by: Sequence[str], unit: str, lang: str) -> str:
    """A line a group: what it cost first, lowest and now, how it moved, and its sparkline."""
    names = _head(lang, *(f"by-{name}" for name in by))
    columns = [
        *(Column(name, shrinks=True) for name in names),
        *(Column(name, right=True) for name in _head(lang, "n", "first", "lowest", "on", "now", "median", "change")),
        Column(f"{unit}"),
    ]
    rows = [
        [
            *line["key"], str(line["n"]), significant(line["first"]), significant(line["lowest"]), line["lowest_on"],
            significant(line["now"]), significant(line["median"]), percent(line["change"]), spark(line["values"]),
        ]
        for line in lines
    ]  # fmt: skip
    return grid(columns, rows)


def percent(value: float | None) -> str:
    """A change with its sign.

    >>> percent(-12.345), percent(None)
    ('-12.3 %', '–')
    """
    return MISSING if value is None else f"{value:+.1f} %"


def _place(row: Mapping[str, Any]) -> list[str]:
    via = f" ({row['via']})" if row["via"] else ""
    return [
        row["offer_id"], f"{row['provider']}{via}", row["sku"] or row["listing"] or MISSING, row["card"],
        row["region"] or MISSING, row["purchase"],
    ]  # fmt: skip


def _place_columns(lang: str) -> list[Column]:
    names = _head(lang, "id", "by-provider", "sku", "by-card", "by-region", "by-purchase")
    return [Column(name, shrinks=name in names[2:5]) for name in names]


def changes_table(rows: Iterable[Mapping[str, Any]], lang: str) -> str:
    """A line a change, by kind."""
    columns = [
        Column(say("history.change-kind", lang)),
        *_place_columns(lang),
        *(Column(name, right=True) for name in _head(lang, "before", "after", "change")),
    ]
    cells = [
        [
            say(f"history.kind-{row['change']}", lang), *_place(row), _money(row["before"], row["currency"]),
            _money(row["after"], row["currency"]), percent(row["percent"]),
        ]
        for row in rows
    ]  # fmt: skip
    return grid(columns, cells)


def _money(amount: Any, currency: str) -> str:
    return MISSING if amount is None else f"{significant(float(amount), 4)} {currency}"


def cheapest_table(rows: Iterable[Mapping[str, Any]], lang: str) -> str:
    """A line a card or offer: its lowest price, when, and what it costs now."""
    columns = [
        *_place_columns(lang),
        *(Column(name, right=True) for name in _head(lang, "gpus", "lowest", "on", "now", "above")),
    ]
    cells = [
        [
            *_place(row), str(row["gpu_count"]), significant(row["usd_per_gpu_hour"]), row["day"],
            significant(row["usd_per_gpu_hour_now"]), percent(row["percent_above"]),
        ]
        for row in rows
    ]  # fmt: skip
    return grid(columns, cells)


def spells_table(rows: Iterable[Mapping[str, Any]], lang: str) -> str:
    """One offer's prices, a line a span."""
    columns = [
        Column(name, right=name in _head(lang, "price", "per-hour"))
        for name in _head(lang, "first-seen", "last-seen", "price", "per-hour", "stock", "ended")
    ]
    cells = [
        [
            row["first_seen"][:16], row["last_seen"][:16], row["price"] or MISSING,
            _money(row["price_per_hour"], row["currency"] or ""), row["stock"], (row["ended"] or MISSING)[:16],
        ]
        for row in rows
    ]  # fmt: skip
    return grid(columns, cells)


_COLLECTION = ("by-provider", "status", "complete", "offers", "new", "closed", "held", "rejects", "remarks")
_NUMBERS = {"offers", "new", "closed", "held", "rejects"}


def snapshot_table(rows: Iterable[Mapping[str, Any]], lang: str) -> str:
    """A line a provider: how its collection ended, what it brought, what the gate said."""
    columns = [Column(say(f"history.{name}", lang), right=name in _NUMBERS) for name in _COLLECTION]
    return grid(columns, [_collection(row, lang) for row in rows])


def runs_table(rows: Iterable[Mapping[str, Any]], lang: str) -> str:
    """The same with the run and the time of the answer."""
    columns = [
        *(Column(say(f"history.{name}", lang)) for name in ("run", "day")),
        *(Column(say(f"history.{name}", lang), right=name in _NUMBERS) for name in _COLLECTION),
    ]
    cells = [[str(row["run"]), row["observed_at"][:16].replace("T", " "), *_collection(row, lang)] for row in rows]
    return grid(columns, cells)


def _collection(row: Mapping[str, Any], lang: str) -> list[str]:
    return [
        row["provider"], say(f"snapshot.{row['status']}", lang), complete(row["complete"], lang), str(row["offers"]),
        str(row["opened"]), str(row["closed"]), str(row["held"]), str(row["rejects"]),
        remarks_text(row["remarks"], lang),
    ]  # fmt: skip


def complete(value: bool | None, lang: str) -> str:
    """Whether an answer was complete, in a word."""
    return say(f"history.complete-{'unknown' if value is None else 'yes' if value else 'no'}", lang)


def remarks_text(remarks: Sequence[Mapping[str, str]], lang: str, most: int = 3) -> str:
    """What the gate said, the first few in words and the rest counted."""
    told = [remark_text(remark, lang) for remark in remarks[:most]]
    if len(remarks) > most:
        told.append(say("history.more", lang, n=len(remarks) - most))
    return "; ".join(told)


def remark_text(remark: Mapping[str, str], lang: str) -> str:
    """One remark as a sentence."""
    return say(f"gate.{remark['rule']}", lang, subject=remark["subject"], before=remark["before"], now=remark["now"])
