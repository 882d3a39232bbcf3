"""Filters: what they keep, and the reason they give for what they do not."""

from __future__ import annotations

from typing import Any

import pytest

from gpurent.errors import Problem
from gpurent.hardware.resolve import resolve
from gpurent.offer import Offer
from gpurent.selection import Range, Selector, Wanted, check_providers, read_range


def reason(wanted: Wanted, **fields: Any) -> str:
    offer = Offer.model_validate({"provider": "lambda", "gpu": "A100 SXM 80GB", **fields})
    return Selector(wanted).reason(offer, resolve(offer))


@pytest.mark.parametrize(
    ("text", "low", "high"), [("8..", 8, None), ("..4", None, 4), ("2..8", 2, 8), ("4", 4, 4), (" 1 .. 2 ", 1, 2)]
)
def test_ranges(text: str, low: float | None, high: float | None) -> None:
    assert read_range(text, "--count") == Range(low, high)


@pytest.mark.parametrize("text", ["", "..", "a..b", "8..2", "1..1e999", "nan", "1...2"])
def test_what_is_no_range_is_said(text: str) -> None:
    with pytest.raises(Problem, match="range"):
        read_range(text, "--count")


@pytest.mark.parametrize(
    "gpu", ["a100*", "a100-sxm-80gb", "A100", "A100 80GB", "a100:80GB:8", "*sxm*", "A100-SXM4-80GB"]
)
def test_a_card_is_found_by_any_of_its_names(gpu: str) -> None:
    assert reason(Wanted(gpu=(gpu,)), gpu_count=8) == ""


@pytest.mark.parametrize("gpu", ["a100:40GB:8", "a100:80GB:4", "h100*", "rtx-4090", "A100 PCIe"])
def test_another_card_memory_or_count_is_left_out(gpu: str) -> None:
    assert reason(Wanted(gpu=(gpu,)), gpu_count=8) == "filtered:gpu"


def test_a_name_never_brings_its_bigger_sister() -> None:
    wanted = Wanted(gpu=("rtx-3080",))
    assert reason(wanted, gpu="RTX 3080 10GB") == ""
    assert reason(wanted, gpu="RTX 3080 Ti") == "filtered:gpu"


def test_an_unknown_card_in_a_filter_is_said_with_near_ones() -> None:
    with pytest.raises(Problem, match="unknown card"):
        Selector(Wanted(gpu=("rtx-9999",)))


@pytest.mark.parametrize(
    ("wanted", "fields", "expected"),
    [
        (Wanted(), {"purchase": "spot"}, "filtered:purchase"),
        (Wanted(purchase="any"), {"purchase": "spot"}, ""),
        (Wanted(provider=("LAMB*",)), {}, ""),
        (Wanted(provider=("aws",)), {}, "filtered:provider"),
        (Wanted(provider=("shadeform",)), {"via": "shadeform"}, ""),
        (Wanted(region=("us-*",)), {"region": "US-east-1"}, ""),
        (Wanted(region=("de",)), {"region": "x", "country": "DE"}, ""),
        (Wanted(region=("us-*",)), {}, "filtered:region"),
        (Wanted(tier=("secure",)), {}, "filtered:tier"),
        (Wanted(vcpus=Range(8, None)), {"vcpus": "8"}, ""),
        (Wanted(vcpus=Range(8, None)), {}, "filtered:vcpus"),
        (Wanted(ram_gib=Range(None, 64)), {"ram_gib": "65"}, "filtered:ram"),
        (Wanted(count=Range(2, None)), {}, "filtered:count"),
        (Wanted(share="slice"), {}, "filtered:share"),
        (Wanted(share="whole"), {"gpu": "A100 40GB MIG 3g.20gb"}, "filtered:share"),
        (Wanted(share="slice"), {"gpu": "A100 40GB MIG 3g.20gb"}, ""),
        (Wanted(min_vram_gib=80), {}, ""),
        (Wanted(min_vram_gib=81), {"gpu": "RTX 4090"}, "filtered:min-vram"),
        (Wanted(min_vram_gib=24), {"gpu": "A100 40GB MIG 3g.20gb"}, "filtered:min-vram"),
        (Wanted(), {"stock": "sold-out"}, "sold-out"),
        (Wanted(include_sold_out=True), {"stock": "sold-out"}, ""),
    ],
)
def test_each_filter_has_its_reason(wanted: Wanted, fields: dict[str, Any], expected: str) -> None:
    assert reason(wanted, **fields) == expected


def test_a_misspelt_provider_is_named() -> None:
    with pytest.raises(Problem) as caught:
        check_providers(Wanted(provider=("lamda",)), ["lambda", "aws"])
    assert "lambda" in caught.value.do
    check_providers(Wanted(provider=("LAMBDA", "x*")), ["lambda"])
