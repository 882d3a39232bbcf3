"""The usual hosts of tables/hosts.csv: what machines of a provider, a tier and a card have, and who a provider is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Final

from gpurent import tables
from gpurent.hardware import cards
from gpurent.hardware.cards import Card
from gpurent.hardware.cpus import read_cpu
from gpurent.hardware.disks import classes

# Where a host is looked up, the closest first, and the names that make its key.
LEVELS: Final = {
    "provider-tier-card": ("provider", "tier", "card_family", "share"),
    "provider-card": ("provider", "card_family", "share"),
    "provider-class": ("provider", "card_class", "share"),
    "provider": ("provider", "share"),
    "kind-class": ("kind", "card_class", "share"),
    "class": ("card_class", "share"),
    "all": ("share",),
}
PEER_LEVELS: Final = ("kind-class", "class", "all")
COLUMNS: Final = (
    "level", "provider", "tier", "kind", "card_family", "card_class", "share", "offers", "vcpus_per_gpu_low",
    "vcpus_per_gpu_high", "vcpus_per_gpu_stated", "ram_gib_per_gpu_low", "ram_gib_per_gpu_high",
    "ram_gib_per_gpu_stated", "cpu_low", "cpu_high", "cpu_stated", "cpu_efficiency_low", "cpu_efficiency_stated",
    "disk_class_low", "disk_class_high", "disk_class_stated", "disk_read_mbyte_s_low", "disk_read_mbyte_s_stated",
    "source", "as_of",
)  # fmt: skip


class UsualHost:
    """The usual hosts of an offer, the closest level that knows a column answering for it."""

    def __init__(self, provider: str, tier: str, card: Card | None, whole: bool) -> None:
        names = {
            "provider": provider,
            "tier": tier,
            "kind": provider_kind(provider),
            "card_family": card.family if card else "",
            "card_class": card.class_ if card else "",
            "share": "whole" if whole else "slice",
        }
        found = [(level, _hosts().get(level_key(level, names))) for level in LEVELS]
        self._rows = [row for _, row in found if row is not None]
        self._own = [row for level, row in found if row is not None and level not in PEER_LEVELS]
        self._known: dict[str, list[str]] = {}

    def number(self, name: str) -> float:
        """Low end of a number: "vcpus_per_gpu", "ram_gib_per_gpu", "cpu_efficiency"."""
        return min(float(cell) for cell in self._cells(name))

    def cpu(self) -> str:
        """The slowest usual CPU, "" where nobody names one."""
        return min(self._cells("cpu"), key=_index, default="")

    def disk_class(self) -> str:
        """The slowest usual disk class, by what it leaves for small files."""
        return min(self._cells("disk_class"), key=lambda name: classes()[name].small_bytes_per_s)

    def own_disk_read_mbyte_s(self) -> float | None:
        """Smallest disk rate that the provider states for the closest group of its own hosts, or None."""
        return tables.number(next((cell for row in self._own if (cell := row["disk_read_mbyte_s_low"])), ""))

    def _cells(self, name: str) -> list[str]:
        """Low ends from the closest group outwards, up to the first in which most offers state the fact.

        Those that say nothing about a disk mostly have none to speak of: a group in which few speak is no witness.
        """
        if name in self._known:
            return self._known[name]
        cells = self._known[name] = []
        for row in self._rows:
            if row[f"{name}_low"]:
                cells.append(row[f"{name}_low"])
                if row["level"] in PEER_LEVELS or 2 * int(row[f"{name}_stated"]) > int(row["offers"]):
                    break
        return cells


@lru_cache(maxsize=4096)
def usual_host(provider: str, tier: str, card: str, whole: bool) -> UsualHost:
    """The usual hosts of a provider's tier for a card ("" unknown), made once for all offers that ask."""
    return UsualHost(provider, tier, cards.by_id()[card] if card else None, whole)


def _index(name: str) -> float:
    cpu = read_cpu(name)
    return cpu.index if cpu else float("inf")


def level_key(level: str, names: Mapping[str, Any]) -> tuple[str, ...]:
    """Key of a row of hosts.csv at a level."""
    return (level, *(names[name] for name in LEVELS[level]))


@cache
def _hosts() -> dict[tuple[str, ...], dict[str, str]]:
    return {level_key(row["level"], row): row for row in tables.rows("hosts")}


@cache
def _providers() -> dict[str, dict[str, str]]:
    known: dict[str, dict[str, str]] = {}
    for row in tables.rows("providers"):
        for name in (row["provider"], row["title"].lower(), *row["aliases"].split("|")):
            if name:
                known.setdefault(name, row)
    return known


@cache
def provider_id(name: str) -> str:
    """The id of a provider by any of its spellings; "" for one that is in no table (a machine of one's own).

    >>> provider_id("Vast.ai"), provider_id("my cellar")
    ('vast-ai', '')
    """
    row = _providers().get(name.strip().lower())
    return row["provider"] if row else ""


@cache
def provider_kind(name: str) -> str:
    """hyperscaler, neocloud, marketplace, serverless or reseller; "" for an unknown provider."""
    row = _providers().get(name.strip().lower())
    return row["kind"] if row else ""
