"""The order of offers, and which of them the noise cannot tell apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

TIED_ABOVE = 0.2  # probability of being cheaper than the first that counts as tied (MODEL 9)
_SAME = 1e-9  # relative difference below which two keys are one: arithmetic noise, not money


def order(key: Floats, last: Bools, name: Callable[[int], str]) -> Ints:
    """Positions of offers, best first; the order of the input changes nothing.

    Args:
        key: what is sorted by, small is good; NaN goes to the end.
        last: offers that never stand before one that is not (a hopeless spot price).
        name: of the offer at a position; asked only where keys are equal.
    """
    ordered = np.lexsort((key, last)).astype(np.int64)
    sorted_key, sorted_last = key[ordered], last[ordered]
    with np.errstate(invalid="ignore"):
        same = np.abs(np.diff(sorted_key)) <= _SAME * np.abs(sorted_key[1:])
    same &= np.diff(sorted_last.astype(np.int8)) == 0
    starts = np.flatnonzero(np.concatenate(([True], ~same)))
    ends = np.append(starts[1:], len(ordered))
    for start, end in zip(starts, ends, strict=True):
        if end - start > 1:
            ordered[start:end] = sorted(ordered[start:end], key=lambda place: name(int(place)))
    return ordered


def tied_with_best(cost_draws: Floats, best: int) -> Bools:
    """Which offers may well be cheaper than the first: P(cost < cost of the first) > 0.2, ties counted half.

    Draws of what two offers share are the same numbers in both, so what they share neither ties nor parts them.

    Args:
        cost_draws: shape (n, draws), US dollars an epoch.
        best: row of the first.
    """
    first = cost_draws[best]
    cheaper = (cost_draws < first).mean(axis=1) + 0.5 * (cost_draws == first).mean(axis=1)
    tied = cheaper > TIED_ABOVE
    tied[best] = True
    return np.asarray(tied, dtype=bool)
