"""Rates of cards: measured cells come back, precisions decide as they should, slices stay below their card."""

from __future__ import annotations

import numpy as np
import pytest

from gpurent import workloads
from gpurent.hardware import cards
from gpurent.normalizer import compute
from gpurent.normalizer.compute import CardRates, card_rates, step_seconds
from gpurent.workloads import Workload

OWN = {
    "name": "mine",
    "sample": "image",
    "samples_per_epoch": 1000,
    "epochs": 1,
    "bytes_per_sample": 1000,
    "batch": 64,
    "flops_per_sample": 25e9,
}


def rate(workload: str | Workload, precision: str, card: str, batch: float | None = None) -> float:
    """Samples/s of one whole card."""
    loaded = workloads.load(workload) if isinstance(workload, str) else workload
    at = float(batch or loaded.batch)
    return at / float(card_rates(loaded, precision).whole_card_s(at)[cards.index()[card]])


def told(workload: str, precision: str, card: str) -> tuple[str, float, str]:
    """Evidence, sigma and reason of a card."""
    rates, place = card_rates(workloads.load(workload), precision), cards.index()[card]
    return rates.evidence[place], float(rates.sigma[place]), rates.reason[place]


@pytest.mark.parametrize(
    ("workload", "card", "batch", "measured"),
    [
        ("bert-large", "a100-sxm-80gb", 112, 152.0),
        ("bert-large", "v100-sxm-16gb", 16, 57.0),
        ("bert-large", "rtx-3090", 28, 52.0),
        ("resnet50", "a100-sxm-80gb", 1280, 1582.0),
        ("resnet50", "v100-sxm-16gb", 256, 833.0),
        ("resnet50", "rtx-3090", 448, 905.0),
    ],
)
def test_measured_cells_come_back(workload: str, card: str, batch: int, measured: float) -> None:
    assert rate(workload, "amp", card, batch) == pytest.approx(measured, rel=0.01)
    assert told(workload, "amp", card)[0] == "measured"


def test_a_stack_of_few_cards_keeps_its_rates_at_any_batch() -> None:
    assert rate("bert-large-dle", "amp", "a100-sxm-80gb") == pytest.approx(110.5)
    assert rate("bert-large-dle", "amp", "v100-sxm-32gb") == pytest.approx(52.0)
    ratio = rate("bert-large-pretrain-s128", "amp", "a100-sxm-80gb") / rate(
        "bert-large-pretrain-s128", "amp", "v100-sxm-32gb"
    )
    assert ratio == pytest.approx(2.59, rel=0.02)
    assert rate("resnet50-dali", "amp", "a100-sxm-80gb") == pytest.approx(2470.0)


def test_fp32_takes_the_a100s_lead_away() -> None:
    ratios = {
        precision: rate("bert-large", precision, "a100-sxm-80gb") / rate("bert-large", precision, "rtx-3090", batch)
        for precision, batch in (("fp32", 16), ("amp", 30), ("tf32", 16))  # what fits 24 GB
    }
    assert 0.7 < ratios["fp32"] < 1.1
    assert 2.4 < ratios["amp"] < 3.3
    assert ratios["tf32"] > 2.0
    assert told("bert-large", "fp32", "a100-sxm-80gb")[0] == "predicted"


def test_tf32_is_fp32_before_ampere() -> None:
    assert rate("resnet50", "tf32", "v100-sxm-16gb") == pytest.approx(rate("resnet50", "fp32", "v100-sxm-16gb"))


@pytest.mark.parametrize(("card", "share"), [("v100-sxm-16gb", 0.11), ("t4", 0.06), ("rtx-2080-ti", 0.12)])
@pytest.mark.parametrize("workload", ["bert-large", "resnet50", "vit-b16"])
def test_bf16_is_emulated_before_ampere(workload: str, card: str, share: float) -> None:
    assert rate(workload, "bf16", card) / rate(workload, "fp16", card) == pytest.approx(share, abs=0.03)
    assert rate(workload, "amp", card) == pytest.approx(rate(workload, "fp16", card))
    assert "bf16-emulated" in card_rates(workloads.load(workload), "bf16").warnings[cards.index()[card]]
    assert told(workload, "bf16", card)[0] == "predicted"


def test_bf16_is_amp_from_ampere_on() -> None:
    assert rate("bert-large", "bf16", "rtx-3090") == pytest.approx(rate("bert-large", "amp", "rtx-3090"))


def test_fp8_needs_ada() -> None:
    assert told("bert-large", "fp8", "a100-sxm-80gb")[2] == "precision-unsupported"
    evidence, sigma, reason = told("bert-large", "fp8", "h100-sxm-80gb")
    assert (evidence, reason) == ("predicted", "")
    assert sigma >= 0.30
    assert rate("bert-large", "fp8", "h100-sxm-80gb") > rate("bert-large", "amp", "h100-sxm-80gb")


def test_without_tensor_cores_amp_is_fp32() -> None:
    assert rate("bert-large", "amp", "p40") == pytest.approx(rate("bert-large", "fp32", "p40"))
    assert "no-tensor-cores" in card_rates(workloads.load("bert-large"), "amp").warnings[cards.index()["p40"]]


