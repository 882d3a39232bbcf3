"""Distinct hardware of many offers, put into the columns the normalizer reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from gpurent import tables
from gpurent.hardware import cards, slices
from gpurent.hardware.hosts import Host, fill
from gpurent.hardware.machines import Floats, Ints, Machines
from gpurent.hardware.resolve import Resolution, resolve
from gpurent.offer import Offer

# What of an offer resolving its card and filling its host read, the machine's own name apart.
_READS = attrgetter(
    "provider", "tier", "sku", "gpu", "gpu_count", "gpu_share", "share_profile",
    "gpu_memory_gib", "gpu_link", "fabric", "fabric_gbit_s", "host_to_gpu_gbyte_s", "vcpus", "threads_per_core",
    "cpu_model", "ram_gib", "disk_class", "disk_gib", "disk_read_mbyte_s", "disk_iops", "download_mbit_s", "boot_s",
)  # fmt: skip

MIB = 2.0**20
GIB = 2.0**30


@dataclass(frozen=True)
class Hardware:
    """One distinct hardware: an offer that has it, what its card text means, its host, what the user assumed."""

    offer: Offer
    resolution: Resolution
    host: Host
    said: Mapping[str, Any]


_HOST = attrgetter(*(name for name in Host.__dataclass_fields__ if name not in ("assumed", "warnings")))


def hardware_key(offer: Offer) -> tuple[Any, ...]:
    """Offers with equal keys have equal hardware; the machine's name only matters where its disk was measured."""
    place = None if offer.disk_read_mbyte_s is None else offer.machine or offer.listing
    return (_READS(offer), place)


class Pool:
    """Distinct hardware of offers in order of first appearance, so that the model runs once for each.

    Args:
        assume: values of the user for what offers do not say.
    """

    def __init__(self, assume: Mapping[str, Any]) -> None:
        self._assume = assume
        self._by_offer: dict[tuple[Any, ...], int] = {}
        self._by_facts: dict[tuple[Any, ...], int] = {}
        self.distinct: list[Hardware] = []

    def row(self, offer: Offer) -> int:
        """The place of an offer's hardware in `distinct`."""
        key = hardware_key(offer)
        row = self._by_offer.get(key)
        if row is None:
            row = self._by_offer[key] = self._place(offer)
        return row

    def _place(self, offer: Offer) -> int:
        said = {key: value for key, value in self._assume.items() if getattr(offer, key) is None}
        told = Offer.assemble({**offer.__dict__, **said}) if said else offer
        found = resolve(told)
        host = fill(told, found)
        facts = (
            found, _HOST(host), told.provider, told.fabric, told.fabric_gbit_s, tuple(host.assumed), host.warnings,
            tuple(said),
        )  # fmt: skip
        row = self._by_facts.get(facts)
        if row is None:
            row = self._by_facts[facts] = len(self.distinct)
            self.distinct.append(Hardware(told, found, host, said))
        return row


@dataclass(frozen=True)
class _Candidate:
    card: int
    compute: float
    compute_high: float
    bandwidth: float
    memory_bytes: float


def _candidates(each: Hardware) -> Iterator[_Candidate]:
    """The cards a text can mean, with what the offer has of each; a slice that a card does not have is left out."""
    found = each.resolution
    for name in (found.card,) if found.card else found.candidates:
        card = cards.by_id()[name]
        row = cards.index()[name]
        if found.share == "whole":
            yield _Candidate(row, 1.0, 1.0, 1.0, card.memory_mib * MIB)
            continue
        part = slices.fractions(name, found.share, found.share_profile, found.memory_gib)
        if part is not None:
            memory = (found.memory_gib or 0.0) * GIB or part.memory_mib * MIB
            yield _Candidate(row, part.compute, part.compute_high, part.bandwidth, min(memory, part.memory_mib * MIB))


@cache
def _fabrics() -> dict[str, float]:
    return {word: float(row["busbw_gbyte_s"]) for row in tables.rows("fabrics") for word in row["words"].split()}


def _fabric_gbyte_s(offer: Offer) -> float | None:
    """What joins nodes: a stated rate, else the measured bus bandwidth of a fabric of that name; GB/s."""
    if offer.fabric_gbit_s is not None:
        return offer.fabric_gbit_s / 8
    words = re.split(r"[^a-z]+", (offer.fabric or "").lower())
    return next((_fabrics()[word] for word in words if word in _fabrics()), None)


def machines_of(hardware: Sequence[Hardware]) -> tuple[Machines, Ints]:
    """Hardware as columns: one row a candidate card, and the hardware each row belongs to.

    Hardware whose card is unknown has no row.
    """
    pairs = [(place, candidate) for place, each in enumerate(hardware) for candidate in _candidates(each)]
    owner = np.array([place for place, _ in pairs], dtype=np.int64)
    hosts = [hardware[place].host for place, _ in pairs]
    found = [hardware[place].resolution for place, _ in pairs]
    offers = [hardware[place].offer for place, _ in pairs]

    def candidate(name: str) -> Floats:
        return np.array([getattr(each, name) for _, each in pairs], dtype=float)

    def host(name: str) -> Floats:
        return np.array([getattr(each, name) for each in hosts], dtype=float)

    fabric = [_fabric_gbyte_s(offer) for offer in offers]
    return Machines(
        card=np.array([each.card for _, each in pairs], dtype=np.int64),
        gpu_count=np.array([each.gpu_count for each in found], dtype=np.int64),
        is_slice=np.array([each.share != "whole" for each in found], dtype=bool),
        compute_fraction=candidate("compute"),
        compute_fraction_high=candidate("compute_high"),
        bandwidth_fraction=candidate("bandwidth"),
        memory_bytes=candidate("memory_bytes"),
        link=tuple(each.link or "" for each in found),
        link_assumed=np.array([each.link_assumed for each in found], dtype=bool),
        fabric_gbyte_s=np.array([np.nan if each is None else each for each in fabric], dtype=float),
        vcpus=host("vcpus"),
        threads_per_core=host("threads_per_core"),
        cpu_index=host("cpu_index"),
        cpu_efficiency=host("cpu_efficiency"),
        cpu_spread=host("cpu_spread"),
        cpu_key=tuple(each.cpu_key for each in hosts),
        cpu_known=np.array([each.cpu_known for each in hosts], dtype=bool),
        ram_bytes=host("ram_bytes"),
        disk_bytes_per_s=host("disk_bytes_per_s"),
        disk_iops=host("disk_iops"),
        disk_latency_s=host("disk_latency_s"),
        small_file_factor=host("small_file_factor"),
        disk_spread=host("disk_spread"),
        disk_key=tuple(each.disk_key for each in hosts),
        host_to_gpu_bytes_per_s=host("host_to_gpu_bytes_per_s"),
        host_key=tuple(offer.provider for offer in offers),
    ), owner  # fmt: skip
