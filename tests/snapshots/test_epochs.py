"""What an epoch cost over time is what `compare` says at that price."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from gpurent import fx, workloads
from gpurent.comparison import Options, compare
from gpurent.hardware.resolve import resolve
from gpurent.selection import Wanted
from gpurent.snapshots import epochs, series, store
from tests.snapshots.making import NIGHT, ONE_DAY, keep_night, offer

NOW = NIGHT + 3 * ONE_DAY


def test_a_day_s_cost_is_the_comparison_s_at_that_day_s_price(tmp_path: Path) -> None:
    facts = {"vcpus": 16, "ram_gib": 120, "storage_per_gib_month": 0.1}
    history = [[offer("a", "1.50", **facts), offer("b", "0.45", gpu="RTX 4090", billing_increment_s=3600)],
               [offer("a", "1.90", **facts), offer("b", "0.40", gpu="RTX 4090", billing_increment_s=3600)]]  # fmt: skip
    days = series.days_between(NIGHT, NIGHT + ONE_DAY)
    with closing(store.open_to_write(tmp_path / store.FILE_NAME)) as db:
        for night, offers in enumerate(history):
            keep_night(db, [*offers, offer("mystery", gpu="GeForce GTX 9999")], NIGHT + night * ONE_DAY)
        found = series.prices(db, days, resolve, lambda offer, found: True, fx.embedded())
    job = workloads.load("bert-large")
    costs = epochs.costs(found, job, Options(precision=job.precision), NOW, fx.embedded())
    row_of = {pair.offer.sku: row for row, pair in enumerate(found.pairs)}
    for day, offers in enumerate(history):
        compared = compare(offers, job, Options(wanted=Wanted(purchase="any")), now=NOW)
        for place, one in enumerate(offers):
            assert costs[row_of[one.sku], day] == pytest.approx(compared.columns.cost.cost_per_epoch_usd[place])
    assert np.isnan(costs[row_of["mystery"]]).all()


def test_nothing_wanted_costs_nothing() -> None:
    empty = series.Prices([], series.days_between(NIGHT, NIGHT), np.full((0, 1), np.nan))
    assert epochs.costs(empty, workloads.load("bert-large"), Options(), NOW, fx.embedded()).shape == (0, 1)
