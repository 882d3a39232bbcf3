"""A csv of measured rates as rows of text: delimiter, encoding and line ends as they come, nothing believed yet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpurent.errors import USAGE, Problem
from gpurent.offer_rows import text_of

_MAX_BYTES = 64 * 2**20


def rows(path: Path, required: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The lines of a csv as (line number, column -> cell).

    Args:
        path: a csv with a header; comma, semicolon or tab; UTF-8, else gb18030.
        required: columns that the header must name.

    Raises:
        Problem: unreadable or too large, a column missing or twice, a line with more cells than the header.
    """
    text = _text(path)
    reader = csv.reader(io.StringIO(text), delimiter=_delimiter(text, required))
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        _check_header(header, required)
        for cells in reader:
            if not any(cells):
                continue
            if any(cells[len(header) :]):
                raise Problem(
                    "a line has more cells than the header",
                    f"line {reader.line_num}: {len(cells)} of {len(header)}",
                    "quote cells that hold the delimiter",
                )
            cells += [""] * (len(header) - len(cells))
            yield reader.line_num, dict(zip(header, map(str.strip, cells), strict=False))
    except csv.Error as error:
        raise Problem("a line cannot be read as csv", f"line {reader.line_num}: {error}", "mend the line") from None


def _check_header(header: Sequence[str], required: Sequence[str]) -> None:
    missing = [name for name in required if name not in header]
    if missing:
        hint = f"the first line must name {', '.join(required)}"
        raise Problem("measured rates lack a column", f"line 1: no {', '.join(missing)}", hint)
    doubled = next((name for name in header if name and header.count(name) > 1), None)
    if doubled:
        raise Problem("a column stands twice", f"line 1: {doubled}", "keep one of them")


def _delimiter(text: str, required: Sequence[str]) -> str:
    """The mark, of comma, semicolon and tab, that splits the header into columns we know."""
    header = text.split("\n", 1)[0].lower()
    return max(",;\t", key=lambda mark: len(set(required) & {name.strip() for name in header.split(mark)}))


def _text(path: Path) -> str:
    """The file as text with one kind of line end; UTF-8, else gb18030."""
    name = "the file of measured rates"
    try:
        if path.is_dir():
            raise Problem("measured rates are read from a csv file", str(path), "name the file, not its folder", USAGE)
        with path.open("rb") as file:  # bounded: a device or a pipe has no size to ask for
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise Problem(f"{name} cannot be read", f"{path}: {error.strerror}", "check the path") from None
    if len(data) > _MAX_BYTES:
        raise Problem(f"{name} is too large", str(path), f"at most {_MAX_BYTES >> 20} MiB are read", USAGE)
    return text_of(data, name, []).replace("\r\n", "\n").replace("\r", "\n")
