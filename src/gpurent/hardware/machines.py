"""Distinct hardware as numpy columns: what the normalizer is handed. One row a machine, or a candidate card of one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Machines:
    """Columns of equal length n; NaN where a number does not apply. Bytes, seconds and plain counts throughout.

    Unknown facts were filled by `hosts.fill` before; their `*_spread` (sigma of the log) says how wide the guess is.
    The `*_key` columns name the uncertain thing a row depends on: rows with the same key share its draws.
    """

    card: Ints  # row number in `cards.table()`
    gpu_count: Ints
    is_slice: Bools
    compute_fraction: Floats  # s_c, 1 for a whole card
    compute_fraction_high: Floats  # what a best-effort vGPU may reach; = compute_fraction elsewhere
    bandwidth_fraction: Floats  # s_b
    memory_bytes: Floats  # of one card or slice
    link: tuple[str, ...]  # link class of tables/links.csv ("" for one GPU)
    link_assumed: Bools
    fabric_gbyte_s: Floats  # NaN: unknown
    vcpus: Floats
    threads_per_core: Floats
    cpu_index: Floats  # J, stress-ng JPEG images/s of one thread
    cpu_efficiency: Floats  # e per vCPU
    cpu_spread: Floats
    cpu_key: tuple[str, ...]
    cpu_known: Bools  # the CPU model is known (launch speed is scaled only then)
    ram_bytes: Floats
    disk_bytes_per_s: Floats  # large sequential reads, caps applied
    disk_iops: Floats
    disk_latency_s: Floats  # one open or request, 0 where the class has none
    small_file_factor: Floats  # bandwidth share left for small files
    disk_spread: Floats
    disk_key: tuple[str, ...]
    host_to_gpu_bytes_per_s: Floats  # per GPU
    host_key: tuple[str, ...]  # whose hosts they are: the provider

    def __len__(self) -> int:
        return len(self.card)
