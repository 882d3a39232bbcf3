"""The files for a nightly run are well formed, and their commands run, with the programs they call stood in for."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

from gpurent.cli import app
from tests.shared import ROOT

FILES = ROOT / "docs" / "nightly"
PAGE = (ROOT / "docs" / "nightly.md").read_text(encoding="utf-8")


def unit(name: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(FILES / name, encoding="utf-8")
    return parser


def commands(text: str) -> list[str]:
    """The gpurent commands named in a text."""
    return re.findall(r"(?:`|^ +|bin/|; |code=0\n +)gpurent ([a-z]+)\b", text, re.MULTILINE)


@pytest.fixture
def stand_ins(tmp_path: Path) -> dict[str, str]:
    """An environment whose gpurent, gh and python write down how they were called; snapshot ends with `CODE`."""
    folder = tmp_path / "home" / ".local" / "bin"
    folder.mkdir(parents=True)
    for name in ("gpurent", "gh", "python"):
        script = folder / name
        script.write_text(
            "#!/bin/sh\n"
            f'echo "{name} $*" >>"$CALLS"\n'
            '[ "$1" = snapshot ] && touch "${GPURENT_DATA_DIR:-.}/history.sqlite" && exit "${CODE:-0}"\n'
            'case "$*" in *"| last"*) echo "$NEWEST";; *":-14"*) [ -z "$OLD" ] || echo "$OLD";; esac\n'
            "exit 0\n"
        )
        script.chmod(0o755)
    return {
        "HOME": str(tmp_path / "home"), "PATH": f"{folder}:{os.environ['PATH']}", "CALLS": str(tmp_path / "calls"),
        "GPURENT_DATA_DIR": str(tmp_path / "data"), "GITHUB_OUTPUT": str(tmp_path / "output"), "OLD": "", "NEWEST": "",
    }  # fmt: skip


def called(environment: dict[str, str]) -> list[str]:
    path = Path(environment["CALLS"])
    return path.read_text().splitlines() if path.exists() else []


def test_the_timer_starts_the_service_at_night_and_makes_up_for_missed_ones() -> None:
    timer, service = unit("gpurent-snapshot.timer"), unit("gpurent-snapshot.service")
    assert timer["Timer"]["Persistent"] == "true"
    assert re.fullmatch(r"\*-\*-\* 0[0-5]:[0-5]\d:00", timer["Timer"]["OnCalendar"])
    assert timer["Timer"]["RandomizedDelaySec"]
    assert service["Service"]["Type"] == "oneshot"
    assert service["Service"]["ExecStart"].endswith("gpurent snapshot --output json")
    assert service["Service"]["UMask"] == "0077"
    assert (FILES / "gpurent-snapshot.timer").stem == (FILES / "gpurent-snapshot.service").stem


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_has_no_complaint(tmp_path: Path) -> None:
    for name in ("gpurent-snapshot.service", "gpurent-snapshot.timer"):
        text = (FILES / name).read_text(encoding="utf-8").replace("%h/.local/bin/gpurent", "/bin/true")
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *map(str, sorted(tmp_path.iterdir()))],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def cron_lines() -> list[tuple[str, str]]:
    lines = (FILES / "crontab").read_text(encoding="utf-8").splitlines()
    return [(" ".join(line.split()[:5]), line.split(maxsplit=5)[5]) for line in lines if line and line[0] != "#"]


def test_cron_lines_have_five_fields_and_no_percent_sign() -> None:
    assert [when for when, _ in cron_lines()] == ["17 3 * * *", "47 3 * * 0", "52 3 1 * *"]
    assert not any("%" in command for _, command in cron_lines())  # cron reads it as a new line


@pytest.mark.parametrize(("code", "said"), [("0", ""), ("4", "gpurent snapshot ended with 4")])
def test_cron_s_command_is_silent_unless_something_failed(stand_ins: dict[str, str], code: str, said: str) -> None:
    Path(stand_ins["GPURENT_DATA_DIR"]).mkdir()
    _, command = cron_lines()[0]
    done = subprocess.run(
        ["/bin/sh", "-c", command], env={**stand_ins, "CODE": code}, capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith(said)
    assert bool(done.stdout) == bool(said)
    assert done.stderr == ""
    assert called(stand_ins) == ["gpurent snapshot --output json"]


def workflow_steps() -> dict[str, str]:
    """The shell of each named step."""
    text = (FILES / "github-actions.yml").read_text(encoding="utf-8")
    found = re.findall(r"      - name: (.+)\n(?:        id: .+\n)?        run: \|\n((?:          .*\n)+)", text)
    return {name: textwrap.dedent(script) for name, script in found}


def run_step(name: str, environment: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    script = workflow_steps()[name].replace("${{ steps.snapshot.outputs.code }}", environment.get("CODE", "0"))
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        env=environment, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_workflow_keeps_a_partial_night_and_then_fails(stand_ins: dict[str, str], tmp_path: Path) -> None:
    stand_ins |= {"CODE": "4", "NEWEST": "history-20261129T031700Z.sqlite", "OLD": "history-20261101T031700Z.sqlite"}
    steps = list(workflow_steps())
    assert steps == ["install", "fetch the history", "snapshot", "store the history", "say when a provider failed"]
    ended = [run_step(name, stand_ins, tmp_path) for name in steps]
    assert [one.returncode for one in ended] == [0, 0, 0, 0, 4], [one.stderr for one in ended]
    calls = called(stand_ins)
    assert "gh release download history --pattern history-20261129T031700Z.sqlite --output data/history.sqlite" in calls
    uploaded = next(place for place, call in enumerate(calls) if call.startswith("gh release upload history history-"))
    removed = calls.index("gh release delete-asset history history-20261101T031700Z.sqlite --yes")
    assert calls.index("gpurent snapshot --output json") < uploaded < removed
    assert "code=4" in Path(stand_ins["GITHUB_OUTPUT"]).read_text()


def test_the_workflow_s_first_night_has_nothing_to_download(stand_ins: dict[str, str], tmp_path: Path) -> None:
    for name in ("fetch the history", "snapshot", "store the history"):
        assert run_step(name, stand_ins, tmp_path).returncode == 0
    assert not [call for call in called(stand_ins) if "download" in call or "delete-asset" in call]


def test_every_command_the_page_and_the_files_name_exists() -> None:
    texts = [PAGE, *((path.read_text(encoding="utf-8")) for path in FILES.iterdir())]
    named = {command for text in texts for command in commands(text)}
    assert {"snapshot", "verify", "prune", "runs", "export"} <= named
    assert named <= set(app.COMMANDS)


def test_the_page_s_thresholds_are_the_gate_s() -> None:
    from gpurent import tables

    limits = tables.constants("gate")
    assert (limits["count_drop"], limits["card_median_change"], limits["band_offers"]) == (0.5, 0.4, 0.2)
    assert "less than half" in PAGE
    assert "more than 40 %" in PAGE
    assert "more than a fifth" in PAGE
    assert (limits["median_offers_marketplace"], limits["clock_back"]) == (5, 600)
    assert "five listings" in PAGE
    assert "ten minutes" in PAGE
