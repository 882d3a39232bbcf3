"""What measured cards say about their kin."""

from __future__ import annotations

import numpy as np
import pytest

from gpurent.hardware import cards
from gpurent.normalizer import observed, transfer

PLACE = cards.index()


def test_an_architecture_without_witnesses_says_nothing() -> None:
    assert transfer.transferred(PLACE["rtx-5090"], {PLACE["a100-sxm-80gb"]: 0.3}) == transfer.Transferred(0.0, 0)


def test_one_witness_is_shrunk_to_a_third() -> None:
    told = transfer.transferred(PLACE["rtx-a4000"], {PLACE["a100-sxm-80gb"]: 0.3})
    assert told.log_residual == pytest.approx(0.1)
    assert told.cards == 1


def test_a_sibling_counts_more() -> None:
    told = transfer.transferred(PLACE["rtx-3080-ti"], {PLACE["rtx-3090"]: 0.3})
    assert told.log_residual == pytest.approx(0.5 * 0.3 + 0.5 * 0.1)


def test_a_card_never_speaks_for_itself() -> None:
    assert transfer.transferred(PLACE["rtx-3090"], {PLACE["rtx-3090"]: 0.9}).cards == 0


def test_desktop_blackwell_is_not_data_centre_blackwell() -> None:
    assert transfer.family("rtx-5090") != transfer.family("b200")
    assert transfer.family("b300") == transfer.family("b200")


@pytest.mark.parametrize(
    ("card", "stock"),
    [
        ("rtx-4090d", "rtx-4090"),
        ("rtx-4090-48gb", "rtx-4090"),
        ("a800-sxm-80gb", "a100-sxm-80gb"),
        ("rtx-4090", None),
        ("h20-96gb", None),  # cut far too deep to be called an H100
    ],
)
def test_export_and_modded_boards_have_a_stock_sibling(card: str, stock: str | None) -> None:
    measured = {PLACE[name]: 0.0 for name in ("rtx-4090", "a100-sxm-80gb", "a100-sxm-40gb", "h100-sxm-80gb")}
    found = transfer.stock_of(PLACE[card], measured, "amp")
    assert (None if found is None else cards.table()[found].card) == stock


def test_a_row_of_unknown_batch_says_nothing_of_other_cards() -> None:
    task = observed.tasks()["bert-large", "lambda-ngc"]
    rows = observed.observed(observed.rate_rows(task.task, task.stack), "single", task)
    rows = rows.where(np.array([kind == "tf32" for kind in rows.row_precision]))
    known = observed.coefficients()["bert-large", "lambda-ngc", "single"]
    told = transfer.by_card(rows, known.fit)
    unknown = set(rows.card[~np.isfinite(rows.batch)].tolist()) - set(rows.card[np.isfinite(rows.batch)].tolist())
    assert PLACE["rtx-3070"] in unknown
    assert not unknown & set(told)
    assert all(np.isfinite(value) for value in told.values())
