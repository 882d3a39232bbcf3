"""`gpurent providers`: the list, saved answers read offline, and one asked live against a server on this machine."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gpurent.adapters import captures, http, registry
from gpurent.adapters.contract import Part, Raw
from gpurent.cli import app
from tests.faults.replay import NO_WAITS, Loopback, Replay, Reply, replaying
from tests.shared import ROOT

FIXTURES = ROOT / "fixtures"


@pytest.fixture(autouse=True)
def _quiet_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GPURENT_DATA_DIR", "GPURENT_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.delenv("LAMBDA_API_KEY", raising=False)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = app.run(["providers", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code, out, err = run(capsys, *words, "-o", "json")
    assert out, err
    return code, json.loads(out)


def test_the_list_is_the_entry_points(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMBDA_API_KEY", "not-to-be-shown")
    code, said = answer(capsys, "list")
    assert (code, said["schema"], said["broken"]) == (0, "gpurent.providers/1", [])
    rows = {row["name"]: row for row in said["providers"]}
    assert list(rows) == list(registry.load().adapters)
    assert rows["lambda"]["key_present"] is True
    assert rows["lambda"]["key_variable"] == "LAMBDA_API_KEY"
    assert rows["verda"]["last_ended"] is None
    assert "not-to-be-shown" not in json.dumps(said)
    _, table, _ = run(capsys, "list")
    assert table.splitlines()[0].split()[0] == "source"


def test_a_broken_plugin_is_named_in_the_list(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = registry.load()
    broken = registry.Registry(known.adapters, (registry.Broken("bad-one", "ImportError: no such key"),))
    monkeypatch.setattr(registry, "load", lambda: broken)
    code, out, err = run(capsys, "list")
    assert code == 4
    assert "verda" in out
    assert "bad-one" in err
    assert "ImportError" in err


def test_saved_answers_become_offers(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(FIXTURES / "vultr" / f"{name}.json") for name in ("normal", "normal-metal", "normal-regions")]
    code, said = answer(capsys, "parse", "vultr", *files)
    assert (code, said["schema"], len(said["offers"])) == (0, "gpurent.offers/1", 8)
    assert said["rejected"] == [
        {"part": "normal", "path": "plans[5]", "value": "vc2-1c-1gb", "reason": "out of scope: no GPU"}
    ]
    slice_ = next(offer for offer in said["offers"] if offer["sku"] == "vcg-a100-6c-60g-40vram")
    assert (slice_["gpu_share"], slice_["gpu_memory_gib"], slice_["price_per_hour"]) == ("vgpu", 40, "1.199")


def test_parsed_csv_is_an_offers_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, out, _ = run(capsys, "parse", "verda", str(FIXTURES / "verda/normal.json"), "-o", "csv")
    (tmp_path / "offers.csv").write_text(out, encoding="utf-8")
    code = app.run(["offers", "--offers", str(tmp_path / "offers.csv"), "-o", "json"])
    assert code == 0
    assert len(json.loads(capsys.readouterr().out)["offers"]) == 8


def test_bad_rows_are_told_and_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.csv"
    code, out, err = run(
        capsys, "parse", "verda", str(FIXTURES / "verda/worst-price.json"), "--rejects", str(wrong), "-o", "ndjson"
    )
    assert code == 4
    assert len(out.splitlines()) == 3
    assert "1 rejected: spot above on-demand" in err
    rows = list(csv.DictReader(wrong.read_text(encoding="utf-8").splitlines()))
    assert [row["path"] for row in rows] == [
        "worst-price[0].price_per_hour", "worst-price[1].spot_price", "worst-price[2].gpu.description",
        "worst-price[3].price_per_hour", "worst-price[4].price_per_hour",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "code", "what"),
    [
        (("parse", "verda", "drift.json"), 4, "price_per_hour"),
        (("parse", "verda", "not-json"), 4, "not JSON"),
        (("parse", "verda", "missing.json"), 2, "missing.json"),
        (("parse", "nobody", "drift.json"), 2, "nobody"),
        (("parse", "verda", "normal.json", "--rejects", "no/such/folder.csv"), 2, "folder.csv"),
        (("check", "nobody"), 2, "nobody"),
    ],
)
def test_what_cannot_be_done_is_three_lines(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    code: int,
    what: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("drift.json", "normal.json"):
        (tmp_path / name).write_bytes((FIXTURES / "verda" / name).read_bytes())
    (tmp_path / "not-json").write_bytes(b"\xff\xfe<html>")
    ended, out, err = run(capsys, *words)
    assert (ended, out) == (code, "")
    assert len(err.splitlines()) == 3
    assert what in err


def test_an_answer_without_offers_is_not_enough(capsys: pytest.CaptureFixture[str]) -> None:
    code, said = answer(capsys, "parse", "verda", str(FIXTURES / "verda/empty.json"))
    assert (code, said["offers"], said["rejected"]) == (3, [], [])


def test_a_capture_is_a_saved_answer(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from datetime import UTC, datetime

    body = (FIXTURES / "scaleway/normal.json").read_bytes()
    url = "https://api.scaleway.com/instance/v1/zones/nl-ams-1/products/servers"
    kept = captures.keep(Raw("scaleway", (Part("a", url, body, datetime(2026, 11, 1, tzinfo=UTC)),)), tmp_path)
    code, said = answer(capsys, "parse", "scaleway", str(kept.path))
    assert code == 0
    assert {(offer["region"], offer["observed_at"][:10]) for offer in said["offers"]} == {("nl-ams-1", "2026-11-01")}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Replay]:
    with replaying() as running:
        transport = Loopback(running.port)
        real = http.Network
        monkeypatch.setattr(http, "Network", lambda **given: real(**given, transport=transport, limits=NO_WAITS))
        yield running
        transport.shut()


def test_checking_one_live(capsys: pytest.CaptureFixture[str], server: Replay, tmp_path: Path) -> None:
    server.answer("api.verda.com", "/v1/instance-types", Reply((FIXTURES / "verda/normal.json").read_bytes()))
    code, said = answer(capsys, "check", "verda")
    assert (code, said["schema"], said["offers"], said["out_of_scope"], said["complete"]) == (
        0,
        "gpurent.check/1",
        8,
        1,
        True,
    )
    assert not list(tmp_path.iterdir()), "nothing is kept"
    _, out, err = run(capsys, "check", "verda")
    assert out.startswith("verda answered in")
    assert "1 rejected: out of scope: no GPU" in err


def test_checking_one_that_changed(capsys: pytest.CaptureFixture[str], server: Replay) -> None:
    server.answer("api.verda.com", "/v1/instance-types", Reply((FIXTURES / "verda/drift.json").read_bytes()))
    code, out, err = run(capsys, "check", "verda")
    assert (code, out) == (4, "")
    assert "price_per_hour: missing in every row" in err
    server.answer("api.verda.com", "/v1/instance-types", Reply(status=404))
    code, out, err = run(capsys, "check", "verda")
    assert (code, out) == (4, "")
    assert "answered 404" in err


def test_a_file_without_an_end_is_not_read_to_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpurent.cli.providers.MAX_FILE", 1 << 20)
    code, _, err = run(capsys, "parse", "verda", "/dev/zero")
    assert (code, "too large" in err) == (2, True)
