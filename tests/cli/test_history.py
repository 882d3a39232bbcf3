"""snapshot, history, diff, cheapest, runs, verify, prune, export: from kept answers to exit codes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from gpurent.adapters import captures
from gpurent.adapters.contract import Part, Raw
from gpurent.cli import app, paths
from gpurent.snapshots import keep, store
from gpurent.snapshots.collection import Remark, Verdict
from tests.shared import ROOT
from tests.snapshots.making import answer, keep_night, offer

NOW = (datetime.now(UTC) - timedelta(days=1)).replace(hour=12, minute=0, second=0, microsecond=0)
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("GPURENT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("GPURENT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("GPURENT_LANG", "en")

    def call(*words: str) -> tuple[int, str, str]:
        code = app.run(list(words))
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return code, said.out, said.err

    return call


@pytest.fixture
def replay(tmp_path: Path) -> Callable[..., str]:
    """A folder of kept answers of Verda, given some days ago; `times` changes every price in it."""

    def made(days_ago: int, times: str = "", body: bytes | None = None) -> str:
        folder = tmp_path / f"replay-{days_ago}-{times}"
        whole = body if body is not None else (ROOT / "fixtures" / "verda" / "normal.json").read_bytes()
        if times:
            rows = json.loads(whole)
            for row in rows:
                row["price_per_hour"] = str(float(row["price_per_hour"]) * float(times))
            whole = json.dumps(rows).encode()
        part = Part("normal", "https://api.verda.com/v1/instance-types", whole, NOW - timedelta(days=days_ago))
        captures.keep(Raw("verda", (part,), True), folder)
        return str(folder)

    return made


@pytest.fixture
def month(run: Run) -> Path:
    """A history of a month: an A100 that gets cheaper, a 4090 that does not."""
    path = paths.made(paths.data_dir()) / store.FILE_NAME
    with closing(store.open_to_write(path)) as db:
        for day in range(30):
            offers = [offer("a", f"{3 - day / 20:.2f}"), offer("b", "0.40", gpu="RTX 4090", region="eu")]
            keep_night(db, offers, NOW - timedelta(days=30 - day))
    return path


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_night_is_kept_and_compare_uses_it(run: Run, replay: Any, tmp_path: Path) -> None:
    code, out, err = run("snapshot", "--replay", replay(1), "-o", "json", "--out", str(tmp_path / "offers.csv"))
    assert code == 0
    summary = json.loads(out)
    assert summary["schema"] == "gpurent.snapshot/1"
    assert (summary["kept"], summary["refused"], summary["failed"]) == (1, 0, 0)
    (provider,) = summary["providers"]
    assert (provider["provider"], provider["status"], provider["complete"]) == ("verda", "kept", True)
    assert "verda: kept" in err
    assert len(rows((tmp_path / "offers.csv").read_text())) == provider["offers"] > 5
    code, out, _ = run("offers", "-o", "json")
    assert code == 0
    assert json.loads(out)["data"]["source"] == "collected"
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_a_refused_night_exits_4_and_can_be_accepted(run: Run, replay: Any) -> None:
    assert run("snapshot", "--replay", replay(2))[0] == 0
    code, out, err = run("snapshot", "--replay", replay(1, "0.3"), "-o", "csv")
    assert code == 4
    assert rows(out)[0]["status"] == "refused"
    assert "--accept" in err
    code, out, _ = run("runs", "--last", "1")
    assert code == 0
    assert "refused" in out
    assert run("snapshot", "--accept", "verda")[0] == 0
    code, _, err = run("snapshot", "--accept", "verda")
    assert code == 1
    assert err.startswith("gpurent: nothing of this provider waits")


def test_a_failed_provider_exits_4_with_its_reason(run: Run, replay: Any) -> None:
    code, out, err = run("snapshot", "--replay", replay(1, body=b"<html>busy</html>"), "-o", "json")
    assert code == 4
    assert json.loads(out)["failed"] == 1
    assert "verda: failed" in err
    assert "shape changed" in err


@pytest.mark.parametrize(
    ("words", "code", "value"),
    [
        (["snapshot", "--provider", "nobody"], 2, "nobody"),
        (["snapshot", "--replay", "/nowhere"], 2, "/nowhere"),
        (["snapshot", "--accept", "x", "--provider", "verda"], 2, "x"),
        (["snapshot", "--provider", "tencent"], 2, "tencent"),  # not official
        (["snapshot", "--replay", str(ROOT / "fixtures")], 2, "fixtures"),  # bodies of tests, no kept answers
        (["history"], 3, "history.sqlite"),
        (["diff"], 3, "history.sqlite"),
        (["verify"], 3, "history.sqlite"),
        (["export", "--parquet", "x"], 3, "history.sqlite"),
        (["prune", "--captures", "soon"], 2, "soon"),
    ],
)
def test_what_cannot_be_done_is_three_lines(run: Run, words: list[str], code: int, value: str) -> None:
    ended, out, err = run(*words)
    assert (ended, out) == (code, "")
    lines = err.strip().splitlines()
    assert [line[:4] for line in lines[-3:]] == ["gpur", "  va", "  do"]
    assert value in lines[-2]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["history", "--since", "yesterday"], 2),
        (["history", "--by", "colour"], 2),
        (["history", "--gpu", "rtx-9999"], 2),
        (["history", "--provider", "clout"], 2),
        (["history", "--region", "mars"], 3),
        (["history", "zzz"], 3),
        (["history", "--since", "2026-01-02", "--until", "2026-01-01"], 2),
        (["history", "--since", "99999y"], 2),
        (["history", "--since", "0001-01-01T00:00+05:00"], 2),
        (["history", "--since", "2026-W48"], 2),
        (["history", "--on", "2020-01-01"], 3),
        (["diff", "2020-01-01"], 3),
        (["diff", "#2", "#1"], 2),
        (["diff", "1d", "9d"], 2),
        (["diff", "#99"], 3),
        (["cheapest", "--below", "-1"], 2),
        (["runs", "--last", "0"], 2),
    ],
)
def test_bad_questions_are_told_by_code(run: Run, month: Path, words: list[str], code: int) -> None:
    ended, out, _ = run(*words)
    assert (ended, out) == (code, "")


def test_prices_over_time(run: Run, month: Path) -> None:
    code, out, _ = run("history", "--gpu", "a100*", "-o", "json")
    assert code == 0
    found = json.loads(out)
    assert found["unit"] == "usd_per_gpu_hour"
    assert len(found["rows"]) >= 32  # every day until today, as it was known
    first, last = found["rows"][0], found["rows"][-1]
    assert (first["lowest_usd_per_gpu_hour"], last["lowest_usd_per_gpu_hour"]) == (3.0, 1.55)
    assert (first["n"], first["card"], first["cheapest_provider"]) == (1, "a100-sxm-80gb", "cloud")
    code, out, _ = run("history", "--by", "card,region")
    assert code == 0
    assert "█" in out
    assert "-48.3 %" in out
    code, out, _ = run("history", "--on", f"{NOW - timedelta(days=20):%Y-%m-%d}", "--gpu", "a100*")
    assert out.splitlines()[2].split() == [
        "card",
        *["offers", "lowest", "USD/GPU-h", "median", "USD/GPU-h", "id", "provider", "of", "the", "lowest"],
    ]
    assert out.splitlines()[3].split()[1:4] == ["1", "2.50", "2.50"]
    code, out, _ = run("history", "--on", f"{NOW - timedelta(days=20):%Y-%m-%d}", "--gpu", "a100*", "-o", "csv")
    assert [row["lowest_usd_per_gpu_hour"] for row in rows(out)] == ["2.5"]


def test_cost_per_epoch_over_time(run: Run, month: Path) -> None:
    code, out, _ = run("history", "-w", "bert-large", "--gpu", "a100*", "-o", "csv")
    assert code == 0
    costs = [float(row["lowest_cost_per_epoch_usd"]) for row in rows(out)]
    assert costs[0] / costs[-1] == pytest.approx(3.0 / 1.55, rel=0.02)


def test_one_offer_s_history(run: Run, month: Path) -> None:
    code, out, _ = run("history", offer("b", gpu="RTX 4090", region="eu").offer_id, "-o", "csv")
    assert code == 0
    (span,) = rows(out)
    assert (span["price"], span["ended"]) == ("0.40", "")
    _, out, _ = run("history", offer("b", gpu="RTX 4090", region="eu").offer_id[:6], "--lang", "zh")
    assert "0.40 USD/hour" in out
    assert "未说明" in out


def test_differences(run: Run, month: Path) -> None:
    code, out, err = run("diff", "-o", "csv")
    assert code == 0
    assert [(row["change"], row["before"], row["after"]) for row in rows(out)] == [("cheaper", "1.6", "1.55")]
    assert "cheaper 1" in err
    assert len(rows(run("diff", "#1", "#30", "-o", "csv")[1])) == 1
    assert rows(run("diff", "--gpu", "rtx-4090", "-o", "csv")[1]) == []


def test_a_card_that_is_gone_has_no_price_now(run: Run, month: Path) -> None:
    with closing(store.open_to_write(month)) as db:
        keep_night(db, [offer("a", "1.55")], NOW)
    _, out, _ = run("history", "--gpu", "rtx-4090")
    card, offers, first, lowest, _, now, median, change, *_ = out.splitlines()[3].split()
    assert (card, offers, first, lowest, now, median, change) == ("rtx-4090", "0", "0.400", "0.400", "–", "–", "–")
    _, _, err = run("diff")
    assert "gone 1" in err


@pytest.mark.parametrize("folder", ["~nobody-of-this-name/x", "x" * 300])
@pytest.mark.parametrize("command", ["runs", "compare -w bert-large", "snapshot --replay /"])
def test_a_folder_that_cannot_be_is_told(run: Run, monkeypatch: pytest.MonkeyPatch, folder: str, command: str) -> None:
    monkeypatch.setenv("GPURENT_DATA_DIR", folder)
    code, out, err = run(*command.split())
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 3


def test_cheapest_for_scripts(run: Run, month: Path) -> None:
    code, out, _ = run("cheapest", "--gpu", "a100*", "--since", "7d", "--below", "1.60", "-o", "json")
    assert code == 0
    (row,) = json.loads(out)["rows"]
    assert (row["usd_per_gpu_hour"], row["percent_above"]) == (1.55, 0.0)
    assert run("cheapest", "--gpu", "a100*", "--since", "7d", "--below", "1.55")[0] == 3
    code, out, _ = run("cheapest")
    assert code == 0
    assert "lowest USD/GPU-h" in out


def test_verify_says_whole_and_exits_1_on_any_difference(run: Run, month: Path) -> None:
    code, out, err = run("verify")
    assert (code, out) == (0, "")
    assert "30 collections" in err
    with closing(store.open_to_write(month)) as db:
        db.execute("UPDATE span SET amount = '0.01' WHERE id = 2")
    code, out, _ = run("verify", "-o", "json")
    assert code == 1
    assert json.loads(out)["whole"] is False


def test_pruned_answers_are_not_missed(run: Run, replay: Any, tmp_path: Path) -> None:
    for days in (40, 1):
        assert run("snapshot", "--replay", replay(days))[0] == 0
    manifests = tmp_path / "cache" / "verda"
    assert len(list(manifests.iterdir())) == 2
    code, _, err = run("prune", "--captures", "30d")
    assert code == 0
    assert err.startswith("1 kept answers")
    assert len(list(manifests.iterdir())) == 1
    assert run("verify")[0] == 0
    next(manifests.iterdir()).unlink()
    assert run("verify")[0] == 1
    assert run("verify", "--no-captures")[0] == 0


def test_export_and_an_interrupted_run(run: Run, month: Path, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    code, out, err = run("export", "--parquet", str(tmp_path / "parquet"))
    assert (code, out) == (0, "")
    assert "30 rows" in err
    with closing(store.open_to_write(month)) as db:
        number = keep.begin_run(db, NOW, "live", "test")
        keep.refuse(db, number, answer([], NOW), Verdict((Remark("empty", "", "2", "0"),)))
    code, out, err = run("runs", "--last", "1")
    assert "no offers, 2 before" in out
    assert "interrupted" in err


def test_every_remark_has_its_sentence_in_both_languages() -> None:
    from gpurent.messages import say
    from gpurent.snapshots import gate

    others = {
        "first",
        "band",
        "held-twice",
        "spot-above",
        "accepted-twice",
        "accepted-by-hand",
        "failed",
        "trouble",
        "rates",
    }
    for rule in gate.REFUSALS | others:
        said = {say(f"gate.{rule}", lang, subject="SUBJECT", before="BEFORE", now="NOW") for lang in ("en", "zh")}
        assert all(said)


def test_folders_come_from_their_variables_then_from_a_service() -> None:
    service = {"STATE_DIRECTORY": "/var/lib/gpurent:/var/lib/other", "CACHE_DIRECTORY": "/var/cache/gpurent"}
    assert paths.data_dir(service) == Path("/var/lib/gpurent")
    assert paths.cache_dir(service) == Path("/var/cache/gpurent")
    assert paths.data_dir({**service, "GPURENT_DATA_DIR": "/here"}) == Path("/here")
    assert paths.cache_dir({**service, "GPURENT_CACHE_DIR": "/here"}) == Path("/here")
    assert paths.history({"GPURENT_DATA_DIR": "/here"}) == Path("/here/history.sqlite")


def test_compare_names_the_provider_whose_last_night_was_no_use(run: Run, month: Path) -> None:
    with closing(store.open_to_write(month)) as db:
        number = keep.begin_run(db, NOW, "live", "test")
        keep.fail(db, number, answer([], NOW), "answered 503")
    code, out, err = run("compare", "-w", "bert-large", "-o", "json")
    assert code == 0
    assert "cloud: prices are of" in err
    assert "failed" in err
    (provider,) = json.loads(out)["data"]["providers"]
    assert provider["collected_at"].startswith(f"{NOW - timedelta(days=1):%Y-%m-%d}")


def test_compare_converts_with_the_rate_of_the_night(run: Run, month: Path) -> None:
    from gpurent.fx import EcbDay

    with closing(store.open_to_write(month)) as db:
        number = keep.begin_run(db, NOW, "live", "test")
        day = NOW.date()
        keep.keep_rates(
            db, number, answer([], NOW, provider="ecb"), [EcbDay(day, "USD", "1.0"), EcbDay(day, "CNY", "5.0")]
        )
        keep_night(db, [offer("c", "10", currency="CNY", provider="yuan")], NOW, provider="yuan")
    _, out, _ = run("compare", "-w", "bert-large", "--provider", "yuan", "-o", "json")
    assert json.loads(out)["rows"][0]["usd_per_hour"] == 2.0
