"""Sizes that are no memory of the host: traffic, ports, a superchip's CPU, a slice's; and values no machine has."""

from __future__ import annotations

import pytest

from gpurent.offer import Offer
from tests.quotes.asking import codes, numbers, one


def offer_of(text: str) -> Offer:
    return one(text).settled.readings[0].offer


@pytest.mark.parametrize(
    "text",
    [
        "出租H100 8卡 SXM5 80G，NVLink，IB 3.2T，7.5万每台每月", "A100 80G SXM 8卡 500T 流量 3.8万/月",
        "A100 80G SXM 8卡 100T流量 ￥60/时", "4090 24G 单卡 月流量 500G ￥900/月", "4090 24G 单卡 10G网口 ￥2/时",
        "A100 80GB PCIe $1.2/hr，10G 内网", "A100 80GB PCIe 10TB traffic included $1.2/hr",
        "A100 80GB PCIe $1.2/hr, 5TB bandwidth", "A100 80GB PCIe $1.2/hr, 10G uplink",
    ],
)  # fmt: skip
def test_network_sizes_are_no_memory_and_no_disk(text: str) -> None:
    offer = offer_of(text)
    assert (offer.ram_gib, offer.disk_gib) == (None, None)
    assert offer.price is not None


def test_memory_beside_a_fabric() -> None:
    offer = offer_of("8卡 H100 SXM IB 3.2T 内存2T 7.5万/月")
    assert (offer.fabric_gbit_s, offer.ram_gib, offer.disk_gib) == (3200, 2048, None)


def test_a_network_volume_stays_a_disk() -> None:
    assert offer_of("RTX 4090 $0.4/hr, 500G network volume").disk_gib == 500


@pytest.mark.parametrize("text", ["HGX A100 8-GPU 80GB $11/hr", "HGX A100 8-GPU 80GB SXM4 $11/hr"])
def test_an_hgx_machine(text: str) -> None:
    checked = one(text)
    offer = checked.settled.readings[0].offer
    assert (offer.gpu_count, offer.gpu_memory_gib, offer.ram_gib) == (8, 80, None)
    assert "form-factor-unknown" not in codes(checked)


def test_the_memory_of_a_superchips_cpu() -> None:
    checked = one("GH200 480GB, $1.5/hr")
    offer = checked.settled.readings[0].offer
    assert (offer.gpu, offer.gpu_memory_gib, offer.ram_gib) == ("GH200", None, 480)
    assert "memory-unknown" in codes(checked)


def test_an_impossible_size_does_not_lose_the_quote() -> None:
    checked = one("RTX 4090 24GB, RAM 900000TB, $0.4/hr")
    assert checked.settled.readings[0].offer.gpu == "RTX 4090 24GB"
    assert numbers(checked, "value-impossible")["key"] == "ram_gib"
    assert checked.verdict == "need-more-info"


@pytest.mark.parametrize("text", ["0x RTX 4090 $0.4/hr", "9999x RTX 4090 $0.4/hr", f"{'9' * 50}x RTX 4090 $0.4/hr"])
def test_an_impossible_count(text: str) -> None:
    checked = one(text)
    assert numbers(checked, "value-impossible")["key"] == "gpu_count"
    assert checked.verdict == "need-more-info"


def test_the_slices_of_nvidia_smi() -> None:
    checked = one(
        "|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:01:00.0 Off |                   On |\n"
        "| N/A   35C    P0              60W / 400W |    42MiB / 81920MiB |      N/A      Default |\n"
        "|                                         |                        |              Enabled |\n"
        "| MIG devices:                                                                            |\n"
        "|  0    1   0   0  |              25MiB / 40192MiB  | 42      0 |  3   0    2    0    0 |\n"
        "$1.0/hr"
    )
    offer = checked.settled.readings[0].offer
    assert (offer.gpu_count, offer.gpu_share, offer.share_profile) == (1, "mig", "3g.40gb")
    assert checked.verdict == "need-more-info"


class TestAssumedCard:
    TEXT = "A100 80G ￥6/时"

    def test_closes_the_form(self) -> None:
        checked = one(self.TEXT, gpu="A100 SXM 80GB")
        assert "form-factor-unknown" in codes(one(self.TEXT))
        assert "form-factor-unknown" not in codes(checked)

    def test_does_not_contradict_the_text(self) -> None:
        assert "form-factor-unknown" in codes(one(self.TEXT, gpu="H100 SXM"))


def test_a_disk_before_free_traffic() -> None:
    assert offer_of("RTX 4090 ￥1.98/时 数据盘 50G 流量免费").disk_gib == 50


@pytest.mark.parametrize(
    "text", ["RTX 4090 24GB ￥1.98/时 含税价优惠 ￥1.98/时", "A100 80G PCIe 2卡 ￥12/时 两卡共享NVLink"]
)
def test_shared_links_and_kind_words_are_no_doubt(text: str) -> None:
    assert not codes(one(text)) & {"price-discount-open", "time-shared"}
