"""Where a text names cards: families by model words (`a100`, `mi300x`) or by number, product line and suffixes.

A family is what cards of one name have in common, apart from edition, form factor and memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from gpurent.hardware import cards
from gpurent.hardware.name_tokens import Token, models

_PRO_NUMBERS = ("2000", "4000", "4500", "5000", "5500", "5880", "6000", "8000")
_LINES = (
    "rtx", "gtx", "geforce", "quadro", "titan", "tesla", "grid", "radeon", "rx", "instinct", "pro", "cmp", "ascend",
)  # fmt: skip
_SUFFIX_ORDER = ("ti", "super", "d", "v2", "laptop")
_SHORT = 2
_NO_NAME = ("￥", "$", "€", "£", "#", "@", "-", "~", ".")  # what stands before a price or a part of another name
_BETWEEN = frozenset(" -_()[]")  # what may stand between the parts of one name
_UNITS = ("mhz", "ghz", "w", "h", "hours", "hour", "mb", "mbps", "gbps")


@dataclass(frozen=True)
class Head:
    """A card's name in a text: its families, the key of its hints, and where it stands."""

    families: tuple[str, ...]
    key: str
    start: int
    end: int
    bare: bool = False
    spare: tuple[str, ...] = ()
    editions: tuple[str, ...] = ()


@cache
def _geforce() -> dict[str, str]:
    """Numbers of GeForce cards and the family prefix each has."""
    found = {}
    for family in cards.families():
        line, _, rest = family.partition("-")
        if line in ("rtx", "gtx") and rest.split("-")[0].isdigit() and rest.split("-")[0] not in _PRO_NUMBERS:
            found[rest.split("-")[0]] = line
    return found


def heads(tokens: tuple[Token, ...]) -> list[Head]:
    """Every card a text names, in order; a bare number counts only where nothing is named in full."""
    found: list[Head] = []
    place = 0
    while place < len(tokens):
        head = _head(tokens, place, found[-1] if found else None)
        if head is not None:
            found.append(head)
            place = max(head.end, place + 1)
        else:
            place += 1
    named = [head for head in found if not head.bare]
    return named if any(not _short(tokens, head) for head in named) else found


def _short(tokens: tuple[Token, ...], head: Head) -> bool:
    """A name of two letters, such as T4, says less than a number of four digits."""
    return head.end - head.start == 1 and len(tokens[head.start].value) <= _SHORT


def _part_of_word(tokens: tuple[Token, ...], place: int) -> bool:
    """Whether a short name is joined by hyphens to letters nobody knows: `zone-a2`, `a2-highgpu`."""
    before, after = tokens[place - 1] if place else None, tokens[place + 1]
    if before is not None and before.kind == "unknown" and tokens[place].gap in ("-", "_", "."):
        return after.kind != "times"
    return after.kind == "unknown" and after.gap in ("-", "_", ".")


def _head(tokens: tuple[Token, ...], place: int, before: Head | None) -> Head | None:
    token = tokens[place]
    if token.kind == "model":
        return _model(tokens, place)
    if token.kind == "line" and token.value == "titan":
        return _titan(tokens, place)
    if token.kind == "line" and token.value == "pro" and _word(tokens, place + 1) == ("unknown", "vii"):
        return Head(("radeon-pro-vii",), "radeon-pro-vii", place, place + 2)
    if token.kind == "number":
        return _number(tokens, place, before)
    return None


def _word(tokens: tuple[Token, ...], place: int) -> tuple[str, str]:
    return (tokens[place].kind, tokens[place].value) if 0 <= place < len(tokens) else ("end", "")


def _joins(gap: str) -> bool:
    return len(gap) <= 3 and _BETWEEN.issuperset(gap)


def _lines(tokens: tuple[Token, ...], place: int) -> tuple[set[str], int]:
    """The product lines written before a number, and where they start."""
    lines: set[str] = set()
    start = place
    while start > 0 and _joins(tokens[start].gap):
        kind, value = tokens[start - 1].kind, tokens[start - 1].value
        if (
            (kind == "line" and value in _LINES)
            or (kind, value) == ("suffix", "blackwell")
            or (kind, value) == ("suffix", "ada")
        ):
            lines.add(value)
        elif kind not in ("vendor", "noise"):
            break
        start -= 1
    return lines, start


