"""Spread: lognormal draws with common random numbers, and the intervals read from them.

One stream of standard normal draws per uncertain THING, keyed by (kind, id): what two offers share cancels between
them. A stream is the same set of quantiles in an order of its own, so no seed, order or set of rows changes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from gpurent.tables import constants

Floats = NDArray[np.float64]

DRAWS = 256


@cache
def _quantiles() -> Floats:
    """The middle of each of DRAWS equal slices of the standard normal, scaled to unit variance."""
    normal = NormalDist()
    middle = np.array([normal.inv_cdf((i + 0.5) / DRAWS) for i in range(DRAWS)])
    scaled: Floats = middle / np.sqrt((middle**2).mean())
    return scaled


@cache
def _stream(kind: str, key: str) -> Floats:
    digest = hashlib.blake2b(f"{kind}\x1f{key}".encode(), digest_size=16).digest()
    generator = np.random.Generator(np.random.Philox(key=int.from_bytes(digest, "big")))
    # Sorting raw 64-bit words is a shuffle that no version of numpy's own shuffle can change.
    order = np.argsort(generator.bit_generator.random_raw(DRAWS), kind="stable")
    stream: Floats = _quantiles()[order]
    stream.setflags(write=False)
    return stream


def normals(kind: str, keys: Sequence[str]) -> Floats:
    """Standard normal draws of things, shape (len(keys), DRAWS); equal (kind, key) have equal draws.

    >>> bool((normals("cpu", ["a"]) == normals("cpu", ["b", "a"])[1]).all())
    True
    """
    if not len(keys):
        return np.zeros((0, DRAWS))
    distinct = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    streams = np.stack([_stream(kind, key) for key in distinct])
    drawn: Floats = streams[[distinct[key] for key in keys]]
    return drawn


def sigma(name: str) -> float:
    """A spread of tables/spreads.csv: the sigma of the log."""
    return constants("spreads")[name]


def interval(draws: Floats) -> tuple[Floats, Floats]:
    """The 10 % and 90 % quantiles of draws, shape (n, DRAWS) -> two of shape (n,); NaN where a draw is NaN."""
    model = constants("model")
    if not len(draws):
        return np.zeros(0), np.zeros(0)
    with np.errstate(invalid="ignore"):
        low, high = np.quantile(draws, [model["interval_low"], model["interval_high"]], axis=1)
    return low, high


def z_score(quantile: float) -> float:
    """How many sigmas a quantile of the normal lies from its middle.

    >>> round(z_score(0.9), 3)
    1.282
    """
    return NormalDist().inv_cdf(quantile)
