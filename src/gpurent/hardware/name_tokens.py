"""A GPU's name as a list of known words: splitting of a folded text, without any meaning yet.

Every step is linear in the text: single passes, no pattern with nested repetition, long words left alone.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from gpurent import tables
from gpurent.hardware import cards

MAX_CHUNK = 40
MIB_PER_GIB = 1024
_GIB = {
    **dict.fromkeys(("gib", "gb", "gi", "g", "gig", "gigs", "vram"), 1.0),
    **dict.fromkeys(("mib", "mb", "mi"), 1 / MIB_PER_GIB),
    "tb": 1024.0,
}

_MIG = re.compile(r"(?:mig)?(?:\dc\.)?(\d{1,2})g\.?(\d{1,3})gb")
_VGPU = re.compile(r"(\d{1,3})([qcab])")
_MEMORY = re.compile(rf"(\d{{1,6}}(?:\.\d{{1,3}})?)({'|'.join(_GIB)})")
_DECIMAL = re.compile(r"(\d{1,6}\.\d{1,6})(x?)")
_SCAN = re.compile(r"[a-z0-9]+(?:\.[a-z0-9]+)*|\*|[^a-z0-9*]+")
_DIGITS = re.compile(r"\d+")
_UNITS = re.compile(r"(gib|gb|mib|mb|g)")


class Token(NamedTuple):
    """A word of a name.

    kind: model, number, memory (GiB), profile, vgpu, times, unknown, or a kind of tables/name_words.csv.
    gap: the text that stands before it, "" when it is glued to its neighbour.
    """

    kind: str
    value: str
    gap: str
    amount: float = 0.0


@cache
def naming() -> dict[str, float]:
    """The numbers of tables/naming.csv."""
    return tables.constants("naming")


@cache
def _words() -> dict[str, tuple[str, str]]:
    return {row["word"]: (row["kind"], row["value"]) for row in tables.rows("name_words") if row["kind"] != "zh"}


@cache
def models() -> dict[str, str]:
    """One-word names and the family each is, such as a100, l40s, a6000 or mi300x."""
    found = {}
    for family in cards.families():
        if family.startswith("rtx-a"):
            found[family.removeprefix("rtx-")] = family
        elif "-" not in family:
            found[family] = family
        elif family.startswith(("quadro-p", "quadro-g", "cmp-", "radeon-pro-v5", "radeon-pro-v6", "radeon-pro-v7")):
            found[family.rsplit("-", 1)[1]] = family
        elif family.startswith(("ascend-910b", "mtt-")):
            found[family.split("-", 1)[1]] = family
        elif family.startswith("p10"):
            found[family.replace("-", "")] = family
    found["ppu"] = "ppu-810"
    found["910b"] = "ascend-910b2"
    found["w7900"] = "radeon-pro-w7900"
    return found


@lru_cache(maxsize=65536)
def _segments(chunk: str) -> tuple[tuple[str, str, float], ...] | None:
    """The fewest known words that make up a chunk of letters and digits, or None.

    A word never splits a run of digits, so `h1000` is not an H100 with a zero behind it.
    """
    best: list[tuple[tuple[str, str, float], ...] | None] = [None] * (len(chunk) + 1)
    best[0] = ()
    for start in range(len(chunk)):
        before = best[start]
        if before is None:
            continue
        for end, token in _words_at(chunk, start):
            if end < len(chunk) and chunk[end - 1].isdigit() and chunk[end].isdigit():
                continue
            known = best[end]
            if known is None or len(before) + 1 < len(known):
                best[end] = (*before, token)
    found = best[len(chunk)]
    return found if found and _letters_fit(found) else None


def _words_at(chunk: str, start: int) -> list[tuple[int, tuple[str, str, float]]]:
    found: list[tuple[int, tuple[str, str, float]]] = []
    for end in range(len(chunk), start, -1):
        word = chunk[start:end]
        if word in models():
            found.append((end, ("model", word, 0.0)))
        elif word in _words():
            found.append((end, (*_words()[word], 0.0)))
    digits = _DIGITS.match(chunk, start)
    if digits:
        found.append((digits.end(), ("number", digits.group(), 0.0)))
        unit = _UNITS.match(chunk, digits.end())
        if unit and len(digits.group()) <= 6:
            found.append((unit.end(), ("memory", "", int(digits.group()) * _GIB[unit.group()])))
    return found


def _letters_fit(found: tuple[tuple[str, str, float], ...]) -> bool:
    """Single letters mean something only where they belong: 4090d, 4070s, 3060m, a100s (plural), 8x, x8."""
    for place, (kind, value, _) in enumerate(found):
        before = found[place - 1] if place else None
        after = found[place + 1] if place + 1 < len(found) else None
        if kind == "suffix" and value in ("s", "d"):
            if before is None and after is not None:
                return False
            if before is not None and value == "d" and before[0] not in ("number", "suffix"):
                return False
            if before is not None and value == "s" and before[0] not in ("number", "suffix", "model"):
                return False
        if kind == "noise" and value == "a" and len(found) > 1:
            return False
        if kind == "times" and len(found) > 1 and "number" not in (before and before[0], after and after[0]):
            return False
        if kind == "line" and value == "quadro" and len(found) > 1 and after is None:
            return False
    return True


def _chunk_tokens(chunk: str, gap: str) -> list[Token]:
    mig = _MIG.fullmatch(chunk)
    if mig:
        return [Token("profile", f"{int(mig[1])}g.{int(mig[2])}gb", gap, float(mig[2]))]
    memory = _MEMORY.fullmatch(chunk)
    if memory:
        kind = "total" if memory[2] == "vram" else "memory"
        return [Token(kind, memory[2], gap, float(memory[1]) * _GIB[memory[2]])]
    decimal = _DECIMAL.fullmatch(chunk)
    if decimal:
        found = [Token("decimal", decimal[1], gap, float(decimal[1]))]
        return [*found, Token("times", "", "")] if decimal[2] else found
    vgpu = _VGPU.fullmatch(chunk)
    if vgpu and gap.strip(" ") in ("-", "_") and chunk not in models():
        return [Token("vgpu", chunk, gap, float(vgpu[1]))]
    if chunk in _GIB and chunk not in _words():
        return [Token("unknown", chunk, gap)]
    if "." in chunk:
        parts: list[Token] = []
        for part in chunk.split("."):
            parts += _chunk_tokens(part, "." if parts else gap)
        return parts
    segments = _segments(chunk) if len(chunk) <= MAX_CHUNK else None
    if segments is None:
        return [Token("unknown", chunk, gap)]
    found = [
        Token(kind, value, gap if place == 0 else "", amount) for place, (kind, value, amount) in enumerate(segments)
    ]
    if found[0].kind == "counted":  # "dual", "eight": a number and "x"
        found[:1] = [Token("number", found[0].value, gap), Token("times", "", "")]
    return found


def tokens(folded: str) -> tuple[Token, ...]:
    """The words of a folded text.

    >>> [token.kind for token in tokens("8x rtx4090d 24gb")]
    ['number', 'times', 'line', 'number', 'suffix', 'memory', 'end']
    """
    found: list[Token] = []
    gap = " "
    for match in _SCAN.finditer(folded):
        piece = match.group()
        if piece == "*":
            found.append(Token("times", "*", gap))
            gap = ""
        elif piece[0].isascii() and piece[0].isalnum():
            found += _chunk_tokens(piece, gap)
            gap = ""
        else:
            gap += piece
    found += [Token("end", "", gap)]
    return _joined(found)


def _joined(found: list[Token]) -> tuple[Token, ...]:
    """A number and the unit that stands alone behind it are one size: "80 GB"."""
    joined: list[Token] = []
    place = 0
    while place < len(found):
        token = found[place]
        after = found[place + 1] if place + 1 < len(found) else None
        if (
            token.kind in ("number", "decimal")
            and after is not None
            and after.kind == "unknown"
            and after.value in _GIB
            and after.gap in (" ", "-", "_")
            and len(token.value) <= 8
            and not (joined and joined[-1].value == "gaudi")
        ):
            joined.append(Token("memory", after.value, token.gap, float(token.value) * _GIB[after.value]))
            place += 2
            continue
        joined.append(token)
        place += 1
    return tuple(joined)
