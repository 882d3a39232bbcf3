"""What each offer charges, as US dollar columns: one entry a distinct set of terms, however many offers share it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from gpurent import fx, tables
from gpurent.offer import Offer
from gpurent.ranker.run_cost import Terms

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ONE = Decimal(1)

_READS = attrgetter(
    "gpu_count", "purchase", "billing_increment_s", "minimum_billed_s", "storage_per_gib_month",
    "included_storage_gib", "egress_per_gib", "ingress_per_gib", "interruptions_per_hour",
)  # fmt: skip


@dataclass(frozen=True)
class PricedTerms:
    """Distinct terms and which one each offer has.

    `terms` has one entry a distinct set; `of_offer[i]` is offer i's row in it. `usd_per_hour` is NaN where no price is
    known or no rate converts it (`unconverted` names those currencies). `fx_sigma` widens a price whose rate is old.
    """

    terms: Terms
    of_offer: Ints
    fx_sigma: Floats
    interruptions_assumed: NDArray[np.bool_]
    unconverted: tuple[str, ...]
    oldest_rate_days: int


def terms_of(offers: Sequence[Offer], on: date, known: fx.Rates | None = None) -> PricedTerms:
    """Put the prices and billing terms of offers into columns.

    Args:
        offers: any number; equal terms are converted once.
        on: the day currencies are converted for (`--fx-date`, else today).
        known: currency rates; None: the embedded ones.
    """
    seen: dict[tuple[object, ...], int] = {}
    distinct: list[Offer] = []
    of_offer = np.empty(len(offers), dtype=np.int64)
    for place, offer in enumerate(offers):
        key = (id(offer.price), _READS(offer))
        row = seen.get(key)
        if row is None:
            row = seen[key] = len(distinct)
            distinct.append(offer)
        of_offer[place] = row
    return _columns(distinct, of_offer, on, known)


def _columns(distinct: list[Offer], of_offer: Ints, on: date, known: fx.Rates | None) -> PricedTerms:
    currencies = {offer.price.currency for offer in distinct if offer.price}
    dollars = fx.rates(currencies, on, known)
    ages = {code: found.age_days for code in currencies if (found := fx.to_usd(_ONE, code, on, known))}
    rate = np.array([dollars.get(offer.price.currency, np.nan) if offer.price else np.nan for offer in distinct])

    def native(name: str) -> Floats:
        column: Floats = rate * np.array([getattr(offer, name) or 0.0 for offer in distinct])
        return column

    assumed = np.array([offer.purchase == "spot" and offer.interruptions_per_hour is None for offer in distinct])
    usual = tables.constants("run_model")["interruptions_per_hour"]
    terms = Terms(
        usd_per_hour=rate * np.array([float(offer.price_per_hour or 0) for offer in distinct]),
        increment_s=np.array([offer.billing_increment_s or 1.0 for offer in distinct]),
        minimum_s=np.array([offer.minimum_billed_s or 0.0 for offer in distinct]),
        usd_per_gib_month=native("storage_per_gib_month"),
        included_gib=np.array([offer.included_storage_gib or 0.0 for offer in distinct]),
        usd_per_egress_gib=native("egress_per_gib"),
        usd_per_ingress_gib=native("ingress_per_gib"),
        spot=np.array([offer.purchase == "spot" for offer in distinct], dtype=bool),
        interruptions_per_hour=np.array(
            [
                usual if guess else offer.interruptions_per_hour or 0.0
                for offer, guess in zip(distinct, assumed, strict=True)
            ]
        ),
    )
    sigma = np.array([fx.age_sigma(ages.get(offer.price.currency, 0)) if offer.price else 0.0 for offer in distinct])
    missing = tuple(sorted(currencies - dollars.keys()))
    return PricedTerms(terms, of_offer, sigma, assumed.astype(bool), missing, max(ages.values(), default=0))
