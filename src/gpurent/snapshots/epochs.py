"""What an epoch of a workload cost over time: the model once, on old prices.

The cost of an offer is a straight line in its price, since the time it is billed does not depend on it:

    cost_per_epoch = now + (usd_per_hour - usd_per_hour now) * billed hours an epoch
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from gpurent.comparison import Options, compare
from gpurent.fx import Rates
from gpurent.selection import Wanted
from gpurent.snapshots.series import Prices
from gpurent.workloads.workload import Workload

Floats = NDArray[np.float64]
_HOUR_S = 3600.0


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
    compared = compare(offers, workload, everything, now=now, fx_rates=rates)
    run = compared.columns.cost
    cost = np.array(run.cost_per_epoch_usd, dtype=np.float64)
    cost[[bool(reason) for reason in compared.reasons]] = np.nan
    billed_h = run.billed_s / _HOUR_S * run.cost_per_epoch_usd / run.run_cost_usd  # an epoch's part of the run
    moved = found.usd_per_hour - compared.columns.usd_per_hour[:, None]
    return np.asarray(cost[:, None] + billed_h[:, None] * moved)
