"""Compute: seconds of a step on one GPU or slice, data always ready.

    unit_s = a / (matrix_rate s_c) + b / (bandwidth s_b) + c + d / batch      step = unit_s * batch * units_per_sample

Every card gets the best evidence there is: measured, transferred from its kin, predicted by the fit, or assumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpurent.hardware import cards
from gpurent.normalizer import matrix, rate_book
from gpurent.normalizer.anchor import Anchor, pin
from gpurent.normalizer.spread import sigma
from gpurent.tables import constants
from gpurent.workloads.workload import Workload

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NO_RATE = "no-rate"
CONTRADICTION = "anchors-contradict"

Note = tuple[str, Mapping[str, str]]  # message code (area compare) and its values


@dataclass(frozen=True)
class CardRates:
    """The step of a workload on one whole card of every kind; one entry a card of `cards.table()`, NaN where unknown.

    The first three are seconds per SAMPLE: on the matrix units, on the memory bus, and in between (host work, not
    scaled by a slice). `step_s` is seconds per step whatever its batch.
    """

    precision: str
    matrix_s: Floats
    bandwidth_s: Floats
    unit_s: Floats
    step_s: Floats
    sigma: Floats  # of the log of the rate
    evidence: tuple[str, ...]
    source: tuple[str, ...]
    reason: tuple[str, ...]  # why there is no rate; "" where there is one
    warnings: tuple[tuple[str, ...], ...]
    synthetic: NDArray[np.bool_]  # the rate was measured on synthetic input
    notes: tuple[Note, ...]
    step_variation: float  # of a step between GPUs: the slowest decides
    own_steps: dict[tuple[int, int], tuple[float, float]]  # (card, GPUs) -> (batch, step) of rows measured only so

    def whole_card_s(self, batch: float) -> Floats:
        """Seconds of a step of `batch` samples on every whole card."""
        step: Floats = batch * (self.matrix_s + self.bandwidth_s + self.unit_s) + self.step_s
        return step


def card_rates(workload: Workload, precision: str, anchors: Sequence[Anchor] = ()) -> CardRates:
    """The step of a workload in a precision on every card.

    Args:
        workload: whose measured task, shape or FLOPs decide; anchors, and measured rates that state no batch, count at
            its `batch`.
        precision: one of CLI.md.
        anchors: rates the user measured; they pin the constant for all cards and stand for their own.
    """
    charges = matrix.charges(precision)
    book = rate_book.open_book(workload, precision, anchored=bool(anchors))
    count = len(charges)
    parts = np.full((4, count), np.nan)
    spread, sources, evidence, reasons = np.full(count, np.nan), [""] * count, [""] * count, [""] * count
    units = workload.units_per_sample
    for place, charge in enumerate(charges):
        entry = book.entry(place, charge)
        if entry is None:
            reasons[place] = charge.reason or NO_RATE
            continue
        parts[:, place] = entry.parts * (units * charge.slowdown)
        emulated = charge.slowdown > 1
        spread[place] = max(entry.sigma, sigma("cross_precision")) if emulated else entry.sigma
        evidence[place] = "predicted" if emulated else entry.evidence
        sources[place] = entry.source
    rates = CardRates(
        precision, parts[0], parts[1], parts[2], parts[3], spread, tuple(evidence), tuple(sources), tuple(reasons),
        tuple(charge.warnings for charge in charges), np.full(count, book.synthetic), (),
        book.step_variation, book.own_steps,
    )  # fmt: skip
    return _pinned(rates, float(workload.batch), anchors, book.shape_sigma) if anchors else rates


def step_seconds(
    rates: CardRates, card: Ints, compute_fraction: Floats, bandwidth_fraction: Floats, batch: Floats, launch: Floats
) -> Floats:
    """Seconds of one step on one GPU or slice of each machine.

        step = batch (matrix / s_c + memory / s_b + launch c) + launch d

    On a slice launches hide behind the longer work: the whole card's step times the ratio of 4-norms,

        step_slice = step_card * norm(launch d, batch t_slice) / norm(launch d, batch t_card)

    which keeps the card's measured rate and never makes a slice faster than its card; see `slice_stretch`.

    Args:
        rates: of `card_rates`.
        card: row in `cards.table()`.
        compute_fraction: s_c; 1 for a whole card.
        bandwidth_fraction: s_b.
        batch: samples a step.
        launch: factor on the host's part, of `launch_factor`.
    """
    matrix_s, bandwidth_s = batch * rates.matrix_s[card], batch * rates.bandwidth_s[card]
    host, fixed = batch * launch * rates.unit_s[card], launch * rates.step_s[card]
    return (matrix_s + bandwidth_s + host + fixed) * slice_stretch(
        matrix_s, bandwidth_s, host, fixed, compute_fraction, bandwidth_fraction
    )


def slice_stretch(
    matrix_s: Floats,
    bandwidth_s: Floats,
    host_s: Floats,
    fixed_s: Floats,
    compute_fraction: Floats | float,
    bandwidth_fraction: Floats | float,
) -> Floats:
    """Step of a slice over the whole card's, as `step_seconds` describes; 1 for a whole card.

    A quarter of the constant time a unit is work that fewer units do more slowly. Launches count up to the work they
    hide behind, so that slower launching never makes a slice faster. Source: the quarter by the measured slices of
    table mig_measured (mean difference 3.6 %), and so that 3 of 7 slices of an A100 stay at 0.35 to 0.65 of it.

    Args:
        matrix_s: seconds of a step on the matrix units of the whole card.
        bandwidth_s: seconds on its memory bus.
        host_s: seconds of host work that grows with the batch.
        fixed_s: seconds of launching a step.
        compute_fraction: s_c.
        bandwidth_fraction: s_b.
    """
    model = constants("model")
    norm = model["overlap_norm"]
    host_stretch = 1.0 + model["slice_host_share"] * (1.0 / compute_fraction - 1.0)
    part = matrix_s / compute_fraction + bandwidth_s / bandwidth_fraction + host_s * host_stretch
    whole = matrix_s + bandwidth_s + host_s
    launch = np.minimum(fixed_s, whole)
    stretch: Floats = ((launch**norm + part**norm) / (launch**norm + whole**norm)) ** (1 / norm)
    return stretch


def launch_factor(cpu_index: Floats, cpu_known: NDArray[np.bool_]) -> Floats:
    """How much slower a known CPU launches work than the hosts of the measured rates.

        500 / J below J = 500, else 1; unknown CPUs count as the measured hosts

    >>> launch_factor(np.array([250.0, 250.0, 600.0]), np.array([True, False, True])).tolist()
    [2.0, 1.0, 1.0]
    """
    reference = constants("model")["launch_reference_j"]
    slower: Floats = np.where(cpu_known & (cpu_index < reference), reference / cpu_index, 1.0)
    return slower


def measured_steps(rates: CardRates, card: Ints, gpus: Floats, batch: Floats) -> Floats:
    """Steps that were measured with just so many GPUs, for tasks that have no one-GPU rate; NaN elsewhere.

    The measured step grows with the batch as the compute does; seconds.
    """
    steps = np.full(len(card), np.nan)
    for row, (place, count) in enumerate(zip(card, gpus, strict=True)):
        known = rates.own_steps.get((int(place), int(count)))
        if known is not None:
            steps[row] = known[1] * batch[row] / known[0]
    return steps


def _pinned(rates: CardRates, batch: float, anchors: Sequence[Anchor], shape_sigma: float) -> CardRates:
    """Rates with the user's anchors: all scaled by what they ask for, the anchored cards at what was measured."""
    index = cards.index()
    step = rates.whole_card_s(batch)
    predicted = {each.card: batch / float(step[index[each.card]]) for each in anchors}
    usable = [each for each in anchors if np.isfinite(predicted[each.card])]
    if not usable:
        return rates
    told = pin(usable, predicted, shape_sigma)
    factor = np.full(len(step), told.factor)
    for card, rate in told.own.items():
        factor[index[card]] = batch / rate / float(step[index[card]])
    anchored = {index[card] for card in told.own}
    spread = np.clip(rates.sigma, sigma("transferred_data_centre"), shape_sigma)
    spread[list(anchored)] = sigma("measured")
    known = [bool(evidence) for evidence in rates.evidence]
    notes = rates.notes
    if told.contradiction:
        (one, low), (other, high) = told.contradiction
        values = {
            "one": f"{one.card} = {one.samples_per_s:g}",
            "other": f"{other.card} = {other.samples_per_s:g}",
            "ratio": f"{high / low:.2g}",
        }
        notes = (*notes, (CONTRADICTION, values))
    return CardRates(
        rates.precision, rates.matrix_s * factor, rates.bandwidth_s * factor, rates.unit_s * factor,
        rates.step_s * factor, spread,
        tuple("measured" if place in anchored else "transferred" if known[place] else "" for place in range(len(step))),
        tuple("your anchor" if known[place] else "" for place in range(len(step))), rates.reason, rates.warnings,
        np.zeros(len(step), dtype=bool), notes, rates.step_variation, {},
    )  # fmt: skip
