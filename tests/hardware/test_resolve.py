"""Offers as known hardware."""

from __future__ import annotations

import csv
from typing import Any

import pytest

from gpurent.hardware import cards
from gpurent.hardware.resolve import Resolution, resolve
from gpurent.messages import say
from gpurent.offer import Offer
from tests.shared import shared


def found(gpu: str, **fields: Any) -> Resolution:
    return resolve(Offer(provider=fields.pop("provider", "p"), gpu=gpu, **fields))


def test_a_whole_card() -> None:
    one = found("NVIDIA A100-SXM4-80GB")
    assert (one.card, one.candidates, one.share, one.memory_gib) == ("a100-sxm-80gb", (), "whole", 80)
    assert (one.compute_fraction, one.compute_fraction_high, one.bandwidth_fraction) == (1, 1, 1)
    assert (one.gpu_count, one.link, one.link_assumed, one.warnings) == (1, None, False, ())


@pytest.mark.parametrize(
    ("gpu", "fields", "link", "assumed"),
    [
        ("A100 SXM4 80GB", {}, "nvswitch", True),
        ("H100 SXM5", {"gpu_link": "nvswitch"}, "nvswitch", False),
        ("V100-SXM2-16GB", {}, "nvlink", True),
        ("A100 80GB PCIe", {}, "pcie", True),
        ("A100 80GB PCIe", {"gpu_link": "nvlink-bridge"}, "nvlink-bridge", False),
        ("RTX 4090", {}, "pcie", True),
        ("A100 80GB", {}, "pcie", True),  # PCIe or SXM: the slower
        ("A100 80GB", {"gpu_link": "nvswitch"}, "nvswitch", False),
        ("GB200", {}, "nvswitch", True),
    ],
)
def test_links_of_several_cards(gpu: str, fields: dict[str, Any], link: str, assumed: bool) -> None:
    one = found(gpu, gpu_count=8, **fields)
    assert (one.link, one.link_assumed) == (link, assumed)


def test_a_stated_link_settles_the_form() -> None:
    assert found("A100 80GB", gpu_link="nvswitch", gpu_count=8).card == "a100-sxm-80gb"
    assert found("A100 80GB", gpu_link="nvlink-bridge", gpu_count=2).card == "a100-pcie-80gb"


@pytest.mark.parametrize(
    ("gpu", "fields", "share", "profile", "compute", "memory"),
    [
        ("A10", {"gpu_share": "vgpu", "share_profile": "1/6"}, "vgpu", "1/6", 1 / 6, 4),
        ("A10", {"sku": "Standard_NV6ads_A10_v5", "provider": "azure"}, "vgpu", "1/6", 1 / 6, 4),
        ("A10-4Q", {}, "vgpu", "4q", 1 / 6, 4),
        ("A100-SXM4-40GB MIG 3g.20gb", {}, "mig", "3g.20gb", 42 / 108, 19.62),
        ("A100-SXM4-40GB", {"gpu_share": "mig", "share_profile": "MIG 3g.20gb"}, "mig", "3g.20gb", 42 / 108, 19.62),
        ("A100-SXM4-80GB", {"gpu_memory_gib": 10}, "mig", "1g.10gb", 14 / 108, 9.5),
        ("NVIDIA A100", {"provider": "vultr", "gpu_memory_gib": 4}, "vgpu", None, 0.05, 4),
        ("RTX 4090", {"gpu_memory_gib": 12}, "unknown", None, 0.5, 12),
    ],
)
def test_slices(
    gpu: str, fields: dict[str, Any], share: str, profile: str | None, compute: float, memory: float
) -> None:
    one = found(gpu, **fields)
    assert (one.share, one.share_profile) == (share, profile)
    assert one.compute_fraction == pytest.approx(compute, abs=1e-4)
    assert one.memory_gib == pytest.approx(memory, abs=0.1)
    assert one.card is not None


