"""The model's error on the page is what the model's validation says now."""

from __future__ import annotations

import pytest

from gpurent import tables
from gpurent.validation import one_gpu, scores, several_gpus


@pytest.mark.parametrize(
    ("name", "cells"),
    [("newer", one_gpu.newer), ("several_one_known", several_gpus.one_known)],
    ids=["newer", "several"],
)
def test_the_table_is_not_older_than_the_model(name: str, cells: object) -> None:
    """Two of its rows, scored anew; where they differ, `tools/refresh_scores.py` writes the table again."""
    row = next(row for row in tables.rows("model_errors") if row["score"] == name)
    now = scores.errors(cells())  # type: ignore[operator]
    assert now["n"] == int(row["n"])
    assert now["median_ape"] == pytest.approx(float(row["median_share"]), abs=0.0011)
    assert now["p90_ape"] == pytest.approx(float(row["p90_share"]), abs=0.0011)
