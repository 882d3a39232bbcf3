"""The Python API: the same road as the command."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import gpurent
from gpurent import workloads
from gpurent.errors import Problem
from gpurent.offer import Offer


def test_ranks_the_catalogue_by_default() -> None:
    ranked = gpurent.compare("bert-large")
    assert len(ranked) >= 300
    assert len({row["provider"] for row in ranked.rows()}) >= 25
    costs = [row["cost_per_epoch_usd"] for row in ranked.rows()]
    assert costs == sorted(costs)


@pytest.mark.parametrize("gpu", ["a100*,rtx-4090", ["a100*", "rtx-4090"], ("a100*", "rtx-4090")])
def test_filters_and_options_are_keywords(gpu: object) -> None:
    ranked = gpurent.compare("resnet50", gpu=gpu, precision="fp32", batch=64, set_=["epochs=3"])
    row = ranked.row(0)
    assert row["precision"] == "fp32"
    assert row["batch_per_gpu"] == 64
    assert ranked.workload.epochs == 3
    names = {name for each in ranked.rows() for name in ([each["gpu"]] if each["gpu"] else each["gpu_candidates"])}
    assert names
    assert all(name.startswith(("a100", "rtx-4090")) for name in names)


def test_a_frame_has_a_row_an_offer_and_the_contract_s_columns() -> None:
    ranked = gpurent.compare("bert-large", provider="lambda")
    frame = ranked.to_frame()
    assert len(frame) == len(ranked) > 0
    assert list(frame.columns) == list(ranked.row(0))


def test_one_s_own_offers_file_and_machine(tmp_path: Path) -> None:
    path = tmp_path / "o.csv"
    path.write_text("provider,gpu,price_per_hour\nsomebody,RTX 4090,0.5\n", encoding="utf-8")
    ranked = gpurent.compare(workloads.load("resnet50"), path, mine="RTX 3090, Ryzen 9 5950X, 64GB, NVMe 7GB/s")
    assert ranked.row(0)["gpu"] == "rtx-4090"
    assert ranked.mine is not None
    assert ranked.mine["gpu"] == "rtx-3090"
    assert ranked.mine["rank"] is None


def test_an_anchor_pins_a_workload_of_one_s_own(tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    path.write_text(
        'name = "own"\nsample = "image"\nsamples_per_epoch = 1000\nepochs = 3\nbytes_per_sample = 1000\nbatch = 8\n'
        "params = 1000000\n",
        encoding="utf-8",
    )
    with pytest.raises(Problem, match="nothing says how fast"):
        gpurent.compare(path)
    offers = [
        Offer(provider="p", gpu=gpu, price={"amount": "1"}, observed_at=datetime(2026, 11, 1, tzinfo=UTC))
        for gpu in ("RTX 3090", "RTX 4090")
    ]  # type: ignore[arg-type]
    ranked = gpurent.compare(path, offers, anchors=["rtx-3090=200"])
    rates = {row["gpu"]: row for row in ranked.rows()}
    assert rates["rtx-3090"]["gpu_samples_per_s"] == pytest.approx(200)
    assert rates["rtx-3090"]["rate_evidence"] == "measured"
    assert rates["rtx-4090"]["gpu_samples_per_s"] > 200


def test_an_unknown_option_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        gpurent.compare("bert-large", presicion="amp")
