"""Forms of the model that were tried, scored under the fixed split."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from gpurent.hardware import cards
from gpurent.normalizer import observed, refit
from gpurent.normalizer.observed import Observed, Task
from gpurent.tables import constants
from gpurent.validation import one_gpu
from gpurent.validation.split import CONFIRM, TUNE, part

_NEVER = 1e12  # a shrinkage so large that nothing is left, a batch so large that its term vanishes


@dataclass(frozen=True)
class Form:
    """A form by what it changes in tables/model.csv; `batch_term` keeps d / batch."""

    name: str
    what: str
    changes: Mapping[str, float] = field(default_factory=dict)
    batch_term: bool = True
    card_effects: bool = False


_BASE = {"cache_gain": 0.0, "sibling_shrink": _NEVER}
FORMS = (
    Form("base", "a / matrix + b / bandwidth + c + d / batch, residual of the architecture", _BASE),
    Form("no batch term", "base without d / batch", _BASE, batch_term=False),
    Form("no architecture residual", "base, the fit alone", {**_BASE, "residual_shrink": _NEVER}),
    Form("siblings", "base, and the residual of cards of the same chip", {"cache_gain": 0.0}),
    Form("siblings, cache", "and 1.2 x the bandwidth with an L2 of 48 MiB or more"),
    Form("siblings, larger cache gain", "1.4 x the bandwidth instead", {"cache_gain": 0.4}),
    Form("siblings, cache, card effects", "and a card's own rates in other tasks", card_effects=True),
)
CHOSEN = "siblings, cache, card effects"


def compare() -> list[dict[str, object]]:
    """Every form's errors: card, die and newer left out of the tuning cells, and the confirming cells never fitted."""
    found: list[dict[str, object]] = []
    for form in FORMS:
        with _model(form):
            row: dict[str, object] = {"form": form.name, "what": form.what}
            for name, errors in _scores(form).items():
                row[f"{name}_median_ape"], row[f"{name}_p90_ape"] = np.quantile(errors, [0.5, 0.9]).tolist()
                row[f"{name}_n"] = len(errors)
            found.append(row)
    return found


@contextmanager
def _model(form: Form) -> Iterator[None]:
    """The constants of a form for a while."""
    model = constants("model")
    kept = dict(model)
    model.update(form.changes)
    try:
        yield
    finally:
        model.clear()
        model.update(kept)


def _scores(form: Form) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {"card": [], "die": [], "newer": [], "confirm": []}
    for task in one_gpu.core():
        for group in ("half", "single"):
            rows = _rows(task, group, form)
            parts = np.array([part(task.task, group, refit.card_id(int(place))) for place in rows.card])
            tune = rows.where(parts == TUNE)
            keys: dict[str, Callable[[int], str]] = {
                "card": refit.card_id,
                "die": lambda place: cards.table()[place].chip,
            }
            for name, key in keys.items():
                effects = form.card_effects and name == "card"
                for row, _, unit_s in refit.leave_one_out(task, group, tune, key, effects=effects):
                    found[name].append(abs(tune.unit_s[row] / unit_s - 1.0))
            found["newer"] += _apart(task, group, tune, one_gpu.is_new(tune), False)
            found["confirm"] += _apart(task, group, rows, parts == CONFIRM, form.card_effects)
    return found


def _apart(
    task: Task, group: str, rows: Observed, out: np.ndarray[tuple[int], np.dtype[np.bool_]], effects: bool
) -> list[float]:
    """Errors of the rows under a mask, predicted by a fit of the others."""
    book = refit.book_without(task, rows, group, out, task.usual_batch, effects=effects)
    errors = []
    for row in np.flatnonzero(out) if book else ():
        told = refit.predict(book, rows, group, int(row)) if book else None
        if told is not None and np.isfinite(rows.batch[row]):
            errors.append(abs(float(rows.unit_s[row]) / told[1] - 1.0))
    return errors


def _rows(task: Task, group: str, form: Form) -> Observed:
    """What a task is fitted on, its bandwidths as the form has them."""
    rows = observed.observed(observed.rate_rows(task.task, task.stack), group, task)
    known = rows.where(np.isfinite(rows.batch))
    return known if form.batch_term else replace(known, batch=np.full(len(known), _NEVER))
