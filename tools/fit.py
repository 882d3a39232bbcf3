"""Fit the compute relation to tables/rates.csv; write coefficients.csv, container_factors.csv, card_deviations.csv.

    python tools/fit.py [FOLDER]        default: src/gpurent/tables

A task with at least four card variants of known batch is fitted. One with fewer, or whose own leave-one-out error is
too large at the 90 % point, takes the shape of a kindred task times the median ratio of unit times.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

from gpurent.normalizer import refit

FOLDER = Path(__file__).parents[1] / "src" / "gpurent" / "tables"
COEFFICIENTS = (
    "task", "stack", "group", "kind", "a_tflop", "b_gbyte", "c_s", "d_step_s", "ratio", "cards", "rows",
    "loo_median", "loo_p90", "source", "as_of",
)  # fmt: skip
DEVIATIONS = ("task", "stack", "group", "card", "precision", "time_ratio", "rows", "source", "as_of")
FACTORS = ("task", "stack", "group", "container", "factor", "rows", "source", "as_of")


def main(folder: Path) -> None:
    coefficients, factors, deviations = refit.tables_of_all_tasks()
    _write(folder / "coefficients.csv", COEFFICIENTS, coefficients)
    _write(folder / "container_factors.csv", FACTORS, factors)
    _write(folder / "card_deviations.csv", DEVIATIONS, deviations)


def _write(path: Path, columns: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
