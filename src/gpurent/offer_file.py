"""Offers files: csv, json, ndjson to offers and back. Good rows of a partly bad file are used, bad ones are data."""

from __future__ import annotations

import csv
import difflib
import gc
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from gpurent.errors import PARTIAL, USAGE, Problem
from gpurent.money import HOURS_PER_MONTH, InvalidNumber, Price, bounded_decimal
from gpurent.offer import DEFAULTS, Offer, Reject, clean_line, field_types

MAX_BYTES = 128 * 2**20
MAX_CELL = 20_000

PRICE_KEYS = (
    "price_per_hour", "price", "price_unit", "price_per", "hours_per_month", "currency", "term_months", "upfront",
    "tax_included",
)  # fmt: skip
KEYS: tuple[str, ...] = tuple(
    key for name in Offer.model_fields for key in (PRICE_KEYS if name == "price" else (name,))
)
_CHOICES = {"purchase", "gpu_share", "gpu_link", "disk_class", "stock", "stock_grade", "price_unit", "price_per"}
_SPELLINGS = {
    "ondemand": "on-demand", "on-demand": "on-demand", "interruptible": "spot", "preemptible": "spot", "bid": "spot",
    "full": "whole", "nvme": "local-nvme", "vs": "vgpu", "soldout": "sold-out", "hr": "hour", "hourly": "hour",
    "h": "hour", "monthly": "month", "instance": "offer", "node": "offer", "machine": "offer", "card": "gpu",
}  # fmt: skip
_YES, _NO = {"true", "yes", "1", "incl"}, {"false", "no", "0", "excl"}


@dataclass(frozen=True)
class OfferFile:
    """What a file gave: offers, rejected rows, and remarks for people (unknown columns, encoding, missing dates)."""

    offers: tuple[Offer, ...]
    rejected: tuple[Reject, ...]
    notes: tuple[str, ...]


class _Bad(Exception):
    def __init__(self, field: str, value: object, reason: str) -> None:
        self.field, self.value, self.reason = field, value, reason


