"""The host of an offer: what it states, and for the rest what hosts of its kind have, taken at the low end.

Hiding a field must not pay: an unknown is filled with the low end of the provider's own hosts (tables/hosts.csv), else
of its peers, with a wider spread, and `assumed` says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple, Protocol

from gpurent import tables
from gpurent.hardware import cards
from gpurent.hardware.cpus import Cpu, read_cpu, rules
from gpurent.hardware.disks import MBYTE, Disk, capped, classes, instance_caps, volume
from gpurent.hardware.usual_hosts import UsualHost, provider_id, usual_host
from gpurent.offer import Offer

GIB = 2.0**30
GBYTE = 1e9
OWN = "mine"  # the provider of a machine that is not rented


class Found(Protocol):
    """What of `hardware.resolve.Resolution` a host depends on."""

    @property
    def card(self) -> str | None: ...
    @property
    def candidates(self) -> tuple[str, ...]: ...
    @property
    def share(self) -> str: ...
    @property
    def gpu_count(self) -> int: ...


@dataclass(frozen=True)
class Host:
    """A machine without its GPUs: bytes, seconds and plain counts, every unknown filled.

    The `*_key` names the uncertain thing a fact depends on: hosts with one key share its draws.
    """

    vcpus: float
    threads_per_core: int
    cpu_model: str | None
    cpu_index: float  # J, stress-ng JPEG images/s of one thread
    cpu_efficiency: float  # e, share of a core that a vCPU adds
    cpu_spread: float
    cpu_key: str
    cpu_known: bool  # the CPU model is known, not its family or class
    ram_bytes: float
    disk_class: str
    disk_bytes_per_s: float  # large sequential reads, limits of the instance type applied
    disk_iops: float
    disk_latency_s: float
    small_file_factor: float
    disk_spread: float
    disk_key: str
    download_bytes_per_s: float
    host_to_gpu_bytes_per_s: float  # per GPU, all loading at once
    boot_s: float  # from the order to the first user code
    assumed: Mapping[str, str | float]  # offer key -> the value it was filled with
    warnings: tuple[str, ...] = ()


class _Ask(NamedTuple):
    """The fields of an offer and its card that decide its host."""

    provider: str
    tier: str
    sku: str
    machine: str
    card: str
    candidates: tuple[str, ...]
    whole: bool
    gpu_count: int
    vcpus: float | None
    threads_per_core: int | None
    cpu_model: str | None
    ram_gib: float | None
    disk_class: str | None
    disk_gib: float | None
    disk_read_mbyte_s: float | None
    disk_iops: float | None
    download_mbit_s: float | None
    host_to_gpu_gbyte_s: float | None
    boot_s: float | None


def fill(offer: Offer, resolution: Found) -> Host:
    """The host of an offer, unknowns filled from tables/hosts.csv. Equal questions share one answer.

    Args:
        offer: the offer as its provider wrote it.
        resolution: its card, share and GPU count.
    """
    return _fill(
        _Ask(
            provider_id(offer.provider) or offer.provider.lower(), offer.tier or "", offer.sku or "",
            offer.machine or offer.listing or "",
            resolution.card or "", () if resolution.card else resolution.candidates, resolution.share == "whole",
            resolution.gpu_count, offer.vcpus, offer.threads_per_core, offer.cpu_model, offer.ram_gib,
            offer.disk_class, offer.disk_gib, offer.disk_read_mbyte_s, offer.disk_iops, offer.download_mbit_s,
            offer.host_to_gpu_gbyte_s, offer.boot_s,
        )
    )  # fmt: skip


@cache
def _fill(ask: _Ask) -> Host:
    assumed: dict[str, str | float] = {}
    names = (ask.card,) if ask.card else ask.candidates
    usual = usual_host(ask.provider, ask.tier, names[0] if names else "", ask.whole)
    cap = instance_caps().get((ask.provider, ask.sku))
    cpu = read_cpu(ask.cpu_model) if ask.cpu_model else None
    index, efficiency, threads = _cpu(ask, cpu, cap, usual, assumed)
    vcpus = ask.vcpus if ask.vcpus is not None else _vcpus(ask, cpu, usual, assumed)
    ram_gib = ask.ram_gib
    if ram_gib is None:
        ram_gib = assumed["ram_gib"] = usual.number("ram_gib_per_gpu") * ask.gpu_count
    disk = _disk(ask, cap, usual, assumed)
    rule = rules()
    return Host(
        vcpus=vcpus,
        threads_per_core=threads,
        cpu_model=ask.cpu_model,
        cpu_index=index,
        cpu_efficiency=efficiency,
        cpu_spread=cpu.spread if cpu else rule["spread_class"],
        cpu_key=cpu.key if cpu else f"cpu-of:{ask.provider}",
        cpu_known=cpu is not None and cpu.known,
        ram_bytes=ram_gib * GIB,
        disk_class=disk.disk_class,
        disk_bytes_per_s=disk.bytes_per_s,
        disk_iops=disk.iops,
        disk_latency_s=disk.latency_s,
        small_file_factor=disk.small_file_factor,
        disk_spread=disk.spread,
        disk_key=disk.key,
        download_bytes_per_s=_download(ask, assumed),
        host_to_gpu_bytes_per_s=_host_to_gpu(ask, assumed),
        boot_s=_boot(ask, assumed),
        assumed=assumed,
        warnings=("unread-cpu",) if ask.cpu_model and cpu is None else (),
    )


def _cpu(
    ask: _Ask,
    cpu: Cpu | None,
    cap: Mapping[str, float | None] | None,
    usual: UsualHost,
    assumed: dict[str, str | float],
) -> tuple[float, float, int]:
    """J, e and threads a core; a CPU nobody names takes the slowest and the least efficient of the usual ones."""
    rule = rules()
    threads = ask.threads_per_core or int((cap or {}).get("threads_per_core") or 0)
    if cpu is not None:
        if not threads:
            threads = assumed["threads_per_core"] = cpu.threads_per_core
        return cpu.index, cpu.efficiency(threads), threads
    slow = read_cpu(usual.cpu())
    index = slow.index if slow else rule["class_index"]
    if not threads:
        threads = assumed["threads_per_core"] = int(rule["class_threads_per_core"])
    if threads == 1:
        efficiency = rule["class_efficiency_one_thread"]
    else:
        efficiency = min(usual.number("cpu_efficiency"), rule["class_efficiency"])
    assumed["cpu_model"] = usual.cpu()
    return index, efficiency, threads


def _vcpus(ask: _Ask, cpu: Cpu | None, usual: UsualHost, assumed: dict[str, str | float]) -> float:
    vcpus = usual.number("vcpus_per_gpu") * ask.gpu_count
    if ask.provider == OWN and cpu is not None and cpu.desktop and cpu.threads:
        vcpus = float(cpu.threads)  # a machine of one's own has its whole processor
    assumed["vcpus"] = vcpus
    return vcpus


def _disk(ask: _Ask, cap: dict[str, float | None] | None, usual: UsualHost, assumed: dict[str, str | float]) -> Disk:
    """A stated rate, else the provider's own volume of that class, else the class, behind the instance's limits."""
    rule = tables.constants("disk_rules")
    known = ask.disk_class
    if known is None:
        known = assumed["disk_class"] = usual.disk_class()
    disk = volume(ask.provider, known, ask.disk_gib) or classes()[known]
    if ask.disk_class is None:
        disk = replace(
            disk,
            key=f"disk-of:{ask.provider}",
            spread=rule["spread_class"],
            small_file_factor=min(disk.small_file_factor, rule["unknown_small_file_factor"])
            if ask.disk_read_mbyte_s
            else disk.small_file_factor,
        )
    if ask.disk_read_mbyte_s is not None:
        place = ask.machine or ask.sku or ask.provider
        disk = replace(
            disk,
            key=f"disk-at:{ask.provider}:{place}",
            bytes_per_s=ask.disk_read_mbyte_s * MBYTE,
            iops=max(disk.iops, ask.disk_read_mbyte_s * MBYTE / rule["iops_block_bytes"]),
            spread=rule["spread_measured"],
        )
    elif slowest := usual.own_disk_read_mbyte_s():
        disk = replace(disk, bytes_per_s=min(disk.bytes_per_s, slowest * MBYTE))
    if ask.disk_iops is not None:
        disk = replace(disk, iops=ask.disk_iops)
    disk = capped(disk, cap)
    if ask.disk_read_mbyte_s is None:
        assumed["disk_read_mbyte_s"] = disk.bytes_per_s / MBYTE
    return disk


def _download(ask: _Ask, assumed: dict[str, str | float]) -> float:
    if ask.download_mbit_s is not None:
        return ask.download_mbit_s * 1e6 / 8
    mbyte_s = tables.constants("run_model")["download_mbyte_s"]
    assumed["download_mbit_s"] = mbyte_s * 8
    return mbyte_s * MBYTE


def _host_to_gpu(ask: _Ask, assumed: dict[str, str | float]) -> float:
    if ask.host_to_gpu_gbyte_s is not None:
        return ask.host_to_gpu_gbyte_s * GBYTE
    names = (ask.card,) if ask.card else ask.candidates
    gbyte_s = min((_slowest_link(name) for name in names), default=_slowest_generation(3, 8))
    assumed["host_to_gpu_gbyte_s"] = gbyte_s
    return gbyte_s * GBYTE


def _boot(ask: _Ask, assumed: dict[str, str | float]) -> float:
    if ask.boot_s is not None:
        return ask.boot_s
    seconds = _boots().get(ask.provider)
    assumed["boot_s"] = _boots()[""] if seconds is None else seconds
    return float(assumed["boot_s"])


@cache
def _slowest_link(card: str) -> float:
    """Smallest measured host-to-GPU GB/s of a card, else of its PCIe generation and width."""
    rates = [float(row["gbyte_s_low"]) for row in tables.rows("sparecores/host_to_gpu") if row["card"] == card]
    known = cards.by_id()[card]
    return min(rates) if rates else _slowest_generation(known.pcie_gen or 3, known.pcie_lanes or 8)


def _slowest_generation(generation: int, lanes: int) -> float:
    """Smallest measured GB/s of a PCIe generation; a generation or width nobody measured scales from the nearest."""
    measured = {
        (int(row["pcie_gen"]), int(row["pcie_lanes"])): float(row["gbyte_s_low"])
        for row in tables.rows("sparecores/host_to_gpu")
        if not row["card"]
    }
    nearest = min(max(generation, 3), 5)
    rate = measured.get((nearest, lanes)) or measured[nearest, 16] * min(1.0, lanes / 16)
    return rate * 2.0 ** min(0, generation - nearest)


@cache
def _boots() -> dict[str, float]:
    """Boot seconds by provider: documented, else measured on GPU machines, else on others; "" is the default."""
    boots: dict[str, float] = {}
    measured = tables.rows("sparecores/boot_times")
    for row in sorted(measured, key=lambda row: row["machine_kind"] == "gpu"):
        boots[row["provider"]] = float(row["boot_s"])
    return boots | {row["provider"]: float(row["boot_s"]) for row in tables.rows("boot")}
