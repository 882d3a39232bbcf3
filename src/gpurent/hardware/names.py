"""What a GPU's name means: a card, the cards it may be, or none. Never fuzzy; what is not sure stays open.

The way of a name: `name_fold` (plain words) -> `name_tokens` (known words) -> `name_heads` (families), `name_grammar`
and `name_sizes` (form, sizes, count, share) -> `name_choice` (the cards of the families that agree with all of it).
Ambiguity is a value: `candidates`.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from functools import cache, lru_cache

from gpurent import tables
from gpurent.hardware import cards, instances, name_grammar, slices
from gpurent.hardware.name_choice import NameReading, choose, is_total, reading_of
from gpurent.hardware.name_fold import fold, narrow
from gpurent.hardware.name_said import Said
from gpurent.hardware.name_tokens import MIB_PER_GIB, tokens
from gpurent.offer import clean_line

_BRACKETS = "()[]{}<>,;|\"' "
_PLURAL = re.compile(r"\d{2}0s\b")


def read_name(
    text: str, *, provider: str | None = None, memory_gib: float | None = None, gpu_count: int | None = None
) -> NameReading:
    """Read a GPU's name as anybody writes it.

    Args:
        text: the name, a machine's size, or a line of `nvidia-smi -L`.
        provider: who wrote it; some names mean something only there.
        memory_gib: GPU memory of one card or slice, GiB, where it is known apart from the name: it decides.
        gpu_count: number of cards, where it is known apart from the name.

    Returns:
        The reading; a text that names no known card has no `gpu` and no `candidates`.

    >>> read_name("8x NVIDIA A100-SXM4-80GB").gpu
    'a100-sxm-80gb'
    >>> read_name("H100").candidates
    ('h100-pcie-80gb', 'h100-nvl-94gb', 'h100-sxm-80gb')
    """
    return _read(text[:1024], provider_key(provider), memory_gib, gpu_count)


def count_of(text: str, provider: str) -> int | None:
    """How many GPUs a name says, None where it says nothing.

    >>> count_of("8x A100 SXM 80GB", "somebody")
    8
    """
    return read_name(text, provider=provider).gpu_count


@lru_cache(maxsize=65536)
def _read(text: str, provider: str, memory_gib: float | None, gpu_count: int | None) -> NameReading:
    text = narrow(clean_line(text)).strip(_BRACKETS)
    machine = instances.find(text, provider)
    if machine is not None:
        return _of_machine(machine, memory_gib)
    folded = fold(text, provider)
    machine = instances.spelling(folded, provider)
    if machine is not None:
        return _of_machine(machine, memory_gib)
    words = [word.strip(_BRACKETS) for word in instances.joined(text).split()]
    named = [found for word in words if (found := instances.find(word, provider)) is not None]
    if named or any(instances.is_size(word) for word in words):  # the letters in a machine's name name no card
        words = [word for word in words if not instances.is_size(word) and instances.find(word, provider) is None]
        folded = fold(" ".join(words), provider)
    said = name_grammar.read(tokens(folded))
    _plural(said, text)
    if not said.families:
        return _of_machine(named[0], memory_gib) if len(set(named)) == 1 else _without_card(said, memory_gib)
    return choose(said, provider, memory_gib, gpu_count)


def _plural(said: Said, text: str) -> None:
    """`8 x RTX 4080s` may be several RTX 4080 as well as the RTX 4080 SUPER that some write 4080S."""
    if (said.count or 1) > 1 and _PLURAL.search(text) and not text.islower():
        for shorter in (said.key.removesuffix("-super-s"), said.key.removesuffix("00s") + "00"):
            if shorter in cards.families() and shorter not in said.families:
                said.families.append(shorter)
                said.key = shorter


@cache
def _providers() -> dict[str, str]:
    found = {}
    for row in tables.rows("providers"):
        for name in (row["provider"], row["title"], *row["aliases"].split("|")):
            found[_plain(name)] = row["provider"]
    return found


def _plain(name: str) -> str:
    return re.sub(r"[\s._\-]+", "", name.lower())


@lru_cache(maxsize=4096)
def provider_key(provider: str | None) -> str:
    """The id of a provider by any of its names; an unknown one keeps its own.

    >>> provider_key("Vast.ai")
    'vast-ai'
    """
    if not provider:
        return ""
    name = provider[:80].partition("(")[0].strip()
    return _providers().get(_plain(name), name.lower())


def _without_card(said: Said, memory_gib: float | None) -> NameReading:
    """A text without a known card: nothing, a virtual name that hides its card, or a bare MIG profile."""
    if said.profile and said.share == "mig":
        owners = slices.cards_with(said.profile)
        only = owners[0] if len(owners) == 1 else None
        return NameReading(
            gpu=only, candidates=() if only else owners, gpu_memory_gib=said.profile_gib, gpu_count=said.count,
            gpu_share="mig", share_profile=said.profile, form=None, notes=tuple(said.notes),
        )  # fmt: skip
    memory = memory_gib if memory_gib is not None else said.card_gib
    if said.share == "vgpu":
        said.note("virtual-name")
        return NameReading(gpu_memory_gib=memory, gpu_count=said.count, gpu_share="unknown", notes=tuple(said.notes))
    return NameReading(gpu_memory_gib=memory, gpu_count=said.count, notes=tuple(said.notes))


def _of_machine(machine: instances.Instance, memory_gib: float | None) -> NameReading:
    found = [cards.by_id()[name] for name in machine.cards]
    said = Said(count=machine.gpu_count, share=machine.share, profile=machine.profile)
    card = found[0] if len(found) == 1 else None
    share, profile, gib = machine.share or "whole", machine.profile, machine.memory_gib
    if machine.total_gib is not None and card is not None:
        one = round(machine.total_gib / card.memory_gb)
        if machine.total_gib * MIB_PER_GIB < card.memory_mib_min:
            share, profile, gib, said.count = "vgpu", None, machine.total_gib, 1
        elif one >= 1 and is_total(card, machine.total_gib * MIB_PER_GIB, one):
            said.count, gib = one, machine.total_gib / one
    elif memory_gib is not None and machine.share is None:
        fitting = [each for each in found if each.memory_mib_min <= memory_gib * MIB_PER_GIB <= each.memory_mib_max]
        if fitting:
            found, card = fitting, fitting[0] if len(fitting) == 1 else None
        gib = memory_gib if fitting else gib
    return replace(reading_of(said, card, found, gib, share, profile), gpu_count=said.count)


# --- did you mean --------------------------------------------------------------------------------------------------


@cache
def _known_names() -> dict[str, str]:
    found: dict[str, str] = {}
    for card in cards.table():
        for name in (card.card, card.family, card.name.lower()):
            found.setdefault(name, card.card)
    return found


def near_names(text: str, limit: int = 3) -> tuple[str, ...]:
    """Cards whose names look like a text nobody knows: for "did you mean" only, never for a reading.

    >>> near_names("rtx 4009")[0]
    'rtx-4090'
    """
    word = re.sub(r"[\s_]+", "-", clean_line(text[:80]).lower())
    cutoff = tables.constants("naming")["near_names"]
    found = difflib.get_close_matches(word, list(_known_names()), 3 * limit, cutoff)
    return tuple(dict.fromkeys(_known_names()[name] for name in found))[:limit]
