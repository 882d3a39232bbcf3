"""Which of the sizes in a text is the memory of the card it names."""

from __future__ import annotations

from functools import cache

from gpurent.hardware import cards
from gpurent.hardware.name_heads import Head
from gpurent.hardware.name_said import NEAR, SLICE_WORDS, Said, kind_at
from gpurent.hardware.name_tokens import MIB_PER_GIB, Token, naming


def sizes(tokens: tuple[Token, ...], named: list[Head], said: Said) -> None:
    """Which of the sizes is the card's: the first one at the name; one marked as VRAM beside it is what is offered."""
    ends = [head.end for head in named]
    starts = [head.start for head in named]
    own: list[float] = []
    marked: list[float] = []
    for place, token in enumerate(tokens):
        if token.kind == "total":
            marked.append(token.amount)
        if token.kind != "memory" or token.amount <= 0:
            continue
        if _marked(tokens, place):
            marked.append(token.amount)
        elif not _of_host(tokens, place) and (not named or _at_name(tokens, place, starts, ends)):
            own.append(token.amount)
        elif place in ends and not own and kind_at(tokens, place - 1) != "host":
            own.append(token.amount)
            said.size_doubtful = True
    if not own and not marked:
        own = _bare_sizes(tokens, ends, said)
    if said.profile_gib is not None:
        own = [size for size in own if size != said.profile_gib or said.share != "mig"]
        marked = [size for size in marked if size != said.profile_gib]
    possible = [size for size in own if size <= largest()]
    own = possible or ([] if marked else own)
    if own and marked and marked[0] < own[0]:
        said.part_gib = marked[0]
    first = own or marked
    said.card_gib = first[0] if first else None


def _bare_sizes(tokens: tuple[Token, ...], ends: list[int], said: Said) -> list[float]:
    """A number without a unit behind a name that is a size of the card, too large for a count: `A100-80`."""
    above = naming()["bare_size_above"]
    found = []
    for end in ends:
        place = end
        while tokens[place].kind == "form":
            place += 1
        token, after = tokens[place], kind_at(tokens, place + 1)
        if token.kind != "number" or token.gap.strip() not in ("", "-", "_", "(") or len(token.value) > 3:
            continue
        sizes = {card.memory_gb for family in said.families for card in cards.families()[family]}
        if above < int(token.value) in sizes and after in ("end", "form", "times", "link", "memory-type", "number"):
            found.append(float(token.value))
            said.bare_sizes.add(place)
    return found


@cache
def largest() -> float:
    """Memory of the largest card in GiB; what is larger is a disk, the host, or several cards."""
    return max(card.memory_mib_max for card in cards.table()) / MIB_PER_GIB


def _marked(tokens: tuple[Token, ...], place: int) -> bool:
    """Whether a size is said to be the GPU's memory: `显存10GB`, `24GB VRAM`."""
    if kind_at(tokens, place - 1) == "gpu-memory":
        return True
    after = tokens[place + 1]
    return after.kind == "gpu-memory" and "," not in after.gap and kind_at(tokens, place + 2) != "memory"


def _of_host(tokens: tuple[Token, ...], place: int) -> bool:
    before, after = kind_at(tokens, place - 1), kind_at(tokens, place + 1)
    if after == "host" and tokens[place + 1].gap.strip() in ("", "-", "_") and kind_at(tokens, place + 2) != "memory":
        return True
    if before == "host":
        return True
    return before == "unknown" and tokens[place - 1].value[:1].isdigit() and tokens[place - 1].value[-1:] in "cu"


def _at_name(tokens: tuple[Token, ...], place: int, starts: list[int], ends: list[int]) -> bool:
    """Whether only words about the card stand between a size and a name."""

    def clear(low: int, high: int) -> bool:
        return all(
            tokens[each].kind in (*NEAR, *SLICE_WORDS, "unsure")
            or (tokens[each].kind == "number" and len(tokens[each].value) <= 3)
            for each in range(low, high)
        )

    return any(clear(end, place) for end in ends if end <= place) or any(
        clear(place + 1, start) for start in starts if start > place
    )
