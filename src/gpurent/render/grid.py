"""Columns of text for people: rich on a terminal, plain and whole when piped."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

MISSING = "–"


class Column(NamedTuple):
    """A heading, and whether its cells are numbers (set to the right) or may be shortened on a narrow terminal."""

    heading: str
    right: bool = False
    shrinks: bool = False


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


def grid(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    """Rows under their headings: fitted to a terminal, plain and whole elsewhere."""
    if not sys.stdout.isatty():
        return plain_grid(columns, rows)
    from io import StringIO

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    terminal = Console()
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(
            Text(column.heading, style="bold"),
            justify="right" if column.right else "left",
            no_wrap=True,
            overflow="ellipsis",
            min_width=6 if column.shrinks else None,
            max_width=None if column.shrinks else 60,
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    needed = sum(
        max([width_of(column.heading), *(width_of(row[place]) for row in rows)]) + 1
        for place, column in enumerate(columns)
    )
    buffer = StringIO()
    Console(
        file=buffer, width=max(terminal.width, min(needed, 60)), force_terminal=True, markup=False, highlight=False,
        emoji=False, no_color=terminal.no_color,
    ).print(table)  # fmt: skip
    return buffer.getvalue().rstrip("\n")


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
    ('45 s', '10.0 min', '2.00 h', '4.17 d')
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
