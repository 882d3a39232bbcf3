"""Answers of the documented shapes nobody recorded: missing fields, numbers as text, new cards, odd prices."""

from __future__ import annotations

from typing import Any

import pytest

from gpurent.adapters.contract import Part, is_fault
from gpurent.adapters.row import NOTHING, each
from gpurent.adapters.testing import Parsed
from gpurent.hardware.resolve import resolve
from gpurent_providers import (
    autodl,
    azure,
    gpuhunt,
    lambda_labs,
    oci,
    runpod,
    scaleway,
    shadeform,
    skypilot,
    vast,
    verda,
    vultr,
)  # fmt: skip
from tests.providers.answers import NOW, answer


def reasons(parsed: Parsed) -> list[str]:
    return [reject.reason for reject in parsed.rejects]


def vast_row(**more: Any) -> dict[str, Any]:
    row = {
        "id": 7, "gpu_name": "RTX 4090", "num_gpus": 1, "gpu_ram": 24564, "gpu_total_ram": 24564, "gpu_frac": 1.0,
        "dph_base": 0.4, "dph_total": 0.41, "min_bid": 0.2, "storage_total_cost": 0.01, "rentable": True,
    }  # fmt: skip
    return row | more


def test_vast_without_its_total_or_its_short_id() -> None:
    row = vast_row(ask_contract_id=8)
    del row["id"], row["dph_total"]
    parsed = answer(vast, {"offers": [row]})
    assert not parsed.rejects
    assert [(offer.listing, offer.purchase, str(offer.price_per_hour)) for offer in parsed.offers] == [
        ("8", "on-demand", "0.41"), ("8", "spot", "0.210000000000"),
    ]  # fmt: skip


def test_a_bid_above_the_price_is_no_spot_offer_and_no_fault() -> None:
    parsed = answer(vast, {"offers": [vast_row(min_bid=0.9)]})
    assert [offer.purchase for offer in parsed.offers] == ["on-demand"]
    assert reasons(parsed) == ["out of scope: the floor of the bid is above the on-demand price"]


def pod(**more: Any) -> dict[str, Any]:
    row = {
        "id": "NVIDIA H100 80GB HBM3", "memoryInGb": 80, "secureCloud": True, "communityCloud": True,
        "securePrice": 3.29, "communityPrice": 2.69, "maxGpuCountSecureCloud": 8, "maxGpuCountCommunityCloud": 1,
    }  # fmt: skip
    return row | more


def pods(*rows: dict[str, Any]) -> Parsed:
    return answer(runpod, {"data": {"gpuTypes": list(rows)}})


def test_a_bad_spot_price_is_said_once_however_many_counts() -> None:
    parsed = pods(pod(secureSpotPrice=4.0))
    assert len(parsed.offers) == 5
    assert reasons(parsed) == ["spot above on-demand"]


def test_a_bare_lowest_price_is_the_stock_of_the_cloud_it_prices() -> None:
    lowest = {"uninterruptablePrice": 2.69, "stockStatus": "Low", "minVcpu": 8}
    parsed = pods(pod(lowestPrice=lowest, maxGpuCountSecureCloud=1))
    assert [(offer.tier, offer.stock, offer.vcpus) for offer in parsed.offers] == [
        ("secure", "unknown", None), ("community", "available", 8.0),
    ]  # fmt: skip


def test_a_card_of_unsaid_size_is_kept_and_a_slice_is_not() -> None:
    mig = "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb"
    parsed = pods(pod(communityCloud=False, maxGpuCountSecureCloud=1, memoryInGb=None), pod(id=mig, memoryInGb=0))
    [offer] = parsed.offers
    assert resolve(offer).card == "h100-sxm-80gb"
    assert reasons(parsed).count("not above zero") == 1


def test_runpod_about_one_card_and_a_card_without_a_price() -> None:
    card = {"id": "NVIDIA L4", "memory": 24, "price": {"secure": 0.43, "community": None}, "maxCount": {"secure": 1}}
    parsed = answer(runpod, card)
    assert [str(offer.price_per_hour) for offer in parsed.offers] == ["0.43"]
    parsed = answer(runpod, {"gpus": [card | {"price": {"secure": None, "community": None}}]})
    assert len(parsed.rejects) == 2


def test_lambda_reads_the_description_and_leaves_out_cpu_machines() -> None:
    def kind(name: str, **more: Any) -> dict[str, Any]:
        return {
            "instance_type": {"name": name, "price_cents_per_hour": "229", **more},
            "regions_with_capacity_available": [{"description": "Texas, USA"}],
        }

    new = kind("gpu_2x_new", description="2x A100 (80 GB SXM4)", specs={"gpus": 2})
    parsed = answer(lambda_labs, {"data": {"gpu_2x_new": new, "cpu_4x_general": kind("cpu_4x_general")}})
    [offer] = parsed.offers
    assert (resolve(offer).card, offer.region, str(offer.price_per_hour)) == ("a100-sxm-80gb", "Texas, USA", "2.29")
    assert reasons(parsed) == ["out of scope: no GPU"]


