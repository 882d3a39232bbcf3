"""Every number of the product, and the one reader of them.

Tables are csv files beside this module: unit in the column name, `source` a key of sources.csv, `as_of` a date.
"""

from __future__ import annotations

import csv
import io
from functools import cache
from importlib.resources import files


@cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """All rows of a table, cells as text ("" = unknown).

    Args:
        name: file name without `.csv`; a folder is allowed ("sparecores/cpu_scores").

    >>> rows("cards")[0]["card"] != ""
    True
    """
    text = files(__package__).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(io.StringIO(text, newline="")))


def number(cell: str) -> float | None:
    """A numeric cell; an empty one is unknown."""
    return float(cell) if cell else None


@cache
def constants(name: str) -> dict[str, float]:
    """A table of single numbers (columns `key`, `value`, ...) as a mapping."""
    return {row["key"]: float(row["value"]) for row in rows(name)}
