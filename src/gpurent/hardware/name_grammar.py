"""What the words around a card's name say of it: form factor, edition, sizes, count and share.

Which card of the named families is meant is decided in `gpurent.hardware.names`.
"""

from __future__ import annotations

from gpurent.hardware.name_heads import Head, heads
from gpurent.hardware.name_said import NEAR, SLICE_WORDS, Said, kind_at
from gpurent.hardware.name_sizes import largest, sizes
from gpurent.hardware.name_tokens import Token, naming

MAX_COUNT = 1024
_DGX = {"a100", "h100", "h200", "b200", "b300"}
_FERMI = ("quadro-4000", "quadro-5000", "quadro-6000")
_SLOT_LANES = 16  # "PCIe x16" is a slot, not sixteen cards


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
    spans = [_span(tokens, head) for head in named]
    _attributes(tokens, named, spans, said)
    sizes(tokens, named, said)
    if said.key == "ascend-910b" or (said.key in _FERMI and said.card_gib is None):
        said.note("another-edition")  # B1 to B4 differ; a Fermi card has the name
    said.count = _count(tokens, named, said)
    return said


def _span(tokens: tuple[Token, ...], head: Head) -> tuple[int, int]:
    """The words around a name that can only be about the card."""
    start, end = head.start, head.end
    while start > 0 and (tokens[start - 1].kind in NEAR or _is_count(tokens, start - 1)):
        start -= 1
    while end < len(tokens) and (tokens[end].kind in (*NEAR, *SLICE_WORDS)):
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
            strong = token.value in ("sxm", "sxm3", "nvl", "oam", "dgx") or place in near
            form = "sxm" if token.value == "dgx" else token.value
            said.machine = said.machine or (token.value == "dgx" and place in near)
            if strong and form not in said.forms:
                said.forms.append(form)
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
        elif token.kind == "shared" and place in near and said.share is None and not _shares_host(tokens, place):
            said.share = (
                "timeslice" if token.gap == "-" else "unknown"
            )  # the label of a Kubernetes node: Tesla-T4-SHARED
        elif token.kind == "compared" and _compared(tokens, place, taken):
            said.note("only-compared")
        elif token.kind == "suffix" and token.value in ("se", "ws", "max-q") and place in near:
            said.editions.append(token.value)
    _fraction(tokens, taken, said)
    if "nvl" in said.forms:
        said.forms.remove("nvl")
        said.editions.append("nvl")
    if "sxm3" in said.forms:
        said.forms[said.forms.index("sxm3")] = "sxm"
        said.editions.append("sxm3")


def _shares_host(tokens: tuple[Token, ...], place: int) -> bool:
    """Whether something of the host is shared, not the card: `A100, shared storage`."""
    after = tokens[place + 1]
    return after.kind == "host" and after.gap == " " and tokens[place].gap != "-" and tokens[place + 2].kind != "memory"


def _compared(tokens: tuple[Token, ...], place: int, taken: set[int]) -> bool:
    """Whether a card is only named to say what is as good: `T4 equivalent`, `similar to an A100`."""
    if tokens[place].value == "after":
        before = place - 1
        while before >= 0 and tokens[before].kind in ("memory", "form"):
            before -= 1
        return before in taken and tokens[place].gap in ("", " ", "-")
    return any(near in taken for near in range(place + 1, place + 4))


def _follows_card(tokens: tuple[Token, ...], place: int, taken: set[int]) -> bool:
    before = place - 1
    while before >= 0 and before not in taken and tokens[before].kind in (*NEAR, "number"):
        before -= 1
    return before in taken


def _fraction(tokens: tuple[Token, ...], taken: set[int], said: Said) -> None:
    """`1/6 A10`, `A10 (1/6)`, `0.5 x A100`: a part of one card."""
    for place, token in enumerate(tokens[:-2]):
        lower, upper = token, tokens[place + 1]
        in_brackets = token.gap.endswith("(")  # "A100 80GB (1/2)"; "A100 80GB 1/2 off" is a discount
        behind = _behind_size(tokens, place) if in_brackets else place - 1
        touches = any(near in taken for near in (behind, behind - 1, *_after_noise(tokens, place + 2)))
        if lower.kind == upper.kind == "number" and upper.gap == "/" and place not in taken and touches:
            part, whole = int(lower.value[:4]), int(upper.value[:4])
            if 0 < part < whole <= 64:
                said.parts = (part, whole)
        if (
            token.kind == "decimal"
            and 0 < token.amount < 1
            and any(near in taken for near in (*([behind] if in_brackets else ()), *_after_noise(tokens, place + 1)))
        ):
            whole = round(1 / token.amount)
            if abs(1 / token.amount - whole) < 0.05:
                said.parts = (1, whole)
    if said.parts and said.share in (None, "unknown"):
        said.share, said.profile = "vgpu", f"{said.parts[0]}/{said.parts[1]}"


