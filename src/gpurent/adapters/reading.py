"""Reading bodies nobody promised: JSON with bounded numbers, csv, and the tables beside an adapter.

A whole answer of another shape raises ShapeChanged. Rows are read by `row.Row`; adapters import all of it from here.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from gpurent.adapters.contract import ShapeChanged
from gpurent.adapters.row import DUPLICATE, MAX_READ, NO_GPU, NOT_ABOVE_ZERO, Bad, Row, each, numbered, shown, unique
from gpurent.money import MAX_CHARACTERS
from gpurent.offer import clean_line
from gpurent.tables import rows

__all__ = [
    "DUPLICATE",
    "NOT_ABOVE_ZERO",
    "NO_GPU",
    "Bad",
    "Row",
    "carried",
    "each",
    "listed",
    "mapped",
    "numbered",
    "provider_id",
    "read_csv",
    "read_json",
    "shown",
    "table",
    "terms",
    "unique",
]

_TERMS = frozenset(
    {
        "billing_increment_s", "minimum_billed_s", "storage_per_gib_month", "storage_stopped_per_gib_month",
        "egress_per_gib", "ingress_per_gib",
    }
)  # fmt: skip


@lru_cache(maxsize=4096)
def _number(text: str) -> Decimal | str:
    """JSON's numbers as exact decimals; one too long to be read cheaply stays text and is refused where it is used."""
    if len(text) > MAX_CHARACTERS:
        return text
    try:
        return Decimal(text)
    except InvalidOperation:
        return text


def read_json(text: str | bytes, path: str) -> Any:
    """JSON from outside: numbers are Decimal, NaN and Infinity stay text.

    Args:
        text: the body, or a piece of it.
        path: what to name when it is not JSON, usually the part's name.

    Raises:
        ShapeChanged: not JSON, not UTF-8, nested too deep.

    >>> read_json('{"a": 1.50}', "body")
    {'a': Decimal('1.50')}
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        return json.loads(text, parse_float=_number, parse_int=_number, parse_constant=str)
    except RecursionError:
        raise ShapeChanged(path, "nested too deep") from None
    except ValueError:  # covers UnicodeDecodeError and JSONDecodeError
        start = text[:MAX_READ] if isinstance(text, str) else text[:MAX_READ].decode("utf-8", "replace")
        raise ShapeChanged(path, f"not JSON: {shown(start)}" if start.strip() else "empty body") from None


def listed(body: object, key: str, path: str) -> list[Any]:
    """The list under `key` of a JSON object, or the shape changed."""
    if not isinstance(body, dict):
        raise ShapeChanged(path, f"not an object: {shown(body)}")
    if key not in body:
        raise ShapeChanged(f"{path}.{key}", f"missing; there are {shown(', '.join(map(str, list(body)[:8])))}")
    if not isinstance(body[key], list):
        raise ShapeChanged(f"{path}.{key}", f"not a list: {shown(body[key])}")
    return body[key]  # type: ignore[no-any-return]


def mapped(body: object, key: str, path: str) -> dict[str, Any]:
    """The object under `key` of a JSON object, or the shape changed."""
    if not isinstance(body, dict):
        raise ShapeChanged(path, f"not an object: {shown(body)}")
    if not isinstance(body.get(key), dict):
        raise ShapeChanged(f"{path}.{key}", f"not an object: {shown(body.get(key, 'missing'))}")
    return body[key]  # type: ignore[no-any-return]


def carried(items: Sequence[object], key: str, path: str) -> None:
    """Check that rows still carry a field: the shape changed when none of them does (a renamed field).

    Raises:
        ShapeChanged: there are rows, and not one has `key`.
    """
    if items and not any(isinstance(item, Mapping) and key in item for item in items):
        raise ShapeChanged(f"{path}[].{key}", "missing in every row")


def read_csv(body: bytes, path: str, needed: Iterable[str]) -> Iterator[tuple[str, object]]:
    """Rows of a csv body as (path, cells by column name), for `each`; columns may stand in any order.

    A line the csv reader cannot take is given as its error, which `each` rejects, and the next line is read.

    Raises:
        ShapeChanged: not UTF-8 text, or a needed column is not in the header.
    """
    try:
        lines = csv.reader(io.StringIO(body.decode("utf-8-sig"), newline=""))
        header = [clean_line(cell) for cell in next(lines, [])]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ShapeChanged(path, f"not csv: {shown(str(error))}") from None
    for column in needed:
        if column not in header:
            raise ShapeChanged(f"{path}.{column}", f"no such column; there are {shown(', '.join(header))}")
    while True:
        try:
            cells = next(lines, None)
        except csv.Error as error:
            yield f"line {lines.line_num}", f"not csv: {error}"
            continue
        if cells is None:
            return
        if any(cells):
            cells += [""] * (len(header) - len(cells))
            yield f"line {lines.line_num}", dict(zip(header, cells, strict=False))


@cache
def table(package: str, name: str) -> tuple[dict[str, str], ...]:
    """The rows of a csv that lies beside an adapter.

    Args:
        package: the adapter's package (`__package__`).
        name: file name without `.csv`.
    """
    text = files(package).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


@cache
def _provider_ids() -> dict[str, str]:
    named = {alias: row["provider"] for row in rows("providers") for alias in row["aliases"].split("|") if alias}
    return named | {row["provider"]: row["provider"] for row in rows("providers")}


def provider_id(name: str) -> str:
    """The id of a cloud a catalogue or reseller names ("massedcompute"), by tables/providers.csv; a stranger's name.

    >>> provider_id("massedcompute")
    'massed-compute'
    """
    line = clean_line(name).lower()
    return _provider_ids().get(line, line)


@cache
def terms(provider: str) -> dict[str, str]:
    """What is known of a provider's billing, as Offer fields, from tables/providers.csv; {} for a stranger."""
    row = next((row for row in rows("providers") if row["provider"] == provider), {})
    return {key: row[key] for key in _TERMS if row.get(key)}
