"""Loading: read and prep of a machine for a workload, with the number of loader workers that serves it best."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np

from gpurent.hardware.machines import Floats, Ints, Machines
from gpurent.normalizer import prep, read
from gpurent.normalizer.combine import Stages, loader_rate, throughput
from gpurent.tables import constants
from gpurent.workloads.workload import Workload

_ROWS_AT_ONCE = 4096  # machines times worker counts stay within a few MB a column


@dataclass(frozen=True)
class HostStages:
    """What the host gives a workload; columns of the length of the machines, rates of the whole machine."""

    steady: Stages
    first: Stages  # first epoch: nothing cached yet, as many workers as the machine allows
    workers: Floats  # loader workers of the steady state
    cached_fraction: Floats  # share of the data set in the page cache, at most 1
    miss: Floats  # share of the samples read from disk in steady state

    @property
    def cpu_samples_per_s(self) -> Floats:
        """What the CPUs and the loader give together."""
        return np.minimum(self.steady.prep, self.steady.ceiling)

    @property
    def disk_samples_per_s(self) -> Floats:
        """What disk, page cache and bus give together."""
        return np.minimum(self.steady.read, self.steady.host_to_gpu)


@dataclass(frozen=True)
class _Input:
    """The input side of a workload in samples, bytes and seconds, nothing unknown."""

    bytes_per_sample: float
    dataset_bytes: float
    ops_per_sample: float
    prep_s: float
    serial: bool
    small_files: bool
    in_memory: bool
    order: str
    ceiling: float | None
    gpu_input_bytes: float | None


def _input(workload: Workload) -> _Input:
    files = workload.read in (None, "files")
    size = workload.bytes_per_sample
    ops = workload.io_ops_per_sample
    dataset = workload.dataset_bytes
    return _Input(
        bytes_per_sample=size,
        dataset_bytes=workload.samples_per_epoch * size if dataset is None else dataset,
        ops_per_sample=(1.0 if files else 0.0) if ops is None else ops,
        prep_s=(workload.prep_ms_per_sample or 0.0) / 1000.0,
        serial=workload.loader == "serial",
        small_files=files and size < constants("host_model")["small_file_bytes"],
        in_memory=workload.read == "memory",
        order=workload.read_order,
        ceiling=workload.loader_ceiling_samples_per_s,
        gpu_input_bytes=workload.gpu_input_bytes_per_sample,
    )


def _worker_counts(most: float) -> Floats:
    """Worker counts that are tried: all to 16, then in steps of an eighth.

    The counts of a smaller machine are among those of a larger one, so more vCPUs can never serve worse.
    """
    counts = chain(range(1, 17), *(range(start + start // 8, 2 * start + 1, start // 8) for start in _doublings(most)))
    tried = np.array([float(count) for count in counts])
    return tried[tried <= max(1.0, most)]


def _doublings(most: float) -> list[int]:
    return [16 * 2**step for step in range(20) if 16 * 2**step < most]


def host_stages(
    machines: Machines, workload: Workload, gpu_samples_per_s: Floats | None = None, *, nodes: int = 1
) -> HostStages:
    """Read and prep rates of every machine for a workload.

    workers = the number in 1 .. max(1, vcpus - 1) that serves best: more of them prepare and wait more at once, and
    take more memory from the page cache. With the GPU rates given, best is the rate of the whole machine, so that a
    better disk, more memory or a faster GPU never lowers it; without, it is the rate of the loader.

    Args:
        machines: distinct hardware, n rows.
        workload: what is trained.
        gpu_samples_per_s: n rates of all GPUs with data ready.
        nodes: equal machines that share an epoch; each reads a random 1/nodes of the data, rates are of all.
    """
    work = _input(workload)
    rows = len(machines)
    gpu = np.full(rows, np.nan) if gpu_samples_per_s is None else np.asarray(gpu_samples_per_s, dtype=float)
    parts = [
        _part(machines, work, gpu, slice(start, min(start + _ROWS_AT_ONCE, rows)), nodes)
        for start in range(0, rows, _ROWS_AT_ONCE)
    ]
    columns = [np.concatenate(part) if part else np.zeros(0) for part in zip(*parts, strict=True)] or [np.zeros(0)] * 7
    steady_read, steady_prep, first_read, first_prep, workers, cached, miss = columns
    processes = np.asarray(machines.gpu_count, dtype=np.float64) * nodes
    limit = prep.ceiling(processes, work.ceiling)
    bus = read.host_to_gpu_rate(machines.host_to_gpu_bytes_per_s, processes, work.gpu_input_bytes)
    return HostStages(
        steady=Stages(steady_read, steady_prep, limit, bus),
        first=Stages(first_read, first_prep, limit, bus),
        workers=workers,
        cached_fraction=cached,
        miss=miss,
    )


def _part(machines: Machines, work: _Input, gpu: Floats, rows: slice, nodes: int) -> tuple[Floats, ...]:
    """The columns of some rows: every worker count is tried at once, shape (rows, counts)."""

    def column(name: str, unknown: float = np.nan) -> Floats:
        values: Floats = np.asarray(getattr(machines, name), dtype=float)[rows, None]
        return np.where(np.isnan(values), unknown, values)

    vcpus, count, latency = column("vcpus"), column("gpu_count"), column("disk_latency_s", 0.0)
    most = prep.most_workers(vcpus)
    useful = work.serial or bool((latency > 0).any())  # else more workers only take memory
    workers = _worker_counts(float(most.max()) if useful else 1.0)[None, :]
    cached = np.ones_like(workers * most) if work.in_memory else _cached(column("ram_bytes"), workers, work)
    miss = 1.0 - read.hit_rate(cached, work.order, 1.0 / nodes)
    memory = read.memory_rate(count, work.bytes_per_sample)
    disk = read.disk_rate(
        column("disk_bytes_per_s"),
        work.bytes_per_sample,
        small_file_factor=column("small_file_factor", 1.0) if work.small_files else 1.0,
        iops=column("disk_iops"),
        ops_per_sample=work.ops_per_sample,
    )
    cpu = (vcpus, column("cpu_efficiency"), column("cpu_index"), work.prep_s)
    wait = latency * work.ops_per_sample

    def stages(share: Floats | float, opened: float) -> Stages:
        prepared = prep.serial_loader_rate(workers, *cpu, wait * opened) if work.serial else prep.prep_rate(*cpu)
        served = np.minimum(
            read.read_rate(share, disk, memory), read.open_rate(workers, latency * opened, work.ops_per_sample)
        )
        both = np.broadcast_arrays(served * nodes, prepared * nodes, workers * most)
        bus = read.host_to_gpu_rate(column("host_to_gpu_bytes_per_s"), count * nodes, work.gpu_input_bytes)
        return Stages(both[0], both[1], prep.ceiling(count * nodes, work.ceiling), bus)

    # A shared file system opens every sample anew, cached or not; what lies in memory is not opened again.
    steady, first = stages(miss, 0.0 if work.in_memory else 1.0), stages(1.0, 1.0)
    known = gpu[rows, None]
    served = np.where(np.isnan(known), loader_rate(steady), throughput(steady, np.nan_to_num(known, nan=1.0)))
    served = np.where(workers <= most, served, -1.0)
    best = np.argmax(served, axis=1)[:, None]
    last = (np.sum(workers <= most, axis=1) - 1)[:, None]

    def take(values: Floats, at: Ints) -> Floats:
        full = np.broadcast_to(values, served.shape)
        taken: Floats = np.take_along_axis(full, at, axis=1)[:, 0]
        return taken

    return (
        take(steady.read, best),
        take(steady.prep, best),
        take(first.read, last),
        take(first.prep, last),
        take(workers, best),
        np.minimum(1.0, take(cached, best)),
        take(miss, best),
    )


def _cached(ram_bytes: Floats, workers: Floats, work: _Input) -> Floats:
    return read.cached_fraction(ram_bytes, workers, work.dataset_bytes)
