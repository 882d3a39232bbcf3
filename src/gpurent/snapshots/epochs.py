"""What an epoch of a workload cost over time: the model once, on old prices.

The cost of an offer is a straight line in its price (the time it is billed does not depend on it), so two prices per
offer give every day's cost: cost = fixed + slope * usd_per_hour.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from gpurent.comparison import Options, compare
from gpurent.fx import Rates
from gpurent.offer import Offer
from gpurent.selection import Wanted
from gpurent.snapshots.series import Prices
from gpurent.workloads.workload import Workload

Floats = NDArray[np.float64]


def costs(found: Prices, workload: Workload, options: Options, now: datetime, rates: Rates) -> Floats:
    """US dollars an epoch of each offer on each day; NaN where the workload does not run or there was no price.

    Args:
        found: the price matrix; its rows are already the wanted ones.
        workload: what is trained.
        options: precision, batch and the rest; its filters are not used.
        now: the moment ages are counted to.
        rates: currency rates.
    """
    offers = [pair.offer for pair in found.pairs]
    if not offers:
        return found.usd_per_hour
    everything = replace(options, wanted=Wanted(purchase="any", include_sold_out=True, include_via=True))
    doubled = [_doubled(offer) for offer in offers]
    compared = compare([*offers, *doubled], workload, everything, now=now, fx_rates=rates)
    cost = np.array(compared.columns.cost.cost_per_epoch_usd, dtype=np.float64)
    cost[[bool(reason) for reason in compared.reasons]] = np.nan
    hourly = np.asarray(compared.columns.usd_per_hour, dtype=np.float64)
    once, twice = slice(0, len(offers)), slice(len(offers), 2 * len(offers))
    slope = (cost[twice] - cost[once]) / (hourly[twice] - hourly[once])
    fixed = cost[once] - slope * hourly[once]
    return np.asarray(fixed[:, None] + slope[:, None] * found.usd_per_hour)


def _doubled(offer: Offer) -> Offer:
    """The same offer at twice the amount."""
    assert offer.price is not None
    price = offer.price.model_copy(update={"amount": offer.price.amount * 2})
    return Offer.assemble({**offer.__dict__, "price": price})
