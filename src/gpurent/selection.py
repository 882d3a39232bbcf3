"""Which offers are asked for: the filters of `compare` and `offers`, each with the reason it leaves an offer out."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Literal

from gpurent.errors import Problem
from gpurent.hardware import cards
from gpurent.hardware.names import near_names, read_name
from gpurent.hardware.resolve import Resolution
from gpurent.money import InvalidNumber, bounded_float
from gpurent.offer import Offer

_GLOB = set("*?[")
# Drivers report a little less than the nominal size; a renter who asks for 24 GiB means the 24 GB card.
_READING = 0.97


@dataclass(frozen=True)
class Range:
    """A closed range of a number; None: open."""

    low: float | None = None
    high: float | None = None

    def holds(self, value: float | None) -> bool:
        """Whether a known value lies in it; an unknown one is not known to."""
        return (
            value is not None and (self.low is None or value >= self.low) and (self.high is None or value <= self.high)
        )


def read_range(text: str, option: str, *, whole: bool = False) -> Range:
    """`8..`, `..4`, `2..8`, or one number; not negative, and with `whole` a count of 1 or more.

    >>> read_range("2..8", "--count")
    Range(low=2.0, high=8.0)

    Raises:
        Problem: not a range (exit 2).
    """
    low, dots, high = text.partition("..")
    try:
        ends = [bounded_float(end) if end.strip() else None for end in ((low, high) if dots else (low, low))]
    except InvalidNumber:
        raise Problem(f"{option} is not a range", text, "write 8.. or ..4 or 2..8 or one number") from None
    if any(end is not None and (end < 0 or (whole and (end < 1 or end != int(end)))) for end in ends):
        raise Problem(
            f"{option} holds what no offer has", text, "give whole numbers from 1" if whole else "give 0 or more"
        )
    if ends == [None, None] or (ends[0] is not None and ends[1] is not None and ends[0] > ends[1]):
        raise Problem(f"{option} is an empty range", text, "write 8.. or ..4 or 2..8 or one number")
    return Range(*ends)


PURCHASES = ("on-demand", "spot", "reserved", "any")
SHARES = ("whole", "slice", "any")
_LARGEST_MEMORY = 1e6  # GiB


@dataclass(frozen=True)
class Wanted:
    """The filters. Empty tuples and None leave everything in."""

    gpu: tuple[str, ...] = ()
    provider: tuple[str, ...] = ()
    region: tuple[str, ...] = ()
    tier: tuple[str, ...] = ()
    purchase: Literal["on-demand", "spot", "reserved", "any"] = "on-demand"
    share: Literal["whole", "slice", "any"] = "any"
    min_vram_gib: float | None = None
    vcpus: Range | None = None
    ram_gib: Range | None = None
    count: Range | None = None
    include_sold_out: bool = False
    include_via: bool = False

    def __post_init__(self) -> None:
        """Refuse words that would quietly filter everything.

        Raises:
            Problem: an unknown purchase or share, or a memory that is no size.
        """
        for name, known in (("purchase", PURCHASES), ("share", SHARES)):
            if getattr(self, name) not in known:
                raise Problem(f"{name} does not know this word", getattr(self, name), f"use {', '.join(known)}")
        if self.min_vram_gib is not None and not 0 < self.min_vram_gib < _LARGEST_MEMORY:
            raise Problem("the least memory is not a size", self.min_vram_gib, "give GiB above 0")


@dataclass(frozen=True)
class _GpuPattern:
    cards: frozenset[str]
    memory_gb: float | None
    count: int | None

    def meets(self, found: Resolution) -> bool:
        names = (found.card,) if found.card else found.candidates
        if self.count is not None and found.gpu_count != self.count:
            return False
        return any(name in self.cards and self._as_large(name) for name in names)

    def _as_large(self, name: str) -> bool:
        """Whether the card has the size asked for: sizes are printed as GB, GiB or what a driver leaves of them."""
        size = cards.by_id()[name].memory_gb
        return self.memory_gb is None or abs(size / self.memory_gb - 1) < _SIZE_SPREAD


_SIZE_SPREAD = 0.08


def _gpu_pattern(text: str) -> _GpuPattern:
    model, *rest = (part.strip() for part in text.split(":"))
    if len(rest) > 2 or not model:
        raise Problem("--gpu takes MODEL, MODEL:MEMORY or MODEL:MEMORY:COUNT", text, "e.g. a100:80GB:8")
    memory = _memory_gb(rest[0], text) if rest and rest[0] else None
    count = _gpu_count(rest[1], text) if len(rest) == 2 else None
    return _GpuPattern(frozenset(_cards_of(model, text)), memory, count)


def _cards_of(model: str, text: str) -> Iterable[str]:
    """Ids a model means: those a glob matches (perhaps none), the id itself, else every card of that name."""
    word = model.lower()
    if _GLOB & set(word):
        glob = word.replace(" ", "-").replace("_", "-")
        return [name for name in cards.by_id() if fnmatchcase(name, glob)]
    if word in cards.by_id():
        return [word]
    reading = read_name(model)
    found = (reading.gpu,) if reading.gpu else reading.candidates
    if not found:
        near = ", ".join(near_names(model)) or "see `gpurent gpus list`"
        raise Problem("unknown card in --gpu", text, f"near: {near}")
    return found


def _memory_gb(part: str, text: str) -> float:
    number = part.lower().removesuffix("ib").removesuffix("b").removesuffix("g").strip()
    try:
        size = bounded_float(number)
    except InvalidNumber:
        size = 0.0
    if size <= 0:
        raise Problem("--gpu: the memory of a card is not a size", text, "write it as 80GB, e.g. a100:80GB:8")
    return size


def _gpu_count(part: str, text: str) -> int:
    if not part.isdecimal() or not 1 <= int(part[:6]) <= _MOST_GPUS:
        raise Problem("--gpu: the count is not a number of GPUs", text, "write 1 or more, e.g. a100:80GB:8")
    return int(part)


_MOST_GPUS = 1024


def _words(patterns: Sequence[str]) -> Callable[[str | None], bool]:
    """A test of one text against globs; without glob signs a pattern is the whole word, whatever its case."""
    globs = [pattern.strip().lower() for pattern in patterns]

    @lru_cache(maxsize=4096)
    def meets(value: str | None) -> bool:
        return value is not None and any(fnmatchcase(value.lower(), glob) for glob in globs)

    return meets


def check_providers(wanted: Wanted, known: Iterable[str]) -> None:
    """Name a misspelt provider instead of finding nothing.

    Raises:
        Problem: a plain name that no offer and no table knows (exit 2), with the near ones.
    """
    names = {name.lower() for name in known}
    for pattern in wanted.provider:
        word = pattern.strip().lower()
        if not _GLOB & set(word) and word not in names:
            near = ", ".join(difflib.get_close_matches(word, sorted(names), 3, 0.5)) or "see `gpurent providers list`"
            raise Problem("unknown provider", pattern, f"near: {near}")


class Selector:
    """The filters made ready for many offers: `reason(offer, resolution)` is "" or why it is left out."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._gpus = [_gpu_pattern(text) for text in wanted.gpu]
        self._provider, self._region, self._tier = _words(wanted.provider), _words(wanted.region), _words(wanted.tier)
        self._meets_gpu = lru_cache(maxsize=8192)(self._gpu_reason)

    def reason(self, offer: Offer, found: Resolution) -> str:
        """`filtered:<option>`, `sold-out`, or "" for an offer that is wanted."""
        wanted = self._wanted
        if wanted.purchase != "any" and offer.purchase != wanted.purchase:
            return "filtered:purchase"
        if wanted.provider and not (self._provider(offer.provider) or self._provider(offer.via)):
            return "filtered:provider"
        if wanted.region and not (self._region(offer.region) or self._region(offer.country)):
            return "filtered:region"
        if wanted.tier and not self._tier(offer.tier):
            return "filtered:tier"
        if wanted.vcpus and not wanted.vcpus.holds(offer.vcpus):
            return "filtered:vcpus"
        if wanted.ram_gib and not wanted.ram_gib.holds(offer.ram_gib):
            return "filtered:ram"
        reason = self._meets_gpu(found)
        if reason:
            return reason
        return "sold-out" if offer.stock == "sold-out" and not wanted.include_sold_out else ""

    def _gpu_reason(self, found: Resolution) -> str:
        wanted = self._wanted
        if self._gpus and not any(pattern.meets(found) for pattern in self._gpus):
            return "filtered:gpu"
        if wanted.count and not wanted.count.holds(found.gpu_count):
            return "filtered:count"
        if wanted.share == "whole" and found.share != "whole":
            return "filtered:share"
        if wanted.share == "slice" and found.share not in ("mig", "vgpu", "timeslice"):
            return "filtered:share"
        if wanted.min_vram_gib is not None:
            memory = found.memory_gib
            if memory is None or memory < wanted.min_vram_gib * _READING:
                return "filtered:min-vram"
        return ""
