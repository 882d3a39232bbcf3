"""What card a row of SkyPilot's catalogue means: GpuInfo read as data, memory of one card, text with the form.

The column SizeInMiB holds one card's memory, all cards' or gigabytes, by the cloud (skypilot_clouds.csv); names are cut
short in some files. What cannot be settled is left out, and said.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any

from gpurent.adapters.contract import ShapeChanged
from gpurent.adapters.reading import Row, read_json, shown, table
from gpurent_providers import known_types

MIB_PER_GIB = 1024
MAX_INFO = 4000

VAST_TYPE = re.compile(r"\d+x-(.+?)-\d+-\d+")


@cache
def _wrong_memory() -> set[tuple[str, Decimal]]:
    known = (row for row in table(__package__, "catalogue_wrong_memory") if row["catalogue"] == "skypilot")
    return {(row["accelerator"], Decimal(row["wrong_gib"])) for row in known}


@lru_cache(maxsize=4096)
def _read_info(text: str) -> Any:
    """GpuInfo as data: JSON, or a Python dictionary, whose quotes are the only difference. Nothing is evaluated."""
    return read_json(text if text.startswith('{"') else text.replace("'", '"').replace("None", "null"), "GpuInfo")


def info_of(row: Row) -> Row:
    """The GpuInfo of a row; an empty one where it is missing or not readable."""
    text, told = row.get("GpuInfo"), None
    if isinstance(text, str):
        try:
            told = _read_info(text) if len(text) <= MAX_INFO else None
        except ShapeChanged:
            told = None
        if not isinstance(told, dict):
            row.fault("GpuInfo", text, "not readable")
    return Row(row.part, row.where("GpuInfo"), told if isinstance(told, dict) else {}, row.faults)


def memory_gib(row: Row, info: Row, gpu: Row, how: dict[str, str], card: str) -> Decimal | None:
    """GiB of one card. The column SizeInMiB holds one card's, all cards' or gigabytes, by the cloud."""
    size = gpu.row("MemoryInfo").positive("SizeInMiB")
    if size is None:
        return None
    count, total = row.need_count("AcceleratorCount"), info.positive("TotalGpuMemoryInMiB")
    total = total or gpu.positive("TotalGpuMemoryInMiB")
    if size < MIB_PER_GIB and how["memory"] == "gib":
        return size
    if how["memory"] == "total" and total == size:
        size /= count
    elif total is not None and total not in (size, size * count):
        row.fault("GpuInfo", total, "neither the memory of one card nor of all")
        return None
    gib = size / MIB_PER_GIB
    if gib < 1 or (card, gib) in _wrong_memory():
        row.fault("GpuInfo", size, f"{shown(gib)} GiB is not the memory of this card")
        return None
    return gib


def card_text(how: dict[str, str], kind: str, card: str, names: list[str]) -> str:
    """The card's text: the type's where the catalogue cut it short, with the form of the card where a name says it."""
    if how["card_in_type"] and (vast := VAST_TYPE.fullmatch(kind)):
        return vast[1].replace("_", " ")
    return known_types.with_form(card, kind, " ".join(names))
