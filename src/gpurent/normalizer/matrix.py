"""Rates a card is charged with: TFLOP/s in a precision, measured where known, else nominal by class; and bandwidth.

Nominal rates mislead: an L4 reaches 71 of 121 TFLOP/s, an H100 PCIe 496 of 756, an RTX 3090 77 of 71.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from gpurent.hardware import cards
from gpurent.hardware.cards import Card
from gpurent.tables import constants

Floats = NDArray[np.float64]

_HALF = ("amp", "fp16", "bf16")
UNSUPPORTED = "precision-unsupported"
EMULATED = "bf16-emulated"  # warning code: asked for, slow, fp16 is the advice
NO_TENSOR_CORES = "no-tensor-cores"


@dataclass(frozen=True)
class Charge:
    """What one card is charged with under a precision.

    `group` names the coefficients (half, single, fp8); `precision` is what the card really runs, so that rows measured
    in it are the card's own; `slowdown` stretches the whole step where that only stands in for an emulated precision.
    """

    group: str
    precision: str
    tflops: float | None
    slowdown: float = 1.0
    reason: str = ""
    warnings: tuple[str, ...] = ()


@cache
def charges(precision: str) -> tuple[Charge, ...]:
    """The charge of every card of `cards.table()` under a precision of CLI.md.

    fp32 runs on CUDA cores; tf32 on tensor cores from Ampere on and equals fp32 before; amp is fp16 or bf16, whichever
    the card has fast, and fp32 where there are no tensor cores. bf16 before Ampere is emulated. fp8 needs 8.9.
    """
    return tuple(charge(card, precision) for card in cards.table())


def charge(card: Card, precision: str) -> Charge:
    """The charge of one card; see `charges`."""
    if precision == "fp8":
        return _fp8(card)
    if precision == "fp32":
        return Charge("single", "fp32", fp32_tflops(card))
    if precision == "tf32":
        rate = tf32_tflops(card)
        return Charge("single", "fp32" if rate is None else "tf32", rate or fp32_tflops(card))
    if not card.tensor_cores or half_tflops(card) is None:
        plain = Charge("single", "fp32", fp32_tflops(card), warnings=(NO_TENSOR_CORES,))
        return _emulated(card, plain) if precision == "bf16" else plain
    half = Charge("half", "half", half_tflops(card))
    return _emulated(card, half) if precision == "bf16" else half


def half_tflops(card: Card) -> float | None:
    """fp16 or bf16 on tensor cores with FP32 accumulation, TFLOP/s; None without tensor cores or any figure."""
    if not card.tensor_cores:
        return None
    measured = [card.half_measured_tflops, card.fp16_measured_tflops, card.bf16_measured_tflops]
    known = next((rate for rate in measured if rate is not None), None)
    return known if known is not None else _times(card.half_tflops, _half_class(card))


def tf32_tflops(card: Card) -> float | None:
    """TF32 on tensor cores: nominal tf32 x the card's measured / nominal half ratio; None before Ampere."""
    half = half_tflops(card)
    if half is None or (card.compute_capability or 0.0) < constants("model")["bf16_min_capability"]:
        return None if card.platform == "cuda" else card.tf32_measured_tflops
    if card.tf32_tflops is None or card.half_tflops is None:
        return card.tf32_measured_tflops
    return card.tf32_tflops * half / card.half_tflops


def fp32_tflops(card: Card) -> float | None:
    """FP32 on CUDA cores, TFLOP/s: the median measured, else nominal x class."""
    if card.fp32_measured_tflops is not None:
        return card.fp32_measured_tflops
    return _times(card.fp32_tflops, constants("model")[f"fp32_class_{_fp32_class(card)}"])


