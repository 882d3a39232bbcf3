"""What an offer's card is: the one place that turns the provider's words into a card, a share and a link.

The offer keeps its text, so a better alias table repairs the past. Rules 4 and 5 of the design: a slice is never the
whole card; an unknown card or edition is kept, with everything it can be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any

from gpurent.hardware import cards, instances, slices
from gpurent.hardware.cards import Card
from gpurent.hardware.name_choice import SAID_OF_OFFERS, UNSURE, NameReading
from gpurent.hardware.name_tokens import MIB_PER_GIB
from gpurent.hardware.names import provider_key, read_name
from gpurent.hardware.slices import SliceShare
from gpurent.offer import Offer, Share

_SLICES = ("mig", "vgpu", "timeslice")
_STATUS_WARNINGS = {"modded": "modded-card", "export": "export-card", "mining": "mining-card"}
_LINKS = {"sxm": "nvswitch", "sxm-mesh": "nvlink", "xgmi": "nvlink"}


@dataclass(frozen=True)
class Resolution:
    """An offer's GPUs as known hardware.

    `card` is set when one card is meant, else `candidates` holds all it may be (none: unknown card). The fractions are
    of one slice, 0..1, 1 for a whole card, None where they cannot be said; with candidates they span all of them.
    `memory_gib` is of one card or slice. `link` is None for one GPU; `link_assumed` says it was inferred from the card.
    `warnings` are codes of messages.toml.
    """

    card: str | None
    candidates: tuple[str, ...]
    share: Share
    share_profile: str | None
    compute_fraction: float | None
    compute_fraction_high: float | None
    bandwidth_fraction: float | None
    memory_gib: float | None
    gpu_count: int
    link: str | None
    link_assumed: bool
    warnings: tuple[str, ...]


_KEY: Callable[[Offer], tuple[Any, ...]] = attrgetter(
    "gpu", "provider", "gpu_memory_gib", "gpu_count", "gpu_share", "share_profile", "gpu_link", "sku"
)


def resolve(offer: Offer) -> Resolution:
    """The card, share, memory and link of an offer; depends on its GPU fields, provider and sku only.

    >>> resolve(Offer(provider="x", gpu="NVIDIA A100-SXM4-80GB", gpu_count=8)).link
    'nvswitch'
    """
    return _resolve(*_KEY(offer))


@lru_cache(maxsize=65536)
def _resolve(
    gpu: str,
    provider: str,
    memory_gib: float | None,
    gpu_count: int,
    stated: Share | None,
    stated_profile: str | None,
    gpu_link: str | None,
    sku: str | None,
) -> Resolution:
    reading = read_name(gpu, provider=provider, memory_gib=memory_gib, gpu_count=gpu_count)
    warnings = [note for note in reading.notes if note in SAID_OF_OFFERS]
    if reading.gpu_count not in (None, gpu_count):
        warnings.append("count-contradicted")
    found = _cards(reading)
    if len(found) > 1:
        found = _linked(found, gpu_link)
    if not found:
        return _unknown(reading, stated, stated_profile, memory_gib, gpu_count, gpu_link, warnings)
    share, profile = _share(reading, stated, stated_profile, _of_sku(sku, provider, found), warnings)
    if share == "mig" and profile:
        owners = slices.cards_with(slices.mig_profile(profile) or "")
        found = [card for card in found if card.card in owners] or found
    size = memory_gib if memory_gib is not None else reading.gpu_memory_gib
    parts = [part for card in found if (part := _fractions(card, share, profile, size)) is not None]
    if share != "whole" and not parts:
        warnings.append("slice-without-profile")
    if len(found) > 1:
        warnings.append("ambiguous-card")
    warnings += _status(found)
    link, assumed = _link(found, gpu_link, gpu_count, share)
    return Resolution(
        card=found[0].card if len(found) == 1 and _sure(reading) else None,
        candidates=() if len(found) == 1 and _sure(reading) else tuple(card.card for card in found),
        share=share,
        share_profile=profile,
        compute_fraction=min((part.compute for part in parts), default=None),
        compute_fraction_high=max((part.compute_high for part in parts), default=None),
        bandwidth_fraction=min((part.bandwidth for part in parts), default=None),
        memory_gib=_memory(found, share, parts, size),
        gpu_count=gpu_count,
        link=link,
        link_assumed=assumed,
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _cards(reading: NameReading) -> list[Card]:
    return [cards.by_id()[name] for name in ((reading.gpu,) if reading.gpu else reading.candidates)]


def _sure(reading: NameReading) -> bool:
    return not UNSURE & set(reading.notes)


def _linked(found: list[Card], gpu_link: str | None) -> list[Card]:
    """NVSwitch joins SXM parts only, a bridge PCIe cards only."""
    forms = {"nvswitch": ("sxm", "superchip", "oam"), "nvlink-bridge": ("pcie",)}.get(gpu_link or "")
    return [card for card in found if forms and card.form in forms] or found


def _of_sku(sku: str | None, provider: str, found: list[Card]) -> instances.Instance | None:
    """What the machine's own name says about the share of such a card."""
    machine = instances.find(sku, provider_key(provider)) if sku else None
    if machine is None or machine.share is None:
        return None
    families = {cards.by_id()[name].family for name in machine.cards}
    return machine if any(card.family in families for card in found) else None


