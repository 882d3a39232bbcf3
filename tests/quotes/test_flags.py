"""What the check says about every quote of the collection: verdict, findings, rejected readings, questions."""

from __future__ import annotations

import pytest

from tests.offer_text.cases import CASES
from tests.offer_text.more_cases import MORE
from tests.quotes.asking import ask, codes, one

# name of the case -> verdict, findings that must be there, findings that must not
EXPECTED: dict[str, tuple[str, set[str], set[str]]] = {
    "Q1 AutoDL block": ("need-more-info", {"price-missing"}, {"modded-card"}),
    "Q2 3090": ("need-more-info", {"price-missing"}, set()),
    "Q3 one-liner": ("ok", {"export-card-slower", "same-as-stock-price", "tax-unsaid"}, {"modded-card"}),
    "Q4 neutral name": ("need-more-info", {"neutral-name", "price-missing"}, set()),
    "Q5 x2 in the name": ("need-more-info", {"modded-card", "price-missing"}, set()),
    "Q7 chat line": (
        "need-more-info",
        {"form-factor-unknown", "above-few", "month-hours", "tax-unsaid"},
        {"overpriced"},
    ),
    "Q8 H100": ("need-more-info", {"form-factor-unknown", "price-range", "among-few"}, set()),
    "Q8 A100": ("need-more-info", {"form-factor-unknown", "price-range", "among-few"}, {"fabric-unknown"}),
    "Q8 H20": ("ok", {"export-card", "among-few"}, set()),
    "Q8 4090": ("ok", {"no-nvlink-geforce", "price-range"}, set()),
    "Q8 910B2": ("need-more-info", {"other-platform", "period-assumed"}, set()),
    "Q12 vast table": ("ok", {"no-nvlink-geforce"}, {"slot-slow"}),
    "Q14 RunPod pod": ("need-more-info", {"price-missing"}, {"form-factor-unknown"}),
    "Q15 RunPod MIG": ("need-more-info", {"slice-said"}, {"not-a-whole-card"}),
    "Q16 SkyPilot": ("overpriced", {"stop-keeps-disk"}, set()),
    "Q17 dstack": ("overpriced", set(), {"price-basis-open"}),
    "Q20 p4d": ("overpriced", {"stop-keeps-disk"}, {"price-implausible", "memory-unknown"}),
    "Q21 g6f": ("not-a-whole-card", {"not-a-whole-card"}, set()),
    "Q23 40": ("need-more-info", {"price-missing"}, {"form-factor-unknown"}),
    "Azure slice": ("not-a-whole-card", {"not-a-whole-card"}, set()),
    "Q26 MIG": ("need-more-info", {"slice-said", "form-factor-unknown"}, set()),
    "Q27 Lambda": ("need-more-info", {"form-factor-unknown", "memory-unknown", "no-stop"}, set()),
    "Q29 FPT": ("need-more-info", {"form-factor-unknown"}, set()),
    "Q32 OVH": ("need-more-info", {"price-basis-open"}, set()),
    "Q33 Colab": ("need-more-info", {"price-in-units", "memory-unknown"}, set()),
    "Vultr 1/20": ("not-a-whole-card", {"not-a-whole-card", "stop-is-not-stop"}, set()),
    "mining": ("incompatible", {"mining-card"}, set()),
    "modded": ("need-more-info", {"modded-card"}, set()),
    "runpod host": ("incompatible", {"host-cuda-older", "storage-stopped", "stop-keeps-disk"}, set()),
    "half": ("need-more-info", {"slice-said"}, set()),
    "sixth": ("need-more-info", {"slice-said"}, set()),
    "dual socket": ("ok", {"month-hours"}, {"form-factor-unknown"}),
    "spot": ("ok", {"spot"}, set()),
    "egress": ("overpriced", {"egress"}, set()),
    "bare metal": ("ok", {"export-card-link"}, set()),
    "mined": ("incompatible", {"mining-card"}, set()),
    "Tencent slice": ("not-a-whole-card", {"not-a-whole-card"}, set()),
    "bare number": ("need-more-info", {"price-bare"}, {"currency-assumed"}),
    "glued MIG": ("need-more-info", {"slice-said"}, set()),
}
TEXTS = {case.name: case.text for case in (*CASES, *MORE)}


@pytest.mark.parametrize("name", EXPECTED)
def test_verdict_and_findings(name: str) -> None:
    verdict, there, absent = EXPECTED[name]
    checked = one(TEXTS[name])
    assert there <= codes(checked)
    assert not absent & codes(checked)
    assert checked.verdict == verdict


@pytest.mark.parametrize("name", TEXTS)
def test_every_answer_is_whole(name: str) -> None:
    """A first line, at most eight questions in the quote's language, a document without NaN, sentences filled in."""
    import json

    for lang in ("en", "zh"):
        [checked] = ask(TEXTS[name], lang=lang)
        assert checked.headline.startswith(checked.headline.strip())
        assert 0 < len(checked.questions) <= 8
        assert len(set(checked.questions)) == len(checked.questions)
        text = json.dumps(checked.to_dict(), default=str, allow_nan=False, ensure_ascii=False)
        assert "{" not in "".join(finding.text(lang) for finding in checked.findings)
        assert set(json.loads(text)) == {
            "text", "readings", "chosen", "rejected", "verdict", "findings", "market", "estimate", "questions",
        }  # fmt: skip


def test_stop_that_is_no_stop_is_quoted() -> None:
    checked = one("A100 80G SXM 6.5元/卡时, 数据盘 200G, 工作空间停止后仍计费")
    assert "stop-is-not-stop-said" in codes(checked)


def test_the_language_is_the_quotes_own_or_the_one_asked_for() -> None:
    assert one("A100 80G 8卡 月付 4.5万/月").lang == "zh"
    assert one("A100 80GB x8 $15/hr").lang == "en"
    assert one("A100 80G 8卡 月付 4.5万/月", lang="en").headline.startswith(
        "Ask before renting: ￥7.81 per card-hour, 18–43 %"
    )


def test_several_quotes_are_answered_apart() -> None:
    checked = ask("RTX 4090 24G ￥1.98/时\n\nCMP 170HX $0.08/h\n\nA100 MIG 1g.10gb $0.3/h")
    assert [entry.verdict for entry in checked] == ["ok", "incompatible", "need-more-info"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("3090/4090 混插 各4张 8000/月", "several-cards-named"),
        ("1张A100 40G PCIe + 1张3090 一共5元/小时", "several-cards-named"),
        ("H100 or H200, $2.5/hr", "several-cards-named"),
        ("A10 24GB 600W TDP 1.5元/时", "claim-power"),
        ("RTX 4090 ResNet-50 每秒 9万张图 2.1元/时", "claim-impossible"),
        ("T4 16GB ¥1.2/h vGPU", "price-currency-open"),
        ("V100 32G SXM 2.28元/时 学生价 8折", "price-discount-open"),
    ],
)
def test_more_that_is_wrong(text: str, code: str) -> None:
    checked = one(text)
    assert code in codes(checked)
    assert checked.verdict == "need-more-info"


@pytest.mark.parametrize(
    "text", ["4090 比 A100 还快 2元/时", "A100 80G SXM 性能相当于 H100, 5元/时", "A100 / A100 80GB $1.2/h"]
)
def test_a_card_compared_with_is_not_rented(text: str) -> None:
    assert "several-cards-named" not in codes(one(text))