def bandwidth_gbyte_s(card: Card) -> float | None:
    """The bandwidth a card is charged with, GB/s: a large second-level cache serves part of the traffic.

        bandwidth * 1.2 with an L2 of at least 48 MiB (Ada, Hopper, Blackwell), else bandwidth

    None where the memory bandwidth is not known. Source: fitted, see docs/model-validation.md.
    """
    model = constants("model")
    if card.bandwidth_gbyte_s is None:
        return None
    large = card.l2_mib >= model["cache_from_mib"] if card.l2_mib is not None else _large_cache_assumed(card)
    return card.bandwidth_gbyte_s * (1.0 + model["cache_gain"] if large else 1.0)


def _large_cache_assumed(card: Card) -> bool:
    """Data-centre Hopper and Blackwell carry at least 50 MB; smaller chips of their kind vary."""
    return card.class_ == "data-centre" and card.architecture in ("Hopper", "Blackwell")


def nominal_tflops(card: Card, precision: str) -> float | None:
    """The published dense peak of a precision: what a naive ranking goes by."""
    if precision == "fp8":
        return card.fp8_tflops
    if precision == "tf32":
        return card.tf32_tflops or card.fp32_tflops
    return card.fp32_tflops if precision == "fp32" else card.half_tflops or card.fp32_tflops


def _fp8(card: Card) -> Charge:
    half = half_tflops(card)
    capable = card.platform != "cuda" or (card.compute_capability or 0.0) >= constants("model")["fp8_min_capability"]
    if not capable or half is None or card.fp8_tflops is None:
        return Charge("fp8", "fp8", None, reason=UNSUPPORTED)
    ratio = half / card.half_tflops if card.half_tflops else 1.0
    return Charge("fp8", "fp8", card.fp8_tflops * ratio)


def _emulated(card: Card, fast: Charge) -> Charge:
    """bf16 where the card has no bf16 units: the step stretches by the ratio of the matrix rates."""
    model = constants("model")
    if card.platform != "cuda" or (card.compute_capability or 0.0) >= model["bf16_min_capability"]:
        return fast
    if card.bf16_measured_tflops is not None and fast.tflops:
        share = card.bf16_measured_tflops / fast.tflops
    elif fast.group == "single":
        share = model["emulated_bf16_pascal"]
    elif card.architecture == "Volta":
        share = model["emulated_bf16_v100"]
    else:
        share = model["emulated_bf16_turing" if card.class_ != "data-centre" else "emulated_bf16_turing_data_centre"]
    return Charge(fast.group, fast.precision, fast.tflops, 1.0 / share, warnings=(*fast.warnings, EMULATED))


def _half_class(card: Card) -> float:
    model = constants("model")
    if card.architecture == "Volta":
        return model["half_class_volta"]
    if card.class_ == "geforce":
        return model["half_class_geforce"]
    if card.class_ == "professional":
        by_architecture = {"Turing": "half_class_turing_professional", "Ada Lovelace": "half_class_ada_professional"}
        return model[by_architecture.get(card.architecture, "half_class_professional")]
    small = card.class_ == "data-centre" and (card.tdp_w or 1e9) <= model["data_centre_small_tdp_w"]
    return model["half_class_data_centre_small" if small else "half_class_data_centre"]


def _fp32_class(card: Card) -> str:
    if card.architecture in ("Kepler", "Maxwell", "Pascal", "Volta"):
        return "volta" if card.architecture == "Volta" else "pascal"
    if card.class_ == "geforce":
        return "geforce_turing" if card.architecture == "Turing" else "geforce"
    if card.class_ == "professional":
        return "professional_turing" if card.architecture == "Turing" else "professional"
    if card.chip == "GA100":
        return "a100"
    if card.architecture == "Hopper":
        return "hopper"
    if card.class_ == "data-centre" and card.architecture == "Blackwell":
        return "blackwell"
    if card.class_ == "data-centre" and card.architecture in ("Turing", "Ada Lovelace"):
        return "power_capped"
    return "other"


def _times(nominal: float | None, share: float) -> float | None:
    return None if nominal is None else nominal * share
