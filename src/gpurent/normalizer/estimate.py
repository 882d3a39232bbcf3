"""The normalizer's one entry: hardware columns and a workload in, samples per second with their spread out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gpurent.hardware import cards
from gpurent.hardware.machines import Bools, Floats, Ints, Machines
from gpurent.normalizer import combine, compute, loading, memory, spread, sync
from gpurent.normalizer.anchor import Anchor
from gpurent.tables import constants
from gpurent.workloads.workload import Workload

_ROWS_AT_ONCE = 4096  # draws of so many machines are held at once


class _Asked(Protocol):
    """What a request takes from the comparison's options."""

    @property
    def precision(self) -> str | None: ...
    @property
    def batch(self) -> int | None: ...
    @property
    def nodes(self) -> int: ...
    @property
    def anchors(self) -> tuple[Anchor, ...]: ...


@dataclass(frozen=True)
class Request:
    """What is to be estimated: a workload (its `batch` a GPU) under a precision, on a number of nodes."""

    workload: Workload
    precision: str
    nodes: int = 1
    anchors: tuple[Anchor, ...] = ()

    @classmethod
    def of(cls, workload: Workload, asked: _Asked) -> Request:
        """The workload's own precision and batch where none is asked for."""
        if asked.batch:
            workload = workload.model_copy(update={"batch": asked.batch})
        return cls(workload, asked.precision or workload.precision, asked.nodes, asked.anchors)


@dataclass(frozen=True)
class Steps:
    """The GPUs alone, data always ready; one entry a machine row. `detail` of `--explain`."""

    batch: Floats  # per GPU, what fits
    fit: memory.Fit
    launch: Floats  # factor on the host's part of a step
    step_1_s: Floats
    step_n_s: Floats
    bus: sync.Bus
    gpus: Floats  # of all nodes


@dataclass(frozen=True)
class Estimate:
    """Throughput of distinct hardware for one request; one entry a hardware.

    Rates are samples per second of the whole offer. Where a card text has several candidates the slowest stands for
    them and the interval covers all. `draws` has shape (n, spread.DRAWS).
    """

    request: Request
    machine: Ints  # the machine row that stands for the hardware
    reason: Sequence[str]  # why there is no estimate, "" where there is one
    fits: Bools
    needed_bytes: Floats
    batch: Floats
    global_batch: Floats
    gpu_1: Floats
    gpu: Floats
    cpu: Floats
    disk: Floats
    sync_efficiency: Floats
    samples_per_s: Floats
    first_samples_per_s: Floats
    low: Floats
    high: Floats
    draws: Floats
    gpu_busy: Floats
    gpu_busy_high: Floats
    limit: Sequence[str]
    limit_also: Sequence[str]
    limit_reason: Sequence[str]
    evidence: Sequence[str]
    source: Sequence[str]
    synthetic: Bools
    warnings: Sequence[tuple[str, ...]]
    notes: tuple[compute.Note, ...]
    machines: Machines
    rates: compute.CardRates
    steps: Steps
    host: loading.HostStages

    @property
    def precision(self) -> str:
        return self.request.precision


