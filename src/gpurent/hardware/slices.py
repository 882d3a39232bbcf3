"""Parts of a card: what share of compute, bandwidth and memory a slice has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from gpurent import tables
from gpurent.hardware import cards
from gpurent.offer import Share

_FRACTION = re.compile(r"(\d{1,3})/(\d{1,3})")
_VGPU = re.compile(r"(?:\d{1,2}-)?(\d{1,3})[qcab]")
_MIG = re.compile(r"(?:mig[\s\-]?)?(?:\dc\.)?(\d)g\.(\d{1,3})gb(?:[+\-.].{0,12})?")


@dataclass(frozen=True)
class SliceShare:
    """What a slice has of the whole card, each 0..1: SMs, what a best-effort slice may reach of them, bandwidth.

    `memory_mib` is the slice's own memory.
    """

    compute: float
    compute_high: float
    bandwidth: float
    memory_mib: float
    profile: str
    source: str


@cache
def _rows() -> dict[str, tuple[dict[str, str], ...]]:
    found: dict[str, list[dict[str, str]]] = {}
    for row in tables.rows("slices"):
        found.setdefault(row["card"], []).append(row)
    return {card: tuple(rows) for card, rows in found.items()}


def _share(row: dict[str, str]) -> SliceShare:
    return SliceShare(
        compute=float(row["compute_fraction"]),
        compute_high=float(row["compute_fraction_high"]),
        bandwidth=float(row["bandwidth_fraction"]),
        memory_mib=float(row["memory_mib"]),
        profile=row["profile"],
        source=row["source"],
    )


def mig_profile(text: str) -> str | None:
    """The plain name of a MIG profile.

    >>> mig_profile("MIG 1c.3g.20gb+me")
    '3g.20gb'
    """
    found = _MIG.fullmatch(text.strip().lower())
    return f"{int(found[1])}g.{int(found[2])}gb" if found else None


@cache
def cards_with(profile: str) -> tuple[str, ...]:
    """Cards that can be cut into a MIG profile, in the order of the table."""
    owners = {row["card"] for row in tables.rows("slices") if row["share"] == "mig" and row["profile"] == profile}
    return tuple(card.card for card in cards.table() if card.card in owners)


@cache
def mig_of_memory(card_id: str, memory_gib: float) -> tuple[str, ...]:
    """MIG profiles of a card that have this much memory by their name, smallest first."""
    return tuple(
        row["profile"]
        for row in _rows().get(card_id, ())
        if row["share"] == "mig" and _alike(memory_gib, row) and not row["profile"].startswith(_whole(card_id))
    )


def _whole(card_id: str) -> str:
    """The opening of the profile that is the whole card."""
    return "4g." if card_id.startswith(("a30", "rtx-")) else "7g."


def _alike(memory_gib: float, row: dict[str, str]) -> bool:
    named = float(row["profile"].split(".")[1].removesuffix("gb"))
    tolerance = tables.constants("naming")["slice_size_tolerance"]
    return abs(memory_gib - named) <= tolerance * named or abs(memory_gib * 1024 - float(row["memory_mib"])) <= 64


def _of_memory(share: float, memory_mib: float, profile: str) -> SliceShare:
    return SliceShare(share, 1.0, share, memory_mib, profile, "vgpu-rule")


@lru_cache(maxsize=16384)
def kind_of(profile: str) -> Share | None:
    """The share a profile alone tells of: mig, vgpu (a part, a vGPU type, a time slice's part), or None.

    >>> kind_of("3g.20gb"), kind_of("1/6"), kind_of("whatever")
    ('mig', 'vgpu', None)
    """
    word = profile.strip().lower()
    if mig_profile(word):
        return "mig"
    return "vgpu" if _FRACTION.fullmatch(word) or _VGPU.search(word) else None


def fractions(
    card_id: str, share: str, profile: str | None = None, memory_gib: float | None = None
) -> SliceShare | None:
    """What a slice has of a card, or None where that cannot be said.

    MIG: SM counts and eighths of the memory by profile (table slices); a size that fits several profiles spans them.
    vGPU and slices of unknown kind: memory and bandwidth by memory share, compute between that and the whole card.
    A time slice has the whole memory; its compute is only known when its profile says the part.

    >>> fractions("a100-sxm-80gb", "mig", "3g.40gb").compute
    0.388889
    >>> fractions("a10", "vgpu", "1/6").memory_mib
    4096.0
    """
    card = cards.by_id()[card_id]
    if share == "whole":
        return SliceShare(1.0, 1.0, 1.0, float(card.memory_mib), "", card.source)
    rows = _rows().get(card_id, ())
    named = mig_profile(profile) if profile else None
    if named or share == "mig":
        return _mig(card_id, rows, named, memory_gib)
    part = _part(card, profile)
    if part is not None:
        for row in rows:
            if row["share"] == "vgpu" and row["profile"] == profile and share == "vgpu":
                return _share(row)
        memory_mib = part * card.memory_gb * 1024
        if share == "timeslice":
            return SliceShare(part, 1.0, 1.0, float(card.memory_mib), profile or "", "vgpu-rule")
        return _of_memory(part, memory_mib, profile or "")
    if share == "timeslice" or memory_gib is None:
        return None
    memory_share = memory_gib * 1024 / (card.memory_gb * 1024)
    if not 0 < memory_share <= 1:
        return None
    return _of_memory(memory_share, memory_gib * 1024, profile or "")


def _mig(
    card_id: str, rows: tuple[dict[str, str], ...], profile: str | None, memory_gib: float | None
) -> SliceShare | None:
    if profile is not None:
        found = [_share(row) for row in rows if row["share"] == "mig" and row["profile"] == profile]
        return found[0] if found else None
    if memory_gib is None:
        return None
    names = mig_of_memory(card_id, memory_gib)
    fitting = [_share(row) for row in rows if row["share"] == "mig" and row["profile"] in names]
    if not fitting:
        return None
    least = min(fitting, key=lambda part: part.compute)
    most = max(part.compute_high for part in fitting)
    return SliceShare(least.compute, most, least.bandwidth, least.memory_mib, "", least.source)


def _part(card: cards.Card, profile: str | None) -> float | None:
    """The part of a card a profile names: "1/6", or the gigabytes of "4q"."""
    if not profile:
        return None
    fraction = _FRACTION.fullmatch(profile)
    if fraction and 0 < int(fraction[1]) <= int(fraction[2]):
        return int(fraction[1]) / int(fraction[2])
    sized = _VGPU.fullmatch(profile.lower())
    if sized and 0 < int(sized[1]) <= card.memory_gb:
        return int(sized[1]) / card.memory_gb
    return None
