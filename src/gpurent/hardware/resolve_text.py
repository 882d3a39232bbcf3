"""Pasted texts as cards: names, several lines of them, and the answer of `nvidia-smi -L` with its MIG lines."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gpurent.hardware import cards
from gpurent.hardware.name_choice import NameReading
from gpurent.hardware.names import near_names, read_name
from gpurent.offer import clean_line

MAX_LINES = 1000
_GPU_LINE = re.compile(r"\s{0,8}GPU\s{1,3}\d{1,4}\s?:\s?(?P<name>[^\n]{1,400})", re.IGNORECASE)
_MIG_LINE = re.compile(r"\s{0,8}MIG\s{1,3}(?P<profile>[0-9a-z.+]{5,24})\s{1,12}Device\s{1,4}\d{1,3}\s?:", re.IGNORECASE)
_UUID = re.compile(r"\(UUID:[^)]{0,80}\)?", re.IGNORECASE)


@dataclass
class _Line:
    text: str
    name: str
    count: int | None = None  # equal lines of nvidia-smi, one a GPU or slice


def resolve_texts(
    texts: Iterable[str], provider: str | None = None, memory_gib: float | None = None
) -> list[dict[str, Any]]:
    """What every text means, one mapping a text with the keys of `gpurent.gpus/1` (CLI.md).

    A line of `nvidia-smi -L` is one GPU: equal ones are counted together; a GPU with MIG lines under it is its slices.
    `near` names what a text nobody knows may have meant.

    >>> resolve_texts(["2x RTX 4090"])[0]["gpu_count"]
    2
    """
    return [_row(line, read_name(line.name, provider=provider, memory_gib=memory_gib)) for line in _lines(texts)]


def _lines(texts: Iterable[str]) -> list[_Line]:
    found: list[_Line] = []
    parent: _Line | None = None
    whole = False  # whether the last GPU line still counts as a whole card
    for text in texts:
        for raw in text.splitlines()[:MAX_LINES] or [text]:
            mig, gpu = _MIG_LINE.match(raw), _GPU_LINE.match(raw)
            if mig and parent is not None:
                if whole:
                    parent.count = (parent.count or 1) - 1
                    whole = False
                name = f"{parent.name} MIG {mig['profile']}"
                _count(found, _Line(clean_line(raw), name, 1))
            elif gpu:
                parent = _count(found, _Line(clean_line(raw), clean_line(_UUID.sub("", gpu["name"])), 1))
                whole = True
            elif raw.strip() or not text.strip():
                found.append(_Line(clean_line(raw), raw))
    return [line for line in found if line.count != 0]


def _count(found: list[_Line], line: _Line) -> _Line:
    for known in found:
        if known.count is not None and known.name == line.name:
            known.count += 1
            return known
    found.append(line)
    return line


def _row(line: _Line, reading: NameReading) -> dict[str, Any]:
    memory = reading.gpu_memory_gib
    if memory is None and reading.gpu and reading.gpu_share == "whole":
        memory = cards.by_id()[reading.gpu].memory_gb
    known = reading.gpu is not None or bool(reading.candidates)
    return {
        "text": line.text,
        "gpu": reading.gpu,
        "candidates": list(reading.candidates),
        "gpu_memory_gib": memory,
        "gpu_count": line.count if line.count is not None else reading.gpu_count,
        "gpu_share": reading.gpu_share,
        "share_profile": reading.share_profile,
        "notes": list(reading.notes),
        "near": [] if known else list(near_names(line.name)),
    }
