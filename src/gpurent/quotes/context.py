"""Everything the findings of one quote are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from gpurent.hardware.cards import Card, by_id
from gpurent.hardware.resolve import Resolution
from gpurent.offer import Offer
from gpurent.offer_text.facts import Facts
from gpurent.quotes.market import Market
from gpurent.quotes.settle import Settled
from gpurent.quotes.stacks import Stack
from gpurent.workloads.workload import Workload


@dataclass(frozen=True)
class Estimate:
    """What `compare` says about the offer: its row, why there is none, and what only the columns know."""

    row: Mapping[str, Any]
    reason: str  # "" where the workload runs
    gpu_busy_high: float | None
    needed_gib: float | None  # GPU memory one GPU would need
    vcpus_enough: int | None  # the fewest vCPUs with which the CPUs keep the GPU busy; None: no number does
    median_cost_per_epoch_usd: float | None  # of the peers


@dataclass(frozen=True)
class Context:
    """One quote in its chosen reading, with the assumptions of the user put in."""

    settled: Settled
    offer: Offer
    found: Resolution
    market: Market | None
    stack: Stack
    on: date
    workload: Workload | None = None
    precision: str | None = None
    estimate: Estimate | None = None

    @property
    def facts(self) -> Facts:
        return self.settled.quote.facts

    @property
    def cards(self) -> tuple[Card, ...]:
        """The card, or all it may be; empty: unknown."""
        names = (self.found.card,) if self.found.card else self.found.candidates
        return tuple(by_id()[name] for name in names)

    @property
    def currency(self) -> str:
        return self.offer.price.currency if self.offer.price else "USD"

    @property
    def names(self) -> str:
        """The cards' ids, for a sentence."""
        return ", ".join(card.card for card in self.cards)
