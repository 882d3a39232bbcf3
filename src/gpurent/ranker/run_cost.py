"""From samples per second and a price to what a run and an epoch of it cost."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gpurent import tables
from gpurent.ranker import spot

Floats = NDArray[np.float64]
GIB = 2.0**30
_HOUR_S = 3600.0
_MONTH_H = 720.0


@dataclass(frozen=True)
class Job:
    """What is run, as plain numbers (bytes, seconds)."""

    samples_per_epoch: float
    epochs: float
    dataset_bytes: float
    checkpoint_bytes: float
    checkpoint_interval_s: float | None


@dataclass(frozen=True)
class Terms:
    """What is paid, one entry an offer; US dollars, seconds, GiB."""

    usd_per_hour: Floats
    increment_s: Floats
    minimum_s: Floats
    usd_per_gib_month: Floats
    included_gib: Floats
    usd_per_egress_gib: Floats
    usd_per_ingress_gib: Floats
    spot: NDArray[np.bool_]
    interruptions_per_hour: Floats

    def take(self, index: NDArray[np.int64]) -> Terms:
        """The same columns for a selection of offers."""
        return Terms(**{name: column[index] for name, column in vars(self).items()})

    def times(self, nodes: int) -> Terms:
        """What so many equal machines charge together; each may be interrupted, each loads the data."""
        if nodes == 1:
            return self
        several = ("usd_per_hour", "usd_per_gib_month", "usd_per_ingress_gib", "interruptions_per_hour")
        return replace(self, **{name: nodes * getattr(self, name) for name in several})


@dataclass(frozen=True)
class RunCost:
    """What the run takes and costs, one entry an offer (and a draw)."""

    run_s: Floats
    billed_s: Floats
    run_cost_usd: Floats
    cost_per_epoch_usd: Floats
    steady_cost_per_epoch_usd: Floats


def steady_epoch_s(samples_per_s: Floats, steps: Floats, synthetic_anchor: NDArray[np.bool_], job: Job) -> Floats:
    """Seconds of an epoch once caches are warm: samples / rate + 5, and 0.75 ms a step where the anchor was synthetic.

    Source: gpurent (run_model constants `epoch_overhead_s`, `step_overhead_s`), MODEL 8.
    """
    constants = tables.constants("run_model")
    overhead = constants["epoch_overhead_s"] + np.where(synthetic_anchor, constants["step_overhead_s"] * steps, 0.0)
    return job.samples_per_epoch / samples_per_s + overhead


def run_cost(
    terms: Terms, steady_s: Floats, first_s: Floats, setup_s: Floats, checkpoint_write_s: Floats, job: Job
) -> RunCost:
    """What a run of `job.epochs` epochs costs on each offer.

        run = setup + first epoch + (epochs - 1) * steady + checkpoints
        billed = max(minimum, ceil(run / increment) * increment)
        run_cost = price * billed + storage while it lasts + egress + ingress
        cost_per_epoch = run_cost / epochs          steady = price * steady epoch

    Args:
        terms: what is paid.
        steady_s, first_s: an epoch's seconds, warm and first; shape (n,) or (n, draws).
        setup_s: boot, image and data set, s.
        checkpoint_write_s: seconds one checkpoint holds the run up.
        job: what is run.

    Source: MODEL 8.
    """
    wide = (slice(None), None) if steady_s.ndim == 2 else slice(None)
    training = first_s * min(1.0, job.epochs) + steady_s * max(0.0, job.epochs - 1)
    if job.checkpoint_interval_s:
        training = training + np.floor(training / job.checkpoint_interval_s) * checkpoint_write_s[wide]
    run = setup_s[wide] + training
    is_spot = terms.spot[wide]
    if terms.spot.any():
        wall = spot.expected_wall_s(run, terms.interruptions_per_hour[wide], setup_s[wide], job.checkpoint_interval_s)
        run = np.where(is_spot, wall, run)
    increment = terms.increment_s[wide]
    # A run that ends on the increment to the last bit must not be pushed into the next one by rounding.
    whole = np.ceil(np.round(run / increment, 9)) * increment
    billed = np.maximum(terms.minimum_s[wide], whole)
    price_s = terms.usd_per_hour[wide] / _HOUR_S
    stored_gib = np.maximum(0.0, (job.dataset_bytes + job.checkpoint_bytes) / GIB - terms.included_gib)
    storage = (stored_gib * terms.usd_per_gib_month)[wide] * billed / (_MONTH_H * _HOUR_S)
    moved = (
        job.checkpoint_bytes / GIB * terms.usd_per_egress_gib + job.dataset_bytes / GIB * terms.usd_per_ingress_gib
    )[wide]
    cost = price_s * billed + storage + moved
    return RunCost(run, billed, cost, cost / job.epochs, price_s * steady_s)
