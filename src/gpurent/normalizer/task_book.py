"""The book of a measured task: for each card the best evidence there is, and what it makes of a unit's time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpurent.hardware import cards
from gpurent.hardware.cards import Card
from gpurent.normalizer import effects, matrix, observed, transfer
from gpurent.normalizer.fitting import Fit
from gpurent.normalizer.matrix import Charge, charge
from gpurent.normalizer.observed import Coefficients, Observed, Task
from gpurent.normalizer.spread import sigma
from gpurent.tables import constants

Floats = NDArray[np.float64]

GENERIC = "generic"
_SPREAD_CLASSES = {"data-centre": "data_centre", "professional": "professional", "geforce": "geforce"}


@dataclass(frozen=True)
class Entry:
    """What a card needs for a unit.

    `parts`: seconds on the matrix units, on the memory bus, in between, and a step (the last divided by the units of a
    step gives seconds per unit). `source` is a key of sources.csv, or the shape it was taken from.
    """

    parts: Floats
    sigma: float
    evidence: str
    source: str

    def unit_s(self, batch: float) -> float:
        """Seconds per unit at a batch."""
        return float(self.parts[:3].sum() + self.parts[3] / batch)


@dataclass(frozen=True)
class TaskBook:
    """The entries of one measured task in one stack.

    `rows` and `coefficients` come from the tables, or from a validation that left something out of both. `effects` are
    what the cards showed in other tasks; none where a card is to be unknown altogether.
    """

    task: Task
    rows: dict[str, Observed]  # by precision group
    coefficients: dict[str, Coefficients]  # by precision group
    batch: float
    effects: bool = True
    _residuals: dict[tuple[str, str], dict[int, float]] = field(default_factory=dict)

    @cached_property
    def shape(self) -> TaskBook | None:
        """The book of the task whose shape this one takes where it is not fitted."""
        return None if self.task.shape_of is None else shape_book(self.task.shape_of, self.batch)

    def entry(self, place: int, asked: Charge) -> Entry | None:
        """The entry of a card under a charge; None where the card has no bandwidth or matrix rate."""
        card = cards.table()[place]
        if asked.tflops is None or matrix.bandwidth_gbyte_s(card) is None:
            return None
        known = self.coefficients.get(asked.group)
        basis = self._basis(place, card, asked, known)
        if basis is None:
            return None
        told = self._own(place, asked, basis) or self._by_stock(place, card, asked)
        if told is not None or known is None or known.kind != "fitted":
            return told or basis
        return self._by_kin(place, card, asked, basis)

    def _basis(self, place: int, card: Card, asked: Charge, known: Coefficients | None) -> Entry | None:
        """The entry before anything this very card was measured at."""
        source = f"{self.task.task} ({self.task.stack})"
        if known is None:  # nothing in this group: what another group says, with this one's matrix rate
            known = next(
                (self.coefficients[group] for group in ("half", "fp8", "single") if group in self.coefficients), None
            )
            if known is None or known.kind != "fitted":
                return None if known is None else self._by_shape(place, asked, known.ratio, "crossed")
            return Entry(_parts(known.fit, card, asked), sigma("cross_precision"), "predicted", f"fit of {source}")
        if known.kind != "fitted":
            return self._by_shape(place, asked, known.ratio, known.kind)
        parts = _parts(known.fit, card, asked)
        half = self.coefficients.get("half")
        unseen = asked.precision == "fp32" and (matrix.tf32_tflops(card) is not None or card.platform != "cuda")
        if unseen and half is not None and half.kind == "fitted":
            # Launching does not depend on the precision; in the single fit small TF32 batches make it look longer.
            parts[3] = min(parts[3], half.fit.terms[3])
        return Entry(parts, self._spread("predicted", card, asked), "predicted", f"fit of {source}")

    def _by_shape(self, place: int, asked: Charge, ratio: float, kind: str) -> Entry | None:
        """Another task's entry at its usual batch times a ratio of unit times: launch time is not told apart."""
        entry = None if self.shape is None else self.shape.entry(place, asked)
        if entry is None or self.shape is None:
            return None
        matrix_s, bandwidth_s, constant_s, step_s = entry.parts
        folded = np.array([matrix_s, bandwidth_s, constant_s + step_s / self.shape.task.usual_batch, 0.0])
        spread = {"shaped": "shape_of_kind", "anchors": "stack_anchor", "crossed": "cross_precision"}[kind]
        if self.task.shape_of == GENERIC:
            spread = "shape_generic"
        evidence = "transferred" if kind == "shaped" and entry.evidence in ("measured", "transferred") else "predicted"
        source = f"{self.task.task} ({self.task.stack}) by the shape of {self.task.shape_of}"
        return Entry(folded * ratio, max(sigma(spread), entry.sigma), evidence, source)

    def _own(self, place: int, asked: Charge, basis: Entry) -> Entry | None:
        """The entry of a card that was measured in this precision: unit' = unit - s d / batch + s d / batch'.

        s = 0.8 of the fitted launch time, for it differs between cards. A task of few cards has no launch time of its
        own: its rate then holds at any batch. Rates of older containers are brought to the reference by their factor;
        submissions of several GPUs keep what they reached.
        """
        rows = self.rows.get(asked.group)
        if rows is None:
            return None
        rows = rows.where((rows.card == place) & _among(rows.row_precision, {asked.precision}))
        if not len(rows):
            return None
        submitted = bool((rows.gpus > 1).all())
        best = {max(rows.container)} if submitted else observed.reference_of(self.rows[asked.group].container)
        current = _among(rows.container, best)
        chosen = rows.where(current) if current.any() else rows
        known = self.coefficients[asked.group]
        batch = np.where(np.isfinite(chosen.batch), chosen.batch, self.batch)
        as_is = submitted or current.any()
        unit_s = chosen.unit_s / (1.0 if as_is else transfer.factors(chosen, known.fit))
        rest = float(basis.parts[:3].sum())
        step = constants("model")["own_step_share"] * float(basis.parts[3])
        work = float(np.mean(unit_s - step / batch))
        if work < rest / 4:  # the fitted launch time cannot be this card's: scale all of it
            parts = basis.parts * float(np.mean(unit_s / (rest + step / batch)))
        else:
            parts = np.append(basis.parts[:3] * (work / rest), step)
        source = ", ".join(sorted(set(chosen.source)))
        if current.any():
            return Entry(parts, sigma("measured"), "measured", source)
        return Entry(parts, sigma("measured_other_container"), "transferred", source)

    def _by_stock(self, place: int, card: Card, asked: Charge) -> Entry | None:
        """The entry of an export or modded board whose stock sibling was measured in this precision."""
        rows = self.rows.get(asked.group)
        if rows is None:
            return None
        precision = {"half": "amp", "tf32": "tf32", "fp32": "fp32", "fp8": "fp8"}.get(asked.precision, "amp")
        measured = rows.card[_among(rows.row_precision, {asked.precision})]
        stock = transfer.stock_of(place, sorted(set(measured.tolist())), precision)
        if stock is None:
            return None
        sibling = cards.table()[stock]
        entry = self.entry(stock, charge(sibling, precision))
        if entry is None:
            return None
        time = transfer.variant_time(card, sibling, precision)
        spread = self._spread("transferred", card, asked)
        return Entry(entry.parts * time, spread, "transferred", f"{entry.source}: {sibling.card}")

    def _by_kin(self, place: int, card: Card, asked: Charge, basis: Entry) -> Entry:
        """A fitted entry with what measured cards of its architecture say."""
        told = transfer.transferred(place, self._kin_residuals(asked))
        own = effects.effects(self.task.task, self.task.stack, asked.group).get(place) if self.effects else None
        if own is not None and asked.precision in own.precisions:
            parts = basis.parts * np.exp(told.log_residual + own.log_time)
            source = f"{basis.source} with {told.cards} cards of its architecture and its own rates elsewhere"
            return Entry(parts, self._spread("own_elsewhere", card, asked), "transferred", source)
        if not told.cards:
            return basis
        parts = basis.parts * np.exp(told.log_residual)
        source = f"{basis.source} with {told.cards} cards of its architecture"
        return Entry(parts, self._spread("transferred", card, asked), "transferred", source)

    def _spread(self, evidence: str, card: Card, asked: Charge) -> float:
        """The spread of an evidence and a class of card, wider for tasks that scatter more.

        A fit that no left-out card could check counts as a shape.
        """
        known = self.coefficients.get(asked.group)
        wider = observed.spread_factor(self.task.task, self.task.stack, asked.group)
        spread = wider * sigma(f"{evidence}_{_SPREAD_CLASSES.get(card.class_, 'other')}")
        return spread if known is None or known.checked else max(spread, sigma("shape_of_kind"))

    def _kin_residuals(self, asked: Charge) -> dict[int, float]:
        key = asked.group, asked.precision
        if key not in self._residuals:
            rows = self.rows.get(asked.group)
            if rows is None:
                return {}
            same = rows.where(_among(rows.row_precision, {asked.precision}))
            self._residuals[key] = transfer.by_card(same, self.coefficients[asked.group].fit)
        return self._residuals[key]


