"""The template of docs/add-a-provider.md passes the contract as it is, and is registered as the page says."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from gpurent.adapters import registry
from gpurent.adapters.contract import ENTRY_POINTS
from tests.shared import ROOT

TEMPLATE = ROOT / "docs" / "provider-template"


def test_its_own_tests_pass_as_they_are(tmp_path: Path) -> None:
    words = [
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        str(tmp_path / "pytest.ini"),
        str(TEMPLATE / "tests"),
    ]
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    ended = subprocess.run(
        [sys.executable, "-B", *words], env={"PYTHONPATH": str(TEMPLATE / "src"), "PATH": ""}, cwd=tmp_path,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "passed" in ended.stdout


def test_its_entry_point_loads_beside_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((TEMPLATE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    monkeypatch.syspath_prepend(TEMPLATE / "src")
    points = [EntryPoint(name, value, ENTRY_POINTS) for name, value in project["entry-points"][ENTRY_POINTS].items()]
    loaded = registry.load(points)
    assert list(loaded.adapters) == ["example-cloud"]
    assert not loaded.broken
