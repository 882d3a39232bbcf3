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


def card_text(label: str, lang: str) -> str:
    """A card's label for people: its slice in brackets, the cards a seller's words can mean one after another.

    >>> card_text("a10/1/6", "en"), card_text("h100-pcie-80gb|h100-sxm-80gb", "en")
    ('a10 [1/6]', 'h100-pcie-80gb or h100-sxm-80gb')
    """
    cards, slash, share = label.partition("/")
    text = say("history.or", lang).join(cards.split("|"))
    return f"{text} [{share}]" if slash else text


def _group(key: Sequence[str], by: Sequence[str], lang: str) -> list[str]:
    return [card_text(word, lang) if name == "card" else word for name, word in zip(by, key, strict=True)]


def _group_columns(by: Sequence[str], lang: str) -> list[Column]:
    return [Column(name, shrinks=True) for name in _head(lang, *(f"by-{name}" for name in by))]


def series_table(lines: Iterable[Mapping[str, Any]], by: Sequence[str], lang: str) -> str:
    """A line a group: what it cost first, lowest and now, how it moved, and its sparkline."""
    columns = [
        *_group_columns(by, lang),
        *(Column(name, right=True) for name in _head(lang, "n", "first", "lowest", "on", "now", "median", "change")),
        *(Column(name) for name in _head(lang, "by-day")),
    ]
    rows = [
        [
            *_group(line["key"], by, lang), str(line["n"]), significant(line["first"]),
            significant(line["lowest"]), line["lowest_on"], significant(line["now"]),
            significant(line["median"]), percent(line["change"]), spark(line["values"]),
        ]
        for line in lines
    ]  # fmt: skip
    return grid(columns, rows)


def day_table(rows: Iterable[Mapping[str, Any]], by: Sequence[str], unit: str, lang: str) -> str:
    """A line a group on one day: n, lowest, median, and whose the lowest was."""
    numbers = _head(lang, "n", f"lowest-{unit}", f"median-{unit}")
    columns = [
        *_group_columns(by, lang),
        *(Column(name, right=True) for name in numbers),
        *(Column(name) for name in _head(lang, "id", "cheapest-provider")),
    ]
    cells = [
        [
            *_group([row[name] for name in by], by, lang), str(row["n"]), significant(row[f"lowest_{unit}"]),
            significant(row[f"median_{unit}"]), row["cheapest_offer_id"], row["cheapest_provider"],
        ]
        for row in rows
    ]  # fmt: skip
    return grid(columns, cells)


def percent(value: float | None) -> str:
    """A change with its sign.

    >>> percent(-12.345), percent(None)
    ('-12.3 %', '–')
    """
    return MISSING if value is None else f"{value:+.1f} %"


def _place(row: Mapping[str, Any], lang: str) -> list[str]:
    via = f" ({row['via']})" if row["via"] else ""
    return [
        row["offer_id"], f"{row['provider']}{via}", row["sku"] or row["listing"] or MISSING,
        card_text(row["card"], lang),
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
            say(f"history.kind-{row['change']}", lang), *_place(row, lang), _money(row["before"], row["currency"]),
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
        *(
            Column(name, right=True)
            for name in _head(lang, "gpus", "lowest-usd_per_gpu_hour", "on", "now-gpu-hour", "above")
        ),
    ]
    cells = [
        [
            *_place(row, lang), str(row["gpu_count"]), significant(row["usd_per_gpu_hour"]), row["day"],
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
            _minute(row["first_seen"]), _minute(row["last_seen"]), _price(row),
            _money(row["price_per_hour"], row["currency"] or ""), say(f"history.stock-{row['stock']}", lang),
            _minute(row["ended"]),
        ]
        for row in rows
    ]  # fmt: skip
    return grid(columns, cells)


def _minute(stamp: str | None) -> str:
    return MISSING if stamp is None else stamp[:16].replace("T", " ")


def _price(row: Mapping[str, Any]) -> str:
    """The price as the provider says it."""
    if row["price"] is None:
        return MISSING
    return f"{row['price']} {row['currency']}/{'GPU-' if row['price_per'] == 'gpu' else ''}{row['price_unit']}"


_COLLECTION = ("by-provider", "status", "complete", "offers", "new", "changed", "gone", "held", "rejects", "remarks")
_NUMBERS = {"offers", "new", "changed", "gone", "held", "rejects"}


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
    cells = [[str(row["run"]), _minute(row["observed_at"]), *_collection(row, lang)] for row in rows]
    return grid(columns, cells)


def _collection(row: Mapping[str, Any], lang: str) -> list[str]:
    return [
        row["provider"], say(f"snapshot.{row['status']}", lang), complete(row["complete"], lang), str(row["offers"]),
        str(row["new"]), str(row["changed"]), str(row["gone"]), str(row["held"]), str(row["rejects"]),
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
    return say("history.and", lang).join(told)


def remark_text(remark: Mapping[str, str], lang: str) -> str:
    """One remark as a sentence."""
    return say(f"gate.{remark['rule']}", lang, subject=remark["subject"], before=remark["before"], now=remark["now"])
