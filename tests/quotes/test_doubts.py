"""Words a quote must never be called in order with: shares, negations, changed cards, text that was not looked at."""

from __future__ import annotations

import pytest

from gpurent.cli import app
from gpurent.offer_text import quotes_left_out
from gpurent.offer_text.tidy import MAX_QUOTE, MAX_QUOTES
from tests.quotes.asking import ask, codes, numbers, one


class TestTextBeyondTheLimit:
    LONG = "A100 80GB PCIe $1.2/hr " + "nice machine " * 600 + " MIG 1g.10gb slice"

    def test_is_said(self) -> None:
        checked = one(self.LONG)
        assert numbers(checked, "text-cut")["characters"] == len(self.LONG) - MAX_QUOTE
        assert checked.verdict == "need-more-info"

    def test_is_said_where_no_card_is_named(self) -> None:
        assert codes(one("hello " * 2000)) == {"no-card", "text-cut"}

    def test_a_paste_beyond_every_limit(self) -> None:
        checked = ask("RTX 4090 $0.4/hr " + "x " * 150_000)
        assert "text-cut" in codes(checked[-1])

    def test_short_text_says_nothing(self) -> None:
        assert "text-cut" not in codes(one("RTX 4090 $0.4/hr"))

    def test_more_quotes_than_are_looked_at(self, capsys: pytest.CaptureFixture[str]) -> None:
        text = "RTX 4090 $0.4/hr\n\n" * (MAX_QUOTES + 2)
        assert quotes_left_out(text) == 2
        assert {checked.verdict for checked in ask(text)} == {"ok"}
        assert app.run(["quote", text, "-o", "json"]) == 3
        capsys.readouterr()

    def test_pieces_beyond_those_that_are_split(self) -> None:
        assert quotes_left_out("RTX 4090 $0.4/hr\n\n" * 1000) == 950


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        ("4090 切一半给你 ￥1/时", "1/2"), ("A100 80G PCIe 一分为二 ￥5/时", "1/2"),
        ("A100 80G PCIe 拆成7份, 一份 ￥5/时", "1/7"), ("A100 80G PCIe 切成四份 ￥2/时", "1/4"),
    ],
)  # fmt: skip
def test_parts_in_words(text: str, profile: str) -> None:
    checked = one(text)
    assert checked.settled.readings[0].offer.share_profile == profile
    assert checked.verdict == "need-more-info"
    assert "slice-said" in codes(checked)


@pytest.mark.parametrize(
    "text",
    [
        "4090 两人合用 ￥1/时", "RTX 4090 与他人共用 ￥1.5/时", "4090 24G 合租 ￥0.8/时", "4090 24G 拼卡 ￥0.8/时",
        "A100 80G PCIe 多租户 ￥5/时", "A100 80G PCIe 不是独享 ￥5/时", "A100 80G PCIe 非独享 ￥5/时",
        "RTX 4090 shared with 3 other users $0.3/hr", "RTX 4090 MPS 50% $0.3/hr",
        "nvidia.com/gpu.shared: 1 T4 $0.1/hr", "4090 24G 3人拼 ￥0.8/时", "L4, multi-tenant, $0.3/hr",
    ],
)  # fmt: skip
def test_shared_with_others(text: str) -> None:
    checked = one(text)
    assert "time-shared" in codes(checked)
    assert checked.verdict == "need-more-info"


@pytest.mark.parametrize(
    "text",
    [
        "A100 80G PCIe 非整卡 ￥5/时", "A100 80G PCIe 不是整卡 ￥5/时", "A100 80GB PCIe, not a whole card, $1.2/hr",
        "A100 80GB PCIe, isn't a full card, $1.2/hr", "A100 80G PCIe 分片 ￥5/时",
    ],
)  # fmt: skip
def test_said_not_to_be_whole(text: str) -> None:
    checked = one(text)
    assert "slice-unknown" in codes(checked)
    assert checked.verdict == "need-more-info"


@pytest.mark.parametrize(
    "text",
    [
        "A100 80GB PCIe, not shared with anyone, $1.2/hr", "A100 80GB PCIe 独享整卡 不与他人共用 ￥6/时",
        "A100 80GB PCIe 不合租 ￥6/时", "RTX 4090 24G 非矿卡 ￥2/时", "RTX 4090 24G 未魔改 ￥2/时",
        "RTX 4090 24GB, never used for mining, $0.4/hr",
        "RTX 4090 no card sharing $0.4/hr", "RTX 4090 24GB located in ES $0.4/hr", "RTX 4090 24G 共享带宽 ￥2/时",
    ],
)  # fmt: skip
def test_denied_is_no_doubt(text: str) -> None:
    assert one(text).verdict == "ok"


@pytest.mark.parametrize(
    ("text", "gib"),
    [
        ("RTX 4090 24G 显存限制12G ￥1/时", 12), ("RTX 4090 显存配额 12G ￥1/时", 12),
        ("RTX 4090 gpu-mem 6G quota $0.1/hr", 6), ("RTX 4090 24GB, gpu memory limit 8GB, $0.2/hr", 8),
    ],
)  # fmt: skip
def test_a_limit_on_card_memory_is_a_slice(text: str, gib: int) -> None:
    checked = one(text)
    offer = checked.settled.readings[0].offer
    assert (offer.gpu_memory_gib, offer.ram_gib) == (gib, None)
    assert checked.verdict == "not-a-whole-card"


@pytest.mark.parametrize(
    "text",
    [
        "V100 SXM2 16G 转接卡 ￥0.6/时", "V100 16G 转PCIe ￥0.6/时", "4090 24G 改卡 ￥1.6/时",
        "4080 16G 改台式 ￥1.6/时",
        "Tesla P40 24G 改 ￥0.3/时", "3080 10G 刷BIOS ￥0.5/时", "A100 7936SP 40G ￥2/时", "A100 40G PCIe ES ￥2/时",
        "A100 40G PCIe 工程卡 ￥2/时", "A100 40GB PCIe engineering sample $0.6/hr", "A100 40G PCIe 核心降级 ￥2/时",
    ],
)  # fmt: skip
def test_changed_cards(text: str) -> None:
    checked = one(text)
    assert "said-modded" in codes(checked)
    assert checked.verdict == "need-more-info"


@pytest.mark.parametrize("text", ["3080 10G 矿 ￥0.5/时", "3080 10G 拆机 矿 ￥0.5/时", "矿卡 3080 10G ￥0.5/时"])
def test_mined_cards(text: str) -> None:
    checked = one(text)
    assert "said-mined" in codes(checked)
    assert checked.verdict == "need-more-info"


@pytest.mark.parametrize("text", ["P104-100 8G ￥0.2/时", "P102-100 10G ￥0.2/时", "CMP 50HX 10GB $0.05/hr"])
def test_mining_models(text: str) -> None:
    checked = one(text)
    assert "mining-card" in codes(checked)
    assert checked.verdict == "incompatible"
