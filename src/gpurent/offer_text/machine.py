"""One's own machine in a line of words: what `--mine` takes."""

from __future__ import annotations

import re

from gpurent.errors import UNKNOWN, Problem
from gpurent.offer import Offer
from gpurent.offer_text.cards import count_elsewhere, find_cards, singular
from gpurent.offer_text.hosts import HostFacts, chosen_disk, read_cpu_model, read_disks, read_sizes
from gpurent.offer_text.scan import Scan
from gpurent.offer_text.tidy import plain, tidy


def machine_of(text: str, provider: str = "mine") -> Offer:
    """The machine a line of words describes; what it does not say stays unknown.

    Raises:
        Problem: no card is named.
    """
    scan = Scan(tidy(plain(text)))
    host = HostFacts()
    read_cpu_model(scan, host)
    cards = find_cards(scan)
    if not cards:
        raise Problem("no graphics card is named in the machine's description", text, "name it, e.g. RTX 3090", UNKNOWN)
    card = cards[0]
    count = card.count or count_elsewhere(scan)[0] or card.attached or 1
    read_sizes(scan, host)
    read_disks(scan, host)
    disk_class, disk_gib = chosen_disk(host)
    if host.ram_gib is None:
        host.ram_gib = lone_size(scan, host)
    return Offer.model_validate(
        {
            "provider": provider, "gpu": singular(card.text), "gpu_count": count, "gpu_memory_gib": host.vram_gib,
            "vcpus": host.vcpus, "cpu_model": host.cpu_model, "ram_gib": host.ram_gib, "disk_class": disk_class,
            "disk_gib": disk_gib, "disk_read_mbyte_s": host.disk_read_mbyte_s, "disk_iops": host.disk_iops,
        }
    )  # fmt: skip


def lone_size(scan: Scan, host: HostFacts) -> float | None:
    """The one size left that no word explains: in "RTX 3090, Ryzen 9 5950X, 64GB" it is the RAM."""
    sizes = re.findall(r"(?<![\d.])(\d{1,4})\s?(?:gib|gb|g)(?![a-z/])", scan.left, re.IGNORECASE)
    return float(sizes[0]) if len(sizes) == 1 else None
