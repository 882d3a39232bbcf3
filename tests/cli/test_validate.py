"""`gpurent validate`: rows out, the exit code says whether the bars hold."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from gpurent.cli import app

HEADER = (
    "workload,task_detail,gpu,gpu_mem_gb,form_factor,n_gpus,precision,batch_per_gpu,throughput,source_repo_or_url\n"
)
ROW = "{workload},SQuAD fine-tune,RTX 3090,24,PCIe,1,amp,28,{rate},github.com/lambdal/deeplearning-benchmark\n"


@pytest.fixture(autouse=True)
def _places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GPURENT_DATA_DIR", "GPURENT_CACHE_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))


@pytest.fixture
def rates(tmp_path: Path) -> Path:
    path = tmp_path / "rates.csv"
    path.write_text(HEADER + ROW.format(workload="bert-large", rate=52), encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = app.run(["validate", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_file_as_json(capsys: pytest.CaptureFixture[str], rates: Path) -> None:
    code, out, _ = run(capsys, "--measurements", str(rates), "-o", "json")
    answer = json.loads(out)
    assert code == 0
    assert answer["schema"] == "gpurent.validate/1"
    assert answer["n"] == 1


def test_rows_as_csv(capsys: pytest.CaptureFixture[str], rates: Path) -> None:
    _, out, _ = run(capsys, "--measurements", str(rates), "-o", "csv")
    (row,) = csv.DictReader(io.StringIO(out))
    assert (row["workload"], row["gpu"], row["n_gpus"], row["measured"]) == ("bert-large", "rtx-3090", "1", "52.0")


def test_a_missed_bar_ends_with_1(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "rates.csv"
    path.write_text(HEADER + ROW.format(workload="bert-large", rate=500), encoding="utf-8")
    code, _, err = run(capsys, "--measurements", str(path), "--bar", "-o", "json")
    assert code == 1
    assert "bars missed" in err
    assert run(capsys, "--measurements", str(path), "-o", "json")[0] == 0


def test_nothing_to_score_ends_with_3(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "rates.csv"
    path.write_text(HEADER + ROW.format(workload="alexnet", rate=52), encoding="utf-8")
    code, out, err = run(capsys, "--measurements", str(path), "-o", "json")
    assert code == 3
    assert json.loads(out)["skipped"] == {"unknown-workload": 1}
    assert "no row" in err


@pytest.mark.parametrize("content", ["", "gpu,rate\n", HEADER + ROW.format(workload="bert-large", rate="52 seq/s")])
def test_a_bad_file_ends_with_2_and_three_lines(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str
) -> None:
    path = tmp_path / "rates.csv"
    path.write_text(content, encoding="utf-8")
    code, out, err = run(capsys, "--measurements", str(path))
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 3
    assert "line" in err


def test_the_table_in_both_languages(capsys: pytest.CaptureFixture[str], rates: Path) -> None:
    english = run(capsys, "--measurements", str(rates))[1]
    chinese = run(capsys, "--measurements", str(rates), "--lang", "zh")[1]
    assert "median error" in english
    assert "误差中位数" in chinese
    markdown = run(capsys, "--measurements", str(rates), "-o", "markdown")[1]
    assert markdown.startswith("|")
