"""Claims that cannot be."""

from __future__ import annotations

import pytest

from gpurent import workloads
from gpurent.normalizer.plausible import Plausible, plausible_rate


def about(workload: str, precision: str, card: str) -> Plausible:
    found = plausible_rate(workloads.load(workload), precision, card)
    assert found is not None
    return found


@pytest.mark.parametrize("claim", [3000.0, 3500.0])
def test_bert_large_at_thousands_a_second_is_above_any_roofline(claim: float) -> None:
    told = about("bert-large", "amp", "a100-sxm-80gb")
    assert told.problem(claim) == "above-roofline"
    assert told.roofline == pytest.approx(311.9e12 / 772e9, rel=0.01)


@pytest.mark.parametrize(
    ("workload", "card", "measured"),
    [("bert-large", "a100-sxm-80gb", 152.0), ("resnet50", "rtx-3090", 905.0), ("unet3d", "a100-sxm-80gb", 36.0)],
)
def test_what_was_measured_is_plausible(workload: str, card: str, measured: float) -> None:
    told = about(workload, "amp", card)
    assert told.problem(measured) is None
    assert told.measured_on > 0


def test_far_below_its_class_is_implausible_too() -> None:
    assert about("bert-large", "amp", "h100-sxm-80gb").problem(2.0) == "outside-measured"


def test_a_card_that_cannot_run_it_has_no_range() -> None:
    assert plausible_rate(workloads.load("bert-large"), "fp8", "a100-sxm-80gb") is None
