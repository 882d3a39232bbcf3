"""What a card is charged with in a precision."""

from __future__ import annotations

import pytest

from gpurent.hardware import cards
from gpurent.normalizer import matrix


def charge(card: str, precision: str) -> matrix.Charge:
    return matrix.charge(cards.by_id()[card], precision)


@pytest.mark.parametrize(
    ("card", "tflops"),
    [
        ("l4", 70.9),  # measured, of 121 nominal
        ("h100-pcie-80gb", 495.9),
        ("rtx-3090", 76.6),
        ("a10", 125 * 0.62),  # at most 170 W
        ("a40", 149.7 * 0.80),
        ("v100-pcie-16gb", 113 * 0.76),
        ("quadro-rtx-6000", 130.5 * 0.73),
        ("rtx-6000-ada", 364 * 0.74),
        ("rtx-3090-ti", 80 * 1.05),
    ],
)
def test_half_is_measured_or_nominal_by_class(card: str, tflops: float) -> None:
    assert charge(card, "amp").tflops == pytest.approx(tflops)


@pytest.mark.parametrize(
    ("card", "tflops"),
    [
        ("rtx-3090-ti", 40.0 * 0.68),
        ("rtx-2080-super", 11.15 * 0.92),
        ("rtx-a5000", 27.77 * 0.62),
        ("a30", 10.32 * 0.95),
        ("h100-nvl-94gb", 60.32 * 0.78),
        ("l40", 90.52 * 0.52),
        ("v100-pcie-16gb", 14.13 * 0.90),
        ("titan-xp", 12.15 * 0.90),
        ("t4", 4.35),
    ],
)
def test_fp32_is_measured_or_nominal_by_class(card: str, tflops: float) -> None:
    assert charge(card, "fp32").tflops == pytest.approx(tflops, rel=0.02)


def test_tf32_keeps_the_cards_share_of_its_nominal_rate() -> None:
    assert charge("a100-sxm-80gb", "tf32").tflops == pytest.approx(155.9 * 271.2 / 311.9)
    assert charge("v100-sxm-16gb", "tf32") == charge("v100-sxm-16gb", "fp32")


def test_amp_never_takes_emulated_bf16() -> None:
    for card in cards.table():
        assert matrix.charge(card, "amp").slowdown == 1.0
        emulated = card.platform == "cuda" and (card.compute_capability or 0) < 8.0
        assert (matrix.charge(card, "bf16").slowdown > 1.0) == emulated


def test_large_caches_serve_part_of_the_traffic() -> None:
    table = cards.by_id()
    assert matrix.bandwidth_gbyte_s(table["rtx-4090"]) == pytest.approx(1008 * 1.2)
    assert matrix.bandwidth_gbyte_s(table["rtx-3090"]) == pytest.approx(936.2)
    assert matrix.bandwidth_gbyte_s(table["b200"]) == pytest.approx(8000 * 1.2)
    assert matrix.bandwidth_gbyte_s(table["rtx-4070"]) == pytest.approx(504.2)


def test_every_charge_of_a_listed_precision_is_positive_or_unknown() -> None:
    for precision in ("amp", "fp16", "bf16", "tf32", "fp32", "fp8"):
        for each in matrix.charges(precision):
            assert each.tflops is None or each.tflops > 0
