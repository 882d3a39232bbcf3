"""From what a name says to the cards it may mean: edition, form factor, memory, links, provider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from gpurent import tables
from gpurent.hardware import cards, slices
from gpurent.hardware.cards import Card
from gpurent.hardware.name_said import Said
from gpurent.hardware.name_tokens import MIB_PER_GIB, naming
from gpurent.offer import Share

UNSURE = {"another-edition", "form-contradicted", "memory-contradicted", "only-compared", "size-unclear"}
SAID_OF_OFFERS = (
    "several-cards", "memory-above-card", "memory-contradicted", "virtual-name", "form-contradicted", "another-edition",
    "only-compared", "profile-unknown",
)  # fmt: skip


@dataclass(frozen=True)
class NameReading:
    """What a name says. `gpu` is only set when exactly one card can be meant; else `candidates` holds all that can.

    `gpu_memory_gib` is what was said of one card or slice, None when nothing was. `notes` are codes of what was odd.
    """

    gpu: str | None = None
    candidates: tuple[str, ...] = ()
    gpu_memory_gib: float | None = None
    gpu_count: int | None = None
    gpu_share: Share | None = None
    share_profile: str | None = None
    form: str | None = None
    notes: tuple[str, ...] = ()


@cache
def _hints() -> dict[tuple[str, str], tuple[tuple[str, ...], str]]:
    return {
        (row["provider"], row["family"]): (tuple(row["cards"].split(";")) if row["cards"] else (), row["share"])
        for row in tables.rows("name_hints")
    }


def _hint(provider: str, said: Said) -> tuple[tuple[str, ...], str]:
    """What a provider, or the rules of vGPU types, say of a name that could mean several cards."""
    if said.share == "vgpu" and said.profile_gib is not None and ("*", f"{said.key}-vgpu") in _hints():
        return _hints()["*", f"{said.key}-vgpu"]
    return _hints().get((provider, said.key)) or _hints().get(("*", said.key), ((), ""))


def choose(said: Said, provider: str, memory_gib: float | None, gpu_count: int | None) -> NameReading:
    """The cards of the named families that agree with everything said; memory known apart from the name decides."""
    count = said.count if said.count is not None else gpu_count
    allowed, hinted_share = _hint(provider, said)
    family = [card for name in said.families for card in cards.families()[name]]
    size = said.card_gib if said.card_gib is not None else memory_gib
    pool = family
    if allowed and not said.forms and not said.editions:
        hinted = [cards.by_id()[name] for name in allowed]
        if (
            hinted_share
            or size is None
            or _fitting(hinted, size * MIB_PER_GIB)
            or not _fitting(family, size * MIB_PER_GIB)
        ):
            pool = hinted
    if size is None:
        modded = "said-to-be-modded" in said.notes
        shown = [
            card for card in pool
            if card.listed != "memory" or card.card in allowed or (modded and card.status == "modded")
        ]  # fmt: skip
        return _settle(said, _described(shown, family, said), "unsaid", None, hinted_share, count)
    found, where = _by_memory(pool, family, said, size * MIB_PER_GIB, count)
    if said.size_doubtful:
        if where != "inside":
            return choose(replace(said, card_gib=None, size_doubtful=False), provider, memory_gib, gpu_count)
        said.note("size-unclear")
        found = list(dict.fromkeys([*found, *_described([c for c in pool if c.listed != "memory"], family, said)]))
    part = memory_gib if said.card_gib is not None and memory_gib is not None else said.part_gib
    if part is not None and where == "inside":
        return _with_part(said, found, part, hinted_share, count)
    return _settle(said, found, where, size, hinted_share, count)


def _described(pool: list[Card], family: list[Card], said: Said) -> list[Card]:
    """The cards of a pool that agree with edition, form factor, memory type and link.

    What no card of the pool agrees with contradicts the rest: then nothing is sure, and those of the family that agree
    with it are candidates too.
    """
    pool = _by_edition(pool, family, said)
    forms = set(said.forms)
    if len(forms) > 1 or ("sxm" in forms and "nvl" in said.editions):
        said.note("form-contradicted")
    elif forms:
        form = said.forms[0]
        fitting = [card for card in pool if card.form == form or (form == "sxm" and card.form == "superchip")]
        if form == "pcie" and not said.editions:
            plain = [card for card in fitting if not card.edition or card.family == "rtx-pro-6000"]
            fitting = plain or fitting
        if not fitting:
            said.note("form-contradicted")
            pool = [*pool, *(card for card in family if card.form == form and card not in pool)]
        pool = fitting or pool
    typed = [card for card in pool if card.memory_type.lower() in said.memory_types]
    if said.memory_types and not typed and any(card.memory_type.lower() in said.memory_types for card in family):
        said.note("form-contradicted")
        return [*pool, *(c for c in family if c.memory_type.lower() in said.memory_types and c not in pool)]
    pool = typed or pool
    if said.links:
        linked = [card for card in pool if card.nvlink_gbyte_s != 0]
        if not linked and any(card.nvlink_gbyte_s != 0 for card in family):
            said.note("form-contradicted")
        pool = linked or pool
    if said.profile and said.share == "mig":
        owners = slices.cards_with(said.profile)
        cut = [card for card in pool if card.card in owners]
        if not cut:
            said.note("profile-unknown")
        pool = cut or pool
    return pool


def _by_edition(pool: list[Card], family: list[Card], said: Said) -> list[Card]:
    known = {card.edition for card in family if card.edition}
    named = [edition for edition in said.editions if edition in known]
    if "max-q" in named:
        named = ["max-q"]
    if named:
        found = [card for card in pool if card.edition in named]
        if not found or len(set(named)) > 1:
            said.note("form-contradicted")
            return [*pool, *(card for card in family if card.edition in named and card not in pool)]
        return found
    if "nvl" in said.editions:
        said.note("edition-unknown")
    return [card for card in pool if card.listed != "named"] or pool


def _fitting(found: list[Card], mib: float) -> list[Card]:
    return _nearest([card for card in found if card.memory_mib_min <= mib <= card.memory_mib_max], mib)


def _by_memory(
    pool: list[Card], family: list[Card], said: Said, mib: float, count: int | None
) -> tuple[list[Card], str]:
    """The cards a size fits, and where the size lies: inside, total, below (a slice) or above all of them."""
    spare = _fitting([card for name in said.spare for card in cards.families()[name]], mib)
    whole = _fitting(pool, mib) or [card for card in spare if card.form != "mobile"]
    if whole:
        found = _described(whole, family, said)
        several = _total(pool, mib, count, found)
        if several:
            said.note("size-of-one-or-all")
            return [*several, *found], "inside"
        return found, "inside"
    stock = [card for card in pool if card.listed != "memory" and card.status != "modded"] or pool
    stock = _described(stock, family, said)
    if count and count > 1:
        each = [card for card in stock if is_total(card, mib, count)]
        if each:
            return _nearest(each, mib / count), "total"
    for card in stock:
        on_board = naming().get(f"board_gpus_{card.family}")
        if on_board and is_total(card, mib, int(on_board)):
            return [card], "board"
    larger = [card for card in stock if card.memory_mib_min > mib]
    if larger or spare:
        return [*larger, *spare], "below" if larger else "inside"  # a part of the card, or the laptop's
    if said.card_gib is not None and mib > max(card.memory_mib_max for card in cards.table()):
        said.note("size-left-out")  # no card has as much: a disk, or the host
        return stock, "unsaid"
    return stock, "above"


def is_total(card: Card, mib: float, count: int) -> bool:
    """Whether a size is that of `count` such cards together."""
    tolerance = naming()["total_size_tolerance"]
    return abs(mib / count - card.memory_gb * MIB_PER_GIB) <= tolerance * card.memory_gb * MIB_PER_GIB


def _total(pool: list[Card], mib: float, count: int | None, whole: list[Card]) -> list[Card]:
    """Stock cards whose sizes together are what was read as one modified card's: "4090 x2 (48GB)"."""
    if not count or count < 2 or any(card.status != "modded" for card in whole):
        return []
    return [card for card in pool if card.status != "modded" and is_total(card, mib, count)]


