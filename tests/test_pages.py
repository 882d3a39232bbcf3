"""The pages people read: what they show is what the commands print, in both languages, with no dead link."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("refresh_docs", ROOT / "tools" / "refresh_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TOOL = _tool()


@pytest.fixture(autouse=True)
def _no_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GPURENT_DATA_DIR", "GPURENT_CACHE_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


@pytest.mark.parametrize("block", list(TOOL.blocks()), ids=lambda block: f"{block.page.name}: {block.command}")
def test_a_page_shows_what_its_command_prints(block: object) -> None:
    assert TOOL.ageless(TOOL.printed(block.command)) == TOOL.ageless(block.shown)  # type: ignore[attr-defined]


def test_both_readmes_show_real_output() -> None:
    shown = [block.page.name for block in TOOL.blocks()]
    assert "README.md" in shown
    assert "README.zh-CN.md" in shown


@pytest.mark.parametrize(
    "page", [*TOOL.pages(), ROOT / "CONTRIBUTING.md", ROOT / "DATA_SOURCES.md"], ids=lambda page: page.name
)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
