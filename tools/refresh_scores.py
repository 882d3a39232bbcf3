"""Write the model's error into tables/model_errors.csv, where the page reads it: python tools/refresh_scores.py [DAY]

Scoring takes seconds, so it is done here and not for every page; tests/page/test_scores.py scores two of the rows anew.
"""

from __future__ import annotations

import csv
import sys
from datetime import UTC, datetime
from pathlib import Path

from gpurent.validation import score

TARGET = Path(__file__).parents[1] / "src" / "gpurent" / "tables" / "model_errors.csv"
SCORES = (
    "one_gpu_card", "one_gpu_die", "newer", "several_one_known", "several_unseen", "bandwidth", "flops",
)  # fmt: skip


def main(day: str) -> None:
    """Score the package and write the rows the page shows."""
    found = score()["scores"]
    with TARGET.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["score", "median_share", "p90_share", "n", "source", "as_of"])
        for name in SCORES:
            each = found[name]
            writer.writerow([name, f"{each['median_ape']:.3f}", f"{each['p90_ape']:.3f}", each["n"], "gpurent", day])
    print(TARGET.read_text(encoding="utf-8"), end="")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else datetime.now(UTC).date().isoformat())
