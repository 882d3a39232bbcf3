"""The small least squares: exact on made-up cards, and never below zero."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpurent.normalizer.fitting import design, fit, non_negative_least_squares

MATRIX = np.array([10.0, 40.0, 80.0, 160.0, 300.0, 700.0, 25.0, 120.0])
BANDWIDTH = np.array([300.0, 500.0, 900.0, 1000.0, 2000.0, 3300.0, 900.0, 600.0])
BATCH = np.array([4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 16.0, 24.0])
TRUE = np.array([0.6, 5.0, 2e-4, 0.05])


def test_made_up_cards_give_their_terms_back() -> None:
    columns = design(MATRIX, BANDWIDTH, BATCH)
    found = fit(columns, columns @ TRUE, ["new"] * 8, {"new"}, prior_rows=0.1)
    assert found.terms == pytest.approx(TRUE, rel=1e-4)
    assert found.factors == {"new": 1.0}


def test_an_older_container_gets_its_factor() -> None:
    columns = design(np.tile(MATRIX, 2), np.tile(BANDWIDTH, 2), np.tile(BATCH, 2))
    slower = np.repeat([1.0, 1.2], 8)
    found = fit(columns, columns @ TRUE * slower, ["new"] * 8 + ["old"] * 8, {"new"}, prior_rows=0.0)
    assert found.factors["old"] == pytest.approx(1.2, rel=1e-3)
    assert found.terms == pytest.approx(TRUE, rel=1e-2)


@settings(deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=8, max_size=8))
def test_no_term_is_negative_and_none_could_be_better(target: list[float]) -> None:
    columns = design(MATRIX, BANDWIDTH, BATCH)
    columns = columns / np.sqrt((columns**2).sum(axis=0))
    x = non_negative_least_squares(columns, np.array(target))
    assert (x >= 0).all()
    # At the best point no allowed direction lowers the error (Kuhn and Tucker).
    slope = columns.T @ (columns @ x - np.array(target))
    assert (slope >= -1e-6).all()
    assert abs(slope * x).max() < 1e-6


def test_columns_that_cannot_be_told_apart_do_not_fail() -> None:
    same = design(MATRIX, BANDWIDTH, np.full(8, 32.0))
    x = non_negative_least_squares(same, same @ TRUE)
    assert same @ x == pytest.approx(same @ TRUE, rel=1e-5)
