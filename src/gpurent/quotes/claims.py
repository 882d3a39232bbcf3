"""Promises that cannot be: rates beyond our interval, cards with memory, chips or links they do not have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gpurent import tables
from gpurent.hardware import slices
from gpurent.hardware.cards import Card, by_id
from gpurent.hardware.names import read_name
from gpurent.offer_text.facts import Claim
from gpurent.quotes.context import Context
from gpurent.quotes.findings import Finding

_ARCHITECTURES = {
    "Ada Lovelace": r"(?<![a-z])ada(?![a-z])",
    "Ampere": r"(?<![a-z])ampere(?![a-z])(?!\s*altra)",
    "Hopper": r"(?<![a-z])hopper(?![a-z])",
    "Blackwell": r"(?<![a-z])blackwell(?![a-z])",
    "Turing": r"(?<![a-z])turing(?![a-z])",
    "Volta": r"(?<![a-z])volta(?![a-z])",
}
_SIZE = re.compile(r"\(?\s*\d{1,3}\s?g(?:i?b)?(?![a-z0-9])\s*\)?", re.IGNORECASE)
_LINKED = re.compile(r"nv-?link|nv-?switch", re.IGNORECASE)
_NOT_LINKED = re.compile(r"(?:no|without|无|不带|没有)\s*nv-?link", re.IGNORECASE)


@dataclass(frozen=True)
class Interval:
    """Our rate for a claim: samples a second, low and high, of one GPU or of the whole offer."""

    workload: str
    low: float
    high: float


def claim_findings(context: Context, rate_of: Callable[[Claim], Interval | None]) -> Iterator[Finding]:
    """Every promise in the quote held against what is known.

    Args:
        context: the quote.
        rate_of: our own interval for a claimed rate on this hardware, None where the workload is not known.
    """
    factor = tables.constants("quote")["claim_factor"]
    for claim in context.facts.claims:
        ours = rate_of(claim)
        if ours is None:
            continue
        numbers = {
            "claimed": claim.samples_per_s, "low": ours.low, "high": ours.high, "workload": ours.workload,
            "times": claim.samples_per_s / ours.high,
        }  # fmt: skip
        if claim.samples_per_s > factor * ours.high:
            yield Finding("claim-impossible", "warning", numbers, verdict="need-more-info")
        elif claim.samples_per_s > ours.high:
            yield Finding("claim-high", "info", numbers)
    yield from _architecture(context)
    yield from _link(context)
    if context.found.share == "mig" and context.cards and not any(_cuts_by_mig(card) for card in context.cards):
        yield Finding("claim-mig", "warning", {"card": context.names}, verdict="need-more-info")


def plain_cards(context: Context) -> tuple[Card, ...]:
    """The cards the name alone means, without size and chip: what the claim is about."""
    if context.cards and "memory-above-card" not in context.found.warnings:
        return context.cards
    text = _SIZE.sub(" ", context.offer.gpu)
    for pattern in _ARCHITECTURES.values():
        text = re.sub(pattern, " ", text, flags=re.IGNORECASE)
    found = read_name(text)
    return tuple(by_id()[name] for name in ((found.gpu,) if found.gpu else found.candidates))


def _architecture(context: Context) -> Iterator[Finding]:
    cards = plain_cards(context)
    if not cards:
        return
    real = {card.architecture for card in cards}
    for name, pattern in _ARCHITECTURES.items():
        if re.search(pattern, context.facts.text, re.IGNORECASE) and name not in real and not _named(cards, pattern):
            numbers = {"card": cards[0].card, "said": name, "is": cards[0].architecture, "source": cards[0].source}
            yield Finding("claim-architecture", "warning", numbers, verdict="need-more-info")
    size = context.offer.gpu_memory_gib
    if size and context.found.share == "whole" and not any(_has(card, size) for card in cards) and not context.cards:
        most = max(card.memory_gb for card in cards)
        sizes = {"card": cards[0].card, "said_gib": size, "card_gib": most, "source": cards[0].source}
        yield Finding("claim-memory", "warning", sizes, verdict="need-more-info")


def _named(cards: tuple[Card, ...], pattern: str) -> bool:
    """The word is part of the card's own name ("RTX 6000 Ada")."""
    return any(re.search(pattern, card.name, re.IGNORECASE) for card in cards)


def _cuts_by_mig(card: Card) -> bool:
    return any(slices.mig_of_memory(card.card, card.memory_gb / parts) for parts in (2, 4, 8))


def _has(card: Card, size_gib: float) -> bool:
    return card.memory_mib_min <= size_gib * 1024 <= card.memory_mib_max


def _link(context: Context) -> Iterator[Finding]:
    text = context.facts.text
    if not context.cards or not _LINKED.search(text) or _NOT_LINKED.search(text):
        return
    if all(card.link_class == "none" for card in context.cards):
        numbers = {"card": context.names, "source": context.cards[0].source}
        yield Finding("claim-nvlink", "warning", numbers, verdict="need-more-info")