def estimate(machines: Machines, owner: Ints, count: int, request: Request) -> Estimate:
    """Samples per second of distinct hardware.

    Args:
        machines: one row a candidate card of a hardware.
        owner: the hardware a row belongs to, ascending.
        count: number of hardware; those without a row have an unknown card.
        request: what is to be estimated.
    """
    workload = request.workload
    rates = compute.card_rates(workload, request.precision, request.anchors)
    steps = _steps(machines, request, rates)
    gpu = np.where(steps.fit.fits, steps.gpus * steps.batch / steps.step_n_s, np.nan)
    synthetic = rates.synthetic[machines.card]
    host = loading.host_stages(machines, workload, gpu, nodes=request.nodes)
    real = np.where(synthetic, constants("host_model")["real_input_share"], 1.0)
    together = combine.combine(host.steady, gpu, sync_ratio=steps.step_n_s / steps.step_1_s)
    samples = together.samples_per_s * real
    first = combine.throughput(host.first, gpu) * real
    draws, busy_draws = _draws(machines, rates, steps, host, request, real)
    low, high = spread.interval(draws)
    busy_high = spread.interval(busy_draws)[1]
    why = _reasons(machines, request, rates, steps)
    machine = _slowest(samples, owner, count, why)
    known = machine >= 0
    at = np.where(known, machine, 0)

    def pick(column: NDArray[Any], missing: Any = np.nan) -> NDArray[Any]:
        if not len(column):
            return np.full((count, *column.shape[1:]), missing)
        shape = (count,) + (1,) * (column.ndim - 1)
        return np.where(known.reshape(shape), column[at], missing)

    def words(column: Sequence[str]) -> list[str]:
        return [column[row] if ok else "" for row, ok in zip(at, known, strict=True)]

    limit = [combine.LIMITS[code] for code in together.limit]
    also = [combine.LIMITS[code] if code >= 0 else "" for code in together.limit_also]
    because = [combine.REASONS[code] for code in together.reason]
    low, high, draws = _cover(low, high, draws, owner, at, count, known)
    return Estimate(
        request=request, machine=machine,
        reason=[why[row] if ok else "unknown-card" for row, ok in zip(at, known, strict=True)],
        fits=pick(steps.fit.fits, False).astype(bool), needed_bytes=pick(steps.fit.needed_bytes),
        batch=pick(steps.batch, 1.0), global_batch=pick(steps.batch * steps.gpus, 1.0),
        gpu_1=pick(steps.batch / steps.step_1_s), gpu=pick(gpu),
        cpu=pick(host.cpu_samples_per_s), disk=pick(host.disk_samples_per_s),
        sync_efficiency=pick(steps.step_1_s / steps.step_n_s), samples_per_s=pick(samples),
        first_samples_per_s=pick(first), low=low, high=high, draws=draws, gpu_busy=pick(together.gpu_busy),
        gpu_busy_high=pick(busy_high), limit=words(limit), limit_also=words(also), limit_reason=words(because),
        evidence=words([rates.evidence[card] for card in machines.card]),
        source=words([rates.source[card] for card in machines.card]), synthetic=pick(synthetic, False).astype(bool),
        warnings=[_warnings(int(row), machines, rates, steps) if ok else () for row, ok in zip(at, known, strict=True)],
        notes=rates.notes, machines=machines, rates=rates, steps=steps, host=host,
    )  # fmt: skip


def _steps(machines: Machines, request: Request, rates: compute.CardRates) -> Steps:
    """Batch that fits, step of one GPU, exchange, step of all."""
    workload = request.workload
    fit = memory.fit(workload, request.precision, machines.memory_bytes, machines.gpu_count, is_slice=machines.is_slice)
    launch = compute.launch_factor(machines.cpu_index, machines.cpu_known)
    gpus = machines.gpu_count.astype(float) * request.nodes
    batch = np.maximum(fit.batch, 1).astype(float)
    step_1 = fit.compute_factor * compute.step_seconds(
        rates, machines.card, machines.compute_fraction, machines.bandwidth_fraction, batch, launch
    )
    bus = sync.bus(machines.card, machines.link, machines.gpu_count, request.nodes, machines.fabric_gbyte_s)
    step_n = sync.step_s_n(step_1, gpus, fit.sync_bytes, workload.accumulation, bus.gbyte_s, rates.step_variation)
    measured = compute.measured_steps(rates, machines.card, gpus, batch)
    step_n = np.where(np.isfinite(measured), measured, step_n)
    return Steps(batch, fit, launch, step_1, step_n, bus, gpus)


def _draws(
    machines: Machines, rates: compute.CardRates, steps: Steps, host: loading.HostStages, request: Request, real: Floats
) -> tuple[Floats, Floats]:
    """Throughput and GPU-busy share under every draw, shape (rows, DRAWS).

    Each uncertain thing has one stream: card x workload x precision, CPU, disk, link class, the provider's hosts.
    """
    what = f"{request.workload.name}/{request.precision}"
    names = [card.card for card in cards.table()]
    card = spread.normals("card", [f"{names[row]}/{what}" for row in machines.card])
    cpu = spread.normals("cpu", machines.cpu_key)
    disk = spread.normals("disk", machines.disk_key)
    link = spread.normals("link", steps.bus.key)
    own = spread.normals("host", machines.host_key)
    by_formula = sync.step_s_n(
        steps.step_1_s, steps.gpus, steps.fit.sync_bytes, request.workload.accumulation, steps.bus.gbyte_s,
        rates.step_variation,
    )  # fmt: skip
    calibrated = steps.step_n_s / by_formula  # 1 but where N GPUs were measured together
    made: list[tuple[Floats, Floats]] = []
    for start in range(0, len(machines), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)

        def varied(stream: Floats, sigma: Floats, part: slice = part) -> Floats:
            return np.exp(stream[part] * sigma[part, None])

        step_1 = steps.step_1_s[part, None] / varied(card, _card_sigma(machines, rates))
        bus = steps.bus.gbyte_s[part, None] * varied(link, steps.bus.sigma)
        step_n = sync.step_s_n(
            step_1, steps.gpus[part, None], steps.fit.sync_bytes[part, None], request.workload.accumulation, bus,
            rates.step_variation,
        )  # fmt: skip
        step_n = step_n * calibrated[part, None]
        gpu = steps.gpus[part, None] * steps.batch[part, None] / step_n
        stages = combine.Stages(
            host.steady.read[part, None] * varied(disk, machines.disk_spread),
            host.steady.prep[part, None] * varied(cpu, machines.cpu_spread),
            host.steady.ceiling[part, None],
            host.steady.host_to_gpu[part, None],
        )
        samples = combine.throughput(stages, gpu)
        noise = varied(own, np.full(len(machines), spread.sigma("host")))
        made.append((samples * real[part, None] * noise, samples / gpu))
    if not made:
        empty = np.zeros((0, spread.DRAWS))
        return empty, empty
    return np.concatenate([rate for rate, _ in made]), np.concatenate([busy for _, busy in made])


