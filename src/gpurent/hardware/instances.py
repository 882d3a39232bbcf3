"""Names of machine sizes (`p4d.24xlarge`, `g4-standard-6`) and whole spellings that say a card without naming it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from gpurent import tables

_PLACES = {"{n}": r"(?P<n>\d{1,3})", "{v}": r"(?P<v>\d{1,5})", "{any}": r"[a-z0-9.\-]{1,40}"}
_SIZE = re.compile(r"(?:ml\.)?[a-z][a-z0-9\-]{0,15}\.(?:\d{0,3}x?large|metal(?:-\d\dxl)?|micro|nano|small|medium)")


_AZURE = re.compile(
    r"(?<![a-z0-9])(?:standard[ _])?(n[cdgv]\d{1,3}[a-z]{0,6})(?:[ _]([a-z]{1,4}\d{1,3}[a-z]?))?[ _](v\d)(?![a-z0-9])",
    re.IGNORECASE,
)


def _azure(found: re.Match[str]) -> str:
    return "_".join(("standard", *(part for part in found.groups() if part)))


@dataclass(frozen=True)
class Instance:
    """What a machine's name says about its GPUs; `total_gib` is the GPU memory of the whole machine."""

    cards: tuple[str, ...]
    gpu_count: int | None
    share: str | None
    profile: str | None
    memory_gib: float | None
    total_gib: float | None = None


@cache
def _patterns() -> dict[str, list[dict[str, str]]]:
    """The rows by the first two letters of their names ("" for a number), the most exact first."""
    rows = sorted(tables.rows("instance_types"), key=lambda row: -len(re.sub(r"\{.*?\}", "", row["pattern"])))
    found: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        found.setdefault("" if "{" in row["pattern"][:2] else row["pattern"][:2], []).append(row)
    return found


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\{n\}|\{v\}|\{any\})", pattern)
    return re.compile("".join(_PLACES.get(part, re.escape(part)) for part in parts))


def _said(pattern: str, word: str) -> dict[str, str] | None:
    """What stands in the places of a pattern, or None where the word is another name."""
    if "{" not in pattern:
        return {} if word == pattern else None
    found = _compiled(pattern).fullmatch(word)
    return found.groupdict() if found else None


@lru_cache(maxsize=16384)
def find(text: str, provider: str = "") -> Instance | None:
    """The machine a text names, or None. A provider's own sizes come first, then those no other provider shares.

    >>> find("p4d.24xlarge").cards
    ('a100-sxm-40gb',)
    """
    word = _AZURE.sub(_azure, text.strip().lower()).removeprefix("ml.")
    if len(word) > 64 or " " in word or not word[:1].isalnum():
        return None
    rows = _patterns().get("" if word[0].isdigit() else word[:2], ())
    matches = [(said, row) for row in rows if (said := _said(row["pattern"], word)) is not None]
    shared = len({row["provider"] for _, row in matches}) > 1
    for said, row in matches:
        if not shared or not provider or row["provider"] == provider:
            count = said.get("n") or row["gpu_count"]
            if count and int(count) < 1:
                return None
            return Instance(
                cards=tuple(row["cards"].split(";")),
                gpu_count=int(count) if count else None,
                share=row["gpu_share"] or None,
                profile=row["share_profile"] or None,
                memory_gib=tables.number(row["gpu_memory_gib"]),
                total_gib=float(said["v"]) if said.get("v") else None,
            )
    return None


def joined(text: str) -> str:
    """A text with its Azure sizes written as one word each: `NC24ads A100 v4`, `NC24ads_A100_v4`."""
    return _AZURE.sub(_azure, text) if "n" in text or "N" in text else text


def is_size(text: str) -> bool:
    """Whether a text is written like a machine size of AWS; the words in it name no card (`t4g.micro`)."""
    return _SIZE.fullmatch(text.strip().lower()) is not None


@cache
def _spellings() -> dict[tuple[str, str], dict[str, str]]:
    return {(row["spelling"], row["provider"]): row for row in tables.rows("aliases") if row["scope"] == "text"}


def spelling(folded: str, provider: str = "") -> Instance | None:
    """A whole text that only its provider could mean (`Compute - GPU - E3`), or None."""
    words = " ".join(re.split(r"[^a-z0-9.]+", folded)).strip()
    for opening in ("oci ", "oracle cloud infrastructure "):
        words = words.removeprefix(opening)
    row = _spellings().get((words, provider)) or _spellings().get((words, ""))
    if row is None:
        return None
    return Instance(tuple(row["cards"].split(";")), None, row["gpu_share"] or None, row["share_profile"] or None, None)