def task_book(task: Task, batch: float) -> TaskBook:
    """The book of a task out of the tables."""
    rates = observed.rate_rows(task.task, task.stack)
    rows = {group: observed.observed(rates, group, task) for group in ("half", "single", "fp8")}
    fitted = {
        group: value
        for (name, stack, group), value in observed.coefficients().items()
        if (name, stack) == (task.task, task.stack)
    }
    return TaskBook(task, {group: each for group, each in rows.items() if len(each)}, fitted, batch)


def shape_book(name: str, batch: float) -> TaskBook:
    """The book of a shape: a fitted task of lambda-ngc, or the generic one: half matrix work, half memory traffic."""
    if name != GENERIC:
        return task_book(shape_task(name), batch)
    model = constants("model")
    terms = {
        group: (model[f"generic_{group}_a_tflop"], model["generic_b_gbyte"], 0.0, 0.0) for group in ("half", "single")
    }
    known = {group: Coefficients("fitted", Fit(np.array(each), {})) for group, each in terms.items()}
    return TaskBook(Task(GENERIC, GENERIC, GENERIC, None, GENERIC, False, 1, 1.0, 1.0, 0.0, {}, None), {}, known, batch)


def shape_task(name: str) -> Task:
    return observed.tasks()[name, "lambda-ngc"]


def _among(words: Sequence[str], some: Collection[str]) -> NDArray[np.bool_]:
    return np.array([word in some for word in words], dtype=bool)


def _parts(fit: Fit, card: Card, asked: Charge) -> Floats:
    a, b, c, d = fit.terms
    return np.array([a / (asked.tflops or np.nan), b / (matrix.bandwidth_gbyte_s(card) or np.nan), c, d])
