"""`gpurent workloads`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpurent import workloads
from gpurent.cli.app import run


def test_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["workloads", "list", "-o", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["schema"] == "gpurent.workloads/1"
    rows = {row["name"]: row for row in answer["workloads"]}
    assert tuple(rows) == workloads.names()
    assert rows["resnet50"]["samples_per_epoch"] == 1281167
    assert "transformer-xl" in rows["transformer-xl-base"]["aliases"]
    assert (rows["bert-large"]["rates"], rows["yolov8m"]["rates"]) == ("measured", "assumed")


@pytest.mark.parametrize("output", ["table", "csv", "ndjson", "markdown"])
def test_list_in_other_forms(capsys: pytest.CaptureFixture[str], output: str) -> None:
    assert run(["workloads", "list", "-o", output]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in workloads.names())


def test_list_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["workloads", "list", "--lang", "zh"]) == 0
    assert "微调" in capsys.readouterr().out


def test_show_says_what_was_assumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name="m"\nsample="image"\nsamples_per_epoch=5\nepochs=1\nbytes_per_sample=9\nbatch=1\n')
    assert run(["workloads", "show", str(path)]) == 0
    text = capsys.readouterr().out
    assert "pillow" in text
    assert "assumed" in text
    assert "--anchor" in text
    assert run(["workloads", "show", str(path), "-o", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["workloads"]
    assert row["assumed"] == {"pipeline": "pillow", "read": "files"}


def test_show_with_an_override(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["workloads", "show", "resnet50", "--set", "pipeline=dali", "-o", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["workloads"]
    assert (row["pipeline"], row["prep_ms_per_sample"], row["dataset_bytes"]) == ("dali", 3.7, 146900000000)


def test_new_prints_a_file_that_loads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["workloads", "new"]) == 0
    path = tmp_path / "new.toml"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    assert run(["workloads", "show", str(path)]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "bert-larg"], "bert-large"),
        (["show", "no/such.toml"], "no/such.toml"),
        (["show", "bert-large", "--set", "batch=-1"], "-1"),
        (["show", "bert-large", "--set", "bacth=1"], "batch"),
    ],
)
def test_errors_are_three_lines(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert run(["workloads", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 3
    assert said in err
