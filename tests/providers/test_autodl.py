"""AutoDL: thousandths of a yuan a card in the market, yuan in the list; the market on our fixtures only."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from gpurent.adapters.contract import ShapeChanged
from gpurent.adapters.testing import parse
from gpurent_providers import autodl
from tests.faults.replay import Replay, Reply, hurried, replaying
from tests.providers.answers import answer, card_of, cost, fixture, one, sample, told

HOST, SEARCH = "www.autodl.com", "/api/v1/machine/search"
LIST = "samples/autodl_price_list_2026-09-24.csv"
GIB = 2**30


@pytest.fixture
def server() -> Iterator[Replay]:
    with replaying() as running:
        yield running


def machine(number: int, name: str = "RTX 4090", milli: object = 1980, **others: object) -> dict[str, object]:
    return {
        "machine_id": f"m{number}", "gpu_name": name, "gpu_number": 8, "gpu_idle_num": 3, "gpu_memory": 24 * GIB,
        "machine_sku_info": [{"type": "payg", "current_price": milli}], **others,
    }  # fmt: skip


def market(*machines: object, total: int | None = None) -> dict[str, object]:
    return {"code": "Success", "data": {"list": list(machines), "result_total": total or len(machines)}}


@pytest.mark.parametrize(
    ("sku", "price", "card", "gib"),
    [
        ("RTX 4090", 1.98, "rtx-4090", 24),
        ("RTX 4090D", 2.08, "rtx-4090d", 24),
        ("RTX 5090", 2.93, "rtx-5090", 32),
        ("A100 SXM4", 7.03, "a100-sxm-80gb", 80),
        ("H20", 10.50, "h20-96gb", 96),
    ],
)
def test_the_rows_of_the_list_by_hand(sku: str, price: float, card: str, gib: float) -> None:
    """Five cards of the list of 2026-09-24: yuan a card and hour, no stock."""
    offer = one(sample(autodl, LIST), sku=sku)
    assert (cost(offer), card_of(offer)) == (price, card)
    assert told(offer, "provider gpu_count gpu_memory_gib stock stock_grade country") == (
        "autodl", 1, gib, "unknown", "price", "CN",
    )  # fmt: skip
    assert offer.price is not None
    assert told(offer, "purchase gpu_share") == ("on-demand", "whole")
    assert (offer.price.currency, offer.price.per) == ("CNY", "gpu")


def test_every_row_of_the_list_is_an_offer() -> None:
    got = sample(autodl, LIST)
    assert (len(got.offers), len(got.rejects)) == (21, 0)


def test_a_machine_is_rented_by_the_card() -> None:
    """Three of eight cards are idle: one can be had, all cannot. 1980 is 1.98 yuan a card."""
    got = fixture(autodl, "normal")
    few, all_cards = (one(got, listing="m001", gpu_count=count, purchase="on-demand", billing_increment_s=second)
                      for count, second in ((1, 1), (8, 1)))  # fmt: skip
    assert (cost(few), cost(all_cards)) == (1.98, 15.84)
    assert (few.stock, all_cards.stock) == ("available", "sold-out")
    assert told(few, "vcpus ram_gib gpu_memory_gib") == (16, 96, 24)
    assert told(all_cards, "vcpus ram_gib gpu_memory_gib") == (128, 768, 24)


def test_a_month_is_a_term_and_a_day_is_not() -> None:
    got = fixture(autodl, "normal")
    terms = {
        (offer.price.unit, offer.purchase, offer.price.term_months, offer.billing_increment_s)
        for offer in got.offers
        if offer.listing == "m001" and offer.price
    }
    assert terms == {
        ("hour", "on-demand", None, 1),
        ("day", "on-demand", None, 86_400),
        ("week", "on-demand", None, 604_800),
        ("month", "reserved", 1, 1),
        ("year", "reserved", 12, 1),
    }


def test_the_chip_of_a_vgpu_is_hidden() -> None:
    offer = one(fixture(autodl, "normal"), listing="m002", gpu_count=1)
    assert (card_of(offer), offer.gpu_share, offer.gpu_memory_gib) == (None, "unknown", 48)


def test_memory_apart_from_the_name_tells_48_gb_cards() -> None:
    offers = answer(autodl, market(machine(1), machine(2, gpu_memory=48 * GIB))).offers
    assert {(offer.listing, card_of(offer)) for offer in offers} == {("m1", "rtx-4090"), ("m2", "rtx-4090-48gb")}


@pytest.mark.parametrize("milli", [0, -1980, None, "1e999", "一块九"])
def test_nothing_is_free(milli: object) -> None:
    got = answer(autodl, market(machine(1, milli=milli)))
    assert (len(got.offers), len(got.faults)) == (0, 1)


def test_a_refused_token_is_said() -> None:
    with pytest.raises(ShapeChanged, match="AuthorizeFailed"):
        answer(autodl, {"code": "AuthorizeFailed", "msg": "登录超时", "data": None})


def test_a_description_of_the_answer_is_no_answer() -> None:
    """The team's sample of the market describes its fields; it holds no machine."""
    with pytest.raises(ShapeChanged, match="data"):
        sample(autodl, "samples/autodl_machine_search_fields_2026-08-06.json")


def test_the_market_is_read_to_its_end(server: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autodl, "PAGE_SIZE", 2)
    pages = [market(machine(1), machine(2), total=3), market(machine(3), total=3)]
    server.answer(HOST, SEARCH, *(Reply(json.dumps(page).encode()) for page in pages))
    raw = autodl.fetch(server.client(hurried(autodl).META, environ={"AUTODL_TOKEN": "a-token-for-tests"}))
    assert [part.name for part in raw.parts] == ["market-1", "market-2"]
    assert raw.complete is True
    assert len(parse(autodl, raw).offers) == 6
    assert [json.loads(request.body)["page_index"] for request in server.requests] == [1, 2]
    assert {request.headers["authorization"] for request in server.requests} == {"a-token-for-tests"}  # no "Bearer"


def test_a_market_that_ends_early_is_not_complete(server: Replay) -> None:
    server.json(HOST, SEARCH, market(machine(1), total=7))
    raw = autodl.fetch(server.client(hurried(autodl).META, environ={"AUTODL_TOKEN": "a-token-for-tests"}))
    assert raw.complete is False


def test_without_a_token_the_scripts_of_the_page_are_followed(server: Replay) -> None:
    server.answer(HOST, "/home", Reply(b'<script type="module" src="/assets/index.0a1b.js"></script>'))
    server.answer(
        HOST, "/assets/index.0a1b.js", Reply(b'import"./x";const p=["assets/Home.77.js","assets/index.0a1b.js"]')
    )
    server.answer(HOST, "/assets/Home.77.js", Reply(b'[{name:"RTX 4090",memory:"24GB",originalPrice:1.98}]'))
    raw = autodl.fetch(server.client(hurried(autodl).META, environ={}))
    [offer] = parse(autodl, raw).offers
    assert (offer.sku, cost(offer), offer.gpu_memory_gib) == ("RTX 4090", 1.98, 24)
    assert [request.path for request in server.requests] == ["/home", "/assets/index.0a1b.js", "/assets/Home.77.js"]


def test_a_page_without_prices_has_changed(server: Replay) -> None:
    server.answer(HOST, "/home", Reply(b'<script src="/assets/a.js"></script>'))
    server.answer(HOST, "/assets/a.js", Reply(b'"assets/a.js"'))
    with pytest.raises(ShapeChanged, match="originalPrice"):
        autodl.fetch(server.client(hurried(autodl).META, environ={}))
