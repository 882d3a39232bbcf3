"""The comparison as the page's script reads it: columns in which what repeats is said once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from gpurent import fx, tables
from gpurent.hardware import cards
from gpurent.ranker.explain import Entry, chain
from gpurent.render.machine import plain

if TYPE_CHECKING:
    from gpurent.comparison import Comparison

Row = Mapping[str, Any]

ADVISED = 20  # best rows whose "what to try" is made beforehand; each is several estimates made anew

# Of an offer, whatever hardware it has.
OFFER_KEYS = (
    "offer_id", "provider", "via", "sku", "listing", "region", "country", "tier", "purchase", "stock", "usd_per_hour",
    "usd_per_gpu_hour", "price_per_hour", "currency", "cost_per_epoch_usd", "cost_per_epoch_usd_low",
    "cost_per_epoch_usd_high", "steady_cost_per_epoch_usd", "run_cost_usd", "age_days", "price_source", "warnings",
    "cpu_model", "gpu_text", "tied_with_best", "assumed",
)  # fmt: skip
# Of its hardware: equal where the hardware is.
MACHINE_KEYS = (
    "gpu", "gpu_candidates", "gpu_count", "gpu_share", "share_profile", "gpu_memory_gib", "gpu_link", "vcpus",
    "ram_gib", "disk_class", "precision", "batch_per_gpu", "samples_per_s", "samples_per_s_low", "samples_per_s_high",
    "gpu_samples_per_s", "cpu_samples_per_s", "disk_samples_per_s", "sync_efficiency", "gpu_busy", "limit",
    "limit_also", "rate_evidence", "rate_source", "steady_epoch_s",
)  # fmt: skip
_OFFER_LINES = frozenset(("run-cost", "steady-cost", "cost"))  # beside those of the stage "offer"


@dataclass(frozen=True)
class CardHistory:
    """A card over the nights: lowest price of one GPU and lowest cost per epoch a day, None where nothing is known."""

    card: str
    days: Sequence[str]  # 2026-11-30, every day between the first and the last
    usd_per_gpu_hour: Sequence[float | None]
    cost_per_epoch_usd: Sequence[float | None]


class Columns:
    """Columns by number. Equal columns are kept once, and a column says a value once however many rows have it.

    A column is `{"all": value}` where every row has the same, `{"of": distinct, "at": places}` where values repeat,
    else `{"is": values}`.
    """

    def __init__(self) -> None:
        self.made: list[dict[str, Any]] = []
        self._known: dict[str, int] = {}

    def add(self, values: Sequence[Any]) -> int:
        """The number of the column that holds these values."""
        column = _packed(values)
        key = json.dumps(column)
        if key not in self._known:
            self._known[key] = len(self.made)
            self.made.append(column)
        return self._known[key]


def _packed(values: Sequence[Any]) -> dict[str, Any]:
    places: dict[Any, int] = {}
    distinct: list[Any] = []
    at: list[int] = []
    for value in values:
        key = repr(value) if isinstance(value, list | tuple | dict) else value
        place = places.setdefault(key, len(distinct))
        if place == len(distinct):
            distinct.append(value)
        at.append(place)
    shown = [plain(value) for value in distinct]
    if len(shown) <= 1:
        return {"all": shown[0] if shown else None}
    if len(shown) > len(values) * 2 // 3:
        return {"is": [shown[place] for place in at]}
    return {"of": shown, "at": at}


def page_data(
    found: Comparison, answer: Mapping[str, Any], *, rate: float = 1.0, fx_rates: fx.Rates | None = None
) -> dict[str, Any]:
    """Everything the page shows of a comparison, as JSON may hold it.

    Args:
        found: the comparison; its own machine, if one is named, becomes the last row.
        answer: its JSON document, for the envelope, the options and where the offers come from.
        rate: units of the currency of the view for one US dollar.
        fx_rates: the rates prices were converted with; None: the embedded ones.
    """
    rows = list(found.rows())
    places = [int(place) for place in found.ranked]
    if found.mine is not None:
        rows.append(dict(found.mine))
        places.append(len(found.offers) - 1)
    columns = Columns()
    machine_of, machines = _machines([int(found.columns.hardware_of[place]) for place in places])
    chains = [chain(found.columns, place, row) for place, row in zip(places, rows, strict=True)]
    view = answer["options"].get("currency") or "USD"
    return {
        "made_by": answer["made_by"],
        "generated_at": answer["generated_at"],
        "n": len(found),
        "mine": found.mine is not None,
        "total": found.total,
        "columns": columns.made,
        "offers": {key: columns.add([_cell(row, key) for row in rows]) for key in OFFER_KEYS},
        "machines": {key: columns.add([_cell(rows[place], key) for place in machines]) for key in MACHINE_KEYS},
        "machine_of": columns.add(machine_of),
        "chain": _chain(columns, chains, machines),
        "names": _names(rows),
        "advice": _advice(found),
        "sources": _sources(rows, chains),
        "options": plain(answer["options"]),
        "workload": found.workload.model_dump(mode="json", exclude_none=True),
        "data": plain(answer["data"]),
        "dropped": [[entry.reason, entry.count, entry.example] for entry in found.dropped],
        "view": {"currency": view, "rate": rate},
        "exchange": _exchange(found, answer["options"].get("fx_date"), fx_rates),
        "errors": [
            [row["score"], float(row["median_share"]), float(row["p90_share"]), int(row["n"])]
            for row in tables.rows("model_errors")
        ],
        "providers": _providers(rows),
    }


def _cell(row: Row, key: str) -> Any:
    return sorted(row[key]) if key == "assumed" else row[key]


def _machines(hardware: Sequence[int]) -> tuple[list[int], list[int]]:
    """Each row's place among the distinct hardware, and a row that has each of them."""
    number: dict[int, int] = {}
    first: list[int] = []
    for row, at in enumerate(hardware):
        if at not in number:
            number[at] = len(first)
            first.append(row)
    return [number[at] for at in hardware], first


