"""Azure: totals of reservations, fractions by size, Windows and low priority out, all pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpurent.adapters.contract import TransportFailed
from gpurent.adapters.reading import DUPLICATE
from gpurent.adapters.testing import parse
from gpurent_providers import azure
from tests.faults.replay import Replay, hurried, replaying
from tests.providers.answers import answer, card_of, cost, fixture, one, reasons, sample, told

HOST, PATH = "prices.azure.com", "/api/retail/prices"
SAMPLE = "samples/azure_retail_prices_items.json"


@pytest.fixture
def server() -> Iterator[Replay]:
    with replaying() as running:
        yield running


def item(sku: str = "Standard_NV6ads_A10_v5", price: object = 0.454, **others: object) -> dict[str, object]:
    return {
        "armSkuName": sku, "armRegionName": "eastus", "type": "Consumption", "retailPrice": price,
        "currencyCode": "USD", "unitOfMeasure": "1 Hour", "meterName": sku, "productName": "Virtual Machines", **others,
    }  # fmt: skip


def test_the_rows_of_the_sample_by_hand() -> None:
    """All four GPU prices of the sample: its reservation is a year's total that says "1 Hour"."""
    got = sample(azure, SAMPLE)
    h100 = one(got, sku="Standard_NC40ads_H100_v5")
    assert (cost(h100), card_of(h100)) == (6.98, "h100-nvl-94gb")
    assert told(h100, "gpu_count gpu_memory_gib gpu_share purchase") == (1, 94, "whole", "on-demand")
    a100 = one(got, sku="Standard_NC48ads_A100_v4")
    assert cost(a100) == pytest.approx(42066 / 8760, rel=1e-4)
    assert card_of(a100) == "a100-pcie-80gb"
    assert told(a100, "gpu_count gpu_memory_gib gpu_share purchase") == (2, 80, "whole", "reserved")
    assert a100.price is not None
    assert a100.price.term_months == 12
    gb200 = {"sku": "Standard_ND128isr_NDR_GB200_v6", "gpu_count": 4, "region": "westus3"}
    assert cost(one(got, purchase="on-demand", **gb200)) == 108.16
    assert cost(one(got, purchase="spot", **gb200)) == 64.0
    assert reasons(got) == [
        ("Items[4].productName", "out of scope: a Windows licence is in the price"),
        ("Items[5].reservationTerm", "a reservation without its term: the total cannot be spread over it"),
    ]


@pytest.mark.parametrize(
    ("sku", "card", "count", "share", "gib"),
    [
        ("Standard_NV6ads_A10_v5", "a10", 1, "1/6", 4),
        ("Standard_NV12ads_A10_v5", "a10", 1, "1/3", 8),
        ("Standard_NV18ads_A10_v5", "a10", 1, "1/2", 12),
        ("Standard_NV36ads_A10_v5", "a10", 1, None, 24),
        ("Standard_NV72ads_A10_v5", "a10", 2, None, 24),
        ("Standard_NV4as_v4", "mi25", 1, "1/8", 2),
        ("Standard_ND96asr_v4", "a100-sxm-40gb", 8, None, 40),
        ("Standard_ND96amsr_A100_v4", "a100-sxm-80gb", 8, None, 80),
        ("Standard_NC24ads_A100_v4", "a100-pcie-80gb", 1, None, 80),
        ("Standard_ND96isr_H100_v5", "h100-sxm-80gb", 8, None, 80),
        ("Standard_NC40ads_H100_v5", "h100-nvl-94gb", 1, None, 94),
        ("Standard_ND96isr_H200_v5", "h200-sxm-141gb", 8, None, 141),
    ],
)
def test_what_a_size_holds(sku: str, card: str, count: int, share: str | None, gib: float) -> None:
    """Fractions are fractions; A100 40 and 80 GB, H100 SXM and NVL are apart."""
    offer = one(answer(azure, {"Items": [item(sku)]}))
    assert told(offer, "gpu_count share_profile gpu_memory_gib") == (count, share, gib)
    assert offer.gpu_share == ("vgpu" if share else "whole")
    assert card_of(offer) == card


def test_a_size_nobody_knows_is_no_guess() -> None:
    got = answer(azure, {"Items": [item("Standard_NV3ads_A10_v5"), item("Standard_ND999xr_R900_v9")]})
    assert not got.offers
    assert [reject.value for reject in got.faults] == ["Standard_NV3ads_A10_v5", "Standard_ND999xr_R900_v9"]


def test_three_years_are_spread_over_three_years() -> None:
    row = item("Standard_NC40ads_H100_v5", 78840.0, type="Reservation", reservationTerm="3 Years")
    offer = one(answer(azure, {"Items": [row]}))
    assert cost(offer) == pytest.approx(3.0)
    assert offer.price is not None
    assert offer.price.term_months == 36
    assert offer.note == "78840.0 USD for 36 months"


def test_low_priority_is_neither_spot_nor_on_demand() -> None:
    rows = [item(meterName="NV6ads Low Priority"), item(meterName="NV6ads Spot"), item(skuName="NV6adsA10v5 Spot")]
    got = answer(azure, {"Items": rows})
    assert [offer.purchase for offer in got.offers] == ["spot"]  # the third says the same again
    low, again = (reason for _, reason in reasons(got))
    assert (low, again) == ("out of scope: low-priority machines are no longer rented", DUPLICATE)


@pytest.mark.parametrize("price", [0, 0.0, -0.5, "1e999", None])
def test_nothing_is_free(price: object) -> None:
    got = answer(azure, {"Items": [item(price=price)]})
    assert not got.offers
    assert len(got.faults) == 1


def test_the_same_price_on_two_pages_is_one_offer() -> None:
    got = answer(azure, {"Items": [item()]}, {"Items": [item()]})
    assert len(got.offers) == 1
    assert [reject.part for reject in got.rejects] == ["answer1"]


def test_prices_of_cards_are_evidence_of_a_price_only() -> None:
    for offer in fixture(azure, "normal").offers:
        assert told(offer, "stock stock_grade") == ("unknown", "price")


def test_all_pages_are_read(server: Replay) -> None:
    """The next page's address names port 443, which is the same host."""
    server.json(HOST, PATH, {"Items": [item()], "NextPageLink": f"https://{HOST}:443/page2?$skip=1000"})
    server.json(HOST, "/page2", {"Items": [item(armRegionName="westus")], "NextPageLink": None})
    raw = azure.fetch(server.client(hurried(azure).META))
    assert [part.name for part in raw.parts] == ["page-1", "page-2"]
    assert raw.complete is True
    assert {offer.region for offer in parse(azure, raw).offers} == {"eastus", "westus"}
    assert "startswith" in server.requests[0].query


def test_the_next_page_of_another_host_is_not_asked(server: Replay) -> None:
    server.json(HOST, PATH, {"Items": [], "NextPageLink": "https://elsewhere.example/page2"})
    with pytest.raises(TransportFailed):
        azure.fetch(server.client(hurried(azure).META))
    assert {request.host for request in server.requests} == {HOST}


def test_pages_without_end_are_stopped_and_said(server: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(azure, "MAX_PAGES", 3)
    server.json(HOST, PATH, {"Items": [], "NextPageLink": f"https://{HOST}{PATH}"})
    raw = azure.fetch(server.client(hurried(azure).META))
    assert len(raw.parts) == 3
    assert raw.complete is False
    assert raw.troubles == ("stopped after 3 pages",)
