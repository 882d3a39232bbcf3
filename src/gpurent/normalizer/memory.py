"""Memory: what fits a card, with which batch, and what has to be given up for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpurent.hardware.machines import Bools, Floats, Ints
from gpurent.tables import constants
from gpurent.workloads.workload import HALF, Workload


@dataclass(frozen=True)
class Fit:
    """How a workload sits on machines; columns of their length."""

    fits: Bools
    batch: Ints  # per GPU; 0 where it does not fit
    checkpointing: Bools  # activations are computed twice
    sharded: Bools  # weights and optimiser state are spread over the cards of the node
    compute_factor: Floats  # of the step: 1, or more with checkpointing
    sync_bytes: Floats  # gradient_bytes of the exchange formula, sharding included; NaN where not known
    used_bytes: Floats  # of one card at this batch; NaN where nothing is known
    needed_bytes: Floats  # card memory from which it would fit on as many cards, the least of what is allowed
    known: bool  # fixed and activation bytes are both known; else the fit is assumed


@dataclass(frozen=True)
class Need:
    """Bytes of a workload in one precision."""

    fixed_bytes: float  # of one card without sharding
    context_bytes: float  # the part of it that sharding leaves on every card
    activation_bytes: float  # of a sample
    gradient_bytes: float  # exchanged a step; NaN unknown
    frozen_bytes: float  # weights that are held and not trained
    known: bool


def need(workload: Workload, precision: str) -> Need:
    """Memory of a workload in a precision.

        fixed = trained * state_bytes_per_param + frozen * weight_width + 2 GB       where nothing was fitted

    Frozen weights (LoRA) are held at the width of the precision. Fitted fixed bytes include weights and optimiser
    state. Source: workload file, table host_model.
    """
    c = constants("host_model")
    half = precision in HALF
    foot = workload.footprint(precision)
    width = c["frozen_bytes_fp8"] if precision == "fp8" else c["frozen_bytes_half" if half else "frozen_bytes_single"]
    frozen = workload.frozen() * width
    fixed = foot.fixed_bytes
    trained = workload.trained()
    if fixed is None and trained is not None:
        state = foot.state_bytes_per_param or c["state_bytes_half" if half else "state_bytes_single"]
        fixed = trained * state + frozen + c["context_bytes"]
    known = fixed is not None and foot.activation_bytes_per_sample is not None
    fixed = fixed or 0.0
    return Need(
        fixed_bytes=fixed,
        context_bytes=min(fixed, c["context_bytes"]),
        activation_bytes=foot.activation_bytes_per_sample or 0.0,
        gradient_bytes=np.nan if foot.gradient_bytes is None else foot.gradient_bytes,
        frozen_bytes=frozen,
        known=known,
    )


def sharded_bytes(fixed_bytes: float, context_bytes: float, gpu_count: Ints) -> Floats:
    """Fixed bytes left on a card when weights and state are spread over the node.

    context + (fixed - context) / N

    >>> float(sharded_bytes(82e9, 2e9, np.array(8)))
    12000000000.0
    """
    left: Floats = context_bytes + (fixed_bytes - context_bytes) / np.asarray(gpu_count, dtype=np.float64)
    return left


def largest_batch(memory_bytes: Floats, fixed_bytes: Floats | float, activation_bytes: float, wanted: int) -> Ints:
    """The workload's batch, cut to what fits; 0 where not even one sample does.

        fixed_bytes + batch * activation_bytes_per_sample <= 0.94 * memory_bytes

    Source: table host_model (share).

    >>> largest_batch(np.array([16e9, 24e9, 80e9]), 4.76e9, 0.642e9, 32).tolist()
    [16, 27, 32]
    """
    room = constants("host_model")["memory_usable_share"] * np.asarray(memory_bytes) - fixed_bytes
    if activation_bytes <= 0:
        return np.where(room >= 0, wanted, 0).astype(np.int64)
    count = np.floor(np.maximum(room, 0.0) / activation_bytes)
    return np.minimum(count, wanted).astype(np.int64)


def fit(
    workload: Workload, precision: str, memory_bytes: Floats, gpu_count: Ints, *, is_slice: Bools | bool = False
) -> Fit:
    """Batch and fit on every machine.

    In this order, the first that holds one sample: as it is; activations computed twice, where the workload allows it
    (compute x 1.33); weights and state spread over the cards of the node, where allowed (exchange x 1.5; with LoRA
    the frozen weights travel too); both. Slices never share a job, so nothing is spread over them.

    Args:
        workload: what is trained; its `batch` is the batch of one GPU.
        precision: decides the widths.
        memory_bytes: of one card or slice, n values.
        gpu_count: cards of the machine, n values.
        is_slice: n values, or one for all.
    """
    c = constants("host_model")
    size = need(workload, precision)
    memory = np.asarray(memory_bytes, dtype=np.float64)
    count = np.where(np.asarray(is_slice), 1, gpu_count)
    spread = np.where(count > 1, sharded_bytes(size.fixed_bytes, size.context_bytes, count), np.inf)
    whole = np.full(memory.shape, size.fixed_bytes)
    light = size.activation_bytes * c["checkpointing_activation"]
    ways: list[tuple[bool, bool, Floats, float]] = [(False, False, whole, size.activation_bytes)]
    if workload.checkpointing:
        ways.append((True, False, whole, light))
    if workload.sharding:
        ways.append((False, True, spread, size.activation_bytes))
    if workload.sharding and workload.checkpointing:
        ways.append((True, True, spread, light))

    batch = np.zeros(memory.shape, dtype=np.int64)
    twice, shared = np.zeros(memory.shape, dtype=bool), np.zeros(memory.shape, dtype=bool)
    used, needed = np.full(memory.shape, np.nan), np.full(memory.shape, np.inf)
    for checkpointing, sharded, fixed, activation in ways:
        found = largest_batch(memory, fixed, activation, workload.batch)
        first = (batch == 0) & (found > 0)
        batch = np.where(first, found, batch)
        twice, shared = np.where(first, checkpointing, twice), np.where(first, sharded, shared)
        used = np.where(first, fixed + found * activation, used)
        needed = np.minimum(needed, (fixed + activation) / c["memory_usable_share"])
    sync = size.gradient_bytes * np.where(shared, c["sharding_sync"], 1.0) + np.where(shared, size.frozen_bytes, 0.0)
    return Fit(
        fits=batch > 0,
        batch=batch,
        checkpointing=twice,
        sharded=shared,
        compute_factor=np.where(twice, c["checkpointing_compute"], 1.0),
        sync_bytes=sync,
        used_bytes=used,
        needed_bytes=needed,
        known=size.known,
    )