def _nearest(found: list[Card], mib: float) -> list[Card]:
    if not found:
        return []
    gaps = [min(abs(card.memory_mib - mib), abs(card.memory_gb * MIB_PER_GIB - mib)) for card in found]
    limit = min(gaps) + naming()["same_size"] * mib / 2
    return [card for card, gap in zip(found, gaps, strict=True) if gap <= limit]


def _with_part(said: Said, found: list[Card], part_gib: float, hinted_share: str, count: int | None) -> NameReading:
    """A card with its size in the name, and a size of what is offered beside it."""
    part = part_gib * MIB_PER_GIB
    fitting = [card for card in found if card.memory_mib_min <= part <= card.memory_mib_max]
    if fitting or (count and count > 1 and any(is_total(card, part, count) for card in found)):
        return _settle(said, fitting or found, "inside", part_gib if fitting else None, hinted_share, count)
    if all(part < card.memory_mib_min for card in found):
        return _settle(said, found, "below", part_gib, hinted_share, count)
    said.note("memory-contradicted")
    return reading_of(said, None, found, part_gib, None, None)


def _settle(
    said: Said, found: list[Card], where: str, gib: float | None, hinted_share: str, count: int | None
) -> NameReading:
    share, profile = said.share, said.profile
    if where == "unsaid":
        gib = None
    if where == "total" and gib is not None and count:
        gib = gib / count
    if where == "board":
        gib = found[0].memory_gb
        said.note("size-of-board")
    if where == "above":
        if share in ("mig", "vgpu", "timeslice"):
            said.note("memory-contradicted")
            return reading_of(said, None, found, gib, share, profile)
        said.note("memory-above-card")
        return reading_of(said, None, [], gib, None, None)
    if where == "below":
        share, profile = _kind_of_part(said, found, gib or 0.0, hinted_share)
    elif share is None and said.parts is None:
        share = "whole"
    elif share == "mig" and profile is None and where == "inside":
        gib = None  # the size is the card's, the slice's is not said
    if said.profile_gib is not None:
        gib = said.profile_gib
    elif said.parts is not None and where != "below":
        sizes = {card.memory_gb for card in found}
        gib = sizes.pop() * said.parts[0] / said.parts[1] if len(sizes) == 1 else None
    return reading_of(said, found[0] if len(found) == 1 else None, found, gib, share, profile)


