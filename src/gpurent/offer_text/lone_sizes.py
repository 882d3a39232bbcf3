"""Sizes that no word explains: the card's memory, the RAM, a disk, told apart by their value and place."""

from __future__ import annotations

import re

from gpurent.offer_text.cards import memory_sizes
from gpurent.offer_text.facts import Facts
from gpurent.offer_text.hosts import GIB, Disk
from gpurent.offer_text.scan import Scan, compiled

MANY_CARDS = 4  # from so many on a machine's RAM is counted in terabytes
_SIZE = compiled(
    r"(?:(?P<k>\d{1,2})\s?[x*]\s?)?(?:(?<![\d.])(?P<low>\d{1,4})(?:\s?[-~/]\s?|\s?(?:g|gb)[-~/]))?"
    r"(?<![\d.])(?P<n>\d{1,4}(?:\.\d{1,2})?)\s?(?P<u>gib|gb|g|tib|tb|t)(?![a-z/])"
)


def read_lone_sizes(scan: Scan, facts: Facts, name: str | None) -> None:
    """Give every size that is left its most likely meaning.

    A multiple ("8x3.84TB") is disks. A size that cards of this name have is their memory. "64/257 GB" is a share of the
    RAM, the first size in GB the RAM, a second one a disk. Terabytes are RAM in a machine of many cards that names no
    other, else a disk.
    """
    sizes = list(_SIZE.finditer(scan.left))
    _card_memory(scan, facts, name, sizes)
    for size in sizes:
        gib = float(size["n"]) * GIB[size["u"].lower()]
        if gib <= 0:
            continue
        scan.blank(*size.span())
        open_ram = facts.host.ram_gib is None and "ram_gib" not in facts.known
        if size["k"]:
            facts.host.disks.append(Disk(facts.host.disk_kind, gib * int(size["k"])))
        elif open_ram and size["low"] and float(size["low"]) < float(size["n"]):
            facts.host.ram_gib, facts.host.ram_high_gib = float(size["low"]), gib
        elif open_ram and (gib < GIB["tb"] or (facts.count or 1) >= MANY_CARDS):
            facts.host.ram_gib = gib
        elif not facts.host.disks:
            facts.host.disks.append(Disk(facts.host.disk_kind, gib))


def _card_memory(scan: Scan, facts: Facts, name: str | None, sizes: list[re.Match[str]]) -> None:
    """Take the size that is the card's own, or the slice's, out of the list."""
    if name is None or facts.host.vram_gib is not None or "gpu_memory_gib" in facts.known:
        return
    whole = memory_sizes(name)
    number = facts.count or next((one.attached for one in facts.mentions if one.attached), None) or 1
    cut = facts.share in ("mig", "vgpu") and len(sizes) == 1  # "1/6 A10, 4GB": the slice's own
    for size in sizes:
        value = float(size["n"])
        plain = not size["low"] and not size["k"] and size["u"].lower().startswith("g")
        if plain and number > 1 and value not in whole and value / number in whole:  # "gpu-h100x8-640gb"
            value /= number
        if plain and (value in whole or (cut and value < max(whole, default=0))):
            facts.host.vram_gib = value
            sizes.remove(size)
            scan.blank(*size.span())
            return