def _model(tokens: tuple[Token, ...], place: int) -> Head | None:
    value = tokens[place].value
    family = models()[value]
    end = place + 1
    after = tokens[end]
    if after.gap == "" and after.kind == "suffix" and after.value == "s":
        plural = Head((family,), family, place, end + 1)
        return plural if value + "s" not in models() else None
    if after.gap == "" and after.kind in ("suffix", "number", "unknown"):
        return None  # A100D, A100M: another card, or none
    longer = models().get(value + after.value) if after.gap in (" ", "-", "_") and len(after.value) == 1 else None
    if longer is not None and after.kind in ("suffix", "unknown"):
        return Head((family, longer), family, place, end + 1)  # L40 S
    if value == "gaudi" and after.value.startswith(("gaudi", "hl")):
        return None  # the product number says which one
    if value == "gaudi" and after.kind == "number" and after.gap in (" ", "-", "_"):
        name = f"gaudi{after.value}" if after.value != "1" else "gaudi"
        if tokens[end + 1].kind == "times" and tokens[end + 2].kind != "number":
            return Head((family,), family, place, end)  # Gaudi, 2x
        if tokens[end + 1].kind == "unit" and name in cards.families():
            return Head((family, name), family, place, end + 1)  # a Gaudi 2, or two of the first
        return Head((name,), name, place, end + 1) if name in cards.families() else None
    if len(value) <= _SHORT and _part_of_word(tokens, place):
        return None
    if not _laptops_known(family, _suffixes(tokens, end)[0]):
        return None
    lines, start = _lines(tokens, place)
    if value in ("gv100", "gp100") and "quadro" not in lines:
        return None  # the chip's own name
    if family.startswith("rtx-a"):
        number = family.removeprefix("rtx-a")
        if "pro" in lines and f"rtx-pro-{number}" in cards.families():
            return None
        if after.kind == "suffix" and after.value == "ada" and f"rtx-{number}-ada" in cards.families():
            return Head((family, f"rtx-{number}-ada"), family, start, end + 1)
    return Head((family,), "ascend-910b" if value == "910b" else family, start, end)


def _laptops_known(family: str, suffixes: list[str]) -> bool:
    """Whether a card said to be a laptop's is one we know: `RTX A5000 Laptop GPU`, `Quadro RTX 5000 with Max-Q`."""
    said = {"laptop", "max-q"} & set(suffixes)
    return not said or f"{family}-laptop" in cards.families() or ("max-q" in said and "pro" in family.split("-"))


def _titan(tokens: tuple[Token, ...], place: int) -> Head | None:
    lines, start = _lines(tokens, place)
    word = _word(tokens, place + 1)
    end = place + 2
    if word == ("line", "rtx"):
        return Head(("titan-rtx",), "titan-rtx", start, end)
    if word == ("unknown", "v"):
        return Head(("titan-v",), "titan-v", start, end)
    if word == ("suffix", "xp"):
        return Head(("titan-xp",), "titan-xp", start, end)
    if word[0] == "times" and tokens[place + 1].value != "*":
        if _word(tokens, place + 2) == ("suffix", "pascal"):
            return Head(("titan-x-pascal",), "titan-x-pascal", start, end + 1)
        if "gtx" in lines or _word(tokens, place + 2) == ("unknown", "maxwell"):
            return Head(("gtx-titan-x",), "gtx-titan-x", start, end)
        return Head(("gtx-titan-x", "titan-x-pascal"), "titan-x", start, end)
    return Head(("titan-rtx",), "titan-rtx", start, place + 1) if "rtx" in lines else None


def _suffixes(tokens: tuple[Token, ...], place: int) -> tuple[list[str], int, bool]:
    """The suffixes behind a number, where they end, and whether the first one is glued to it."""
    found: list[str] = []
    end = place
    while tokens[end].kind in ("suffix", "noise") and _joins(tokens[end].gap):
        if tokens[end].kind == "suffix":
            found.append(tokens[end].value)
        end += 1
    return found, end, bool(found) and tokens[place].gap == ""


def _number(tokens: tuple[Token, ...], place: int, before: Head | None) -> Head | None:
    value = tokens[place].value
    lines, start = _lines(tokens, place)
    if before is not None and before.end == place and tokens[place].gap.strip() in ("/", "or"):
        lines, start = lines | (_lines_of(before) if not before.bare else set()), place
    suffixes, end, glued = _suffixes(tokens, place + 1)
    after = tokens[place + 1]
    if after.gap == "" and after.kind == "unknown":
        return None
    if value == "7900" and ("xtx" in suffixes or "xt" in suffixes):
        family = f"rx-7900-{suffixes[0]}"
        return Head((family,), family, start, end)
    if value == "910" and "ascend" in lines and after.kind != "number":
        return Head(("ascend-910",), "ascend-910", start, place + 1)
    if value in _PRO_NUMBERS and not (value in _geforce() and not lines & {"quadro", "pro"}):
        return _professional(tokens, place, value, lines, start, suffixes, end)
    if value in _geforce():
        return _geforce_head(tokens, place, value, lines, start, suffixes, end, glued)
    return None


