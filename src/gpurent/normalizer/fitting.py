"""The compute relation of one task: four coefficients and container factors, by least squares on the relative error.

    unit_s = (a / matrix_rate + b / bandwidth + c + d / batch) * factor(container)

Used by tools/fit.py to write tables/coefficients.csv, and by the validation to fit again without what it scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_TERMS = 4
# Which columns each of the 15 possible supports uses.
_SUPPORTS = np.array(list(product((False, True), repeat=_TERMS)))[1:]
_RIDGE = 1e-10  # of unit columns: two that cannot be told apart share, instead of failing
_ITERATIONS = 1000
_CONVERGED = 1e-10


@dataclass(frozen=True)
class Fit:
    """Coefficients of one task and precision group.

    `terms` = (a TFLOP per unit, b GB per unit, c seconds per unit, d seconds per step) with the batch counted in
    samples; `factors` multiply the unit time of a container (1 for the reference containers).
    """

    terms: Floats
    factors: dict[str, float]


def design(matrix_tflops: Floats, bandwidth_gbyte_s: Floats, batch: Floats) -> Floats:
    """The four columns 1/matrix_rate, 1/bandwidth, 1, 1/batch; shape (n, 4)."""
    ones = np.ones_like(batch)
    return np.stack([1.0 / matrix_tflops, 1.0 / bandwidth_gbyte_s, ones, 1.0 / batch], axis=1)


def non_negative_least_squares(columns: Floats, target: Floats) -> Floats:
    """argmin |columns x - target| with x >= 0, exactly, for four columns.

    The best non-negative point is the plain least-squares point of the columns it uses: all 15 supports are tried.

    >>> non_negative_least_squares(np.eye(4), np.array([2.0, -1.0, 0.0, 3.0])).round(6).tolist()
    [2.0, 0.0, 0.0, 3.0]
    """
    scale = np.sqrt((columns**2).sum(axis=0))
    scale[scale == 0] = 1.0
    scaled = columns / scale
    gram, moment = scaled.T @ scaled + _RIDGE * np.eye(_TERMS), scaled.T @ target
    # Columns out of a support become x = 0 by an identity row, so that one call solves all supports.
    inside = _SUPPORTS[:, :, None] & _SUPPORTS[:, None, :]
    x = np.linalg.solve(np.where(inside, gram, np.eye(_TERMS)), np.where(_SUPPORTS, moment, 0.0)[:, :, None])[:, :, 0]
    gains = 2 * x @ moment - np.einsum("si,ij,sj->s", x, gram, x)  # how much the squared error falls
    gains = np.where((x >= 0).all(axis=1), gains, -np.inf)
    result: Floats = x[int(np.argmax(gains))] / scale if gains.max() > 0 else np.zeros(_TERMS)
    return result


def fit(columns: Floats, unit_s: Floats, containers: list[str], reference: set[str], *, prior_rows: float) -> Fit:
    """Fit terms and container factors in turn until neither moves.

    A container's factor counts `prior_rows` rows that say 1, so that one of few rows cannot run away.

    Args:
        columns: `design` of the measured rows.
        unit_s: measured seconds per unit.
        containers: the container of each row.
        reference: containers whose factor is 1; where none of them is present, all share the factor 1.
    """
    names = sorted(set(containers))
    index = np.array([names.index(name) for name in containers])
    free = [i for i, name in enumerate(names) if name not in reference] if reference & set(names) else []
    factors = np.ones(len(names))
    terms = np.zeros(columns.shape[1])
    for _ in range(_ITERATIONS):
        relative = columns * (factors[index] / unit_s)[:, None]
        terms = non_negative_least_squares(relative, np.ones(len(unit_s)))
        ratio = columns @ terms / unit_s
        moved = 0.0
        for i in free:
            mine = ratio[index == i]
            factor = float((mine.sum() + prior_rows) / ((mine**2).sum() + prior_rows))
            moved = max(moved, abs(factor - factors[i]))
            factors[i] = factor
        if moved < _CONVERGED:
            break
    return Fit(terms, {name: float(factors[i]) for i, name in enumerate(names)})
