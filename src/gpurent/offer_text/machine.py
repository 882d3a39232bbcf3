"""One's own machine in a line of words: what `--mine` takes."""

from __future__ import annotations

from gpurent.errors import UNKNOWN, Problem
from gpurent.offer import Offer
from gpurent.offer_text.gather import gather
from gpurent.offer_text.readings import readings_of
from gpurent.offer_text.tidy import plain, tidy

MINE = "mine"  # the provider of one's own machine


def machine_of(text: str) -> Offer:
    """The machine a line of words describes, in its most likely reading; what it does not say stays unknown.

    Raises:
        Problem: no card is named, or a value is impossible.
    """
    quote = readings_of(gather(tidy(plain(text))))
    if not quote.readings or quote.facts.impossible:
        what = "no graphics card is named in the machine's description"
        if quote.facts.impossible or (quote.faults and "no-card" not in quote.faults):
            what = "the machine's description holds an impossible value"
        raise Problem(what, text, "name it, e.g. RTX 3090, Ryzen 9 5950X, 64GB, NVMe 7GB/s", UNKNOWN)
    offer = quote.readings[0].offer
    return offer.model_copy(update={"provider": MINE})
