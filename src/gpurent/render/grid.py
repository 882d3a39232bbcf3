"""Columns of text for people: rich on a terminal, plain and whole when piped."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

MISSING = "–"


class Column(NamedTuple):
    """A heading, and how its cells give way on a narrow terminal: shortened, or left out, the highest `drop` first."""

    heading: str
    right: bool = False  # numbers
    shrinks: bool = False
    drop: int = 0  # 0: never left out


def width_of(text: str) -> int:
    """Terminal cells of a text; Chinese characters take two."""
    from rich.cells import cell_len

    return cell_len(text)


def _padded(text: str, width: int, right: bool) -> str:
    space = " " * (width - width_of(text))
    return space + text if right else text + space


def plain_grid(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns, two spaces apart, nothing cut."""
    widths = [
        max([width_of(column.heading), *(width_of(row[place]) for row in rows)]) for place, column in enumerate(columns)
    ]
    lines = [[column.heading for column in columns], *rows]
    return "\n".join(
        "  ".join(
            _padded(cell, width, column.right) for cell, width, column in zip(line, widths, columns, strict=True)
        ).rstrip()
        for line in lines
    )


_LEAST = 14  # cells a shortened column keeps


def grid(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    """Rows under their headings: fitted to a terminal, numbers never cut; plain and whole when piped."""
    if not sys.stdout.isatty():
        return plain_grid(columns, rows)
    from rich.console import Console

    console = Console()
    text = plain_grid(*fitted(columns, rows, console.width))
    head, newline, body = text.partition("\n")
    return head + newline + body if console.no_color else f"\x1b[1m{head}\x1b[0m{newline}{body}"


def fitted(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int
) -> tuple[list[Column], list[list[str]]]:
    """The columns and cells that fit a width: texts are shortened first, then the least needed columns go."""
    sizes = [max([width_of(column.heading), *(width_of(row[at]) for row in rows)]) for at, column in enumerate(columns)]
    least = [
        max(width_of(column.heading), min(size, _LEAST)) if column.shrinks else size
        for column, size in zip(columns, sizes, strict=True)
    ]
    kept = list(range(len(columns)))

    def over(widths: Sequence[int]) -> int:
        return sum(widths[at] for at in kept) + 2 * (len(kept) - 1) - width

    while over(least) > 0 and any(columns[at].drop for at in kept):
        kept.remove(max(kept, key=lambda at: columns[at].drop))
    for at in sorted(kept, key=lambda at: least[at] - sizes[at]):
        sizes[at] = max(least[at], sizes[at] - max(0, over(sizes)))
    return [columns[at] for at in kept], [[shortened(row[at], sizes[at]) for at in kept] for row in rows]


def shortened(text: str, width: int) -> str:
    """A text in at most so many terminal cells, its end marked where it is cut.

    >>> shortened("a100-sxm-80gb", 8)
    'a100-sx…'
    """
    if width_of(text) <= width:
        return text
    from rich.cells import set_cell_size

    return set_cell_size(text, width - 1).rstrip() + "…"


def significant(value: float | None, digits: int = 3) -> str:
    """A number to a few significant digits, thousands set apart; missing is a dash.

    >>> significant(1234.5), significant(0.04567), significant(None)
    ('1,230', '0.0457', '–')
    """
    if value is None:
        return MISSING
    if value == 0:
        return "0"
    from math import floor, log10

    places = digits - 1 - floor(log10(abs(value)))
    rounded = round(value, places)
    return f"{rounded:,.{max(0, places)}f}"


def counted(value: float) -> str:
    """A whole number whole, another one to four significant digits.

    >>> counted(88641.0), counted(47.63)
    ('88,641', '47.63')
    """
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e12 else significant(value, 4)


def seconds(value: float | None) -> str:
    """A duration as a person says it.

    >>> seconds(45), seconds(600), seconds(7200), seconds(360000)
    ('45.0 s', '10.0 min', '2.00 h', '4.17 d')
    """
    if value is None:
        return MISSING
    for size, unit in ((86400 * 2, "d"), (5400, "h"), (90, "min")):
        if value >= size:
            return f"{significant(value / {'d': 86400, 'h': 3600, 'min': 60}[unit])} {unit}"
    return f"{significant(value)} s"


def bar(share: float | None, width: int = 10) -> str:
    """A share of one as blocks.

    >>> bar(0.5, 4)
    '██··'
    """
    if share is None:
        return MISSING
    full = round(max(0.0, min(1.0, share)) * width)
    return "█" * full + "·" * (width - full)
