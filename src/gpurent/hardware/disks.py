"""Disks: what a class, a provider's own volume, or a stated rate lets a machine read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from gpurent import tables

MBYTE = 1e6


@dataclass(frozen=True)
class Disk:
    """How fast training data comes from a disk, before the page cache."""

    key: str  # rows with one key share their draws
    disk_class: str
    bytes_per_s: float  # large sequential reads
    iops: float  # inf where no limit is known
    latency_s: float  # one open or request; 0 where the class has none
    small_file_factor: float  # share of the bandwidth that is left for small files
    spread: float  # sigma of the log
    source: str

    @property
    def small_bytes_per_s(self) -> float:
        """Bandwidth left for small files, which is what orders the classes."""
        return self.bytes_per_s * self.small_file_factor


@cache
def classes() -> dict[str, Disk]:
    """The default of each of the six disk classes.

    >>> classes()["network-ssd"].bytes_per_s
    130000000.0
    """
    return {
        row["disk_class"]: _disk(row, 0.0, f"disk-class:{row['disk_class']}")
        for row in tables.rows("disks")
        if row["is_class_default"] == "yes"
    }


@cache
def volume(provider: str, disk_class: str, size_gib: float | None) -> Disk | None:
    """What a provider documents, or was measured, for its own volumes of a class; None where nothing is sourced.

        rate = min(base + per_gib * size, top); an unknown size counts as 0

    Args:
        provider: id of providers.csv.
        disk_class: one of the six.
        size_gib: size of the volume in GiB.
    """
    for row in tables.rows("disks"):
        if row["provider"] == provider and row["disk_class"] == disk_class:
            return _disk(row, size_gib or 0.0, f"disk:{row['disk']}")
    return None


@cache
def instance_caps() -> dict[tuple[str, str], dict[str, float | None]]:
    """Limits of an instance type by (provider, sku): bytes/s and operations/s of its network disks, threads a core."""
    caps = {}
    for row in tables.rows("instance_io"):
        rate = tables.number(row["network_disk_mbyte_s"])
        caps[row["provider"], row["sku"]] = {
            "bytes_per_s": None if rate is None else rate * MBYTE,
            "iops": tables.number(row["network_disk_iops"]),
            "threads_per_core": tables.number(row["threads_per_core"]),
        }
    return caps


def capped(disk: Disk, cap: dict[str, float | None] | None) -> Disk:
    """A network disk behind the limits of its instance type; local disks have none.

    The sustained limits are taken: an epoch outlasts a burst.
    """
    if cap is None or not disk.disk_class.startswith("network"):
        return disk
    rate, iops = cap["bytes_per_s"], cap["iops"]
    return replace(
        disk,
        bytes_per_s=disk.bytes_per_s if rate is None else min(disk.bytes_per_s, rate),
        iops=disk.iops if iops is None else min(disk.iops, iops),
    )


def _disk(row: dict[str, str], size_gib: float, key: str) -> Disk:
    return Disk(
        key=key,
        disk_class=row["disk_class"],
        bytes_per_s=_scaled(row["read_mbyte_s"], row["read_mbyte_s_per_gib"], row["read_max_mbyte_s"], size_gib)
        * MBYTE,
        iops=_scaled(row["iops"], row["iops_per_gib"], row["iops_max"], size_gib),
        latency_s=float(row["latency_s"]),
        small_file_factor=float(row["small_file_factor"]),
        spread=float(row["spread"]),
        source=row["source"],
    )


def _scaled(base: str, per_gib: str, top: str, size_gib: float) -> float:
    if not base:
        return float("inf")
    return min(float(base) + float(per_gib or 0) * size_gib, float(top or "inf"))
