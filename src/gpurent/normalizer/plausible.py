"""Which claimed rates can be: the roofline of a card, and what was measured on cards of its class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpurent.hardware import cards
from gpurent.normalizer import compute, matrix, observed
from gpurent.normalizer.spread import z_score
from gpurent.tables import constants
from gpurent.workloads.workload import Workload

_SIGMAS_AT = 0.999  # of a prediction, where nothing of the class was measured


@dataclass(frozen=True)
class Plausible:
    """Samples per second of one GPU that can be believed.

    `low` and `high` are the lowest and highest measured on cards of the class (`measured_on` of them), or the reach of
    the prediction where there is none; `roofline` is what the card's nominal dense peak would allow with nothing lost,
    None where the work of a sample is not known.
    """

    low: float
    high: float
    roofline: float | None
    measured_on: int

    def problem(self, samples_per_s: float) -> str | None:
        """Why a claimed rate is implausible: `above-roofline`, `outside-measured`, or None.

        >>> Plausible(10.0, 500.0, 400.0, 9).problem(3200.0)
        'above-roofline'
        """
        limit = constants("model")["implausible_over_roofline"]
        if self.roofline is not None and samples_per_s > limit * self.roofline:
            return "above-roofline"
        return None if self.low <= samples_per_s <= self.high else "outside-measured"


def plausible_rate(workload: Workload, precision: str, card_id: str) -> Plausible | None:
    """What can be believed of a workload on one whole card; None where nothing is known.

        roofline = nominal peak / FLOPs of a sample          (else 1 / the longer of matrix and memory time)

    Args:
        workload: the claimed work.
        precision: one of CLI.md.
        card_id: the claimed card.
    """
    place = cards.index()[card_id]
    rates = compute.card_rates(workload, precision)
    step = float(rates.whole_card_s(workload.batch)[place])
    if not np.isfinite(step):
        return None
    predicted = workload.batch / step
    reach = float(np.exp(z_score(_SIGMAS_AT) * rates.sigma[place]))
    measured = _measured(workload, precision, card_id)
    low, high = (min(measured), max(measured)) if measured else (predicted, predicted)
    # A prediction of our own is never called impossible.
    return Plausible(
        min(low, predicted / reach),
        max(high, predicted * reach),
        _roofline(workload, precision, card_id, rates),
        len(measured),
    )


def _measured(workload: Workload, precision: str, card_id: str) -> list[float]:
    """Measured samples/s a GPU of the task on cards of the class, in any stack and container."""
    table, kind = cards.by_id(), cards.by_id()[card_id].class_
    own = observed.task_of(workload.name, workload.task, workload.stack)
    if own is None:
        return []
    group = matrix.charge(table[card_id], precision).group
    found = []
    for task in observed.tasks().values():
        if task.task != own.task:
            continue
        for row in observed.runs(task.task, task.stack):
            same = (
                table[row["card"]].class_ == kind and matrix.charge(table[row["card"]], row["precision"]).group == group
            )
            if same:
                found.append(float(row["rate"]) / int(row["n_gpus"]) / task.units_per_sample)
    return found


def _roofline(workload: Workload, precision: str, card_id: str, rates: compute.CardRates) -> float | None:
    peak = matrix.nominal_tflops(cards.by_id()[card_id], precision)
    if workload.flops_per_sample and peak:
        return peak * 1e12 / workload.flops_per_sample
    place = cards.index()[card_id]
    longest = float(max(rates.matrix_s[place], rates.bandwidth_s[place]))
    return 1.0 / longest if longest > 0 else None
