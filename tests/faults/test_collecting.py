"""A night with one bad provider: the others' offers arrive, the bad one is named with its reason, nothing hangs."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gpurent.adapters import registry
from gpurent.adapters.contract import Adapter, AdapterMeta, Client, Raw
from gpurent.adapters.http import Limits
from gpurent.adapters.run import fetch_all, reason_of
from gpurent.adapters.testing import Parsed, parse
from gpurent.hardware.resolve import resolve
from gpurent.offer import Offer
from gpurent.snapshots import gate
from gpurent.snapshots.collection import Answer
from tests.faults.replay import NO_WAITS, Replay, Reply, hurried, replaying
from tests.shared import ROOT

ADAPTERS = registry.load().adapters
HOST, PATH = "api.verda.com", "/v1/instance-types"
GOOD = ("runpod", "oci", "lambda")
GOOD_OFFERS = {"runpod": 21, "oci": 5, "lambda": 6}
NOW = datetime(2026, 11, 30, tzinfo=UTC)


def body(provider: str, case: str = "normal") -> Any:
    return json.loads((ROOT / "fixtures" / provider / f"{case}.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Night:
    """How every provider ended: what was read of it, or why nothing was."""

    parsed: dict[str, Parsed]
    failed: dict[str, str]


def collect(server: Replay, *adapters: Adapter, limits: Limits = NO_WAITS) -> Night:
    """Ask the good providers and these, and read each answer on its own."""
    asked = {name: hurried(ADAPTERS[name]) for name in GOOD} | {one.META.name: one for one in adapters}
    parsed, failed = dict[str, Parsed](), dict[str, str]()
    for outcome in fetch_all(asked, server.network(limits).client, now=lambda: NOW, grace_s=0.5):
        if outcome.raw is None:
            failed[outcome.provider] = outcome.reason
            continue
        try:
            parsed[outcome.provider] = parse(asked[outcome.provider], outcome.raw)
        except Exception as error:  # noqa: BLE001 - as the collecting thread does
            failed[outcome.provider] = reason_of(error)
    return Night(parsed, failed)


@pytest.fixture
def server() -> Iterator[Replay]:
    with replaying() as running:
        running.json("api.runpod.io", "/graphql", body("runpod"))
        running.json("apexapps.oracle.com", "/pls/apex/cetools/api/v1/products/", body("oci"))
        running.json("www.oracle.com", "/a/ocom/docs/cloudestimator2/data/shapes.json", body("oci", "normal-shapes"))
        running.answer("lambda.ai", "/pricing", Reply((ROOT / "fixtures/lambda/normal.html").read_bytes()))
        yield running


def verda(**changes: Any) -> Adapter:
    return hurried(ADAPTERS["verda"], **{"deadline_s": 5.0, **changes})


def the_others_arrived(night: Night) -> bool:
    return {name: len(night.parsed[name].offers) for name in GOOD} == GOOD_OFFERS


def renamed(rows: list[dict[str, Any]]) -> bytes:
    return json.dumps(
        [{("hourly" if key == "price_per_hour" else key): row[key] for key in row} for row in rows]
    ).encode()


BAD = {
    "too many requests": (Reply(status=429, headers={"Retry-After": "0"}), "answered 429"),
    "broken": (Reply(b"oops", status=500), "answered 500"),
    "forbidden": (Reply(b"a key, please", status=401), "answered 401"),
    "truncated JSON": (Reply(json.dumps(body("verda")).encode()[:-200]), "shape changed at instance-types: not JSON"),
    "HTML for JSON": (Reply(b"<!doctype html><title>Just a moment...</title>"), "not JSON: <!doctype html>"),
    "no bytes": (Reply(b""), "instance-types: empty body"),
    "another type": (Reply(b'{"message": "moved"}'), "instance-types: not a list"),
    "renamed field": (Reply(renamed(body("verda"))), "instance-types[].price_per_hour: missing in every row"),
    "nested without end": (Reply(b"[" * 200_000), "nested too deep"),
    "not UTF-8": (Reply(b"\xff\xfe\x00\x01"), "not JSON"),
    "gzip bomb": (Reply(gzip.compress(bytes(3_000_000)), headers={"Content-Encoding": "gzip"}), "larger than 1 MiB"),
    "broken gzip": (Reply(b"[1, 2]", headers={"Content-Encoding": "gzip"}), "broken gzip"),
    "redirect": (
        Reply(status=302, headers={"Location": "https://other.example/"}),
        "redirected to https://other.example/",
    ),
    "redirect to http": (Reply(status=301, headers={"Location": f"http://{HOST}{PATH}"}), "redirected to http://"),
    "slow": (Reply(b"[]", delay_s=30.0), "deadline of 0.5 s|ReadTimeout"),
    "trickle": (Reply(b"[", drip_s=0.02), "deadline of 0.5 s"),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_answer_takes_nobody_down(server: Replay, fault: str) -> None:
    reply, reason = BAD[fault]
    server.answer(HOST, PATH, reply)
    deadline_s = 0.5 if fault in ("slow", "trickle") else 5.0
    night = collect(server, verda(deadline_s=deadline_s), limits=replace(NO_WAITS, body_bytes=2**20))
    assert the_others_arrived(night)
    assert list(night.failed) == ["verda"]
    assert any(words in night.failed["verda"] for words in reason.split("|")), night.failed["verda"]


def test_too_many_requests_once_is_waited_for(server: Replay) -> None:
    fine = Reply(json.dumps(body("verda")).encode())
    server.answer(HOST, PATH, Reply(status=429, headers={"Retry-After": "0"}), fine)
    night = collect(server, verda())
    assert not night.failed
    assert len(night.parsed["verda"].offers) == 8


def test_a_redirect_loop_and_one_down_to_http(server: Replay) -> None:
    for to, reason in ((PATH, "more than 5 redirects"), (f"http://{HOST}{PATH}", "not https")):
        server.answer(HOST, PATH, Reply(status=302, headers={"Location": to}))
        night = collect(server, verda(redirects=True))
        assert the_others_arrived(night)
        assert reason in night.failed["verda"]


def test_a_next_link_to_another_host_is_not_followed(server: Replay) -> None:
    server.json("prices.azure.com", "/api/retail/prices", {"Items": [], "NextPageLink": "https://evil.example/page2"})
    night = collect(server, hurried(ADAPTERS["azure"], deadline_s=5.0))
    assert the_others_arrived(night)
    assert not any(request.host == "evil.example" for request in server.requests)
    assert "not a declared host: evil.example" in night.failed["azure"]


def test_one_that_never_comes_back(server: Replay) -> None:
    forever = threading.Event()

    def hang(client: Client) -> Raw:
        forever.wait()
        raise AssertionError

    meta = AdapterMeta(name="stuck", title="Stuck", covers="-", hosts=(), deadline_s=0.2)
    night = collect(server, cast(Adapter, SimpleNamespace(META=meta, fetch=hang, parse=lambda raw: iter(()))))
    forever.set()
    assert the_others_arrived(night)
    assert night.failed == {"stuck": "not back within 0.2 s"}


def read(server: Replay, rows: object) -> Parsed:
    server.answer(HOST, PATH, Reply(rows if isinstance(rows, bytes) else json.dumps(rows).encode()))
    night = collect(server, verda())
    assert the_others_arrived(night)
    assert not night.failed
    return night.parsed["verda"]


def judged(parsed: Parsed, *, past: tuple[Offer, ...] = (), rates: dict[str, float] | None = None) -> gate.Verdict:
    answer = Answer("verda", NOW, NOW, NOW, NOW, True, parsed.offers, parsed.rejects)
    return gate.judge(
        answer,
        gate.Past({one.offer_id: one for one in past}, NOW if past else None),
        rates or {"USD": 1.0, "EUR": 1.1},
        resolve,
    )


def test_an_empty_list_is_no_reason_to_forget(server: Replay) -> None:
    parsed = read(server, [])
    assert parsed == Parsed()
    assert [remark.rule for remark in judged(parsed).refused] == ["empty"]


def test_a_bad_number_is_one_rejection(server: Replay) -> None:
    rows = json.dumps(body("verda")).replace('"2.29"', "1e999").replace('"10.32"', "NaN").replace('"0.98"', "9" * 400)
    parsed = read(server, rows.encode())
    assert [(fault.path, fault.reason) for fault in parsed.faults] == [
        ("instance-types[0].price_per_hour", "out of range"),
        ("instance-types[1].price_per_hour", "not finite"),
        ("instance-types[2].price_per_hour", "not a number"),
    ]
    assert {offer.sku for offer in parsed.offers} == {"1V100.6V", "1B300.30V"}


def test_a_row_twice_is_one_offer(server: Replay) -> None:
    parsed = read(server, [*body("verda"), *body("verda")])
    assert len(parsed.offers) == 8
    assert len(parsed.faults) == 8
    assert all("twice" in fault.reason for fault in parsed.faults)


def test_a_price_ten_times_too_high_is_held_by_the_band(server: Replay) -> None:
    rows = body("verda")
    rows[0]["price_per_hour"] = str(float(rows[0]["price_per_hour"]) * 10)
    verdict = judged(read(server, rows))
    assert not verdict.refused
    assert [offer.sku for offer, _ in verdict.held] == ["1H100.80S.30V"]
    assert len(verdict.believed) == 7


def test_all_prices_ten_times_too_high_are_refused(server: Replay) -> None:
    rows = body("verda")
    for row in rows:
        row["price_per_hour"] = str(float(row["price_per_hour"]) * 10)
        row["spot_price"] = str(float(row["spot_price"]) * 10) if row["spot_price"] else None
    assert "bands" in [remark.rule for remark in judged(read(server, rows)).refused]


def test_another_currency_is_noticed(server: Replay) -> None:
    before = read(server, body("verda")).offers
    rows = body("verda")
    for row in rows:
        row["currency"] = "eur"
    parsed = read(server, rows)
    assert {offer.price.currency for offer in parsed.offers if offer.price} == {"EUR"}
    assert "currency" in [remark.rule for remark in judged(parsed, past=before).refused]
