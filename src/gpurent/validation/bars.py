"""Bars: what every score must reach, from tables/validation_bars.csv."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpurent import tables


@dataclass(frozen=True)
class Bar:
    """One line of the bars and how it fared; `holds` is None where there was nothing to score."""

    score: str
    statistic: str
    n: int
    value: float | None
    bound: str  # max | min
    limit: float
    reference: float | None
    holds: bool | None
    note: str


def judge(scope: str, scores: Mapping[str, Mapping[str, Any]]) -> list[Bar]:
    """Every bar of a scope against the scores of a run.

    Args:
        scope: "package" or "file".
        scores: statistics by score; each has its `n`.

    >>> told = judge("file", {"one_gpu": {"n": 9, "median_ape": 0.05, "p90_ape": 0.2, "pair_order": 0.99}})
    >>> [bar.holds for bar in told][:4]
    [True, True, True, None]
    """
    return [_bar(row, scores.get(row["score"], {})) for row in tables.rows("validation_bars") if row["scope"] == scope]


def _bar(row: Mapping[str, str], score: Mapping[str, Any]) -> Bar:
    value, limit = score.get(row["statistic"]), float(row["limit_share"])
    holds = None if value is None else bool(value <= limit if row["bound"] == "max" else value >= limit)
    return Bar(
        row["score"], row["statistic"], int(score.get("n", 0)), value, row["bound"], limit,
        tables.number(row["reference_share"]), holds, row["note"],
    )  # fmt: skip
