"""Shadeform: cents, the cloud behind the reseller, one offer a region with its own stock."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from gpurent.adapters.contract import ShapeChanged
from gpurent.adapters.testing import parse
from gpurent_providers import shadeform
from tests.faults.replay import Replay, Reply, hurried, replaying
from tests.providers.answers import answer, card_of, cost, fixture, one, sample, told

SAMPLE = "samples/shadeform_instance_types_2026-08-22.json"
PLACE = {"region": "desmoines-usa-1", "available": True, "display_name": "US, Des Moines, IA"}


@pytest.fixture
def server() -> Iterator[Replay]:
    with replaying() as running:
        yield running


def kind(card: str, wires: str = "pcie", cents: object = 316, **others: object) -> dict[str, object]:
    shape = {"num_gpus": 1, "gpu_type": card, "vram_per_gpu_in_gb": 80, "interconnect": wires, "nvlink": False}
    return {
        "cloud": "massedcompute", "shade_instance_type": card, "cloud_instance_type": "x", "hourly_price": cents,
        "configuration": shape, "availability": [PLACE], **others,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("sku", "region", "price", "card", "facts"),
    [
        ("L4", "paris-france-5", 0.95, "l4", ("scaleway", 1, 24, "available")),
        ("L4", "paris-france-1", 0.95, "l4", ("scaleway", 1, 24, "sold-out")),
        ("A6000x8", "kansascity-usa-2", 3.92, "rtx-a6000", ("imwt", 8, 48, "sold-out")),
        ("A100_80G_sxm4x8", "culpeper-usa-1", 15.60, "a100-sxm-80gb", ("crusoe", 8, 80, "sold-out")),
        ("A100_80Gx8_NVLINK", "montreal-canada-2", 11.20, "a100-pcie-80gb", ("hyperstack", 8, 80, "sold-out")),
        ("A100_sxm4x8", "calgary-canada-1", 11.20, "a100-sxm-40gb", ("denvr", 8, 40, "available")),
        ("H100_nvlx8_NVLINK", "desmoines-usa-1", 25.28, "h100-nvl-94gb", ("massed-compute", 8, 94, "sold-out")),
        ("H100_sxm5x8", "montreal-canada-2", 25.60, "h100-sxm-80gb", ("hyperstack", 8, 80, "available")),
    ],
)
def test_the_rows_of_the_sample_by_hand(
    sku: str, region: str, price: float, card: str, facts: tuple[object, ...]
) -> None:
    """Eight rows of the sample. Crusoe's interconnect says pcie, its name SXM: the name is right."""
    offer = one(sample(shadeform, SAMPLE), sku=sku, region=region)
    assert (cost(offer), card_of(offer), offer.via) == (price, card, "shadeform")
    assert told(offer, "provider gpu_count gpu_memory_gib stock") == facts


def test_every_region_of_the_sample_is_an_offer() -> None:
    got = sample(shadeform, SAMPLE)
    assert (len(got.offers), len(got.rejects)) == (23, 0)
    assert {offer.via for offer in got.offers} == {"shadeform"}


@pytest.mark.parametrize(
    ("card", "wires", "read"),
    [("H100", "pcie", "h100-pcie-80gb"), ("H100", "sxm5", "h100-sxm-80gb"), ("RTX4090", "pcie", "rtx-4090")],
)
def test_forms_of_a_card_are_apart(card: str, wires: str, read: str) -> None:
    shape = {"num_gpus": 1, "gpu_type": card, "interconnect": wires}
    assert card_of(one(answer(shadeform, {"instance_types": [kind(card, configuration=shape)]}))) == read


def test_a_form_nobody_says_is_a_set_and_no_guess() -> None:
    shape = {"num_gpus": 1, "gpu_type": "A100_80G"}
    offer = one(answer(shadeform, {"instance_types": [kind("A100_80G", cloud="a-new-cloud", configuration=shape)]}))
    assert card_of(offer) is None


def test_sold_out_keeps_its_price() -> None:
    offer = one(fixture(shadeform, "sold-out"))
    assert (offer.stock, cost(offer)) == ("sold-out", 0.88)


@pytest.mark.parametrize("cents", [0, -316, None, "1e999", "$3.16"])
def test_nothing_is_free(cents: object) -> None:
    got = answer(shadeform, {"instance_types": [kind("L40", cents=cents)]})
    assert (len(got.offers), len(got.faults)) == (0, 1)


def test_a_type_without_places_is_evidence_of_a_price() -> None:
    offer = one(answer(shadeform, {"instance_types": [kind("L40", availability=[])]}))
    assert told(offer, "region stock stock_grade") == (None, "unknown", "price")


def page(*pieces: str) -> bytes:
    scripts = "".join(f"<script>self.__next_f.push([1,{json.dumps(piece)}])</script>\n" for piece in pieces)
    return f"<!DOCTYPE html><html><body>{scripts}</body></html>".encode()


def test_the_page_holds_the_same_types() -> None:
    """A string of the page's scripts may end within a number or a name."""
    text = json.dumps({"instanceTypes": [kind("L40"), kind("H100_nvl")]}, separators=(",", ":"))
    for cut in range(1, len(text), 7):
        got = answer(shadeform, page("5:" + text[:cut], text[cut:] + "\n"))
        assert {(offer.sku, cost(offer)) for offer in got.offers} == {("L40", 3.16), ("H100_nvl", 3.16)}


def test_a_page_without_types_has_changed() -> None:
    with pytest.raises(ShapeChanged, match="instance_types"):
        answer(shadeform, page('5:{"plans":[]}'))


def test_with_a_key_the_list_is_asked_without_one_the_page(server: Replay) -> None:
    server.json("api.shadeform.ai", "/v1/instances/types", {"instance_types": [kind("L40")]})
    server.answer(
        "shadeform.com", "/", Reply(page(json.dumps({"instanceTypes": [kind("L40")]}, separators=(",", ":"))))
    )
    meta = hurried(shadeform).META
    listed = shadeform.fetch(server.client(meta, environ={"SHADEFORM_API_KEY": "a-key-for-tests"}))
    assert (listed.complete, server.requests[0].headers["x-api-key"]) == (True, "a-key-for-tests")
    paged = shadeform.fetch(server.client(meta, environ={}))
    assert paged.complete is None
    assert "x-api-key" not in server.requests[1].headers
    first, second = parse(shadeform, listed).offers[0], parse(shadeform, paged).offers[0]
    assert told(first, "sku gpu price") == told(second, "sku gpu price")
