"""What the words around a card's name say of it: form factor, edition, sizes, count and share.

Which card of the named families is meant is decided in `gpurent.hardware.names`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from gpurent.hardware import cards
from gpurent.hardware.name_heads import Head, heads
from gpurent.hardware.name_tokens import MIB_PER_GIB, Token

MAX_COUNT = 1024
_NEAR = (
    "vendor", "line", "noise", "form", "link", "memory", "memory-type", "suffix", "unit", "status",
    "gpu-memory", "total",
)  # fmt: skip
_SLICE_WORDS = ("times", "profile", "share", "vgpu")
_SLOT_LANES = 16  # "PCIe x16" is a slot, not sixteen cards


@dataclass
class Said:
    """What the words of one name say. Empty or None: nothing."""

    families: list[str] = field(default_factory=list)
    key: str = ""  # the name as written, for the hints of a provider: "rtx-6000" while its line is not said
    spare: list[str] = field(default_factory=list)  # families that only count when the memory rules out the others
    forms: list[str] = field(default_factory=list)
    editions: list[str] = field(default_factory=list)
    memory_types: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    card_gib: float | None = None  # the size that belongs to the name
    part_gib: float | None = None  # a second, smaller size said to be the GPU's
    total_gib: float | None = None
    count: int | None = None
    share: str | None = None
    profile: str | None = None
    profile_gib: float | None = None
    parts: tuple[int, int] | None = None  # 1/6 of a card
    size_doubtful: bool = False  # a size at the name that a word of the host follows: "RTX 4090 48GB RAM"
    notes: list[str] = field(default_factory=list)

    def note(self, code: str) -> None:
        if code not in self.notes:
            self.notes.append(code)


def read(tokens: tuple[Token, ...]) -> Said:
    """What a name says."""
    said = Said()
    named = heads(tokens)
    for head in named:
        for family in head.families:
            if family not in said.families:
                said.families.append(family)
        said.editions += [edition for edition in head.editions if edition not in said.editions]
        said.spare += [family for family in head.spare if family not in said.families]
    said.key = named[0].key if len({head.key for head in named}) == 1 else ""
    if len({head.families for head in named}) > 1:
        said.note("several-cards")
    if said.key == "ascend-910b":
        said.note("another-edition")  # B1 to B4 differ
    spans = [_span(tokens, head) for head in named]
    _attributes(tokens, named, spans, said)
    _sizes(tokens, named, said)
    said.count = _count(tokens, named, said)
    return said


def _span(tokens: tuple[Token, ...], head: Head) -> tuple[int, int]:
    """The words around a name that can only be about the card."""
    start, end = head.start, head.end
    while start > 0 and (tokens[start - 1].kind in _NEAR or _is_count(tokens, start - 1)):
        start -= 1
    while end < len(tokens) and (
        tokens[end].kind in _NEAR or tokens[end].kind in ("times", "profile", "share", "vgpu")
    ):
        end += 1
    return start, end


def _is_count(tokens: tuple[Token, ...], place: int) -> bool:
    return tokens[place].kind in ("times", "number") and len(tokens[place].value) <= 4


def _attributes(tokens: tuple[Token, ...], named: list[Head], spans: list[tuple[int, int]], said: Said) -> None:
    near = {place for start, end in spans for place in range(start, end)}
    taken = {place for head in named for place in range(head.start, head.end)}
    for place, token in enumerate(tokens):
        if place in taken:
            continue
        if token.kind == "form":
            strong = token.value in ("sxm", "sxm3", "nvl", "oam") or place in near
            if strong and token.value not in said.forms:
                said.forms.append(token.value)
        elif token.kind == "memory-type" and place in near:
            said.memory_types.append(token.value)
        elif token.kind == "link":
            said.links.append(token.value)
        elif token.kind == "status":
            said.note("said-to-be-modded")
        elif token.kind == "unsure":
            said.note("another-edition")
        elif token.kind == "profile":
            said.share, said.profile, said.profile_gib = "mig", token.value, token.amount
        elif token.kind == "vgpu" and said.profile is None and _follows_card(tokens, place, taken):
            said.share, said.profile, said.profile_gib = "vgpu", token.value, token.amount
        elif token.kind == "share" and said.share is None:
            said.share = token.value
        elif token.kind == "suffix" and token.value in ("se", "ws", "max-q") and place in near:
            said.editions.append(token.value)
    _fraction(tokens, taken, said)
    if "nvl" in said.forms:
        said.forms.remove("nvl")
        said.editions.append("nvl")
    if "sxm3" in said.forms:
        said.forms[said.forms.index("sxm3")] = "sxm"
        said.editions.append("sxm3")


def _follows_card(tokens: tuple[Token, ...], place: int, taken: set[int]) -> bool:
    before = place - 1
    while before >= 0 and before not in taken and tokens[before].kind in (*_NEAR, "number"):
        before -= 1
    return before in taken


def _fraction(tokens: tuple[Token, ...], taken: set[int], said: Said) -> None:
    """`1/6 A10`, `A10 (1/6)`, `0.5 x A100`: a part of one card."""
    for place, token in enumerate(tokens[:-2]):
        lower, upper = token, tokens[place + 1]
        touches = any(near in taken for near in (place - 1, place - 2, place + 2, place + 3, place + 4))
        if lower.kind == upper.kind == "number" and upper.gap == "/" and place not in taken and touches:
            part, whole = int(lower.value[:4]), int(upper.value[:4])
            if 0 < part < whole <= 64:
                said.parts = (part, whole)
        if token.kind == "decimal" and 0 < token.amount < 1 and any(near in taken for near in (place + 1, place + 2)):
            whole = round(1 / token.amount)
            if abs(1 / token.amount - whole) < 0.02:
                said.parts = (1, whole)
    if said.parts and said.share in (None, "unknown"):
        said.share, said.profile = "vgpu", f"{said.parts[0]}/{said.parts[1]}"


def _sizes(tokens: tuple[Token, ...], named: list[Head], said: Said) -> None:
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
        elif place in ends and not own and _kind(tokens, place - 1) != "host":
            own.append(token.amount)
            said.size_doubtful = True
    if said.profile_gib is not None:
        own = [size for size in own if size != said.profile_gib]
        marked = [size for size in marked if size != said.profile_gib]
    possible = [size for size in own if size <= _largest()]
    own = possible or own
    if own and marked and marked[0] < own[0]:
        said.part_gib = marked[0]
    first = own or marked
    said.card_gib = first[0] if first else None


@cache
def _largest() -> float:
    """Memory of the largest card in GiB; what is larger is a disk, the host, or several cards."""
    return max(card.memory_mib_max for card in cards.table()) / MIB_PER_GIB


def _kind(tokens: tuple[Token, ...], place: int) -> str:
    return tokens[place].kind if 0 <= place < len(tokens) else "end"


def _marked(tokens: tuple[Token, ...], place: int) -> bool:
    """Whether a size is said to be the GPU's memory: `显存10GB`, `24GB VRAM`."""
    if _kind(tokens, place - 1) == "gpu-memory":
        return True
    after = tokens[place + 1]
    return after.kind == "gpu-memory" and "," not in after.gap and _kind(tokens, place + 2) != "memory"