def _share(
    reading: NameReading,
    stated: Share | None,
    stated_profile: str | None,
    machine: instances.Instance | None,
    warnings: list[str],
) -> tuple[Share, str | None]:
    """The share and its profile: what the offer states, unless the name or the memory shows a slice."""
    named: Share = reading.gpu_share or "whole"
    profile = stated_profile or reading.share_profile
    if stated_profile and stated in (None, "unknown") and named == "whole":
        kind = slices.kind_of(stated_profile)
        if kind is None:
            warnings.append("profile-unknown")
            return "unknown", stated_profile
        return kind, slices.mig_profile(stated_profile) or stated_profile
    if stated in _SLICES:
        if stated == "mig" and profile:
            profile = slices.mig_profile(profile) or profile
        return stated, profile
    if named == "whole" and machine is not None and machine.share is not None and stated is None:
        return machine.share, machine.profile  # type: ignore[return-value]  # vocabulary of instance_types
    if named != "whole":
        if stated == "whole":
            warnings.append("share-contradicted")
        if "profile-by-size" in reading.notes or (named == "unknown"):
            warnings.append("slice-by-size")
        return named, profile
    return stated or "whole", profile


def _fractions(card: Card, share: Share, profile: str | None, size: float | None) -> SliceShare | None:
    if share in ("mig", "vgpu", "unknown") and size is not None and size * MIB_PER_GIB >= card.memory_mib_min:
        size = None  # the size of the card, not of the slice
    return slices.fractions(card.card, share, profile, size)


def _status(found: list[Card]) -> list[str]:
    if len(found) == 1:
        return [_STATUS_WARNINGS[found[0].status]] if found[0].status in _STATUS_WARNINGS else []
    shared = {card.status for card in found}
    return [_STATUS_WARNINGS[status] for status in sorted(shared) if len(shared) == 1 and status in _STATUS_WARNINGS]


def _memory(found: list[Card], share: Share, parts: list[SliceShare], size: float | None) -> float | None:
    """Memory of one card or slice in GiB; of candidates the smallest."""
    if share == "whole":
        inside = size is not None and any(
            card.memory_mib_min <= size * MIB_PER_GIB <= card.memory_mib_max for card in found
        )
        return size if inside else min(card.memory_gb for card in found)
    if share == "timeslice":
        return min(card.memory_gb for card in found)
    least = min((part.memory_mib / MIB_PER_GIB for part in parts), default=None)
    if least is None:
        return None if size is not None and any(size * MIB_PER_GIB >= card.memory_mib_min for card in found) else size
    return min(least, size) if size is not None else least


def _link(found: list[Card], gpu_link: str | None, gpu_count: int, share: Share) -> tuple[str | None, bool]:
    """The link between the GPUs of an offer: as stated, else what the card's form usually has; PCIe while in doubt."""
    if gpu_count < 2 or share != "whole":
        return None, False
    if gpu_link is not None:
        return gpu_link, False
    usual = {_LINKS.get(card.link_class, "pcie") for card in found}
    return (usual.pop() if len(usual) == 1 else "pcie"), True


def _unknown(
    reading: NameReading,
    stated: Share | None,
    stated_profile: str | None,
    memory_gib: float | None,
    gpu_count: int,
    gpu_link: str | None,
    warnings: list[str],
) -> Resolution:
    return Resolution(
        card=None,
        candidates=(),
        share=stated or reading.gpu_share or "whole",
        share_profile=stated_profile or reading.share_profile,
        compute_fraction=None,
        compute_fraction_high=None,
        bandwidth_fraction=None,
        memory_gib=memory_gib if memory_gib is not None else reading.gpu_memory_gib,
        gpu_count=gpu_count,
        link=gpu_link if gpu_count > 1 else None,
        link_assumed=False,
        warnings=tuple(dict.fromkeys(["unknown-card", *warnings])),
    )
