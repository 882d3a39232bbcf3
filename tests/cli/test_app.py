"""How every command ends: codes, three lines, nothing but data on stdout, nothing heavy before it is needed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gpurent.cli import app

HEAD = "provider,gpu,gpu_count,vcpus,ram_gib,price_per_hour,observed_at\n"
GOOD = "somebody,RTX 4090,1,16,64,0.5,2026-11-01\n"


@pytest.fixture(autouse=True)
def _quiet_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GPURENT_DATA_DIR", "GPURENT_CACHE_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = app.run(list(words))
    said = capsys.readouterr()
    return code, said.out, said.err


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    code, out, err = run(capsys, *words, "-o", "json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def three_lines(err: str) -> list[str]:
    lines = err.strip().splitlines()
    at = next(place for place, line in enumerate(lines) if line.startswith("gpurent: "))
    assert lines[at + 1].startswith("  value: ")
    assert lines[at + 2].startswith("  do: ")
    assert len(lines) == at + 3
    assert "Traceback" not in err
    return lines[at:]


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from gpurent.cli import app; assert app.run(['--help']) == 0;"
        "heavy = ('pandas', 'numpy', 'httpx', 'bs4', 'jinja2', 'pydantic', 'rich', 'sqlite3', 'duckdb');"
        "print(*(name for name in heavy if name in sys.modules), file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stderr.strip() == ""
    assert "compare" in ran.stdout


@pytest.mark.parametrize("command", [name for name in app.COMMANDS if name not in app.GROUPS])
def test_every_command_has_three_examples_in_its_help(capsys: pytest.CaptureFixture[str], command: str) -> None:
    code, out, _ = run(capsys, command, "--help")
    assert code == 0
    assert sum(line.strip().startswith(("gpurent ", "pbpaste")) for line in out.splitlines()) >= 3


@pytest.mark.parametrize(
    "words",
    [
        ["compare"],
        ["compare", "-w", "bert-larg"],
        ["compare", "-w", "bert-large", "--gpu", "rtx-9990"],
        ["compare", "-w", "bert-large", "--provider", "lamda"],
        ["compare", "-w", "bert-large", "--currency", "XYZ"],
        ["compare", "-w", "bert-large", "--set", "batchsize=3"],
        ["compare", "-w", "bert-large", "--set", "batch=-3"],
        ["compare", "-w", "bert-large", "--precision", "int4"],
        ["compare", "-w", "bert-large", "--anchor", "rtx-3090=fast"],
        ["compare", "-w", "bert-large", "--anchor", "nothing=5"],
        ["compare", "-w", "bert-large", "--assume", "vcpu=8"],
        ["compare", "-w", "bert-large", "--assume", "vcpus=-8"],
        ["compare", "-w", "bert-large", "--count", "8..2"],
        ["compare", "-w", "bert-large", "--min-vram", "-1"],
        ["compare", "-w", "bert-large", "--nodes", "0"],
        ["compare", "-w", "bert-large", "--batch", "0"],
        ["compare", "-w", "bert-large", "--top", "0"],
        ["compare", "-w", "bert-large", "--explain", "99999"],
        ["compare", "-w", "bert-large", "--explain", "1", "--against", "mine"],
        ["compare", "-w", "bert-large", "--against", "1"],
        ["compare", "-w", "bert-large", "--fx-date", "soon"],
        ["compare", "-w", "bert-large", "--offers", "/nowhere.csv"],
        ["compare", "-w", "bert-large", "--offers", "/"],
        ["compare", "-w", "/nowhere.toml"],
        ["compare", "-w", "bert-large", "--output", "xml"],
        ["compare", "-w", "bert-large", "--lang", "fr"],
        ["nonsense"],
        ["offers", "--region"],
    ],
)
def test_wrong_words_end_with_three_lines_and_two(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    code, out, err = run(capsys, *words)
    assert code == 2, err
    assert out == ""
    three_lines(err)


def test_a_near_name_is_offered(capsys: pytest.CaptureFixture[str]) -> None:
    assert "bert-large" in three_lines(run(capsys, "compare", "-w", "bert-larg")[2])[2]
    assert "lambda" in three_lines(run(capsys, "compare", "-w", "bert-large", "--provider", "lamda")[2])[2]


def test_escapes_in_a_value_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, err = run(capsys, "compare", "-w", "\x1b[31mbert\u202e")
    assert "\x1b" not in err
    assert "\u202e" not in err


def test_a_partly_bad_file_gives_its_good_rows_and_four(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "offers.csv"
    path.write_text(
        HEAD + GOOD + "somebody,RTX 4090,0,16,64,0.5,2026-11-01\nx,RTX 3090,1,8,32,call us,\n", encoding="utf-8"
    )
    code, out, err = run(capsys, "compare", "-w", "bert-large", "--offers", str(path), "-o", "json")
    assert code == 4
    assert [row["gpu"] for row in json.loads(out)["rows"]] == ["rtx-4090"]
    assert "line 3, gpu_count" in err
    assert "call us" in err


def test_an_empty_ranking_says_which_filter_removed_what(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "compare", "-w", "bert-large", "--gpu", "h100*", "--max-usd-per-hour", "0.01")
    assert code == 3
    lines = three_lines(err)
    assert "filtered:max-usd-per-hour" in lines[0]
    assert "filtered:gpu" in lines[0]


def test_max_age_leaves_out_and_ends_with_four(capsys: pytest.CaptureFixture[str]) -> None:
    ages = sorted(row["age_days"] for row in answer(capsys, "compare", "-w", "bert-large")["rows"])
    middle = ages[len(ages) // 2]
    code, out, _ = run(capsys, "compare", "-w", "bert-large", "--max-age", str(middle + 0.5), "-o", "json")
    assert code == 4
    found = json.loads(out)
    assert found["rows"]
    assert all(row["age_days"] <= middle + 0.5 for row in found["rows"])
    assert any(entry["reason"] == "too-old" for entry in found["dropped"])


def test_a_closed_pipe_ends_quietly() -> None:
    ran = subprocess.run(
        f"{sys.executable} -m gpurent compare -w bert-large -o json | head -c 100 >/dev/null; echo ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == "0"
    assert "Traceback" not in ran.stderr


def test_a_closed_standard_input_is_said() -> None:
    ran = subprocess.run(
        f"{sys.executable} -m gpurent compare -w bert-large --offers - <&-",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 2
    three_lines(ran.stderr)


def test_a_fault_of_ours_is_seventy_and_asks_for_a_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("gpurent.workloads.load", broken)
    code, _, err = run(capsys, "compare", "-w", "bert-large")
    assert code == 70
    assert "report" in three_lines(err)[2]
    with pytest.raises(RuntimeError):
        app.run(["compare", "-w", "bert-large", "--debug"])


def test_quiet_says_nothing_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "compare", "-w", "bert-large", "--quiet", "--top", "1")[2] == ""


@pytest.mark.parametrize("output", ["csv", "ndjson", "markdown"])
def test_machine_output_is_whole_and_one_line_a_row(capsys: pytest.CaptureFixture[str], output: str) -> None:
    whole = len(answer(capsys, "compare", "-w", "bert-large")["rows"])
    _, out, _ = run(capsys, "compare", "-w", "bert-large", "-o", output)
    lines = out.strip().splitlines()
    assert len(lines) == whole + {"csv": 1, "ndjson": 0, "markdown": 2}[output]


def test_offers_as_csv_feed_compare_unchanged(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "o.csv"
    _, out, _ = run(capsys, "offers", "-o", "csv")
    path.write_text(out, encoding="utf-8")
    direct = answer(capsys, "compare", "-w", "bert-large")
    again = answer(capsys, "compare", "-w", "bert-large", "--offers", str(path))
    same = [key for key in direct["rows"][0] if key != "age_days"]
    assert [[row[key] for key in same] for row in again["rows"]] == [
        [row[key] for key in same] for row in direct["rows"]
    ]


def test_settings_come_from_flags_then_environment_then_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "xdg_config_home" / "gpurent"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[compare]\nworkload = "resnet50"\nprecision = "fp32"\n', encoding="utf-8")
    monkeypatch.setattr("gpurent.cli.settings.folder", lambda: folder)
    assert answer(capsys, "compare")["options"]["precision"] == "fp32"
    monkeypatch.setenv("GPURENT_PRECISION", "tf32")
    assert answer(capsys, "compare")["options"]["precision"] == "tf32"
    assert answer(capsys, "compare", "--precision", "amp")["options"]["precision"] == "amp"
    (folder / "config.toml").write_text("[compare]\nprecisoin = 3\n", encoding="utf-8")
    assert "precision" in three_lines(run(capsys, "compare", "-w", "resnet50")[2])[2]
    (folder / "config.toml").write_text("[compare\n", encoding="utf-8")
    assert run(capsys, "compare", "-w", "resnet50")[0] == 2


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["--min-vram", "abc"], "abc"),
        (["--nodes=1.5"], "1.5"),
        (["--gpu", "a100:banana:8"], "a100:banana:8"),
        (["--gpu", "a100:80GB:0"], "a100:80GB:0"),
        (["--gpu", "a100:80GB:8:9"], "a100:80GB:8:9"),
        (["--gpu", "a100:NaNGB"], "a100:NaNGB"),
        (["--gpu", ",,"], ",,"),
        (["--count", "1.5"], "1.5"),
        (["--vcpus=-1"], "-1"),
        (["--anchor", "2x rtx-3090=90"], "2x rtx-3090=90"),
        (["--mine", "nope.csv"], "nope.csv"),
        (["--precision", "fp8"], "fp8"),
    ],
)
def test_the_offending_value_is_named(capsys: pytest.CaptureFixture[str], words: list[str], value: str) -> None:
    code, _, err = run(capsys, "compare", "-w", "bert-large", *words)
    assert code == 2
    assert three_lines(err)[1] == f"  value: {value}"


def test_bare_words_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["gpus"]):
        code, out, err = run(capsys, *words)
        assert (code, err) == (0, "")
        assert "Usage: gpurent" in out


def test_a_full_disk_is_said_and_is_no_fault_of_ours() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    command = f"{sys.executable} -m gpurent compare -w bert-large --quiet"
    full = subprocess.run(f"{command} > /dev/full", shell=True, capture_output=True, text=True)
    assert full.returncode == 4
    assert "could not be written" in three_lines(full.stderr)[0]
    for closed in (">&-", "2>&-", "2>/dev/full >/dev/null"):
        assert subprocess.run(f"{command} {closed}", shell=True, capture_output=True).returncode == 0


def test_nodes_are_paid_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "o.csv"
    path.write_text(
        "provider,gpu,price_per_hour,gpu_count,fabric\nb,A100 SXM 80GB,16,8,InfiniBand\nc,A100 SXM 80GB,16,8,\n",
        encoding="utf-8",
    )
    rows = {}
    for nodes in ("1", "2"):
        found = answer(capsys, "compare", "-w", "bert-large", "--offers", str(path), "--nodes", nodes)
        rows[nodes] = found["rows"][0]
        assert [entry["reason"] for entry in found["dropped"]] == ([] if nodes == "1" else ["no-rate"])
    assert rows["2"]["usd_per_hour"] == rows["1"]["usd_per_hour"] == 16
    assert rows["2"]["samples_per_s"] < 2 * rows["1"]["samples_per_s"]
    assert rows["2"]["cost_per_epoch_usd"] > rows["1"]["cost_per_epoch_usd"]


def test_a_profile_alone_is_a_slice_and_a_count_in_the_text_counts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "o.csv"
    path.write_text(
        "provider,sku,gpu,gpu_count,share_profile,price_per_hour\n"
        "p,whole,A100 40GB,,,1\np,mig,A100 40GB,,3g.20gb,1\np,part,A10,,1/6,1\np,odd,A100 40GB,,strange,1\n"
        "p,eight,8x A100 SXM 80GB,,,8\np,one,8x A100 SXM 80GB,1,,8\n",
        encoding="utf-8",
    )
    found = answer(capsys, "compare", "-w", "bert-base", "--offers", str(path), "--include-dropped")
    rows = {row["sku"]: row for row in found["rows"]}
    assert {name: rows[name]["gpu_share"] for name in rows} == {
        "whole": "whole", "mig": "mig", "part": "vgpu", "odd": "unknown", "eight": "whole", "one": "whole",
    }  # fmt: skip
    assert rows["mig"]["samples_per_s"] < 0.7 * rows["whole"]["samples_per_s"]
    assert rows["odd"]["rank"] is None
    assert rows["eight"]["gpu_count"] == 8
    assert "count-contradicted" in rows["one"]["warnings"]