def _behind_size(tokens: tuple[Token, ...], place: int) -> int:
    """The place of the word before, sizes and forms passed over."""
    before = place - 1
    while before >= 0 and tokens[before].kind in ("memory", "form"):
        before -= 1
    return before


def _after_noise(tokens: tuple[Token, ...], place: int) -> range:
    """The places of the next words, up to two behind the words that say nothing."""
    end = place
    while end < len(tokens) and tokens[end].kind == "noise":
        end += 1
    return range(place, end + 3)


def _count(tokens: tuple[Token, ...], named: list[Head], said: Said) -> int | None:
    """How many cards: "8 x", "x8", "8 cards", ":8", "* 8", "1A100"; a slot's lanes and a price are not a count."""
    taken = {place for head in named for place in range(head.start, head.end)} | said.bare_sizes
    units, others = [], []
    if said.parts:
        taken |= {each for place, token in enumerate(tokens) if token.gap == "/" for each in (place - 1, place)}
    for place, token in enumerate(tokens):
        if token.kind != "number" or place in taken or not 0 < len(token.value) <= 6:
            continue
        if token.gap.endswith(".") and (kind_at(tokens, place + 1), kind_at(tokens, place + 2)) != ("times", "end"):
            continue
        number = int(token.value)
        before, after = kind_at(tokens, place - 1), kind_at(tokens, place + 1)
        if after == "unit" and tokens[place + 1].gap in ("", " ", "-", "_") and before != "decimal":
            units.append(number)
        elif (
            (after == "times" and _leads(tokens, place + 2, taken))
            or (after == "times" and kind_at(tokens, place + 2) == "end" and _trails(tokens, place - 1, taken))
            or (before == "times" and _trails(tokens, place - 2, taken) and not _lanes(tokens, place, number))
            or (before == "times" and tokens[place - 1].gap != "" and place + 1 in taken)
            or (token.gap.strip() in (":", "=") and _trails(tokens, place - 1, taken) and (named != [] or said.profile))
            or (
                token.gap.strip() == "("
                and (after == "end" or tokens[place + 1].gap.startswith(")"))
                and place - 1 in taken
            )
            or (after == "times" and said.card_gib == tokens[place + 2].amount and _trails(tokens, place - 1, taken))
            or (place + 1 in taken and (tokens[place + 1].gap == "" or (place == 0 and tokens[1].gap == " ")))
        ):
            others.append(number)
    found = [number for number in (units or others) if number >= 1]
    if len(set(found)) > 1 and 1 in found and "several-cards" not in said.notes:
        found = [number for number in found if number != 1]
    each = int(naming()["dgx_gpus"]) if said.machine and set(said.families) <= _DGX else 1
    if not found:
        return each if each > 1 else None
    several = each > 1 and found[0] > 1 and said.card_gib is not None and said.card_gib > largest()  # of one, or of all
    if found[0] * each > MAX_COUNT or len(set(found)) > 1 or 1 < each <= found[0] or several:
        said.note("count-unclear")  # eight DGX, or the eight cards of one
        return None
    return found[0] * each


def _leads(tokens: tuple[Token, ...], place: int, taken: set[int]) -> bool:
    while place not in taken and kind_at(tokens, place) in (
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
    return place in taken or kind_at(tokens, place - 1) == "profile"


def _trails(tokens: tuple[Token, ...], place: int, taken: set[int]) -> bool:
    while place >= 0 and place not in taken and kind_at(tokens, place) in (*NEAR, *SLICE_WORDS[1:]):
        place -= 1
    return place in taken or not taken


def _lanes(tokens: tuple[Token, ...], place: int, number: int) -> bool:
    """Whether a number is the lanes of a slot: `PCIe x16`, `Gen4 x8`."""
    slot = tokens[place - 2]
    if slot.kind in ("decimal", "unknown") or (slot.kind == "number" and kind_at(tokens, place - 3) == "noise"):
        return True
    return slot.kind == "form" and slot.value == "pcie" and number == _SLOT_LANES
