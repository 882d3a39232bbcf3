"""Draws: one stream a thing, the same whatever is asked beside it."""

from __future__ import annotations

import numpy as np
import pytest

from gpurent.normalizer import spread

FIRST_FOUR = [0.6099, -0.0835, 0.6217, -0.1826]


def test_a_thing_has_one_stream() -> None:
    alone = spread.normals("cpu", ["xeon"])
    among = spread.normals("cpu", ["epyc", "xeon", "epyc"])
    assert (alone[0] == among[1]).all()
    assert (among[0] == among[2]).all()
    assert not (among[0] == among[1]).all()


def test_kinds_are_apart() -> None:
    assert not (spread.normals("cpu", ["a"]) == spread.normals("disk", ["a"])).all()


def test_draws_are_standard_normal() -> None:
    drawn = spread.normals("card", [str(place) for place in range(40)])
    assert drawn.shape == (40, spread.DRAWS)
    assert drawn.mean(axis=1) == pytest.approx(np.zeros(40), abs=1e-9)
    assert drawn.std(axis=1) == pytest.approx(np.ones(40), abs=1e-9)
    correlations = np.corrcoef(drawn)[np.triu_indices(40, 1)]
    assert abs(correlations.mean()) < 0.02
    assert np.abs(correlations).max() < 0.3


def test_draws_never_change() -> None:
    """The order of the quantiles is part of every published interval."""
    drawn = spread.normals("card", ["rtx-3090/bert-large/amp"])[0]
    assert drawn[:4] == pytest.approx(FIRST_FOUR, abs=1e-4)


def test_interval_of_a_lognormal() -> None:
    low, high = spread.interval(np.exp(0.1 * spread.normals("card", ["a", "b"])))
    assert low == pytest.approx(np.exp([-0.128, -0.128]), rel=0.01)
    assert high == pytest.approx(np.exp([0.128, 0.128]), rel=0.01)


def test_nothing_in_nothing_out() -> None:
    assert spread.normals("card", []).shape == (0, spread.DRAWS)
    assert [column.tolist() for column in spread.interval(np.zeros((0, spread.DRAWS)))] == [[], []]
    assert np.isnan(spread.interval(np.full((1, spread.DRAWS), np.nan))[0]).all()
