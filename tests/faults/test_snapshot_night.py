"""`gpurent snapshot` against providers on this machine: one bad answer is named and kept out, the others are kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpurent.adapters import registry
from gpurent.cli import app, paths
from gpurent.cli import snapshot as command
from gpurent.snapshots.current import current_offers, rates
from tests.faults.replay import Replay, Reply, hurried, replaying
from tests.shared import ROOT

NAMES = ("runpod", "lambda", "verda")
VERDA = ("api.verda.com", "/v1/instance-types")
BANK = (
    "data-api.ecb.europa.eu",
    "/service/data/EXR/D.USD+CNY+GBP+JPY+INR+KRW+SGD+HKD+CHF+SEK+NOK+DKK+PLN+CAD+AUD.EUR.SP00.A",
)
SECRET = "key-of-the-tests-0123456789"
TODAY = datetime.now(UTC).date()

Night = Callable[[], tuple[int, dict[str, dict[str, Any]]]]


def rows_of_verda() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((ROOT / "fixtures/verda/normal.json").read_text(encoding="utf-8"))
    return rows


@pytest.fixture
def server() -> Iterator[Replay]:
    with replaying() as running:
        body = json.loads((ROOT / "fixtures/runpod/normal.json").read_text(encoding="utf-8"))
        running.json("api.runpod.io", "/graphql", body)
        running.answer("lambda.ai", "/pricing", Reply((ROOT / "fixtures/lambda/normal.html").read_bytes()))
        running.json(*VERDA, rows_of_verda())
        text = f"CURRENCY,TIME_PERIOD,OBS_VALUE\r\nUSD,{TODAY},1.2\r\nCNY,{TODAY},8.4\r\n"
        running.answer(*BANK, Reply(text.encode()))
        yield running


@pytest.fixture
def night(server: Replay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Night:
    known = registry.load()
    few = registry.Registry({name: hurried(known.adapters[name], deadline_s=5.0) for name in NAMES})
    monkeypatch.setattr(registry, "load", lambda: few)
    monkeypatch.setenv("GPURENT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("GPURENT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("RUNPOD_API_KEY", SECRET)
    environ = {"RUNPOD_API_KEY": SECRET}
    monkeypatch.setattr(command, "_network", lambda: server.network(environ=environ))

    def run() -> tuple[int, dict[str, dict[str, Any]]]:
        code = app.run(["snapshot", "-o", "json", "--lang", "en"])
        said = capsys.readouterr()
        assert SECRET not in said.out + said.err
        return code, {row["provider"]: row for row in json.loads(said.out)["providers"]}

    return run


def test_a_good_night(night: Night, tmp_path: Path) -> None:
    code, ended = night()
    assert code == 0
    assert {name: row["status"] for name, row in ended.items()} == dict.fromkeys((*NAMES, "ecb"), "kept")
    offers, sources = current_offers(paths.history())
    assert set(sources) == set(NAMES)
    assert len(offers) == sum(ended[name]["offers"] for name in NAMES)
    assert rates(paths.history()).per_eur("USD", TODAY) == (Decimal("1.2"), TODAY)
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in kept if SECRET.encode() in path.read_bytes()]
    assert {path.stat().st_mode & 0o077 for path in kept} == {0}


def test_prices_ten_times_as_high_are_kept_out(night: Night, server: Replay) -> None:
    night()
    before = {offer.offer_id: offer.price for offer in current_offers(paths.history())[0]}
    rows = [{**row, "price_per_hour": str(float(row["price_per_hour"]) * 10)} for row in rows_of_verda()]
    server.json(*VERDA, rows)
    code, ended = night()
    assert code == 4
    assert {name: row["status"] for name, row in ended.items()} == {
        "runpod": "kept", "lambda": "kept", "ecb": "kept", "verda": "refused",
    }  # fmt: skip
    assert {"bands", "median"} <= {remark["rule"] for remark in ended["verda"]["remarks"]}
    assert {offer.offer_id: offer.price for offer in current_offers(paths.history())[0]} == before


def test_an_empty_list_is_no_mass_extinction(night: Night, server: Replay) -> None:
    night()
    count = len(current_offers(paths.history())[0])
    server.json(*VERDA, [])
    code, ended = night()
    assert code == 4
    assert ended["verda"]["status"] in ("refused", "failed")
    assert len(current_offers(paths.history())[0]) == count


def test_a_bank_that_is_down_stops_nothing(night: Night, server: Replay) -> None:
    server.answer(*BANK, Reply(status=503))
    code, ended = night()
    assert code == 0
    assert ended["ecb"]["status"] == "failed"


def test_a_server_that_is_down_is_named_and_the_others_kept(night: Night, server: Replay) -> None:
    server.answer(*VERDA, Reply(status=500))
    code, ended = night()
    assert code == 4
    assert ended["verda"]["remarks"][0]["subject"].startswith("answered 500")
    assert set(current_offers(paths.history())[1]) == {"runpod", "lambda"}
