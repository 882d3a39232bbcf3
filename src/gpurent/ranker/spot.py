"""Interruptible prices: how long a run takes when the machine may be taken away."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NEVER = 20.0  # interruptions a segment from which it is never done, e^20 tries; grows only in proportion beyond
_RARE = 1e-12  # interruptions a segment below which there are none


def expected_wall_s(
    run_s: Floats, interruptions_per_hour: Floats, restart_s: Floats, checkpoint_interval_s: float | None
) -> Floats:
    """Expected wall time of a run under memoryless interruptions.

    A segment of length tau that starts anew when it is interrupted takes expm1(lambda tau) / lambda of running and
    expm1(lambda tau) restarts of R seconds:

        wall = run / tau * expm1(lambda tau) * (1 / lambda + R)

    Args:
        run_s: time the run takes uninterrupted, s.
        interruptions_per_hour: lambda, 1/h; 0 leaves the run as it is.
        restart_s: R, from the interruption until the work goes on, s.
        checkpoint_interval_s: tau; None: no checkpoints, the whole run is one segment.

    Source: memoryless renewal argument, docs/model.md.

    >>> float(expected_wall_s(np.array([3600.0]), np.array([0.0]), np.array([60.0]), None)[0])
    3600.0
    """
    rate = np.asarray(interruptions_per_hour, dtype=float) / 3600
    run = np.asarray(run_s, dtype=float)
    tau = run if checkpoint_interval_s is None else np.minimum(run, checkpoint_interval_s)
    rare = rate * tau < _RARE
    rate = np.where(rare, 1.0, rate)
    with np.errstate(divide="ignore", invalid="ignore"):
        often = rate * tau
        growth = np.expm1(np.minimum(often, _NEVER)) * np.maximum(1.0, often / _NEVER)
        wall = run / tau * growth * (1 / rate + restart_s)
    return np.where(rare, run, wall)


def hopeless(run_s: Floats, interruptions_per_hour: Floats, checkpoint_interval_s: float | None) -> NDArray[np.bool_]:
    """Whether a run without checkpoints is so long that it is never called cheaper: lambda T > 2."""
    if checkpoint_interval_s is not None:
        return np.zeros(np.shape(run_s), dtype=bool)
    return np.asarray(run_s) * np.asarray(interruptions_per_hour) / 3600 > 2
