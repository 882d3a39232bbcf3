"""Stages together: what read, prep and compute give as one rate, and which of them decides."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpurent.hardware.machines import Bools, Floats, Ints
from gpurent.tables import constants

LIMITS = ("gpu", "sync", "cpu", "disk")  # codes of `Combined.limit`; -1 in `limit_also` is none
REASONS = ("gpu", "sync", "prep", "loader", "read", "host-to-gpu")  # codes of `Combined.reason`
_LIMIT_OF_REASON = np.array([0, 1, 2, 2, 3, 3])


class Stages(NamedTuple):
    """Rates of the host, samples/s of the whole machine; every column broadcasts against the others.

    Infinite where a stage does not apply (no ceiling, nothing to prepare).
    """

    read: Floats  # disk and page cache
    prep: Floats  # the CPUs; the serial loader in their place
    ceiling: Floats  # of the loader's consumer processes
    host_to_gpu: Floats  # the bus to the cards; counts with the read stage


class Combined(NamedTuple):
    """The rate of a machine and what decides it; columns of the length of the machines."""

    samples_per_s: Floats
    gpu_busy: Floats  # share of the time the GPUs work
    limit: Ints  # code in LIMITS
    limit_also: Ints  # code in LIMITS of another stage within the margin, else -1
    reason: Ints  # code in REASONS


def softmin(sharpness: float, *rates: Floats) -> Floats:
    """Smooth minimum of rates that share their slack.

        softmin_p(x) = (sum x^-p)^(-1/p)

    Never above the smallest rate, rising in every one; infinite rates do not count, a zero gives zero. The larger p,
    the closer to the hard minimum. Source: table host_model.

    >>> round(float(softmin(4, np.array(100.0), np.array(100.0))), 2)
    84.09
    >>> float(softmin(6, np.array(100.0), np.array(np.inf)))
    100.0
    """
    stack = np.broadcast_arrays(*[np.asarray(rate, dtype=float) for rate in rates])
    smallest = np.minimum.reduce(stack)
    usable = np.isfinite(smallest) & (smallest > 0)
    scale = np.where(usable, smallest, 1.0)
    total = np.zeros_like(smallest)
    for rate in stack:
        # The ratio is >= 1, so its inverse power cannot overflow; an infinite rate adds nothing.
        total += np.where(usable, (scale / np.where(rate > 0, rate, 1.0)) ** sharpness, 1.0)
    result: Floats = np.where(usable, scale * total ** (-1.0 / sharpness), smallest)
    return result


def loader_rate(stages: Stages) -> Floats:
    """What the input side gives when the GPUs never wait for themselves, samples/s.

    loader = softmin_6(read, prep, ceiling), where read is the smaller of the disk and the bus to the GPUs.
    """
    sharpness = constants("host_model")["loader_sharpness"]
    return softmin(sharpness, np.minimum(stages.read, stages.host_to_gpu), stages.prep, stages.ceiling)


def real_input_share() -> float:
    """What real input leaves of a rate that was measured on synthetic input, even unstalled. Source: table host_model.

    >>> real_input_share()
    0.96
    """
    return constants("host_model")["real_input_share"]


def throughput(stages: Stages, gpu_samples_per_s: Floats, *, synthetic_anchor: Bools | bool = False) -> Floats:
    """Samples per second of the whole machine.

        samples_per_s = min( softmin_4(min(prep, ceiling), gpu), softmin_6(loader, gpu) )

    Monotone in every stage and in the GPUs. Where the GPU rate was measured on synthetic input, real input costs
    4 % even unstalled. Takes columns (n,) or draws (n, m), broadcast against each other.

    Source: 4 from CPU sweeps (3.9 % rms, a hard minimum 5.4 %), 6 from storage runs; table host_model.

    >>> free = np.array(np.inf)
    >>> float(throughput(Stages(free, free, free, free), np.array(905.0), synthetic_anchor=True))
    868.8
    """
    c = constants("host_model")
    by_prep = softmin(c["prep_sharpness"], np.minimum(stages.prep, stages.ceiling), gpu_samples_per_s)
    by_loader = softmin(c["loader_sharpness"], loader_rate(stages), gpu_samples_per_s)
    rate: Floats = np.minimum(by_prep, by_loader)
    return np.where(synthetic_anchor, real_input_share(), 1.0) * rate


def combine(
    stages: Stages,
    gpu_samples_per_s: Floats,
    *,
    synthetic_anchor: Bools | bool = False,
    sync_ratio: Floats | float = 1.0,
) -> Combined:
    """The rate, the busy share of the GPUs, and the stage that decides. Columns of shape (n,).

    limit is the smallest of gpu, prep, read, ceiling; the GPUs' own limit is called sync where the exchange makes a
    step longer by more than the margin of table host_model. A stage of another name within 10 % is limit_also.

    Args:
        stages: samples/s of the host.
        gpu_samples_per_s: all GPUs, data ready, sync included.
        synthetic_anchor: the GPU rate comes from synthetic input.
        sync_ratio: step of N GPUs over the step of one.
    """
    c = constants("host_model")
    gpu = np.asarray(gpu_samples_per_s, dtype=float)
    rate = throughput(stages, gpu, synthetic_anchor=synthetic_anchor)
    slow_sync = np.broadcast_to(np.asarray(sync_ratio) > c["sync_limit_ratio"], gpu.shape)
    nowhere = np.full(gpu.shape, np.inf)
    candidates = np.stack(
        [
            np.where(slow_sync, nowhere, gpu),
            np.where(slow_sync, gpu, nowhere),
            *(np.broadcast_to(x, gpu.shape) for x in (stages.prep, stages.ceiling, stages.read, stages.host_to_gpu)),
        ]
    )
    reason = np.argmin(candidates, axis=0)
    limit = _LIMIT_OF_REASON[reason]
    others = np.where(_LIMIT_OF_REASON[:, None] == np.atleast_1d(limit), np.inf, candidates.reshape(6, -1))
    second = np.argmin(others, axis=0)
    smallest = candidates.reshape(6, -1).min(axis=0)
    near = others.min(axis=0) <= smallest * (1.0 + c["limit_margin"])
    also = np.where(near, _LIMIT_OF_REASON[second], -1).reshape(gpu.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        busy = np.where(gpu > 0, rate / gpu, np.nan)
    return Combined(rate, busy, limit, also, reason)
