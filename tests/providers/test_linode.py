"""Linode: the card from the label, prices by region, only where GPUs are offered."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from gpurent.adapters.contract import ShapeChanged
from gpurent.adapters.testing import parse
from gpurent_providers import linode
from tests.faults.replay import Replay, Reply, hurried, replaying
from tests.providers.answers import answer, card_of, cost, fixture, one, sample, told

HOST, TYPES, REGIONS = "api.linode.com", "/v4/linode/types", "/v4/regions"


@pytest.fixture
def server() -> Iterator[Replay]:
    with replaying() as running:
        yield running


def plan(
    label: str = "RTX4000 Ada x1 Small", gpus: object = 1, hourly: object = 0.52, **others: object
) -> dict[str, object]:
    return {
        "id": "g2-gpu-rtx4000a1-s", "label": label, "gpus": gpus, "memory": 16384, "disk": 512000, "vcpus": 4,
        "price": {"hourly": hourly, "monthly": 350.0}, "region_prices": [], **others,
    }  # fmt: skip


def region(name: str, gpus: bool = True) -> dict[str, object]:
    return {"id": name, "country": "us", "capabilities": ["Linodes", *(["GPU Linodes"] if gpus else [])]}


@pytest.mark.parametrize(
    ("sku", "price", "facts"),
    [
        ("g1-gpu-rtx6000-1", 1.5, (1, 8, 32, 640)),
        ("g1-gpu-rtx6000-2", 3.0, (2, 16, 64, 1280)),
        ("g1-gpu-rtx6000-3", 4.5, (3, 20, 96, 1920)),
        ("g1-gpu-rtx6000-4", 6.0, (4, 24, 128, 2560)),
    ],
)
def test_the_rows_of_the_sample_by_hand(sku: str, price: float, facts: tuple[object, ...]) -> None:
    """All four GPU plans of the sample. RTX6000 is the Quadro of 2018, memory is MiB."""
    offer = one(sample(linode, "samples/linode.json"), sku=sku)
    assert (cost(offer), card_of(offer)) == (price, "quadro-rtx-6000")
    assert told(offer, "gpu_count vcpus ram_gib disk_gib") == facts


def test_plans_without_gpus_are_no_faults() -> None:
    got = sample(linode, "samples/linode.json")
    assert (len(got.offers), len(got.faults), len(got.rejects)) == (4, 0, 2)


@pytest.mark.parametrize(
    ("label", "gpus", "card"),
    [
        ("RTX4000 Ada x1 Small", 1, "rtx-4000-ada"),
        ("RTX4000 Ada x4 Medium", 4, "rtx-4000-ada"),
        ("Dedicated 128GB + RTX6000 GPU x4", 4, "quadro-rtx-6000"),
    ],
)
def test_the_card_stands_in_the_label(label: str, gpus: int, card: str) -> None:
    offer = one(answer(linode, {"data": [plan(label, gpus)]}))
    assert (offer.gpu_count, card_of(offer)) == (gpus, card)


@pytest.mark.parametrize(("label", "gpus"), [("RTX4000 Ada x1 Small", 2), ("GPU plan", 1), (None, 1)])
def test_a_label_that_says_otherwise_is_a_fault(label: str, gpus: int) -> None:
    got = answer(linode, {"data": [plan(label, gpus)]})
    assert (len(got.offers), len(got.faults)) == (0, 1)


def test_regions_have_their_own_prices_and_only_some_have_gpus() -> None:
    plans = {"data": [plan(region_prices=[{"id": "id-cgk", "hourly": 0.63}])]}
    places = {"data": [region("us-ord"), region("id-cgk"), region("us-east", gpus=False)]}
    got = answer(linode, plans, places)
    assert {(offer.region, offer.country, cost(offer)) for offer in got.offers} == {
        ("us-ord", "US", 0.52), ("id-cgk", "US", 0.63),
    }  # fmt: skip
    assert not got.faults


def test_without_regions_the_place_is_unknown() -> None:
    got = answer(linode, {"data": [plan(region_prices=[{"id": "id-cgk", "hourly": 0.63}])]})
    assert {(offer.region, cost(offer)) for offer in got.offers} == {(None, 0.52), ("id-cgk", 0.63)}


@pytest.mark.parametrize("hourly", [0, 0.0, -1.5, None, "1e999"])
def test_nothing_is_free(hourly: object) -> None:
    got = answer(linode, {"data": [plan(hourly=hourly)]})
    assert (len(got.offers), len(got.faults)) == (0, 1)


def test_renamed_fields_are_a_change() -> None:
    with pytest.raises(ShapeChanged, match="gpus"):
        answer(linode, {"data": [{"id": "g1", "gpu_count": 1, "label": "x", "price": {}}]})


def test_stock_is_not_claimed() -> None:
    for offer in fixture(linode, "normal").offers:
        assert told(offer, "stock stock_grade") == ("unknown", "catalogue")


def test_all_pages_of_both_lists_are_read(server: Replay) -> None:
    pages = [
        {"data": [plan()], "page": 1, "pages": 2},
        {"data": [plan("RTX6000 GPU x1", id="g1")], "page": 2, "pages": 2},
    ]
    server.answer(HOST, TYPES, *(Reply(json.dumps(page).encode()) for page in pages))
    server.json(HOST, REGIONS, {"data": [region("us-ord")], "page": 1, "pages": 1})
    raw = linode.fetch(server.client(hurried(linode).META))
    assert [part.name for part in raw.parts] == ["types-1", "types-2", "regions-1"]
    assert {offer.sku for offer in parse(linode, raw).offers} == {"g2-gpu-rtx4000a1-s", "g1"}


def test_pages_without_end_are_stopped_and_said(server: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linode, "MAX_PAGES", 3)
    server.json(HOST, TYPES, {"data": [plan()], "pages": 10**9})
    server.json(HOST, REGIONS, {"data": [], "pages": "many"})
    raw = linode.fetch(server.client(hurried(linode).META))
    assert [part.name for part in raw.parts] == ["types-1", "types-2", "types-3", "regions-1"]
    assert (raw.complete, raw.troubles) == (False, ("linode/types: stopped after 3 pages",))