def test_a_slice_called_whole_is_a_slice() -> None:
    one = found("A10", gpu_share="whole", gpu_memory_gib=4)
    assert (one.card, one.share, one.memory_gib) == ("a10", "unknown", 4)
    assert {"share-contradicted", "slice-by-size"} <= set(one.warnings)


def test_a_slice_nobody_sized_has_no_fraction() -> None:
    one = found("A100-SXM4-80GB", gpu_share="mig")
    assert (one.share, one.compute_fraction, one.memory_gib) == ("mig", None, None)
    assert "slice-without-profile" in one.warnings
    assert "slice-without-profile" in found("L40S", gpu_share="timeslice", gpu_memory_gib=48).warnings


def test_a_profile_settles_the_card() -> None:
    one = found("A100", gpu_share="mig", share_profile="3g.20gb")
    assert one.candidates == ("a100-pcie-40gb", "a100-sxm-40gb")
    assert one.compute_fraction == pytest.approx(42 / 108, abs=1e-5)


def test_slices_have_no_link() -> None:
    one = found("A100-SXM4-40GB MIG 1g.5gb", gpu_count=2)
    assert (one.link, one.gpu_count) == (None, 2)


def test_an_unknown_card_is_kept() -> None:
    one = found("Frobnicator 9000", gpu_memory_gib=17, gpu_count=2)
    assert (one.card, one.candidates, one.memory_gib, one.gpu_count) == (None, (), 17, 2)
    assert one.warnings == ("unknown-card",)


def test_memory_above_the_card_is_an_unknown_card() -> None:
    one = found("RTX 4090", gpu_memory_gib=80)
    assert (one.card, one.candidates, one.memory_gib) == (None, (), 80)
    assert one.warnings == ("unknown-card", "memory-above-card")


def test_unknown_editions_are_candidates() -> None:
    one = found("H100", gpu_memory_gib=80)
    assert (one.card, one.candidates) == (None, ("h100-pcie-80gb", "h100-sxm-80gb"))
    assert (one.memory_gib, one.compute_fraction) == (80, 1)
    assert one.warnings == ("ambiguous-card",)


@pytest.mark.parametrize(
    ("gpu", "warning"),
    [
        ("RTX 4090 48GB", "modded-card"),
        ("RTX 4090D", "export-card"),
        ("H20 96GB", "export-card"),
        ("A800 80G", "export-card"),
        ("CMP 170HX", "mining-card"),
        ("A100 vs H100", "several-cards"),
        ("vGPU-32GB", "virtual-name"),
        ("L20N", "another-edition"),
        ("H100 80GB HBM3 PCIe", "form-contradicted"),
    ],
)
def test_warnings_are_said_in_words(gpu: str, warning: str) -> None:
    one = found(gpu)
    assert warning in one.warnings
    assert all(say(f"warning.{code}", lang) for code in one.warnings for lang in ("en", "zh"))


def test_two_counts_are_a_warning_and_the_offer_decides() -> None:
    one = found("8x A100-SXM4-80GB", gpu_count=4)
    assert (one.gpu_count, "count-contradicted" in one.warnings) == (4, True)


def test_equal_offers_are_read_once() -> None:
    assert found("L40S", region="a") is found("L40S", region="b")


def test_real_offers() -> None:
    with shared("data/baseline_offers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    keys = ("provider", "gpu", "sku", "gpu_count", "gpu_share", "share_profile", "gpu_memory_gib", "gpu_link")
    for row in rows:
        one = resolve(Offer.model_validate({key: row[key] for key in keys if row[key]}))
        expected = cards.labels().get(row["expected_card"])
        if expected:
            assert (one.card, set(one.candidates)) == (None, set(expected)), row
        else:
            assert one.card == row["expected_card"], row
        assert one.share == row["gpu_share"], row
        assert one.memory_gib == pytest.approx(float(row["gpu_memory_gib"]), rel=0.03), row
        assert (one.compute_fraction is None) == (row["gpu_share"] == "timeslice"), row
