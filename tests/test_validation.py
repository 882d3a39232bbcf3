"""The model against measurements: every bar holds, and no row is predicted with a rate of its own cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpurent import tables, validation
from gpurent.hardware import cards
from gpurent.normalizer import observed, refit
from gpurent.render import machine
from gpurent.render import validation as words
from gpurent.validation import bars, one_gpu, points, regret, scores, split
from gpurent.validation.scores import Cell
from tests.shared import shared

HEADER = (
    "workload,task_detail,gpu,gpu_mem_gb,form_factor,n_gpus,precision,batch_per_gpu,throughput,source_repo_or_url\n"
)
LAMBDA = "github.com/lambdal/deeplearning-benchmark"


@pytest.fixture(scope="module")
def package() -> dict[str, Any]:
    return validation.score()


def cell(card: str, measured: float, predicted: float, **changes: Any) -> Cell:
    values = {
        "task": "resnet50", "stack": "lambda-ngc", "group": "half", "precision": "half", "card": card, "n_gpus": 1,
        "batch": 64.0, "container": "22.09", "measured": measured, "predicted": predicted, "low": predicted * 0.9,
        "high": predicted * 1.1, "evidence": "transferred",
    }  # fmt: skip
    return Cell(**{**values, **changes})


def test_every_bar_holds(package: dict[str, Any]) -> None:
    missed = [(bar["score"], bar["statistic"], bar["value"]) for bar in package["bars"] if not bar["holds"]]
    assert missed == []
    assert package["bars_hold"] is True
    assert len(package["bars"]) == sum(row["scope"] == "package" for row in tables.rows("validation_bars"))


def test_the_document_has_what_the_contract_names(package: dict[str, Any]) -> None:
    assert {
        "n", "skipped", "median_ape", "mean_ape", "p90_ape", "pair_order", "coverage80", "by_workload", "by_gpu",
        "by_n_gpus", "baselines", "rows",
    } <= set(package)  # fmt: skip
    assert set(package["baselines"]) == {"flops", "bandwidth"}
    assert package["n"] == len(package["rows"])
    for row in package["rows"]:
        assert {
            "workload",
            "gpu",
            "n_gpus",
            "precision",
            "measured",
            "predicted",
            "low",
            "high",
            "ape",
            "evidence",
        } <= set(row)
        assert row["low"] < row["predicted"] < row["high"]
        assert row["precision"] in ("amp", "tf32", "fp32")
        assert row["evidence"] in ("transferred", "predicted")  # never measured: the card was left out


def test_naive_rankings_are_beaten_by_half(package: dict[str, Any]) -> None:
    for name in ("flops", "bandwidth"):
        assert package["scores"]["one_gpu_card"]["median_ape"] < 0.5 * package["baselines"][name]["median_ape"]


def test_a_left_out_card_changes_nothing_by_its_own_rates() -> None:
    task = observed.tasks()["resnet50", "lambda-ngc"]
    rows = one_gpu.rows_of(task, "half")
    place = cards.index()["rtx-3090"]
    faster = observed.Observed(
        **{**rows.__dict__, "unit_s": np.where(rows.card == place, rows.unit_s / 7, rows.unit_s)}
    )
    predictions = [
        [unit_s for row, _, unit_s in refit.leave_one_out(task, "half", each, refit.card_id) if rows.card[row] == place]
        for each in (rows, faster)
    ]
    assert predictions[0] == predictions[1]


def lines(*rates: tuple[int, float, float]) -> str:
    return "".join(
        f"bert-large,SQuAD fine-tune,RTX 3090,24,PCIe,{n},amp,{batch:g},{rate:g},{LAMBDA}\n" for n, batch, rate in rates
    )


def test_a_file_is_scored_without_its_own_cells(tmp_path: Path) -> None:
    path = tmp_path / "rates.csv"
    path.write_text(HEADER + lines((1, 28, 52.0), (2, 28, 90.0)), encoding="utf-8")
    found = validation.score(path)
    assert found["n"] == 2
    one, two = found["rows"]
    assert one["evidence"] != "measured"
    assert one["predicted"] != pytest.approx(52.0, rel=1e-3)
    assert (one["line"], two["line"]) == (2, 3)
    assert found["scores"]["given_one_gpu"]["n"] == 1
    assert two["predicted"] < 2 * one["predicted"]


def test_what_the_file_says_does_not_move_the_prediction(tmp_path: Path) -> None:
    predicted = []
    for rate in (20.0, 52.0, 130.0):
        path = tmp_path / f"{rate}.csv"
        path.write_text(HEADER + lines((1, 28, rate)), encoding="utf-8")
        predicted.append(validation.score(path)["rows"][0]["predicted"])
    assert len(set(predicted)) == 1


def test_rows_that_cannot_be_scored_are_counted_by_reason(tmp_path: Path) -> None:
    path = tmp_path / "rates.csv"
    others = (
        f"alexnet,,RTX 3090,24,PCIe,1,amp,64,900,{LAMBDA}\n"
        f"bert-large,SQuAD fine-tune,RTX 9999,24,PCIe,1,amp,28,52,{LAMBDA}\n"
        "bert-large,SQuAD fine-tune,A100,80,SXM4,1,amp,32,110,github.com/NVIDIA/DeepLearningExamples\n"
        "bert-large,SQuAD fine-tune,A100,80,SXM4,1,amp,32,110,github.com/somebody/else\n"
    )
    path.write_text(HEADER + lines((1, 28, 52.0)) + others, encoding="utf-8")
    found = validation.score(path)
    assert found["n"] == 1
    assert found["skipped"] == {"anchors-only": 1, "unknown-gpu": 1, "unknown-stack": 1, "unknown-workload": 1}
    assert found["skipped_examples"]["unknown-workload"] == ["alexnet"]


def test_the_whole_collection_scores_within_the_bars_of_unseen_rows() -> None:
    found = validation.score(shared("data/train_throughput.csv"))
    assert [bar["score"] for bar in found["bars"] if not bar["holds"]] == ["mig"]  # no row of it is of a slice
    assert sum(found["skipped"].values()) + found["n"] == 8410


def test_errors_and_coverage() -> None:
    cells = [cell("rtx-3090", 100.0, 110.0), cell("rtx-4090", 100.0, 150.0)]
    told = scores.errors(cells)
    assert (told["n"], told["median_ape"], told["mean_ape"]) == (2, pytest.approx(0.3), pytest.approx(0.3))
    assert scores.coverage(cells) == 0.5
    assert scores.coverage([]) is None


def test_pairs_closer_than_the_noise_have_no_order() -> None:
    near = [cell("rtx-3090", 100.0, 120.0), cell("rtx-4090", 105.0, 90.0)]
    assert scores.pair_order(near) == (None, 0)
    far = [cell("rtx-3090", 100.0, 90.0), cell("rtx-4090", 150.0, 170.0), cell("a40", 300.0, 80.0)]
    assert scores.pair_order(far) == (pytest.approx(1 / 3), 3)


def test_rates_of_two_containers_are_no_pair() -> None:
    cells = [cell("rtx-3090", 100.0, 1.0), cell("rtx-4090", 200.0, 0.5, container="20.10")]
    assert scores.pair_order(cells) == (None, 0)


def test_bars_of_nothing_neither_hold_nor_miss() -> None:
    assert {bar.holds for bar in bars.judge("file", {})} == {None}


def test_regret_of_a_right_and_a_wrong_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regret, "price_sets", lambda: {"somebody": {"rtx-3090": 1.0, "rtx-4090": 1.5, "a40": 2.0}})
    right = [cell("rtx-3090", 100.0, 100.0), cell("rtx-4090", 200.0, 200.0), cell("a40", 120.0, 120.0)]
    found = regret.regrets(right)
    assert set(found[regret.BY_MODEL]) == {0.0}
    assert found[regret.BY_PRICE] == [pytest.approx((1.0 / 100) / (1.5 / 200) - 1)]
    wrong = [right[0], cell("rtx-4090", 200.0, 90.0), right[2]]
    assert max(regret.regrets(wrong)[regret.BY_MODEL]) == pytest.approx(1 / 3)


def test_points_without_inputs_are_counted_not_scored() -> None:
    scored, shown, missing = points.stall_points()
    assert len(scored) + len(shown) + sum(missing.values()) == len(tables.rows("stall_points"))
    assert [point.part for point in shown] == ["smt"]
    assert {point.part for point in scored} == {"prep", "cache", "read", "cpu-index"}


def test_what_was_assumed_of_a_host_is_said(package: dict[str, Any]) -> None:
    assert any("cloud host" in text for text in package["scores"]["real_input"]["assumed"])


def test_the_page_shows_what_the_command_prints(package: dict[str, Any]) -> None:
    page = (Path(__file__).parents[1] / "docs" / "model-validation.md").read_text(encoding="utf-8")
    assert machine.markdown_text(words.bar_rows(package["bars"], "en")).strip() in page


def test_the_split_is_fixed() -> None:
    cells = [(row["task"], row["group"], row["card"]) for row in tables.rows("card_deviations")]
    parts = [split.part(*each) for each in cells]
    assert 0.15 < parts.count(split.CONFIRM) / len(parts) < 0.35
    assert split.part("bert-large", "half", "a100-sxm-80gb") == "tune"
    assert split.part("bert-large", "half", "h200-sxm-141gb") == "tune"


def test_a_slice_is_predicted_from_its_card_and_scored_by_its_share(tmp_path: Path) -> None:
    lines = [
        "workload,task_detail,gpu,gpu_mem_gb,form_factor,n_gpus,precision,batch_per_gpu,throughput,source_repo_or_url",
        "resnet50,synthetic data,A100,40,SXM4,1,amp,256,1300,github.com/lambdal/deeplearning-benchmark",
        "resnet50,synthetic data,A100 3g.20gb,20,SXM4,1,amp,256,520,github.com/lambdal/deeplearning-benchmark",
    ]
    path = tmp_path / "rates.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = validation.score(path)
    whole, part = found["rows"]
    assert (whole["share_profile"], part["share_profile"]) == (None, "3g.20gb")
    assert 0.38 < part["predicted"] / whole["predicted"] < 0.65
    assert found["scores"]["one_gpu"]["n"] == 1
    assert found["scores"]["mig"]["points"][0]["measured"] == pytest.approx(0.4)
