# ruff: noqa: E501 - quotes side by side
"""What holds for any quote: no slice, modified or mining card is ever fine, an open form factor is asked about."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpurent.hardware.cards import table
from tests.quotes.asking import ask, codes, one

LAW = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])

SLICES = (
    "A100 80GB MIG 1g.10gb", "A100 MIG 3g.20gb", "H100 80GB 2g.20gb", "3g.40gb of A100 80G", "RTX PRO 6000 MIG 24GB", "A100 80G 显存10GB",
    "A10 1/6 card 4GB", "1/2 张 A100 80G", "半卡 A100 40G", "half an H100", "0.5 GPU L40S", "25% of an A100", "GRID T4-8Q", "A40-8Q",
    "NVIDIA L4-6Q", "A100-10C", "NV6ads_A10_v5", "Standard_NV12ads_A10_v5", "g6f.xlarge", "gr6f.4xlarge", "g4-standard-6",
    "vcg-a100-1c-6g-4vram", "vGPU-32GB * 1卡", "time-sliced A100 80GB", "RTX 4090 24G (共享)", "fractional A100 20GB", "A100 切片 10G",
    "shared GPU: L4", "quarter of an A100", "四分之一 A100", "H20 vGPU 24GB", "ecs.vgn7i-vws-m4.xlarge", "A100 80GB cGPU 16GB",
    "A16-2Q", "GPU partition of H100 20GB",
)  # fmt: skip
_WORDS = ("", ", 16 vCPU, 64GB RAM", ", 32核 128G内存", ", NVMe 1TB, 10Gbps", ", on-demand, whole machine", " 现货")
_PRICES = ("$0.30/h", "$0.05/hr", "1.2元/时", "￥900/月", "$200/mo", "from $0.4/hr", "0.9 EUR/h")


@given(st.sampled_from(SLICES), st.sampled_from(_WORDS), st.sampled_from(_PRICES), st.sampled_from([None, "resnet50"]))
@LAW
def test_no_slice_is_ever_fine(name: str, words: str, price: str, workload: str | None) -> None:
    for checked in ask(f"{name}{words}, {price}", workload):
        assert checked.verdict != "ok", codes(checked)


_ODD = [card for card in table() if card.status in ("modded", "mining")]
_MODDED_WORDS = (
    "RTX 4090 魔改 48G",
    "3080 20G 魔改",
    "RTX 2080 Ti 22GB",
    "4090 48GB modded",
    "RTX 4080 SUPER 32G",
    "RTX 3090 48G",
    "RTX3080x2(20GB)",
)
_MINING_WORDS = ("CMP 170HX", "CMP 50HX 10GB", "P106-100", "170HX 矿卡", "CMP 90HX x8", "4090 ex-mining")


@given(
    st.sampled_from([card.name for card in _ODD] + list(_MODDED_WORDS) + list(_MINING_WORDS)),
    st.sampled_from(_WORDS), st.sampled_from(_PRICES),
)  # fmt: skip
@LAW
def test_no_modified_or_mining_card_is_ever_fine(name: str, words: str, price: str) -> None:
    for checked in ask(f"{name}{words} {price}"):
        assert checked.verdict != "ok", codes(checked)


@given(
    st.sampled_from(["A100 80GB", "H100 80GB", "H100", "A100", "V100 32GB", "H200", "A800 80G", "P100 16GB", "H800", "A100 40G"]),
    st.sampled_from([1, 2, 8]), st.sampled_from(_PRICES), st.sampled_from(["en", "zh"]),
)  # fmt: skip
@LAW
def test_an_unknown_form_factor_is_asked_about(name: str, count: int, price: str, lang: str) -> None:
    [checked] = ask(f"{count}x {name} {price}", lang=lang)
    if "form-factor-unknown" in codes(checked):
        assert any("PCIe" in question and "SXM" in question for question in checked.questions)
    else:
        assert checked.verdict != "ok"


@given(st.text(max_size=400) | st.text(alphabet="A100H 8卡万月￥$/.0-9\nGgBb%元时vCPU\x1b\u202e", max_size=400))
@LAW
def test_any_text_gets_an_answer(text: str) -> None:
    """Never a crash; no control or direction character in anything a person reads."""
    for checked in ask(text):
        shown = [checked.headline, *checked.questions, *(finding.text(checked.lang) for finding in checked.findings)]
        assert not any(character in "\x1b\u202e\u2066\u200b\x07" for line in shown for character in line)
        assert checked.verdict in {
            "incompatible", "does-not-fit", "not-a-whole-card", "starved", "overpriced", "need-more-info", "ok",
        }  # fmt: skip


@pytest.mark.parametrize("count", [1, 8])
def test_a_price_twice_as_high_never_stands_better(count: int) -> None:
    order = ["overpriced", "need-more-info", "ok"]
    cheap, dear = one(f"{count}x RTX 4090 24GB $0.3/GPU/h"), one(f"{count}x RTX 4090 24GB $0.6/GPU/h")
    assert order.index(dear.verdict) <= order.index(cheap.verdict)
    assert cheap.market is not None
    assert dear.market is not None
    assert (dear.market.percentile or 0) >= (cheap.market.percentile or 0)


def test_hiding_what_is_known_never_helps() -> None:
    """The same offer with less said about it is never judged better."""
    full = one("A100 SXM4 80GB, 4 vCPU, 32GB RAM, $1.5/h", "resnet50")
    less = one("A100 80GB $1.5/h", "resnet50")
    assert full.verdict == "starved"
    assert less.verdict != "ok" or any("PCIe" in question for question in less.questions)
