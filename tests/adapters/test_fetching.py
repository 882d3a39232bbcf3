"""What the first seven adapters ask for, against a server on this machine: paging, caps, keys, and what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from gpurent.adapters import registry
from gpurent.adapters.contract import Raw, TransportFailed
from gpurent.adapters.testing import parse
from tests.faults.replay import Replay, Reply, hurried, replaying
from tests.shared import ROOT

ADAPTERS = registry.load().adapters
VAST, SCALEWAY, VULTR = "console.vast.ai", "api.scaleway.com", "api.vultr.com"


@pytest.fixture
def server() -> Iterator[Replay]:
    with replaying() as running:
        yield running


def body(provider: str, case: str) -> Any:
    return json.loads((ROOT / "fixtures" / provider / f"{case}.json").read_text(encoding="utf-8"))


def fetched(server: Replay, provider: str, **environ: str) -> Raw:
    adapter = hurried(ADAPTERS[provider])
    return adapter.fetch(server.client(adapter.META, environ=environ))


class Market:
    """Vast.ai's search over a made-up market: filters by name, sorts by price, stops at 64 rows."""

    def __init__(self, server: Replay, stock: dict[str, int]) -> None:
        row = body("vast-ai", "normal")["offers"][0]
        self.rows = [
            {**row, "id": f"{name} {number}", "gpu_name": name, "dph_total": 0.5 + number / 1000}
            for name, count in stock.items()
            for number in range(count)
        ]
        self.asked: list[dict[str, Any]] = []
        server.answer_with(VAST, "/api/v0/bundles/", self.search)

    def search(self, question: bytes) -> Reply:
        asked = json.loads(question)
        self.asked.append(asked)
        names = asked["gpu_name"]
        found = [
            row
            for row in self.rows
            if (row["gpu_name"] in names["in"] if "in" in names else row["gpu_name"] not in names["notin"])
        ]
        found.sort(key=lambda row: row["dph_total"], reverse=asked["order"][0][1] == "desc")
        return Reply(json.dumps({"offers": found[:64]}).encode())


def test_vast_asks_until_nothing_is_cut(server: Replay) -> None:
    market = Market(server, {"RTX 4090": 60, "RTX 4080": 50, "H200": 3, "RTX 9990": 2})
    raw = fetched(server, "vast-ai")
    offers = parse(ADAPTERS["vast-ai"], raw).offers
    assert raw.complete is True
    assert len({offer.listing for offer in offers}) == 115, "cards nobody listed are found too"
    assert len(offers) == 230, "each on demand and interruptible"
    assert all(asked["limit"] == 64 and asked["rentable"] == {"eq": True} for asked in market.asked)


def test_vast_asks_a_cut_card_from_both_ends_and_says_what_is_missing(server: Replay) -> None:
    Market(server, {"RTX 4090": 120})
    raw = fetched(server, "vast-ai")
    parsed = parse(ADAPTERS["vast-ai"], raw)
    assert raw.complete is True, "the two ends meet"
    assert len({offer.listing for offer in parsed.offers}) == 120
    assert not parsed.rejects, "offers seen from both ends are no duplicates of the market's"


def test_vast_is_incomplete_when_the_ends_do_not_meet(server: Replay) -> None:
    Market(server, {"RTX 4090": 129})
    raw = fetched(server, "vast-ai")
    assert raw.complete is False
    assert len({offer.listing for offer in parse(ADAPTERS["vast-ai"], raw).offers}) == 128


def test_vast_keeps_what_it_has_when_it_is_asked_to_stop(server: Replay) -> None:
    answer = Reply(json.dumps(body("vast-ai", "normal")).encode())
    server.answer(VAST, "/api/v0/bundles/", answer, Reply(status=403))
    raw = fetched(server, "vast-ai")
    assert (len(raw.parts), raw.complete) == (1, False)
    assert "answered 403" in raw.troubles[0]
    assert b"203.0.113" not in raw.parts[0].body, "host addresses are blanked"


def test_runpod_asks_one_question(server: Replay) -> None:
    server.json("api.runpod.io", "/graphql", body("runpod", "normal"))
    raw = fetched(server, "runpod")
    question = json.loads(server.requests[0].body)["query"]
    assert question.count("{") == question.count("}")
    for field in (
        "secureCloud",
        "maxGpuCountCommunityCloud",
        "secure8: lowestPrice(input: {gpuCount: 8, secureCloud: true})",
    ):
        assert field in question
    assert len(parse(ADAPTERS["runpod"], raw).offers) == 21