def _chain(columns: Columns, chains: Sequence[Sequence[Entry]], machines: Sequence[int]) -> list[list[Any]]:
    """The lines of `--explain` in order: stage, name, whether it speaks for its stage, level, value and source column.

    A line of an offer has an entry a row, every other one an entry a distinct hardware: the same entries `explain`
    would show, so the page cannot disagree with it.
    """
    schema = max(chains, key=len, default=[])
    by_name = [{entry[1]: entry for entry in each} for each in chains]
    shared = [by_name[place] for place in machines]
    lines: list[list[Any]] = []
    for stage, name, _, _, is_rate in schema:
        own = stage == "offer" or name in _OFFER_LINES
        entries = [each.get(name) for each in (by_name if own else shared)]
        values = columns.add([entry and entry[2] for entry in entries])
        sources = columns.add([entry[3] if entry else "" for entry in entries])
        lines.append([stage, name, is_rate, "offer" if own else "machine", values, sources])
    return lines


def _names(rows: Iterable[Row]) -> dict[str, str]:
    """What people call the cards of these rows: their names without the maker's."""
    known = cards.by_id()
    wanted = {name for row in rows for name in (row["gpu"], *row["gpu_candidates"]) if name in known}
    return {name: short_name(known[name].name) for name in sorted(wanted)}


def short_name(name: str) -> str:
    """A card's name without its maker's.

    >>> short_name("NVIDIA GeForce RTX 4090"), short_name("AMD Instinct MI300X")
    ('RTX 4090', 'Instinct MI300X')
    """
    maker, _, rest = name.partition(" ")
    return rest.removeprefix("GeForce ") if rest and maker in ("NVIDIA", "AMD") else name


def _advice(found: Comparison) -> dict[str, list[dict[str, Any]]]:
    """What to try on each of the best rows: code and values of a message, the rate and cost it would give."""
    made: dict[str, list[dict[str, Any]]] = {}
    for place in range(min(ADVISED, len(found))):
        chain_of_row = found.explain(str(place + 1))
        made[str(place)] = [
            {
                "code": each.code,
                "values": plain(each.values),
                "samples_per_s": plain(each.row and each.row["samples_per_s"]),
                "cost_per_epoch_usd": plain(each.row and each.row["cost_per_epoch_usd"]),
            }
            for each in chain_of_row.advice
        ]
    return made


def _sources(rows: Iterable[Row], chains: Iterable[Iterable[Entry]]) -> dict[str, list[str]]:
    """The entries of sources.csv that these chains name: what, address, version, date, licence."""
    told = {text for each in chains for *_, text, _ in each} | {str(row["rate_source"]) for row in rows}
    words = {word.strip("(),:;") for text in told for word in text.split()}
    return {
        row["source"]: [row["what"], row["address"], row["commit_or_version"], row["date"], row["licence"]]
        for row in tables.rows("sources")
        if row["source"] in words
    }


def _providers(rows: Iterable[Row]) -> dict[str, str]:
    """What people call the providers of these rows; one that is not tabled is called as it calls itself."""
    wanted = {row[key] for row in rows for key in ("provider", "via")}
    return {row["provider"]: row["title"] for row in tables.rows("providers") if row["provider"] in wanted}


def _exchange(found: Comparison, fx_date: str | None, known: fx.Rates | None) -> list[list[Any]]:
    """The currencies of the ranked prices with their rate in US dollars, its day, and its age in days."""
    from datetime import date

    on = date.fromisoformat(fx_date) if fx_date else found.now.date()
    priced = (found.offers[place].price for place in found.ranked)
    currencies = sorted({price.currency for price in priced if price is not None} - {fx.USD})
    rates = {code: fx.to_usd(Decimal(1), code, on, known) for code in currencies}
    return [
        [code, plain(rate.rate), rate.day.isoformat() if rate.day else None, rate.age_days]
        for code, rate in rates.items()
        if rate
    ]