def _card_sigma(machines: Machines, rates: compute.CardRates) -> Floats:
    """Spread of the GPU's rate; a best-effort slice may be as good as its high end, two sigma up."""
    with np.errstate(divide="ignore", invalid="ignore"):
        best_effort = np.log(machines.compute_fraction_high / machines.compute_fraction) / 2
    return np.hypot(rates.sigma[machines.card], np.nan_to_num(best_effort))


def _reasons(machines: Machines, request: Request, rates: compute.CardRates, steps: Steps) -> list[str]:
    """Why a machine row has no estimate, "" where it has one, in the order a renter would ask."""
    platforms = set(request.workload.platforms)
    arch_min = request.workload.arch_min
    reasons: list[str] = []
    for row, place in enumerate(machines.card):
        card = cards.table()[place]
        if card.platform not in platforms:
            reasons.append("other-platform")
        elif arch_min and card.compute_capability is not None and card.compute_capability < float(arch_min):
            reasons.append("incompatible-stack")
        elif machines.is_slice[row] and machines.gpu_count[row] * request.nodes > 1:
            reasons.append("slice-in-parallel")
        elif not steps.fit.fits[row]:
            reasons.append("does-not-fit")
        elif rates.reason[place]:
            reasons.append(rates.reason[place])
        elif not np.isfinite(steps.step_n_s[row]):
            reasons.append("no-rate")
        else:
            reasons.append("")
    return reasons


def _slowest(samples: Floats, owner: Ints, count: int, why: Sequence[str]) -> Ints:
    """The machine row that stands for each hardware: a candidate that cannot run, else the slowest; -1 without rows.

    What a seller leaves open is taken from its worse side, so that leaving it open does not pay.
    """
    stands = np.full(count, -1, dtype=np.int64)
    worst = np.full(count, np.inf)
    for row, (place, rate) in enumerate(zip(owner, samples, strict=True)):
        value = -1.0 if why[row] else float(rate)
        if stands[place] < 0 or value < worst[place]:
            stands[place], worst[place] = row, value
    return stands


def _cover(
    low: Floats, high: Floats, draws: Floats, owner: Ints, at: Ints, count: int, known: Bools
) -> tuple[Floats, Floats, Floats]:
    """Intervals and draws a hardware: over all its candidates, each candidate giving an equal share of the draws."""
    all_low, all_high = np.full(count, np.inf), np.full(count, -np.inf)
    usable = np.isfinite(low)
    np.minimum.at(all_low, owner[usable], low[usable])
    np.maximum.at(all_high, owner[usable], high[usable])
    if not len(owner):
        return np.full(count, np.nan), np.full(count, np.nan), np.full((count, draws.shape[1]), np.nan)
    mixed = np.where(known[:, None], draws[at], np.nan)
    candidates = np.bincount(owner, minlength=count)
    starts = np.concatenate(([0], np.cumsum(candidates)[:-1]))
    column = np.arange(draws.shape[1])
    for place in np.flatnonzero(candidates > 1):
        mixed[place] = draws[starts[place] + column % candidates[place], column]
    missing = ~np.isfinite(all_low)
    return np.where(missing, np.nan, all_low), np.where(missing, np.nan, all_high), mixed


def _warnings(row: int, machines: Machines, rates: compute.CardRates, steps: Steps) -> tuple[str, ...]:
    codes = list(rates.warnings[machines.card[row]])
    if steps.fit.checkpointing[row]:
        codes.append("checkpointing")
    if steps.fit.sharded[row]:
        codes.append("sharded")
    if not steps.fit.known:
        codes.append("memory-assumed")
    return tuple(codes)
