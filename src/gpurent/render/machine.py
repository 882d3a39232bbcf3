"""Rows for machines: json, ndjson, csv, markdown. No NaN, derived floats to 6 significant digits."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

Rows = Sequence[Mapping[str, Any]]


def plain(value: Any) -> Any:
    """A value as JSON may hold it: floats to 6 significant digits, no NaN or infinity, dates and decimals as text.

    >>> plain(1 / 3), plain(float("nan"))
    (0.333333, None)
    """
    if isinstance(value, bool) or value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return float(value) if value.is_finite() else None
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [plain(item) for item in value]
    if hasattr(value, "item"):
        return plain(value.item())
    return str(value)


def json_text(answer: Mapping[str, Any]) -> str:
    """One object on one line, UTF-8; indenting would take longer than the ranking."""
    return json.dumps(plain(answer), ensure_ascii=False, allow_nan=False)


def ndjson_text(rows: Rows) -> str:
    """One object a line."""
    return "".join(json.dumps(plain(row), ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


def _columns(rows: Rows, columns: Iterable[str] | None) -> list[str]:
    if columns is not None:
        return list(columns)
    return list(dict.fromkeys(key for row in rows[:1] for key in row))


def _cell(value: Any) -> str:
    value = plain(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def csv_text(rows: Rows, columns: Iterable[str] | None = None) -> str:
    """csv with a header; missing is empty."""
    names = _columns(rows, columns)
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(row.get(name)) for name in names] for row in rows)
    return buffer.getvalue()


def markdown_text(rows: Rows, columns: Iterable[str] | None = None) -> str:
    """A pipe table; bars and markup of outside text are escaped."""
    names = _columns(rows, columns)
    lines = ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
    for row in rows:
        cells = (_cell(row.get(name)) for name in names)
        lines.append("| " + " | ".join(_escaped(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    for mark in "\\`*_{}[]<>|":
        text = text.replace(mark, "\\" + mark)
    return text.replace("\n", " ")