@pytest.mark.parametrize(("vram", "count", "memory"), [(1440, 8, 180), (1536, 8, 192), (183, 1, 183)])
def test_a_b200_is_a_b200_whatever_memory_is_printed(vram: int, count: int, memory: int) -> None:
    plan = {"id": "vcg-b200-x", "ram": 1024, "hourly_cost": "30", "gpu_type": "NVIDIA_B200", "gpu_vram_gb": vram}
    [offer] = answer(vultr, {"plans": [plan | {"locations": ["ewr"]}]}).offers
    assert (offer.gpu_count, offer.gpu_share, offer.gpu_memory_gib) == (count, "whole", memory)


def test_memory_that_is_not_said_does_not_lose_the_offer() -> None:
    server = {"ncpus": 8, "ram": 2**35, "gpu": 1, "gpu_info": {"gpu_name": "L4"}, "hourly_price": 0.75}
    [offer] = answer(scaleway, {"servers": {"L4-1-24G": server}}).offers
    assert resolve(offer).card == "l4"
    kind = {
        "instance_type": "1L40S", "gpu": {"description": "1x L40S 48GB", "number_of_gpus": 1}, "gpu_memory": None,
        "price_per_hour": "0.9", "currency": "usd",
    }  # fmt: skip
    [offer] = answer(verda, [kind]).offers
    assert resolve(offer).card == "l40s"


def test_a_currency_that_is_none_is_named() -> None:
    kind = {
        "instance_type": "1L40S", "gpu": {"description": "L40S", "number_of_gpus": 1}, "gpu_memory": None,
        "price_per_hour": "0.9", "currency": "doge",
    }  # fmt: skip
    [reject] = answer(verda, [kind]).rejects
    assert (reject.value, reject.reason) == ("DOGE", "not a currency's code of three letters")


def test_oracle_sells_whole_shapes() -> None:
    price = {
        "partNumber": "B109479", "displayName": "Compute - GPU - L40S", "metricName": "GPU Per Hour",
        "serviceCategory": "Compute - GPU",
        "currencyCodeLocalizations": [{"currencyCode": "USD", "prices": [{"model": "PAY_AS_YOU_GO", "value": 3.5}]}],
    }  # fmt: skip
    [offer] = answer(oci, {"items": [price]}).offers
    assert (offer.sku, offer.gpu_count, str(offer.price_per_hour), offer.vcpus) == ("BM.GPU.L40S.4", 4, "14.0", 224)


def test_shadeform_without_its_inner_object_and_with_a_nameless_region() -> None:
    kind = {
        "cloud": "crusoe", "shade_instance_type": "L40Sx2", "gpu_type": "L40S", "num_gpus": 2, "hourly_price": "200",
        "availability": [{"available": True}, {"region": "r", "available": True}],
    }  # fmt: skip
    parsed = answer(shadeform, {"instance_types": [kind]})
    assert [(offer.region, offer.gpu_count, str(offer.price_per_hour)) for offer in parsed.offers] == [("r", 2, "2")]
    assert reasons(parsed) == ["missing"]


def test_a_machine_nobody_prices_is_a_rejection() -> None:
    machine = {"machine_id": "m", "gpu_name": "RTX 4090", "gpu_number": 1, "machine_sku_info": []}
    [reject] = answer(autodl, {"code": "Success", "data": {"list": [machine]}}).rejects
    assert (reject.path, reject.reason) == ("data.list[0].machine_sku_info", "no price")


def test_the_spot_price_of_one_card_is_not_that_of_two() -> None:
    head = "InstanceType,AcceleratorName,AcceleratorCount,Price,SpotPrice,Region\n"
    rows = "1x_RTX4090,RTX4090,1,0.69,0.34,US\n2x_RTX4090,RTX4090,2,1.38,0.34,US\n"
    parsed = answer(skypilot, head + rows, name="runpod_vms")
    assert [(offer.purchase, offer.gpu_count) for offer in parsed.offers] == [
        ("on-demand", 1), ("spot", 1), ("on-demand", 2),
    ]  # fmt: skip
    assert reasons(parsed) == ["the price of one card (0.34) on a machine of 2"]


def test_the_form_of_a_card_stands_in_the_name_of_its_machine() -> None:
    head = "instance_name,location,price,gpu_count,gpu_name,gpu_memory,spot\n"
    [offer] = answer(gpuhunt, head + "gpu-h100-sxm,eu-north1,2.95,1,H100,80,False\n", name="nebius").offers
    assert resolve(offer).card == "h100-sxm-80gb"


def test_an_azure_size_under_another_network_is_the_same_machine() -> None:
    item = {
        "armSkuName": "Standard_ND96isrf_H200_v5", "type": "Consumption", "retailPrice": 84.8, "currencyCode": "USD",
        "unitOfMeasure": "1 Hour", "armRegionName": "eastus",
    }  # fmt: skip
    [offer] = answer(azure, {"Items": [item]}).offers
    assert (resolve(offer).card, offer.gpu_count) == ("h200-sxm-141gb", 8)


def test_a_row_the_adapter_says_nothing_about_is_a_fault() -> None:
    part = Part("p", "file:p", b"", NOW)
    [reject] = each(part, [("rows[0]", {"a": 1})], lambda row: iter(()))
    assert is_fault(reject)  # type: ignore[arg-type]
    assert reject == ("p", "rows[0]", "an object with a", NOTHING)