def _lines_of(head: Head) -> set[str]:
    family = head.families[0]
    return {line for line in ("quadro", "pro", "rtx", "gtx") if line in family.split("-")}


def _geforce_head(
    tokens: tuple[Token, ...],
    place: int,
    value: str,
    lines: set[str],
    start: int,
    suffixes: list[str],
    end: int,
    glued: bool,
) -> Head | None:
    if lines & {"quadro", "pro", "radeon", "rx", "instinct", "ascend"}:
        return None
    bare = not lines & {"rtx", "gtx", "geforce"}
    if bare and not suffixes and not _stands_alone(tokens, place):
        return None
    names = ["super" if name == "s" else "laptop" if name == "max-q" else name for name in suffixes]
    names = [name for name in names if name in _SUFFIX_ORDER]
    base = f"{_geforce()[value]}-{value}"
    ordered = [name for name in _SUFFIX_ORDER if name in names]
    family = "-".join([base, *ordered])
    if family in cards.families():
        key = f"{family}-s" if glued and suffixes == ["s"] else family
        spare = tuple(other for last in ("laptop", "v2") if (other := f"{family}-{last}") in cards.families())
        return Head((family,), key, start, end, bare=bare and not suffixes, spare=spare)
    plural = "-".join([base, *[name for name in ordered if name != "super"]])
    if suffixes and suffixes[-1] == "s" and plural in cards.families():
        return Head((plural,), plural, start, end, bare=False)  # "4 x RTX 4090s"
    return None


def _stands_alone(tokens: tuple[Token, ...], place: int) -> bool:
    """A bare number such as 4090 is a card only where it cannot be a price, a clock or a part of a CPU's name."""
    token, after = tokens[place], tokens[place + 1]
    if token.gap.strip()[-1:] in _NO_NAME or after.gap.startswith("块"):
        return False
    for each in reversed(tokens[max(0, place - 3) : place]):
        if each.kind in ("cpu", "money"):
            return False
        if len(each.value) >= 4:
            break
    if after.kind in ("money", "host", "cpu") or after.gap.startswith(("/", "%", ".")):
        return after.gap.startswith("/") and after.kind in ("memory", "number")
    return not (
        after.kind == "unknown" and after.value in ("mhz", "ghz", "w", "h", "hours", "hour", "mb", "mbps", "gbps")
    )


def _professional(
    tokens: tuple[Token, ...], place: int, value: str, lines: set[str], start: int, suffixes: list[str], end: int
) -> Head | None:
    families = cards.families()
    editions = tuple(name for name in suffixes if name in ("se", "ws", "max-q"))

    def head(*names: str, key: str, spare: tuple[str, ...] = (), bare: bool = False) -> Head | None:
        known = tuple(name for name in names if name in families)
        if not known or not _laptops_known(known[-1], suffixes):
            return None
        return Head(known, key, start, end, bare=bare, spare=spare, editions=editions)

    if "ti" in suffixes or "super" in suffixes:
        return None
    if "d" in suffixes[:1]:
        return head("rtx-6000d", key="rtx-6000d") if value == "6000" else None
    if "ada" in suffixes and lines & {"quadro", "pro"} and value != "5880":
        other = "quadro-rtx" if "quadro" in lines else "rtx-pro"
        return head(f"{other}-{value}", f"rtx-{value}-ada", key=f"rtx-{value}")
    if "pro" in lines or "blackwell" in suffixes or "blackwell" in lines:
        if "s" in suffixes:
            editions = (*editions, "se")
        return None if "sff" in suffixes else head(f"rtx-pro-{value}", key=f"rtx-pro-{value}")
    if (tokens[end].kind, tokens[end].value) == ("line", "pro") and "rtx" in lines:
        return head(f"quadro-rtx-{value}", f"rtx-{value}-ada", f"rtx-pro-{value}", key=f"rtx-{value}-pro")
    if "sff" in suffixes:
        return head(f"rtx-{value}-sff-ada", key=f"rtx-{value}-sff-ada")
    if "ada" in suffixes or "ada" in lines:
        return head(f"rtx-{value}-ada", key=f"rtx-{value}-ada")
    if "quadro" in lines:
        return head(f"quadro-rtx-{value}", key=f"quadro-rtx-{value}" if "rtx" in lines else f"quadro-{value}")
    if value == "5880" and (lines & {"rtx"} or _stands_alone(tokens, place)):
        return head("rtx-5880-ada", key="rtx-5880-ada", bare=not lines)
    if "rtx" in lines:
        known = [name for name in (f"quadro-rtx-{value}", f"rtx-{value}-ada") if name in families]
        spare = tuple(name for name in (f"rtx-pro-{value}",) if name in families)
        return head(*known, key=f"rtx-{value}", spare=spare) if known else head(*spare, key=f"rtx-{value}")
    return None
