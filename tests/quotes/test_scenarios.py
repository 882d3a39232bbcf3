"""The accepted scenarios: slices, export and modified cards, network volumes, the monthly machine of eight, stacks."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpurent.quotes.verdict import exit_code
from tests.quotes.asking import codes, numbers, one


class TestSlices:
    """Scenario 3."""

    @pytest.mark.parametrize(
        "text", ["A100 80G, 显存10GB, 1元/时", "A100 80GB MIG 1g.10gb $0.3/h", "A100 80G 1g.10gb 2元/小时"]
    )
    def test_a_tenth_of_the_memory_is_a_mig_slice(self, text: str) -> None:
        checked = one(text)
        code = "slice-said" if "1g" in text else "not-a-whole-card"
        found = numbers(checked, code)
        assert found["memory_share"] == pytest.approx(0.125, abs=0.001)
        assert found["compute_share"] == pytest.approx(0.135, abs=0.006)
        assert checked.verdict == ("need-more-info" if "1g" in text else "not-a-whole-card")

    @pytest.mark.parametrize(("profile", "compute"), [("2g.20gb", 0.259), ("3g.40gb", 0.389)])
    def test_larger_slices(self, profile: str, compute: float) -> None:
        found = numbers(one(f"A100 80GB {profile} $0.6/h"), "slice-said")
        assert found["compute_share"] == pytest.approx(compute, abs=0.001)

    @pytest.mark.parametrize(
        "text", ["4 × 1g.10gb A100 80GB for one DDP job, $1.5/h", "A100 80G MIG 1g.10gb x4 多卡训练 4元/时"]
    )
    def test_four_slices_are_not_four_gpus(self, text: str) -> None:
        checked = one(text)
        assert "slices-in-parallel" in codes(checked)
        assert checked.verdict == "incompatible"
        assert exit_code([checked.verdict]) == 1

    def test_bert_large_does_not_fit_a_plan_of_4_gb(self) -> None:
        checked = one("Vultr A100 4GB VRAM plan, 1 vCPU, 6 GB RAM, $90/mo", "bert-large")
        assert checked.verdict == "does-not-fit"
        assert {"does-not-fit", "not-a-whole-card"} <= codes(checked)


class TestVariants:
    """Scenario 5."""

    def test_the_d_card(self) -> None:
        checked = one("RTX 4090D 24GB ￥1.98/时")
        assert numbers(checked, "export-card-slower")["rate_ratio"] == pytest.approx(0.91, abs=0.03)
        assert numbers(checked, "same-as-stock-price")["equal_per_gpu_hour"] == pytest.approx(2.18, abs=0.07)

    def test_the_card_with_48_gb(self) -> None:
        checked = one("RTX 4090 48G 2.8元/时")
        assert 0.93 <= float(str(numbers(checked, "modded-card")["rate_ratio"])) <= 1.03
        text = next(finding.text("en") for finding in checked.findings if finding.code == "modded-card")
        assert "modified" in text
        assert "no P2P" in text
        assert checked.verdict == "need-more-info"


class TestNetworkVolume:
    """Scenario 8."""

    QUOTE = "A100 SXM4 80GB, 64 vCPU AMD EPYC 9654, 32GB RAM, network volume 500GB at {speed} MB/s, $1.6/hr"

    def test_a_volume_of_237_mb_s_holds_the_gpu_back(self) -> None:
        checked = one(self.QUOTE.format(speed=237), "resnet50-dali")
        assert checked.estimate is not None
        row = checked.estimate.row
        # 2,470 images of 110 kB a second want 272 MB/s; 237 MB/s are 0.87 of it
        assert row["gpu_busy"] == pytest.approx(0.87, abs=0.10)
        assert "disk" in (row["limit"], row["limit_also"])
        assert codes(checked) & {"disk-slow"}
        found = numbers(checked, "disk-slow")
        assert found["needs_mbyte_s"] == pytest.approx(272, rel=0.10)
        assert found["stage_minutes"] == pytest.approx(10.5, rel=0.10)

    def test_a_fast_disk_does_not(self) -> None:
        checked = one(self.QUOTE.format(speed=3000).replace("network volume", "NVMe"), "resnet50-dali")
        assert not codes(checked) & {"disk-slow", "starved-by-disk", "disk-assumed-slow"}


class TestMonthlyMachine:
    """Scenario 9."""

    def test_the_node_reading_stands_and_the_card_reading_is_ruled_out(self) -> None:
        checked = one("A100 80G 8卡 月付 4.5万/月")
        hours = {
            reading.offer.price.hours_per_month: float(reading.offer.price_per_hour or 0) / 8
            for reading in checked.settled.readings
            if reading.offer.price is not None
        }
        assert hours == {Decimal(720): pytest.approx(7.81, rel=0.01), Decimal(730): pytest.approx(7.71, rel=0.01)}
        assert {reading.offer.price.per for reading in checked.settled.readings if reading.offer.price} == {"offer"}
        rejected = checked.to_dict()["rejected"]
        assert len(rejected) == 2
        assert "62.5" in rejected[0]["why"]
        assert "9.47–11.4" in rejected[0]["why"]

    def test_the_market_of_such_machines(self) -> None:
        checked = one("A100 80G 8卡 月付 4.5万/月")
        finding = next(finding for finding in checked.findings if finding.code == "above-few")
        assert finding.shown["range"] == "￥5.47–￥6.60"
        assert finding.shown["span"] == "18–43"
        assert checked.headline.startswith(
            "先别下单，问清再租：￥7.81/卡时，比市场价 ￥5.47–￥6.60 高 18–43 %；没说是 PCIe 还是 SXM"
        )
        assert len(checked.questions) == 8
        assert checked.market is not None
        assert checked.market.percentile is None

    @pytest.mark.parametrize(
        "text", ["8x A4000 spot: shown $1.28/h, billed $10.24/h", "A4000 x8, $1.28/hr ... invoice $10.24/hr"]
    )
    def test_a_per_gpu_price_that_is_billed_eight_times(self, text: str) -> None:
        checked = one(text)
        found = numbers(checked, "price-per-card")
        assert (found["n"], found["node_per_hour"]) == (8, pytest.approx(10.24))


class TestStack:
    """Scenario 12."""

    def test_an_old_torch_on_a_new_card(self) -> None:
        checked = one("RTX 5090 32GB $0.5/h", stack="torch==2.0+cu118")
        assert checked.verdict == "incompatible"
        found = numbers(checked, "cuda-older-than-card")
        assert (found["needs"], found["driver"]) == ("12.8", "570.26")

    def test_a_host_that_stops_before_the_image(self) -> None:
        checked = one("RunPod RTX 4090 $0.34/h, host CUDA 12.6, image pytorch 2.8 cu128")
        assert checked.verdict == "incompatible"
        assert "host-cuda-older" in codes(checked)

    def test_the_same_by_option(self) -> None:
        assert one("RTX 4090, cuda_max_good 12.6, $0.3/h", stack="cuda 12.8").verdict == "incompatible"
        assert one("RTX 4090, cuda_max_good 12.8, $0.3/h", stack="cuda 12.8").verdict == "ok"

    def test_arm(self) -> None:
        assert "arch-aarch64" in codes(one("GH200 96GB $1.99/hr"))

    def test_a_stopped_volume(self) -> None:
        found = numbers(one("RunPod RTX 4090 $0.34/h, 100GB volume"), "storage-stopped")
        assert found["per_month"] == 20
