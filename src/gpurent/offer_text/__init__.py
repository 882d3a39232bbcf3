"""Somebody's words for an offer, read: a listing, a console block, a chat line, a price-page row.

The text is only taken apart here. Which readings can be true, at which price, of which card, is decided by who knows
cards and markets (`gpurent.quotes`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpurent.offer import Offer

if TYPE_CHECKING:
    from gpurent.offer_text.readings import Quote


def read_machine(text: str) -> Offer:
    """The offer that a line about one's own machine describes; provider "mine", what is not said is None.

    >>> read_machine("RTX 3090, Ryzen 9 5950X, 64GB, NVMe 7GB/s").disk_read_mbyte_s
    7000.0
    """
    from gpurent.offer_text.machine import machine_of

    return machine_of(text)


def read_offers(text: str, lang: str | None = None) -> list[Quote]:
    """Every quote of a paste with its readings, most likely first.

    Args:
        text: anything; HTML is taken off, hostile characters are dropped.
        lang: language of the answer; None: the quote's own.

    >>> [quote] = read_offers("A100 80G 8卡 月付 4.5万/月")
    >>> quote.readings[0].offer.gpu_count, str(quote.readings[0].offer.price_per_hour)
    (8, '62.5')
    """
    from dataclasses import replace

    from gpurent.offer_text.gather import gather
    from gpurent.offer_text.quotes_of import split
    from gpurent.offer_text.readings import readings_of
    from gpurent.offer_text.tidy import MAX_QUOTE, MAX_TEXT, plain, tidy

    pieces, _ = split(tidy(plain(text)))
    pieces = pieces or [""]
    gathered = [gather(piece[:MAX_QUOTE]) for piece in pieces]
    for facts, piece in zip(gathered, pieces, strict=True):
        facts.cut = max(0, len(piece) - MAX_QUOTE)
    gathered[-1].cut += max(0, len(text) - MAX_TEXT)
    quotes = [readings_of(facts) for facts in gathered]
    return [replace(quote, lang=lang) for quote in quotes] if lang else quotes


def quotes_left_out(text: str) -> int:
    """How many quotes of a paste are beyond those `read_offers` looks at."""
    from gpurent.offer_text.quotes_of import split
    from gpurent.offer_text.tidy import plain, tidy

    return split(tidy(plain(text)))[1]
