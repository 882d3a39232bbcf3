"""Fitting again: the coefficients of every task from its measured rows, all of them or without what is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpurent.hardware import cards
from gpurent.normalizer import observed, task_book
from gpurent.normalizer.fitting import Fit, design, fit
from gpurent.normalizer.matrix import charge
from gpurent.normalizer.observed import Coefficients, Observed, Task
from gpurent.normalizer.task_book import TaskBook
from gpurent.tables import constants

Floats = NDArray[np.float64]

GROUPS = ("half", "single", "fp8")
_NOTHING = Fit(np.zeros(4), {})


def fit_rows(rows: Observed) -> Coefficients | None:
    """Least squares over the rows of known batch; None with fewer than four card variants.

    Containers without a row of known batch keep the factor 1.
    """
    known = rows.where(np.isfinite(rows.batch))
    if len(set(known.card.tolist())) < constants("model")["min_cards_to_fit"]:
        return None
    columns = design(known.matrix_tflops, known.bandwidth_gbyte_s, known.batch)
    reference = observed.fixed_factors(known.container, known.card.tolist())
    prior = constants("model")["container_prior_rows"]
    return Coefficients("fitted", fit(columns, known.unit_s, list(known.container), reference, prior_rows=prior))


def book_without(
    task: Task, rows: Observed, group: str, out: NDArray[np.bool_], batch: float, *, effects: bool = False
) -> TaskBook | None:
    """The book of a task fitted without some rows of a group; None when too few are left to fit.

    Args:
        task: whose rows they are.
        rows: of the group.
        group: the precision group.
        out: rows to leave out.
        batch: of rows that state none.
        effects: what the cards showed in other tasks counts; not where a card is to be unknown altogether.
    """
    kept = rows.where(~out)
    known = fit_rows(kept)
    return None if known is None else TaskBook(task, {group: kept}, {group: known}, batch, effects)


def predict(book: TaskBook, rows: Observed, group: str, row: int) -> tuple[task_book.Entry, float] | None:
    """What a book says of a measured row: its entry, and seconds per unit at the row's batch in its container."""
    card = cards.table()[int(rows.card[row])]
    precision = {"half": "amp", "fp8": "fp8"}.get(group, rows.row_precision[row])
    entry = book.entry(int(rows.card[row]), charge(card, precision if card.tensor_cores else "fp32"))
    if entry is None:
        return None
    factor = book.coefficients[group].fit.factors.get(rows.container[row], 1.0)
    return entry, entry.unit_s(float(rows.batch[row])) * factor


def leave_one_out(
    task: Task,
    group: str,
    rows: Observed,
    key: Callable[[int], str],
    scored: Observed | None = None,
    *,
    effects: bool = False,
) -> Iterator[tuple[int, task_book.Entry, float]]:
    """Every row of known batch predicted without the rows of its key (a card, a chip).

    Args:
        task: whose rows they are.
        group: their precision group.
        rows: what is fitted.
        key: of a card by its row in `cards.table()`.
        scored: the rows to predict, where they are more than the fitted ones.
        effects: the left-out card's rates in other tasks still count.

    Yields:
        row of `scored`, entry, predicted seconds per unit.
    """
    scored = rows if scored is None else scored
    fitted_keys = np.array([key(int(card)) for card in rows.card])
    scored_keys = np.array([key(int(card)) for card in scored.card])
    for each in sorted(set(scored_keys.tolist())):
        book = book_without(task, rows, group, fitted_keys == each, task.usual_batch, effects=effects)
        if book is None:
            continue
        for row in np.flatnonzero((scored_keys == each) & np.isfinite(scored.batch)):
            told = predict(book, scored, group, int(row))
            if told is not None:
                yield int(row), told[0], told[1]


def card_id(place: int) -> str:
    """The id of a card by its row: the key of leaving the card variant out."""
    return cards.table()[place].card


Rows = list[dict[str, Any]]


