"""Somebody's words for an offer, read: a listing, a console block, a chat line, a price-page row."""

from __future__ import annotations

from gpurent.offer import Offer


def read_machine(text: str) -> Offer:
    """The offer that a line about one's own machine describes; provider "mine", what is not said is None.

    >>> read_machine("RTX 3090, Ryzen 9 5950X, 64GB, NVMe 7GB/s").disk_read_mbyte_s
    7000.0
    """
    from gpurent.offer_text.machine import machine_of

    return machine_of(text)
