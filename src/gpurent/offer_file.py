"""Offers files: csv, json, ndjson to offers and back. Good rows of a partly bad file are used, bad ones are data."""

from __future__ import annotations

import csv
import difflib
import gc
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from gpurent.errors import PARTIAL, USAGE, Problem
from gpurent.money import HOURS_PER_MONTH
from gpurent.offer import Offer, Reject, clean_line
from gpurent.offer_cells import KEYS, PRICE_KEYS, BadCell, Columns, CountIn, offer_of
from gpurent.offer_rows import MAX_BYTES, csv_rows, json_rows, text_of

__all__ = ["KEYS", "MAX_BYTES", "OfferFile", "parse_offers", "to_row", "write_offers"]


@dataclass(frozen=True)
class OfferFile:
    """What a file gave: offers, rejected rows, and remarks for people (unknown columns, encoding, missing dates)."""

    offers: tuple[Offer, ...]
    rejected: tuple[Reject, ...]
    notes: tuple[str, ...]


# Columns that `gpurent offers` and the catalogue write beside an offer's own.
_IGNORED = {"offer_id", "usd_per_hour", "usd_per_gpu_hour", "age_days", "card", "gpu_candidates", "warnings"}
_KNOWN = _IGNORED | set(KEYS)
_COLUMNS_TOLD = 20


def _column_notes(name: str, keys: Iterable[str]) -> Iterator[str]:
    unknown = [key for key in keys if key and key not in _KNOWN]
    if len(unknown) > _COLUMNS_TOLD:
        yield f"{name}: {len(unknown)} unknown columns are not used, {clean_line(unknown[0])!r} the first"
    else:
        for key in unknown:
            near = difflib.get_close_matches(key[:40], KEYS, 1, 0.7)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            yield f"{name}: unknown column {clean_line(key)!r} is not used{hint}"


_CLOCKS_APART = timedelta(days=1)  # a day is a date somewhere on Earth before it is one here


def parse_offers(
    data: bytes, name: str, now: datetime, kind: str | None = None, count_in: CountIn | None = None
) -> OfferFile:
    """Read an offers file.

    Args:
        data: the file's bytes: csv, json (a list, or an object with `offers` or `rows`) or ndjson.
        name: what to call it in messages.
        now: taken for rows without `observed_at`.
        kind: "csv", "json" or "ndjson"; None: by the first character.
        count_in: reads the number of GPUs out of a card's text where no gpu_count is given ("8x A100"); None: 1.

    Raises:
        Problem: unreadable as a whole, a required column missing, or no good row (exit 2).
    """
    notes: list[str] = []
    text = text_of(data, name, notes)
    if not text.strip():
        raise Problem(f"{name} is empty", "", "give a csv, json or ndjson file of offers")
    is_json = kind in ("json", "ndjson") or (kind is None and text.lstrip()[:1] in "[{")
    rows = json_rows(text, name) if is_json else csv_rows(text, name)
    offers: list[Offer] = []
    rejected: list[Reject] = []
    columns = Columns(count_in)
    headers: dict[str, None] = {}
    undated = 0
    latest = now + _CLOCKS_APART
    collecting = gc.isenabled()
    gc.disable()  # a million small records and no cycles: collecting would double the time
    try:
        for place, row in rows:
            if not headers or is_json:
                headers.update(dict.fromkeys(row))
                if not is_json:
                    _require(headers, name)
            try:
                offer = offer_of(row, columns)
            except BadCell as bad:
                rejected.append(
                    Reject(name, f"{place}, {bad.field}" if bad.field else place, _shown(bad.value), bad.reason)
                )
                continue
            if offer.observed_at is not None and offer.observed_at > latest:
                seen = offer.observed_at.isoformat()
                rejected.append(Reject(name, f"{place}, observed_at", seen, "lies in the future"))
                continue
            if offer.observed_at is None:
                undated += 1
                offer = Offer.assemble({**offer.__dict__, "observed_at": now})
            offers.append(offer)
    finally:
        if collecting:
            gc.enable()
    notes.extend(_column_notes(name, headers))
    if undated:
        notes.append(f"{name}: {undated} rows without observed_at are taken as seen now")
    if not offers:
        _no_good_row(name, rejected)
    return OfferFile(tuple(offers), tuple(rejected), tuple(notes))


def _require(headers: Iterable[str], name: str) -> None:
    have = set(headers)
    for key in ("provider", "gpu"):
        if key not in have:
            near = difflib.get_close_matches(key, have, 1, 0.6)
            raise Problem(
                f"{name}: a required column is missing", key, f"rename {near[0]!r}" if near else "add it to the header"
            )
    if not have & {"price_per_hour", "price"}:
        raise Problem(f"{name}: no price column", "price_per_hour", "add price_per_hour, or price with price_unit")


def _shown(value: object) -> str:
    return clean_line(str(value)[:400])


def _no_good_row(name: str, rejected: list[Reject]) -> None:
    if not rejected:
        raise Problem(f"{name} holds no offers", "0 rows", "add a row an offer under the header", USAGE)
    first = rejected[0]
    raise Problem(
        f"{name}: no good row; {first.path}: {first.reason}",
        first.value,
        "mend the rows; see `gpurent offers -o csv` for the form",
        USAGE,
    )


def to_row(offer: Offer) -> dict[str, Any]:
    """An offer as one flat row with the offers file's keys; reading it back gives the same offer."""
    row: dict[str, Any] = {}
    for name, value in offer.__dict__.items():
        if name == "price":
            row.update(_price_row(offer))
        else:
            row[name] = value.isoformat() if isinstance(value, datetime) else value
    return {key: row[key] for key in KEYS}


def _price_row(offer: Offer) -> dict[str, Any]:
    price, hourly = offer.price, offer.price_per_hour
    if price is None or hourly is None:
        return dict.fromkeys(PRICE_KEYS)
    plain: Callable[[Decimal | None], str | None] = lambda number: None if number is None else format(number, "f")  # noqa: E731
    by_the_hour = price.unit == "hour" and price.per == "offer" and not price.upfront
    return {
        "price_per_hour": plain(price.amount) if by_the_hour else f"{hourly:.9g}",
        "price": None if by_the_hour else plain(price.amount),
        "price_unit": None if by_the_hour else price.unit,
        "price_per": None if by_the_hour else price.per,
        "hours_per_month": None
        if price.hours_per_month == HOURS_PER_MONTH and price.unit != "month"
        else plain(price.hours_per_month),
        "currency": price.currency,
        "term_months": plain(price.term_months),
        "upfront": plain(price.upfront),
        "tax_included": price.tax_included,
    }


def write_offers(path: Any, offers: Iterable[Offer]) -> None:
    """Write offers to a file, csv or json or ndjson by its ending (csv otherwise), whole or not at all."""
    from pathlib import Path

    target = Path(path)
    rows = [to_row(offer) for offer in offers]
    if target.suffix == ".json":
        text = (
            json.dumps({"schema": "gpurent.offers/1", "offers": rows}, ensure_ascii=False, allow_nan=False, indent=1)
            + "\n"
        )
    elif target.suffix == ".ndjson":
        text = "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
    else:
        buffer = io.StringIO(newline="")
        writer = csv.DictWriter(buffer, KEYS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: "" if value is None else value for key, value in row.items()} for row in rows)
        text = buffer.getvalue()
    partial = target.with_name(f".{target.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8", newline="")
        partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise Problem("the offers could not be written", str(target), error.strerror or str(error), PARTIAL) from None
