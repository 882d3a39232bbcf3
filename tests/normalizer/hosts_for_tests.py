"""Machines for tests of the host side: one row a machine, written with plain numbers."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_type_hints

import numpy as np

from gpurent.hardware.machines import Machines

# A 16-vCPU Ice Lake host with a local NVMe and one whole 80 GB card.
PLAIN: dict[str, Any] = {
    "card": 0, "gpu_count": 1, "is_slice": False, "compute_fraction": 1.0, "compute_fraction_high": 1.0,
    "bandwidth_fraction": 1.0, "memory_bytes": 85.9e9, "link": "", "vcpus": 16.0, "threads_per_core": 2.0,
    "cpu_index": 700.0, "cpu_efficiency": 0.65, "cpu_spread": 0.1, "cpu_key": "cpu", "cpu_known": True,
    "ram_bytes": 128e9, "disk_bytes_per_s": 2.8e9, "disk_iops": np.inf, "disk_latency_s": 0.0,
    "small_file_factor": 0.36, "disk_spread": 0.15, "disk_key": "disk", "host_to_gpu_bytes_per_s": 12e9,
    "host_key": "host", "link_assumed": False, "fabric_gbyte_s": np.nan,
}  # fmt: skip


def machines(*rows: dict[str, Any]) -> Machines:
    """One machine a row: PLAIN with what the row says."""
    hints = get_type_hints(Machines)
    columns: dict[str, Any] = {}
    for field in fields(Machines):
        values = [{**PLAIN, **row}[field.name] for row in rows]
        columns[field.name] = tuple(values) if "tuple" in str(hints[field.name]) else np.array(values)
    return Machines(**columns)
