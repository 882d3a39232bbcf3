"""Read: disk, page cache, and the bus to the GPUs."""

from __future__ import annotations

from functools import cache

import numpy as np

from gpurent.hardware.machines import Floats
from gpurent.tables import constants


def cached_fraction(ram_bytes: Floats, workers: Floats, dataset_bytes: float) -> Floats:
    """Share of the data set that the page cache can hold; 1 and more: all of it.

        cached = max(0, 0.85 * (RAM - 8 GB - 2 GB * workers)) / dataset_bytes

    RAM is the container's. Every loader worker takes its part of it. Source: table host_model.

    >>> round(float(cached_fraction(np.array(64e9), np.array(3.0), 100e9)), 3)
    0.425
    """
    c = constants("host_model")
    free = np.asarray(ram_bytes) - c["system_bytes"] - c["worker_bytes"] * np.asarray(workers)
    held = np.maximum(0.0, c["cache_share"] * free)
    if dataset_bytes <= 0:
        return np.ones_like(held)
    fraction: Floats = held / dataset_bytes
    return fraction


@cache
def _hit_curve(order: str, node_fraction: float) -> tuple[Floats, Floats]:
    """(cached, hit) along k, both rising: for a given k, hit and with it cached are explicit, so no root is sought."""
    k = np.logspace(7, -4, 8192)  # from nothing cached to nearly all of it
    stays = -np.expm1(-k)  # 1 - exp(-k)
    if order == "sequential":
        hit = 1.0 - stays
    else:
        f = node_fraction
        hit = (stays / k) ** 2 * f / (1.0 - (1.0 - f) * (1.0 - stays))
    return (1.0 - hit) * node_fraction / k, hit


def hit_rate(cached: Floats, order: str = "shuffled", node_fraction: float = 1.0) -> Floats:
    """Share of the reads that the page cache serves in steady state, Linux cache as random replacement.

    hit is the smallest root of, with k = (1 - hit) / cached,

        shuffled    hit = ((1 - exp(-k)) / k)^2
        sequential  hit = exp(-k)
        a node that reads a random fraction f of the data each epoch, k = (1 - hit) f / cached:
                    hit = ((1 - exp(-k)) / k)^2 f / (1 - (1 - f) exp(-k))

    and 1 where all is cached. Nothing is fitted: 35 % cached misses 0.862 (measured 0.85), 65 % 0.536 (0.53).

    Args:
        cached: share of the data set that fits the cache.
        order: "shuffled" or "sequential" re-reading.
        node_fraction: f, 1 for one node.

    >>> [round(1 - float(h), 3) for h in hit_rate(np.array([0.35, 0.65, 1.0]))]
    [0.862, 0.536, 0.0]
    """
    at, hit = _hit_curve(order, node_fraction)
    share = np.asarray(cached, dtype=float)
    rate: Floats = np.where(share >= 1.0, 1.0, np.interp(share, at, hit))
    return rate


def disk_rate(
    disk_bytes_per_s: Floats,
    bytes_per_sample: float,
    *,
    small_file_factor: Floats | float = 1.0,
    iops: Floats | float = np.inf,
    ops_per_sample: float = 0.0,
) -> Floats:
    """Samples per second that come from the disk alone.

        disk = min(disk, IOPS * bytes / ops) / bytes

    where disk is the large-file rate after the caps of instance and network, times the small-file factor where files
    are small. An unknown cap (NaN) does not limit; infinite where samples have no bytes.

    >>> float(disk_rate(np.array(200e6), 100e3, iops=np.array(1500.0), ops_per_sample=1.0))
    1500.0
    """
    if bytes_per_sample <= 0:
        return np.full(np.shape(np.asarray(disk_bytes_per_s)), np.inf)
    rate = np.asarray(disk_bytes_per_s) * small_file_factor / bytes_per_sample
    if ops_per_sample > 0:
        rate = np.fmin(rate, np.asarray(iops) / ops_per_sample)
    result: Floats = rate
    return result


def open_rate(outstanding: Floats, latency_s: Floats, ops_per_sample: float) -> Floats:
    """Samples per second that a shared file system opens, cached or not; infinite where opens take no time.

        outstanding / (latency * ops)

    outstanding = loader workers. Source: 2.3 ms an open on Lustre, table disks.

    >>> float(open_rate(np.array(23.0), np.array(0.0023), 1.0))
    10000.0
    """
    wait = np.asarray(latency_s, dtype=float) * ops_per_sample
    rate: Floats = np.where(wait > 0, np.asarray(outstanding) / np.where(wait > 0, wait, 1.0), np.inf)
    return rate


def read_rate(miss: Floats | float, disk_samples_per_s: Floats, memory_samples_per_s: Floats) -> Floats:
    """Samples per second of disk and page cache together.

        read_samples_per_s = 1 / ( miss / disk + (1 - miss) / memory )

    with disk and memory in samples/s; first epoch: miss = 1.

    >>> float(read_rate(0.5, np.array(100.0), np.array(100.0)))
    100.0
    """
    with np.errstate(divide="ignore"):
        sample_s = np.asarray(miss) / disk_samples_per_s + (1.0 - np.asarray(miss)) / memory_samples_per_s
        rate: Floats = 1.0 / sample_s
    return rate


def memory_rate(processes: Floats, bytes_per_sample: float) -> Floats:
    """Samples per second out of the page cache, one process a GPU. Source: table host_model.

    >>> float(memory_rate(np.array(2.0), 1e6))
    20000.0
    """
    count = np.asarray(processes, dtype=float)
    if bytes_per_sample <= 0:
        return np.full(count.shape, np.inf)
    rate: Floats = count * constants("host_model")["memory_bytes_per_s"] / bytes_per_sample
    return rate


def host_to_gpu_rate(bytes_per_s: Floats, gpu_count: Floats, gpu_input_bytes_per_sample: float | None) -> Floats:
    """Samples per second over the bus to all GPUs; infinite where the size of an input is not known.

    h2d = gpu_count * host_to_gpu / gpu_input_bytes_per_sample

    >>> float(host_to_gpu_rate(np.array(12e9), np.array(1.0), 150e3))
    80000.0
    """
    speed = np.asarray(bytes_per_s, dtype=float) * gpu_count
    if not gpu_input_bytes_per_sample:
        return np.full(speed.shape, np.inf)
    rate: Floats = np.where(np.isnan(speed), np.inf, speed / gpu_input_bytes_per_sample)
    return rate
