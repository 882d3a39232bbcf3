"""The compute relation of one task: four coefficients and container factors, by least squares on the relative error.

    unit_s = (a / matrix_rate + b / bandwidth + c + d / batch) * factor(container)

Used by tools/fit.py to write tables/coefficients.csv, and by the validation to fit again without what it scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_TERMS = 4
_SUPPORTS = [list(support) for size in range(1, _TERMS + 1) for support in combinations(range(_TERMS), size)]
_ITERATIONS = 60
_CONVERGED = 1e-12


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
    """argmin |columns x - target| with x >= 0, exactly, for at most four columns.

    The best non-negative point is the plain least-squares point of the columns it uses: all 15 supports are tried.

    >>> non_negative_least_squares(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([2.0, -1.0])).tolist()
    [2.0, 0.0]
    """
    scale = np.sqrt((columns**2).sum(axis=0))
    scale[scale == 0] = 1.0
    scaled = columns / scale
    gram, moment = scaled.T @ scaled, scaled.T @ target
    best, best_gain = np.zeros(columns.shape[1]), 0.0
    for support in _SUPPORTS:
        if support[-1] >= columns.shape[1]:
            continue
        x = np.zeros(columns.shape[1])
        try:
            x[support] = np.linalg.solve(gram[np.ix_(support, support)], moment[support])
        except np.linalg.LinAlgError:
            continue
        gain = 2 * x @ moment - x @ gram @ x  # how much the squared error falls
        if (x >= 0).all() and np.isfinite(gain) and gain > best_gain * (1 + 1e-9):
            best, best_gain = x, float(gain)
    result: Floats = best / scale
    return result


def fit(columns: Floats, unit_s: Floats, containers: list[str], reference: set[str]) -> Fit:
    """Fit terms and container factors in turn until neither moves.

    Args:
        columns: `design` of the measured rows.
        unit_s: measured seconds per unit.
        containers: the container of each row.
        reference: containers whose factor is 1; where none is present, all share the factor 1.
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
            factor = float(mine.sum() / (mine**2).sum())
            moved = max(moved, abs(factor - factors[i]))
            factors[i] = factor
        if moved < _CONVERGED:
            break
    return Fit(terms, {name: float(factors[i]) for i, name in enumerate(names)})