def _kind_of_part(said: Said, found: list[Card], gib: float, hinted_share: str) -> tuple[str, str | None]:
    """The kind of slice a size below the card's is: as said, as its provider cuts, a MIG profile so large, unknown."""
    if said.share in ("vgpu", "timeslice", "mig") and said.profile:
        return said.share, said.profile
    if said.share in ("vgpu", "timeslice"):
        return said.share, None
    if hinted_share:
        return hinted_share, None
    profiles = {slices.mig_of_memory(card.card, gib) for card in found}
    named = {name for names in profiles for name in names}
    if not named or not all(profiles):
        return said.share or "unknown", None
    if said.share is None:
        said.note("profile-by-size")
    return "mig", named.pop() if len(named) == 1 else None


def reading_of(
    said: Said, card: Card | None, found: Sequence[Card], gib: float | None, share: str | None, profile: str | None
) -> NameReading:
    """A reading of one card, or of all that were found where something contradicts the rest."""
    sure = card if not UNSURE & set(said.notes) else None
    known = {each.card for each in found}
    return NameReading(
        gpu=sure.card if sure else None,
        candidates=() if sure else tuple(each.card for each in cards.table() if each.card in known),
        gpu_memory_gib=gib,
        gpu_count=said.count,
        gpu_share=share,  # type: ignore[arg-type]  # words of the table name_words
        share_profile=profile,
        form=sure.form if sure else (said.forms[0] if len(said.forms) == 1 else None),
        notes=tuple(said.notes),
    )
