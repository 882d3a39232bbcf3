"""Prices of several machines, discounts, odd periods, numbers to be had, and types that contradict the text."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpurent.offer import Offer
from tests.quotes.asking import codes, numbers, one


def offer_of(text: str) -> Offer:
    return one(text).settled.readings[0].offer


@pytest.mark.parametrize(
    ("text", "count", "vcpus", "cpu"),
    [
        ("显卡4090×2 CPU 7950X 64G内存条 1T固态 ￥3/小时", 2, None, "Ryzen 9 7950X"),
        ("RTX 4090 x2 CPU 7950X 128G $0.8/hr", 2, None, "Ryzen 9 7950X"),
        ("4090*2 CPU 32核 ￥4/时", 2, 32, None),
        ("RTX 4090 ×8 CPU 192核 1T内存 ￥16/时", 8, 192, None),
        ("RTX 4090, 16 CPU, 64GB RAM, $0.4/hr", 1, 16, None),
    ],
)
def test_a_multiple_before_cpu_counts_the_cards(text: str, count: int, vcpus: int | None, cpu: str | None) -> None:
    offer = offer_of(text)
    assert (offer.gpu_count, offer.vcpus, offer.cpu_model) == (count, vcpus, cpu)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("4090 8卡 10台 共7万/月", 7000),
        ("5 台 8×4090 一共 3.6万每月", 7200),
        ("H100 SXM5 80G 8卡 共10台 总价 75万/月", 75_000),
        ("4 nodes of 8x RTX 4090, total $5000/month", 1250),
        ("4090 10台 8卡 每台7000/月", 7000),
        ("32台 A100 80G SXM 8卡 3.5万/月", 35_000),
        ("4090 8卡 10台 7万/月", 7000),
    ],
)
def test_the_price_of_one_of_several_machines(text: str, amount: int) -> None:
    offer = offer_of(text)
    assert offer.price is not None
    assert (offer.gpu_count, offer.price.amount) == (8, Decimal(amount))


@pytest.mark.parametrize(
    ("text", "purchase"),
    [
        ("A100 PCIe 80G spot $0.82", "spot"),
        ("spot 价 A10 ￥2/时", "spot"),
        ("A10 spot ￥2/时", "spot"),
        ("A100 PCIe 80G 竞价 ￥4/时", "spot"),
        ("H100 SXM 8x bid price $1.2/GPU/hr", "spot"),
        ("A100 80GB PCIe spot $0.82/hr, on-demand $1.2/hr", "spot"),
        ("A100 80GB PCIe on-demand $1.2/hr, spot $0.82/hr", "on-demand"),
        ("L40S $0.79/hr, non-interruptible", "on-demand"),
    ],
)
def test_a_word_for_spot_before_the_amount(text: str, purchase: str) -> None:
    assert offer_of(text).purchase == purchase


@pytest.mark.parametrize(
    "text",
    [
        "RTX 4090 空闲/总量 3/8 ￥1.98/时", "RTX 4090 可租 2/8 ￥1.98/时", "RTX 4090 ￥1.98/时 可租数量: 5",
        "RTX 4090 24GB 库存 12 张 ￥1.98/时", "RTX 4090 剩余 3 张 ￥1.98/时", "RTX 4090 3/8 available $0.4/hr",
        "RTX 4090 stock: 5 units $0.4/hr", "RTX 4090 (12 available) $0.4/hr", "RTX 4090 8 in stock, $0.4/hr",
    ],
)  # fmt: skip
def test_what_is_to_be_had_is_no_count_and_no_share(text: str) -> None:
    offer = offer_of(text)
    assert (offer.gpu_count, offer.gpu_share) == (1, None)
    assert offer.price is not None
    assert offer.price.amount in (Decimal("1.98"), Decimal("0.4"))


def test_sizes_behind_free_are_no_stock() -> None:
    assert offer_of("RTX 4090 ￥1.98/时 数据盘 free 50GB").disk_gib == 50


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p4d.24xlarge H100 8x $20/hr", "H100"),
        ("g5.xlarge 4x A10G $1/hr", "4 GPU"),
        ("g4dn.xlarge 32 vCPU $0.5/hr", "32 vCPU"),
        ("g4dn.xlarge 64GB RAM $0.5/hr", "64 GB"),
    ],
)
def test_a_type_against_the_text(text: str, said: str) -> None:
    checked = one(text)
    assert numbers(checked, "instance-conflict")["said"] == said
    assert checked.verdict in ("need-more-info", "overpriced")


@pytest.mark.parametrize(
    "text",
    [
        "g5.xlarge A10G 24GB $1/hr",
        "L4  4  GCP  g2-standard-48  24GB  48  192GB  $4.000  $1.591  us-east4",
        "p5.48xlarge 8x H100 80GB, 192 vCPU, 2TB RAM, $40/hr",
    ],
)
def test_a_type_that_agrees(text: str) -> None:
    assert "instance-conflict" not in codes(one(text))


def test_a_thousand_hours() -> None:
    offer = offer_of("RTX 4090 价格 ￥1980/千小时")
    assert offer.price_per_hour == Decimal("1.98")


@pytest.mark.parametrize("text", ["RTX 4090 1000小时 ￥1500", "RTX 4090 包夜 15元 (22:00-8:00)", "RTX 4090 ￥15/夜"])
def test_a_period_that_cannot_be_counted(text: str) -> None:
    checked = one(text)
    assert "price-period-unread" in codes(checked)
    assert checked.verdict == "need-more-info"


@pytest.mark.parametrize(
    "text",
    [
        "A100 80G PCIe ￥6.25/时 八折", "A100 80G PCIe $1.5/hr with 20% off",
        "A100 80G PCIe $1.2/hr, 20% discount included",
        "A100 80G PCIe ￥6/时, 满1000减200", "A100 80G PCIe ￥6/时 首月半价", "A100 80G PCIe ￥6/时 年付优惠",
        "5090 32G 8卡 1.25万/台/月 批量9折", "RTX 4090 ￥2/时 0折", "RTX 4090 ￥2/时 买一送一",
    ],
)  # fmt: skip
def test_discounts_leave_the_price_open(text: str) -> None:
    checked = one(text)
    assert "price-discount-open" in codes(checked)
    assert checked.verdict == "need-more-info"


def test_a_small_discount_is_said() -> None:
    checked = one("RTX 4090 ￥2/时 打九五折")
    assert "price-discount" in codes(checked)
    assert checked.settled.readings[0].offer.price_per_hour == Decimal("1.9")


def test_a_price_paid_for_a_year_is_no_discount() -> None:
    assert "price-discount-open" not in codes(one("RTX 4090 8卡 年付 8万/年"))


@pytest.mark.parametrize(
    ("text", "words"),
    [("RTX 4090 0.44", "0.44"), ("4090单卡 1.98", "1.98"), ("RTX 4090 / 16 核 / 62.5GB / 1.98", "1.98")],
)
def test_a_number_that_stands_alone_is_named(text: str, words: str) -> None:
    assert numbers(one(text), "bare-number")["words"] == words


@pytest.mark.parametrize("text", ["RTX 4090 $-1/hr", "RTX 4090 -$1/hr", "RTX 4090 $1e9/hr"])
def test_odd_amounts_are_said(text: str) -> None:
    checked = one(text)
    assert "price-odd" in codes(checked)
    assert checked.verdict != "ok"


@pytest.mark.parametrize("text", ["RTX 4090 - $0.4/hr", "RTX 4090 $0.3 - $0.5 per hour"])
def test_a_dash_is_no_sign(text: str) -> None:
    assert "price-odd" not in codes(one(text))


@pytest.mark.parametrize(
    "text", ["H100 SXM5 $2.5/hr incl. 6% VAT", "H100 SXM5 €2.5/h incl 19% VAT", "4090 ￥2/时 含6%税"]
)
def test_a_rate_of_tax_that_is_included(text: str) -> None:
    price = offer_of(text).price
    assert price is not None
    assert price.tax_included is True


def test_a_rate_of_tax_that_comes_on_top() -> None:
    price = offer_of("H100 SXM5 €2.5/h plus 19% VAT").price
    assert price is not None
    assert price.tax_included is False


@pytest.mark.parametrize(
    ("text", "card", "count"),
    [
        ("8x RTX 4090 available now $2.4/hr", "RTX 4090", 8),
        ("8x H100 SXM available $18/hr", "H100 SXM", 8),
        ("H100 in stock, $2.5/hr", "H100", 1),
        ("L4 available $0.5/hr", "L4", 1),
        ("空闲 4090 ￥1.98/时", "4090", 1),
    ],
)
def test_a_card_that_is_to_be_had(text: str, card: str, count: int) -> None:
    offer = offer_of(text)
    assert (offer.gpu, offer.gpu_count) == (card, count)