def tables_of_all_tasks() -> tuple[Rows, Rows, Rows]:
    """Rows of coefficients.csv, container_factors.csv and card_deviations.csv, in the order of tasks.csv."""
    coefficients: Rows = []
    factors: Rows = []
    deviations: Rows = []
    for task in observed.tasks().values():
        rates = observed.rate_rows(task.task, task.stack)
        if not rates:  # nothing measured of it in this selection
            continue
        dates = {"source": rates[0]["source"], "as_of": max(row["as_of"] for row in rates)}
        for group in GROUPS:
            key = {"task": task.task, "stack": task.stack, "group": group}
            rows = observed.observed(rates, group, task)
            if not len(rows):
                continue
            known, told = _best(task, group, rows)
            if known.kind == "fitted":
                for name, factor in known.fit.factors.items():
                    count = rows.container.count(name)
                    factors.append({**key, "container": name, "factor": f"{factor:.6g}", "rows": count, **dates})
                deviations += [{**key, **each, **dates} for each in _deviations(rows, told)]
            elif task.shape_of is not None:
                known = Coefficients(known.kind, _NOTHING, _ratio(task, group, rows))
            coefficients.append({**key, **_cells(known, rows, told), **dates})
    return coefficients, factors, deviations


Told = list[tuple[int, float]]  # row, predicted seconds per unit without its card


def _deviations(rows: Observed, told: Told) -> Iterator[dict[str, Any]]:
    """Geometric mean of measured over predicted unit time of each card, in the precision it ran."""
    found: dict[tuple[int, str], list[float]] = {}
    for row, unit_s in told:
        found.setdefault((int(rows.card[row]), rows.row_precision[row]), []).append(np.log(rows.unit_s[row] / unit_s))
    for (place, precision), logs in sorted(found.items(), key=lambda item: (card_id(item[0][0]), item[0][1])):
        yield {
            "card": card_id(place),
            "precision": precision,
            "time_ratio": f"{np.exp(np.mean(logs)):.6f}",
            "rows": len(logs),
        }


def _best(task: Task, group: str, rows: Observed) -> tuple[Coefficients, Told]:
    """Fitted where it holds on left-out cards, else shaped or anchors; with the leave-one-out predictions."""
    known = fit_rows(rows)
    if known is None:
        return Coefficients("shaped", _NOTHING), []
    told = [(row, unit_s) for row, _, unit_s in leave_one_out(task, group, rows, card_id)]
    errors = _errors(rows, told)
    too_wide = len(errors) and np.quantile(errors, 0.9) > constants("model")["max_stack_p90"]
    return (Coefficients("anchors", _NOTHING) if too_wide else known), told


def _errors(rows: Observed, told: Told) -> Floats:
    return np.array([abs(rows.unit_s[row] / unit_s - 1.0) for row, unit_s in told])


def _ratio(task: Task, group: str, rows: Observed) -> float:
    """Median of unit times over what the shape's own book says of the same cards at its usual batch."""
    book = _shape(task.shape_of or "")
    ratios = []
    for row in range(len(rows)):
        card = cards.table()[int(rows.card[row])]
        precision = {"half": "amp", "fp8": "fp8"}.get(group, rows.row_precision[row])
        entry = book.entry(int(rows.card[row]), charge(card, precision))
        if entry is not None:
            ratios.append(rows.unit_s[row] / entry.unit_s(book.task.usual_batch))
    return float(np.median(ratios))


def _shape(name: str) -> TaskBook:
    if name == task_book.GENERIC:
        return task_book.shape_book(name, 1.0)
    return fresh_book(observed.tasks()[name, "lambda-ngc"])


def fresh_book(task: Task) -> TaskBook:
    """The book of a fitted task by its rows alone, whatever the coefficients table holds."""
    rates = observed.rate_rows(task.task, task.stack)
    rows = {group: observed.observed(rates, group, task) for group in GROUPS}
    rows = {group: each for group, each in rows.items() if len(each)}
    known = {group: fit_rows(each) for group, each in rows.items()}
    return TaskBook(task, rows, {group: each for group, each in known.items() if each}, task.usual_batch, False)


def _cells(known: Coefficients, rows: Observed, told: Told) -> dict[str, Any]:
    fitted, errors = known.kind == "fitted", _errors(rows, told)
    a, b, c, d = (f"{term:.8g}" for term in known.fit.terms) if fitted else ("",) * 4
    median, p90 = np.quantile(errors, [0.5, 0.9]) if len(errors) else (np.nan, np.nan)
    return {
        "kind": known.kind, "a_tflop": a, "b_gbyte": b, "c_s": c, "d_step_s": d,
        "ratio": "" if fitted else f"{known.ratio:.8g}", "cards": len(set(rows.card.tolist())), "rows": len(rows),
        "loo_median": f"{median:.4f}" if len(errors) else "", "loo_p90": f"{p90:.4f}" if len(errors) else "",
    }  # fmt: skip
