"""`gpurent.compare/1` to the letter: keys, reasons, codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpurent.cli import app

ROW_KEYS = [
    "rank",
    "tied_with_best",
    "offer_id",
    "provider",
    "via",
    "sku",
    "listing",
    "region",
    "country",
    "tier",
    "purchase",
    "stock",
    "gpu",
    "gpu_text",
    "gpu_candidates",
    "gpu_count",
    "gpu_share",
    "share_profile",
    "gpu_memory_gib",
    "gpu_link",
    "vcpus",
    "cpu_model",
    "ram_gib",
    "disk_class",
    "price_per_hour",
    "currency",
    "usd_per_hour",
    "usd_per_gpu_hour",
    "precision",
    "fits",
    "batch_per_gpu",
    "samples_per_s",
    "samples_per_s_low",
    "samples_per_s_high",
    "gpu_samples_per_s",
    "cpu_samples_per_s",
    "disk_samples_per_s",
    "sync_efficiency",
    "gpu_busy",
    "limit",
    "limit_also",
    "rate_evidence",
    "rate_source",
    "steady_epoch_s",
    "first_epoch_s",
    "setup_s",
    "cost_per_epoch_usd",
    "cost_per_epoch_usd_low",
    "cost_per_epoch_usd_high",
    "steady_cost_per_epoch_usd",
    "run_cost_usd",
    "observed_at",
    "age_days",
    "price_source",
    "warnings",
    "assumed",
]
REASONS = {
    "does-not-fit",
    "unknown-card",
    "other-platform",
    "incompatible-stack",
    "slice-in-parallel",
    "no-price",
    "no-rate",
    "sold-out",
    "via-duplicate",
    "too-old",
    "precision-unsupported",
    "partial-price",
}
OPTIONS = {"purchase", "provider", "region", "tier", "gpu", "count", "share", "min-vram", "vcpus", "ram"}
OPTIONS |= {"max-usd-per-hour", "max-cost-per-epoch", "max-epoch-hours"}


@pytest.fixture(autouse=True)
def _quiet_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GPURENT_DATA_DIR", "GPURENT_CACHE_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert app.run(["compare", *words, "-o", "json"]) == 0

    def refuse(token: str) -> None:
        raise AssertionError(token)

    found: dict[str, Any] = json.loads(capsys.readouterr().out, parse_constant=refuse)
    return found


def test_the_answer_and_its_rows_have_the_documented_keys(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "-w", "bert-large", "--purchase", "any", "--include-dropped")
    documented = {
        "schema",
        "made_by",
        "generated_at",
        "workload",
        "options",
        "data",
        "total",
        "shown",
        "rows",
        "mine",
        "dropped",
        "notes",
    }
    assert documented <= found.keys()
    assert found["schema"] == "gpurent.compare/1"
    assert found["made_by"].keys() == {"version", "tables"}
    assert found["data"].keys() == {"source", "providers"}
    assert all(entry.keys() == {"provider", "collected_at", "complete"} for entry in found["data"]["providers"])
    assert {tuple(row) for row in found["rows"]} == {tuple(ROW_KEYS)}
    assert found["mine"] is None
    assert found["total"] == found["shown"] == len(found["rows"])


@pytest.mark.parametrize("workload", ["bert-large", "llama2-70b-lora", "resnet50"])
def test_every_offer_is_ranked_or_dropped_for_a_documented_reason(
    capsys: pytest.CaptureFixture[str], workload: str
) -> None:
    found = answer(capsys, "-w", workload, "--min-vram", "12", "--max-usd-per-hour", "20")
    ranked = [row for row in found["rows"] if row["rank"] is not None]
    assert len(ranked) + sum(entry["count"] for entry in found["dropped"]) == found["total"]
    for entry in found["dropped"]:
        reason, _, option = entry["reason"].partition(":")
        assert reason in REASONS or (reason == "filtered" and option in OPTIONS), entry
        assert entry["example"]


def test_ranked_rows_are_complete_and_consistent(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "-w", "resnet50", "--purchase", "any")
    assert len(found["rows"]) >= 300
    needed = [key for key in ROW_KEYS if key.startswith(("cost", "samples", "steady", "run_cost", "usd"))]
    for row in found["rows"]:
        assert all(row[key] is not None for key in [*needed, "limit", "rate_evidence", "rate_source", "age_days"]), row
        assert row["limit"] in {"gpu", "cpu", "disk", "sync"}
        assert row["limit_also"] in {"gpu", "cpu", "disk", "sync", None}
        assert row["rate_evidence"] in {"measured", "transferred", "predicted", "assumed"}
        assert (row["gpu"] is None) == bool(row["gpu_candidates"]) or row["gpu_candidates"] == []
        assert row["samples_per_s"] <= row["gpu_samples_per_s"] * (1 + 1e-6)
        assert 0 < row["gpu_busy"] <= 1
        assert 0 < row["sync_efficiency"] <= 1
        assert row["usd_per_gpu_hour"] * row["gpu_count"] == pytest.approx(row["usd_per_hour"], rel=1e-5)
        assert row["steady_cost_per_epoch_usd"] == pytest.approx(
            row["usd_per_hour"] * row["steady_epoch_s"] / 3600, rel=1e-4
        )
        epochs = found["options"]["epochs"]
        assert row["run_cost_usd"] == pytest.approx(row["cost_per_epoch_usd"] * epochs, rel=1e-4)
    assert [row["rank"] for row in found["rows"]] == list(range(1, len(found["rows"]) + 1))


def test_issue_checks_of_the_articles_case(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "rented.csv"
    path.write_text(
        "provider,gpu,vcpus,cpu_model,ram_gib,disk_class,disk_read_mbyte_s,price_per_hour,observed_at\n"
        "rented,A100 SXM 80GB,8,Intel Xeon Platinum 8259CL,60,network-ssd,200,1.49,2026-11-01\n",
        encoding="utf-8",
    )
    words = ["-w", "resnet50", "--offers", str(path), "--mine", "RTX 3090, Ryzen 9 5950X, 64GB, NVMe 7GB/s"]
    found = answer(capsys, *words, "--explain", "1", "--against", "mine")
    rented, mine = found["rows"][0], found["mine"]
    assert mine["samples_per_s"] == pytest.approx(870, rel=0.05)
    assert rented["samples_per_s"] == pytest.approx(740, rel=0.08)
    assert rented["limit"] == "cpu"
    assert rented["gpu_busy"] < 0.55
    assert found["explain"]["guilty"] == "prep"
    assert "try-dali" in [each["code"] for each in found["explain"]["try"]]
    with_dali = answer(capsys, *words, "--pipeline", "dali")
    assert with_dali["rows"][0]["samples_per_s"] > with_dali["mine"]["samples_per_s"]