@pytest.mark.parametrize("workload", ["bert-large", "resnet50", "gnmt"])
def test_export_and_modded_boards_follow_their_sibling(workload: str) -> None:
    stock = rate(workload, "amp", "rtx-4090")
    assert rate(workload, "amp", "rtx-4090d") / stock == pytest.approx(0.91, abs=0.03)
    assert 0.93 <= rate(workload, "amp", "rtx-4090-48gb") / stock <= 1.03


def test_evidence_widens_from_measured_to_assumed() -> None:
    own = card_rates(Workload(**OWN), "amp")
    spreads = [
        told("bert-large", "amp", "a100-sxm-80gb")[1],
        told("bert-large", "amp", "a40")[1],
        told("bert-large", "amp", "rtx-5090")[1],
        float(own.sigma[cards.index()["rtx-3090"]]),
    ]
    assert spreads == sorted(spreads)
    assert own.evidence[cards.index()["rtx-3090"]] == "assumed"


def test_work_scales_with_flops() -> None:
    double = Workload(**{**OWN, "flops_per_sample": 50e9, "batch": 4096})
    single = Workload(**{**OWN, "batch": 4096})
    assert rate(single, "amp", "rtx-3090") / rate(double, "amp", "rtx-3090") == pytest.approx(2.0, rel=0.02)


def test_nothing_known_of_a_workload_gives_no_rate() -> None:
    unknown = Workload(**{key: value for key, value in OWN.items() if key != "flops_per_sample"})
    rates = card_rates(unknown, "amp")
    assert set(rates.reason) == {"no-rate"}
    assert np.isnan(rates.whole_card_s(8.0)).all()


def test_a_card_without_bandwidth_has_no_rate() -> None:
    rates = card_rates(workloads.load("bert-large"), "amp")
    for place, card in enumerate(cards.table()):
        if card.bandwidth_gbyte_s is None:
            assert rates.reason[place] == "no-rate"


def step(
    rates: CardRates, card: str, compute_share: float, bandwidth_share: float, batch: float, launch: float = 1.0
) -> float:
    columns = (np.array([value]) for value in (compute_share, bandwidth_share, batch, launch))
    return float(step_seconds(rates, np.array([cards.index()[card]]), *columns)[0])


@pytest.mark.parametrize("batch", [1.0, 8.0, 9.0, 64.0])
def test_a_slice_is_never_faster_than_its_card(batch: float) -> None:
    rates = card_rates(workloads.load("bert-base"), "amp")
    whole = step(rates, "a100-sxm-40gb", 1.0, 1.0, batch)
    slices = [
        step(rates, "a100-sxm-40gb", share, eighths / 8, batch)
        for share, eighths in ((98 / 108, 8), (42 / 108, 4), (14 / 108, 1))
    ]
    assert whole <= slices[0] <= slices[1] <= slices[2]


@pytest.mark.parametrize("workload", workloads.names())
def test_three_sevenths_of_an_a100(workload: str) -> None:
    loaded = workloads.load(workload)
    for precision in ("amp", "tf32"):
        rates = card_rates(loaded, precision)
        for card in ("a100-sxm-40gb", "a100-pcie-80gb"):
            share = step(rates, card, 1, 1, loaded.batch) / step(rates, card, 42 / 108, 0.5, loaded.batch)
            assert 0.35 <= share <= 0.65


@pytest.mark.parametrize("workload", ["gnmt", "mask-rcnn", "bert-base"])
@pytest.mark.parametrize(("units", "memory"), [(14 / 108, 1 / 8), (42 / 108, 0.5), (1.0, 1.0)])
def test_slower_launching_never_makes_a_slice_faster(workload: str, units: float, memory: float) -> None:
    rates = card_rates(workloads.load(workload), "amp")
    for batch in (1.0, 8.0, 64.0):
        steps = [step(rates, "a100-sxm-40gb", units, memory, batch, launch) for launch in (1.0, 1.3, 1.7, 2.5, 4.0)]
        assert steps == sorted(steps)


def test_launch_scales_only_the_hosts_part() -> None:
    rates = card_rates(workloads.load("bert-base"), "amp")
    slow, fast = step(rates, "rtx-3090", 1, 1, 32, launch=2.0), step(rates, "rtx-3090", 1, 1, 32)
    place = cards.index()["rtx-3090"]
    assert slow - fast == pytest.approx(32 * rates.unit_s[place] + rates.step_s[place])


def test_submissions_of_eight_gpus_keep_their_rate() -> None:
    rates = card_rates(workloads.load("unet3d"), "amp")
    card, gpus, batch = np.array([cards.index()["h200-sxm-141gb"]]), np.array([8.0]), np.array([7.0])
    assert 8 * 7 / float(compute.measured_steps(rates, card, gpus, batch)[0]) == pytest.approx(607.8, rel=0.01)
    assert np.isnan(compute.measured_steps(rates, card, np.array([2.0]), batch)[0])


def test_a_card_of_small_memory_does_not_pass_for_a_slow_kind() -> None:
    rates = card_rates(workloads.load("bert-large"), "tf32")  # the RTX 3070's own row is of one sequence a step
    assert step(rates, "rtx-3070-ti", 1, 1, 2) < 1.15 * step(rates, "rtx-3060-12gb", 1, 1, 2)


def test_strict_fp32_launches_alike_on_every_modern_maker() -> None:
    rates = card_rates(workloads.load("gnmt"), "fp32")
    assert step(rates, "mi300x", 1, 1, 128) < 1.15 * step(rates, "h200-sxm-141gb", 1, 1, 128)