def _text(data: bytes, name: str, notes: list[str]) -> str:
    if len(data) > MAX_BYTES:
        raise Problem(
            f"{name} is too large", f"{len(data) // 2**20} MiB", f"split it into files of {MAX_BYTES >> 20} MiB or less"
        )
    if b"\0" in data:
        raise Problem(f"{name} is not text", "it holds NUL bytes", "give a csv, json or ndjson file in UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError as error:
        raise Problem(
            f"{name} is not UTF-8", f"byte {error.start}: {data[error.start : error.start + 1]!r}", "save it as UTF-8"
        ) from None
    notes.append(f"{name}: not UTF-8, read as gb18030")
    return text


def _not_a_number(token: str) -> None:
    raise ValueError(f"{token} is not a JSON number")


def _csv_rows(text: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    head = text.split("\n", 1)[0]
    delimiter = "," if "," in head else "\t" if "\t" in head else ";" if ";" in head else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        header = [clean_line(cell).strip().lower() for cell in next(reader, [])]
        if not any(header):
            raise Problem(
                f"{name} is empty",
                "no header line",
                "the first line names the columns: provider, gpu, price_per_hour, ...",
            )
        doubled = next((key for key in header if key and header.count(key) > 1), None)
        if doubled:
            raise Problem(f"{name}: a column stands twice", doubled, "keep one of them")
        for cells in reader:
            if any(cells):
                yield f"line {reader.line_num}", dict(zip(header, cells, strict=False))
    except csv.Error as error:
        raise Problem(
            f"{name} is not readable csv", f"line {reader.line_num}: {error}", "check quotes and cell sizes"
        ) from None


def _json_rows(text: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    whole: Any
    try:
        whole = json.loads(text, parse_constant=_not_a_number, parse_float=str, parse_int=str)
    except RecursionError:
        raise Problem(f"{name} is nested too deep", "", "give a list of flat offers") from None
    except ValueError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2 or not lines[0].rstrip().endswith("}"):
            raise Problem(
                f"{name} is not valid JSON", str(error)[:120], "see `gpurent offers -o json` for the form"
            ) from None
        yield from _ndjson_rows(lines)
        return
    if isinstance(whole, dict):
        listed = next((whole[key] for key in ("offers", "rows") if isinstance(whole.get(key), list)), None)
        whole = [whole] if listed is None else listed
    if not isinstance(whole, list):
        raise Problem(f"{name} holds no offers", type(whole).__name__, "give a list, or an object with `offers`")
    for number, row in enumerate(whole, 1):
        yield f"row {number}", row if isinstance(row, dict) else {"": row}


def _ndjson_rows(lines: list[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line, parse_constant=_not_a_number, parse_float=str, parse_int=str)
        except (ValueError, RecursionError):
            row = None
        yield f"line {number}", row if isinstance(row, dict) else {"": line[:80]}


def _blank(value: object) -> bool:
    return value is None or (
        isinstance(value, str) and value.strip().lower() in ("", "unknown", "null", "none", "n/a", "-", "–")
    )


def _spelled(key: str, value: object) -> object:
    if key not in _CHOICES or not isinstance(value, str):
        return value
    word = value.strip().lower().replace("_", "-").replace(" ", "-")
    return _SPELLINGS.get(word, word)


class _Columns:
    """Validates each distinct cell of a column once."""

    def __init__(self) -> None:
        self._types = field_types()
        self._seen: dict[str, dict[Any, Any]] = {}

    def value(self, key: str, cell: Any) -> Any:
        known = self._seen.setdefault(key, {})
        try:
            if cell in known:
                return known[cell]
        except TypeError:
            raise _Bad(key, cell, "not a single value") from None
        if len(known) > 100_000:
            known.clear()
        value = known[cell] = self._read(key, cell)
        return value

    def _read(self, key: str, cell: Any) -> Any:
        if isinstance(cell, str) and len(cell) > MAX_CELL:
            raise _Bad(key, cell, f"longer than {MAX_CELL} characters")
        try:
            return self._types[key].validate_python(_spelled(key, cell))
        except ValidationError as error:
            raise _Bad(key, cell, _reason(error)) from None

    def price(self, cells: tuple[Any, ...], gpu_count: int) -> Price | None:
        known = self._seen.setdefault("price", {})
        key = (*cells, gpu_count)
        try:
            if key in known:
                return known[key]  # type: ignore[no-any-return]
        except TypeError:
            raise _Bad("price", cells, "not a single value") from None
        if len(known) > 100_000:
            known.clear()
        price = known[key] = _price(dict(zip(PRICE_KEYS, cells, strict=True)), gpu_count)
        return price


def _reason(error: ValidationError) -> str:
    message = error.errors(include_url=False, include_context=False)[0]["msg"]
    return clean_line(message.removeprefix("Value error, "))


def _flag(value: object) -> bool:
    word = str(value).strip().lower()
    if word in _YES or word in _NO:
        return word in _YES
    raise _Bad("tax_included", value, "say true or false")


def _price(cells: dict[str, Any], gpu_count: int) -> Price | None:
    given = {key: None if _blank(value) else value for key, value in cells.items()}
    hourly, amount = given["price_per_hour"], given["price"]
    if hourly is None and amount is None:
        return None
    key = "price_per_hour" if amount is None else "price"
    fields: dict[str, Any] = {"amount": hourly if amount is None else amount}
    if amount is not None:
        if given["price_unit"] is None:
            raise _Bad("price_unit", "", "a `price` needs its unit: second, hour, day, week, month or year")
        fields |= {
            "unit": _spelled("price_unit", given["price_unit"]),
            "per": _spelled("price_per", given["price_per"] or "offer"),
        }
    for name in ("hours_per_month", "term_months", "upfront"):
        if given[name] is not None:
            fields[name] = given[name]
    if given["currency"] is not None:
        fields["currency"] = str(given["currency"]).strip().upper()
    if given["tax_included"] is not None:
        fields["tax_included"] = _flag(given["tax_included"])
    try:
        price = Price(**fields)
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        name = {"amount": key, "unit": "price_unit", "per": "price_per"}.get(name, name)
        raise _Bad(name, given.get(name, fields["amount"]), _reason(error)) from None
    if hourly is not None and amount is not None:
        _agree(price, hourly, gpu_count)
    return price


def _agree(price: Price, hourly: object, gpu_count: int) -> None:
    """A row that states both prices must mean one thing: per GPU against per node is where money is lost."""
    try:
        stated = bounded_decimal(hourly)
    except InvalidNumber as error:
        raise _Bad("price_per_hour", hourly, str(error)) from None
    derived = price.per_hour(gpu_count)
    if abs(stated - derived) > derived * Decimal("0.005"):
        raise _Bad("price_per_hour", hourly, f"does not agree with `price`, which makes {derived:.6g} an hour")


def _offer(row: Mapping[str, Any], columns: _Columns) -> Offer:
    fields = dict(DEFAULTS)
    for key, cell in row.items():
        if key in DEFAULTS or key in ("provider", "gpu"):
            if key != "price" and not _blank(cell):
                fields[key] = columns.value(key, cell)
        elif key == "":
            raise _Bad("", cell, "not an offer")
    for key in ("provider", "gpu"):
        if key not in fields:
            raise _Bad(key, "", "is required")
    fields["price"] = columns.price(tuple(row.get(key) for key in PRICE_KEYS), fields["gpu_count"])
    return Offer.assemble(fields)


def _column_notes(name: str, keys: Iterable[str]) -> Iterator[str]:
    for key in keys:
        if key not in KEYS and key not in _IGNORED and key:
            near = difflib.get_close_matches(key, KEYS, 1, 0.7)
            yield f"{name}: unknown column {clean_line(key)!r} is not used" + (
                f"; did you mean {near[0]!r}?" if near else ""
            )


# Columns that `gpurent offers` and the catalogue write beside an offer's own.
_IGNORED = {"offer_id", "usd_per_hour", "usd_per_gpu_hour", "age_days", "card", "gpu_candidates", "warnings"}


def parse_offers(data: bytes, name: str, now: datetime, kind: str | None = None) -> OfferFile:
    """Read an offers file.

    Args:
        data: the file's bytes: csv, json (a list, or an object with `offers` or `rows`) or ndjson.
        name: what to call it in messages.
        now: taken for rows without `observed_at`.
        kind: "csv", "json" or "ndjson"; None: by the first character.

    Raises:
        Problem: unreadable as a whole, a required column missing, or no good row (exit 2).
    """
    notes: list[str] = []
    text = _text(data, name, notes)
    if not text.strip():
        raise Problem(f"{name} is empty", "", "give a csv, json or ndjson file of offers")
    is_json = kind in ("json", "ndjson") or (kind is None and text.lstrip()[:1] in "[{")
    rows = _json_rows(text, name) if is_json else _csv_rows(text, name)
    offers: list[Offer] = []
    rejected: list[Reject] = []
    columns = _Columns()
    headers: dict[str, None] = {}
    undated = 0
    collecting = gc.isenabled()
    gc.disable()  # a million small records and no cycles: collecting would double the time
    try:
        for place, row in rows:
            if not headers or is_json:
                headers.update(dict.fromkeys(row))
                if not is_json:
                    _require(headers, name)
            try:
                offer = _offer(row, columns)
            except _Bad as bad:
                rejected.append(
                    Reject(name, f"{place}, {bad.field}" if bad.field else place, _shown(bad.value), bad.reason)
                )
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