def test_lambda_reads_the_page_without_a_key_and_the_api_with_one(server: Replay) -> None:
    page = (ROOT / "fixtures/lambda/normal.html").read_bytes()
    server.answer("lambda.ai", "/pricing", Reply(page))
    server.json("cloud.lambda.ai", "/api/v1/instance-types", body("lambda", "api"))
    assert len(parse(ADAPTERS["lambda"], fetched(server, "lambda")).offers) == 6
    assert "authorization" not in server.requests[0].headers
    raw = fetched(server, "lambda", LAMBDA_API_KEY="secret_lambda_key")
    assert server.requests[1].headers["authorization"] == "Bearer secret_lambda_key"
    assert len(parse(ADAPTERS["lambda"], raw).offers) == 4
    assert "secret_lambda_key" not in repr(raw)


def test_vultr_follows_the_cursor(server: Replay) -> None:
    first, second = body("vultr", "normal"), body("vultr", "sold-out")
    first["meta"]["links"]["next"] = "bmV4dA=="
    server.json(VULTR, "/v2/regions", body("vultr", "normal-regions"))
    server.answer(VULTR, "/v2/plans", Reply(json.dumps(first).encode()), Reply(json.dumps(second).encode()))
    server.json(VULTR, "/v2/plans-metal", body("vultr", "normal-metal"))
    raw = fetched(server, "vultr")
    assert [part.name for part in raw.parts] == ["regions-0", "plans-0", "plans-1", "plans-metal-0"]
    assert "cursor=bmV4dA%3D%3D" in server.requests[2].query
    offers = parse(ADAPTERS["vultr"], raw).offers
    assert {(offer.region, offer.country) for offer in offers if offer.region in ("ewr", "nrt")} == {
        ("ewr", "US"),
        ("nrt", "JP"),
    }


def zones() -> list[str]:
    rows = (ROOT / "providers/gpurent_providers/scaleway_zones.csv").read_text(encoding="utf-8").splitlines()[1:]
    return [row.split(",")[0] for row in rows]


def test_scaleway_pages_by_the_header_and_goes_on_without_a_zone(server: Replay) -> None:
    empty = Reply(b'{"servers": {}}', headers={"X-Total-Count": "0"})
    for zone in zones():
        base = f"/instance/v1/zones/{zone}/products/servers"
        server.answer(SCALEWAY, base, empty)
        server.answer(SCALEWAY, f"{base}/availability", empty)
    paged = Reply(json.dumps(body("scaleway", "normal")).encode(), headers={"X-Total-Count": "101"})
    server.answer(SCALEWAY, "/instance/v1/zones/fr-par-2/products/servers", paged, empty)
    server.answer(SCALEWAY, "/instance/v1/zones/pl-waw-3/products/servers", Reply(status=500))
    raw = fetched(server, "scaleway")
    assert [part.name for part in raw.parts if "servers-fr-par-2" in part.name] == [
        "servers-fr-par-2-1",
        "servers-fr-par-2-2",
    ]
    assert raw.complete is False
    assert raw.troubles[0].startswith("zone pl-waw-3: answered 500")
    assert {offer.region for offer in parse(ADAPTERS["scaleway"], raw).offers} == {"fr-par-2"}


def test_scaleway_fails_when_no_zone_answers(server: Replay) -> None:
    with pytest.raises(TransportFailed, match="404"):
        fetched(server, "scaleway")


def test_oci_does_without_the_shapes(server: Replay) -> None:
    server.json("apexapps.oracle.com", "/pls/apex/cetools/api/v1/products/", body("oci", "normal"))
    raw = fetched(server, "oci")
    assert (len(raw.parts), raw.complete) == (1, False)
    skus = {offer.sku for offer in parse(ADAPTERS["oci"], raw).offers}
    assert {"BM.GPU.H100.8", "VM.GPU.A10.2", "BM.GPU.L40S.4"} <= skus


def test_verda_asks_for_dollars(server: Replay) -> None:
    server.json("api.verda.com", "/v1/instance-types", body("verda", "normal"))
    assert len(parse(ADAPTERS["verda"], fetched(server, "verda")).offers) == 8
    assert server.requests[0].query == "currency=usd"
