"""The nights on the page: what `compare --html` takes from the history."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from gpurent.cli import app
from gpurent.snapshots import store
from tests.page.pages import data_of
from tests.snapshots.making import NIGHT, ONE_DAY, keep_night, offer

COMMAND = ("compare", "-w", "bert-large", "--quiet", "-o", "json", "--html")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GPURENT_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    return tmp_path


def test_prices_over_the_nights_with_a_gap(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nights 1, 2 and 4 of four: the lowest price of each card a night, nothing on the third."""
    nights = {0: ("1.50", "0.45"), 1: ("1.90", "0.40"), 3: ("1.20", "0.40")}
    with closing(store.open_to_write(folder / store.FILE_NAME)) as db:
        for night, (big, small) in nights.items():
            market = [
                offer("a", big), offer("dear", "9"), offer("b", small, gpu="RTX 4090"),
                offer("slice", "0.1", gpu="A100 MIG 3g.40gb"), offer("spot", "0.01", purchase="spot"),
            ]  # fmt: skip
            keep_night(db, market, NIGHT + night * ONE_DAY)
    assert app.run([*COMMAND, str(folder / "page.html")]) == 0
    capsys.readouterr()
    data = data_of((folder / "page.html").read_text(encoding="utf-8"))
    assert data["data"]["source"] == "collected"
    found = {each["card"]: each for each in data["history"]}
    assert set(found) == {"a100-sxm-80gb", "rtx-4090"}
    assert found["rtx-4090"]["days"] == ["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"]
    assert found["a100-sxm-80gb"]["usd_per_gpu_hour"] == [1.5, 1.9, None, 1.2]
    assert found["rtx-4090"]["usd_per_gpu_hour"] == [0.45, 0.4, None, 0.4]
    costs = found["rtx-4090"]["cost_per_epoch_usd"]
    assert costs[2] is None
    assert costs[0] == pytest.approx(costs[1] * 0.45 / 0.4, rel=1e-4)


def test_without_nights_there_is_no_history(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run([*COMMAND, str(folder / "page.html"), "--top", "3"]) == 0
    capsys.readouterr()
    data = data_of((folder / "page.html").read_text(encoding="utf-8"))
    assert data["history"] == []
    assert data["n"] > 300  # the page has every ranked offer, however few the table shows


def test_a_page_that_cannot_be_written_is_three_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run([*COMMAND, str(folder / "no" / "page.html")]) == 2
    error = capsys.readouterr().err.splitlines()
    assert error[0] == "gpurent: the page cannot be written"
    assert error[2].startswith("  do: ")
