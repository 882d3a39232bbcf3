"""A file of offers as rows of text, whatever its format: nothing is believed yet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from gpurent.errors import Problem
from gpurent.offer import clean_line

MAX_BYTES = 128 * 2**20
MAX_COLUMNS = 1000


def text_of(data: bytes, name: str, notes: list[str]) -> str:
    """A file's text: UTF-8, else gb18030 with a note.

    Raises:
        Problem: too large, or no text.
    """
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


def csv_rows(text: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Lines of a csv (comma, tab or semicolon) as (place, header -> cell).

    Raises:
        Problem: no header, a doubled column, or no readable csv.
    """
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
        if len(header) > MAX_COLUMNS:
            raise Problem(f"{name} has too many columns", len(header), f"the offers file has {MAX_COLUMNS} at the most")
        doubled = next((key for key in header if key and header.count(key) > 1), None)
        if doubled:
            raise Problem(f"{name}: a column stands twice", doubled, "keep one of them")
        for cells in reader:
            if any(cells):
                extra = cells[len(header) :]
                row = {"": ",".join(extra)} if any(extra) else dict(zip(header, cells, strict=False))
                yield f"line {reader.line_num}", row
    except csv.Error as error:
        raise Problem(
            f"{name} is not readable csv", f"line {reader.line_num}: {error}", "check quotes and cell sizes"
        ) from None


def json_rows(text: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Offers of a JSON list, of an object with `offers` or `rows`, or of ndjson, as (place, key -> value).

    Raises:
        Problem: no valid JSON, nested too deep, or nothing that could hold offers.
    """
    whole: Any
    try:
        whole = json.loads(text, parse_constant=str, parse_float=str, parse_int=str)
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
    if isinstance(whole, str) or not isinstance(whole, list):
        raise Problem(f"{name} holds no offers", type(whole).__name__, "give a list, or an object with `offers`")
    for number, row in enumerate(whole, 1):
        yield f"row {number}", row if isinstance(row, dict) else {"": row}


def _ndjson_rows(lines: list[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line, parse_constant=str, parse_float=str, parse_int=str)
        except (ValueError, RecursionError):
            row = None
        yield f"line {number}", row if isinstance(row, dict) else {"": line[:80]}
