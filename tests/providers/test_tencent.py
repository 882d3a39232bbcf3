"""Tencent: shares of a card, stock by zone, steps and months; checked on our fixtures, the sample holds no GPU."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from gpurent.adapters.contract import ShapeChanged
from gpurent.adapters.testing import parse
from gpurent_providers import tencent
from tests.faults.replay import Replay, Reply, hurried, replaying
from tests.providers.answers import answer, card_of, cost, fixture, one, reasons, sample, told

HOST, REGIONS, TYPES = "workbench.cloud.tencent.com", "/cgi/area/queryCvmRegion", "/cgi/api"


@pytest.fixture
def server() -> Iterator[Replay]:
    with replaying() as running:
        yield running


def quota(sku: str = "GN7.2XLARGE32", cards: object = 1, price: object = 8.68, **others: object) -> dict[str, object]:
    return {
        "Zone": "ap-guangzhou-6", "InstanceType": sku, "InstanceFamily": sku.partition(".")[0], "GpuCount": cards,
        "InstanceChargeType": "POSTPAID_BY_HOUR", "Status": "SELL", "Price": {"UnitPriceDiscount": price}, **others,
    }  # fmt: skip


def types(*items: object) -> dict[str, object]:
    return {"code": 0, "data": {"Response": {"InstanceTypeQuotaSet": list(items)}}}


def test_the_sample_without_gpus_gives_no_offer_and_says_so() -> None:
    got = sample(tencent, "samples/tencent_cvm_zone_instance_config.json")
    assert (len(got.offers), len(got.faults)) == (0, 0)
    assert [reason for _, reason in reasons(got)] == ["out of scope: no GPU"] * 2


@pytest.mark.parametrize(
    ("sku", "purchase", "price", "card", "facts"),
    [
        ("GN7.LARGE20", "on-demand", 1.82, "t4", (1, "vgpu", "1/4", 4, "available")),
        ("GN7.2XLARGE40", "spot", 0.7, "t4", (1, "vgpu", "1/2", 8, "available")),
        ("GN10Xp.20XLARGE320", "on-demand", 99.92, "v100-sxm-32gb", (8, "whole", None, 32, "available")),
        ("GT4.41XLARGE948", "on-demand", 168.88, "a100-sxm-40gb", (8, "whole", None, 40, "sold-out")),
    ],
)
def test_the_rows_of_our_fixture_by_hand(
    sku: str, purchase: str, price: float, card: str, facts: tuple[object, ...]
) -> None:
    offer = one(fixture(tencent, "normal"), sku=sku, purchase=purchase)
    assert (cost(offer), card_of(offer)) == (price, card)
    assert told(offer, "gpu_count gpu_share share_profile gpu_memory_gib stock") == facts
    assert offer.price is not None
    assert offer.price.currency == "CNY"


def test_a_month_ahead_is_a_month() -> None:
    offer = one(fixture(tencent, "normal"), purchase="reserved")
    assert offer.price is not None
    assert told(offer, "sku stock") == ("GN10Xp.20XLARGE320", "available")
    assert offer.price.amount == 35000
    assert offer.price.unit == "month"
    assert offer.price.term_months == 1


def test_a_later_step_of_the_price_is_noted_and_not_used() -> None:
    offer = one(fixture(tencent, "normal"), sku="GN10Xp.20XLARGE320", purchase="on-demand")
    assert (cost(offer), offer.note) == (99.92, "49.96 CNY an hour after the first step")


@pytest.mark.parametrize(
    ("cards", "share"),
    [(0.25, "1/4"), (0.125, "1/8"), (0.5, "1/2"), (0.75, "3/4"), (0.33, "1/3"), (0.083, "1/12"), (0.1, "1/10")],
)
def test_less_than_a_card_is_a_slice(cards: float, share: str) -> None:
    offer = one(answer(tencent, types(quota(cards=cards))))
    assert told(offer, "gpu_count gpu_share share_profile") == (1, "vgpu", share)


def test_a_slice_has_its_part_of_the_memory() -> None:
    """Total against per-card memory: a third of a card of 16 GiB."""
    assert one(answer(tencent, types(quota(cards=0.33)))).gpu_memory_gib == pytest.approx(5.333)


@pytest.mark.parametrize("cards", [1.5, 0.0001, -1])
def test_what_is_neither_a_slice_nor_cards_is_a_fault(cards: float) -> None:
    got = answer(tencent, types(quota(cards=cards)))
    assert (len(got.offers), len(got.faults)) == (0, 1)


def test_a_family_nobody_knows_keeps_its_name() -> None:
    offer = one(answer(tencent, types(quota("PNV9.8XLARGE96", 2))))
    assert (offer.gpu, card_of(offer), offer.gpu_memory_gib) == ("PNV9", None, None)


def test_a_slice_of_a_card_nobody_knows_is_no_guess() -> None:
    got = answer(tencent, types(quota("PNV9.LARGE20", 0.25)))
    assert [reject.reason for reject in got.faults] == ["a slice of a card whose size is not known"]


def test_a_status_of_another_word_is_unknown() -> None:
    offer = one(answer(tencent, types(quota(Status="LACK_OF_MOOD"))))
    assert offer.stock == "unknown"


@pytest.mark.parametrize("price", [0, -8.68, "1e999", "贵"])
def test_nothing_is_free(price: object) -> None:
    got = answer(tencent, types(quota(price=price)))
    assert (len(got.offers), len(got.faults)) == (0, 1)


def test_an_error_of_the_service_is_said() -> None:
    with pytest.raises(ShapeChanged, match=r"data\.Response\.Error"):
        answer(tencent, {"code": 0, "data": {"Response": {"Error": {"Code": "AuthFailure"}}}})


def test_every_zone_is_asked_and_one_that_fails_is_said(server: Replay) -> None:
    zones = [{"region": "ap-guangzhou", "zones": [{"zone": "ap-guangzhou-6"}, {"zone": "ap-guangzhou-7"}]}, "odd"]
    server.json(HOST, REGIONS, {"data": {"Response": {"RegionSet": zones}}})
    server.answer(HOST, TYPES, Reply(json.dumps(types(quota())).encode()), Reply(b"no", 403))
    raw = tencent.fetch(server.client(hurried(tencent).META))
    assert [part.name for part in raw.parts] == ["regions", "types-ap-guangzhou-6"]
    assert raw.complete is False
    assert raw.troubles[0].startswith("ap-guangzhou-7: ")
    asked = [json.loads(request.body) for request in server.requests[1:]]
    assert [body["data"]["Filters"][1]["Values"] for body in asked] == [["ap-guangzhou-6"], ["ap-guangzhou-7"]]
    assert one(parse(tencent, raw)).region == "ap-guangzhou-6"