def _of_host(tokens: tuple[Token, ...], place: int) -> bool:
    before, after = _kind(tokens, place - 1), _kind(tokens, place + 1)
    if after == "host" and tokens[place + 1].gap.strip() in ("", "-", "_") and _kind(tokens, place + 2) != "memory":
        return True
    if before == "host":
        return True
    return before == "unknown" and tokens[place - 1].value[:1].isdigit() and tokens[place - 1].value[-1:] in "cu"


def _at_name(tokens: tuple[Token, ...], place: int, starts: list[int], ends: list[int]) -> bool:
    """Whether only words about the card stand between a size and a name."""

    def clear(low: int, high: int) -> bool:
        return all(
            tokens[each].kind in (*_NEAR, "times", "profile", "share", "vgpu", "unsure")
            or (tokens[each].kind == "number" and len(tokens[each].value) <= 3)
            for each in range(low, high)
        )

    return any(clear(end, place) for end in ends if end <= place) or any(
        clear(place + 1, start) for start in starts if start > place
    )


def _count(tokens: tuple[Token, ...], named: list[Head], said: Said) -> int | None:
    """How many cards: "8 x", "x8", "8 cards", ":8", "* 8", "1A100"; a slot's lanes and a price are not a count."""
    taken = {place for head in named for place in range(head.start, head.end)}
    units, others = [], []
    for place, token in enumerate(tokens):
        if token.kind != "number" or place in taken or not 0 < len(token.value) <= 6 or token.gap.endswith("."):
            continue
        number = int(token.value)
        before, after = _kind(tokens, place - 1), _kind(tokens, place + 1)
        if after == "unit" and tokens[place + 1].gap in ("", " ", "-", "_") and before != "decimal":
            units.append(number)
        elif (
            (after == "times" and _leads(tokens, place + 2, taken))
            or (after == "times" and _kind(tokens, place + 2) == "end" and _trails(tokens, place - 1, taken))
            or (before == "times" and _trails(tokens, place - 2, taken) and not _lanes(tokens, place, number))
            or (before == "times" and tokens[place - 1].gap != "" and place + 1 in taken)
            or (token.gap == ":" and _trails(tokens, place - 1, taken) and named != [])
            or (place + 1 in taken and (tokens[place + 1].gap == "" or (place == 0 and tokens[1].gap == " ")))
        ):
            others.append(number)
    found = [number for number in (units or others) if number >= 1]
    if len(set(found)) > 1 and 1 in found:
        found = [number for number in found if number != 1]
    if not found:
        return None
    if found[0] > MAX_COUNT or len(set(found)) > 1:
        said.note("count-unclear")
        return None
    return found[0]


def _leads(tokens: tuple[Token, ...], place: int, taken: set[int]) -> bool:
    while place not in taken and _kind(tokens, place) in (
        "vendor",
        "line",
        "noise",
        "unit",
        "memory",
        "form",
        "profile",
        "share",
    ):
        place += 1
    return place in taken or _kind(tokens, place - 1) == "profile"


def _trails(tokens: tuple[Token, ...], place: int, taken: set[int]) -> bool:
    while place >= 0 and place not in taken and _kind(tokens, place) in (*_NEAR, "profile", "share", "vgpu"):
        place -= 1
    return place in taken or not taken


def _lanes(tokens: tuple[Token, ...], place: int, number: int) -> bool:
    """Whether a number is the lanes of a slot: `PCIe x16`, `Gen4 x8`."""
    slot = tokens[place - 2]
    if slot.kind in ("decimal", "unknown") or (slot.kind == "number" and _kind(tokens, place - 3) == "noise"):
        return True
    return slot.kind == "form" and slot.value == "pcie" and number == _SLOT_LANES
