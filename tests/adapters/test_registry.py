"""The registry: entry points and nothing else; a broken plugin is named and the others go on."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest

from gpurent.adapters import registry
from gpurent.adapters.contract import ENTRY_POINTS, AdapterMeta
from gpurent.errors import Problem

META = AdapterMeta(name="good", title="Good", covers="all", hosts=("good.example",))


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, ModuleType]:
    made = {}
    for name, meta in (
        ("good", META),
        ("other", META),
        ("shouting", replace(META, name="shouting", hosts=("GOOD.example",))),
        ("silent", replace(META, name="silent")),
        ("bare", None),
    ):
        module = ModuleType(f"plug_{name}")
        if meta:
            module.META = meta  # type: ignore[attr-defined]
        if name != "silent":
            module.fetch = module.parse = lambda *_: None  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        made[name] = module
    (tmp_path / "plug_raises.py").write_text("raise RuntimeError('no \\x1b[31m key file')")
    (tmp_path / "plug_exits.py").write_text("import sys; sys.exit(3)")
    monkeypatch.syspath_prepend(tmp_path)
    return made


def points(*names: str) -> list[EntryPoint]:
    return [EntryPoint(name.partition("=")[0], name.partition("=")[2], ENTRY_POINTS) for name in names]


@pytest.mark.usefixtures("modules")
def test_broken_plugins_are_named_and_the_others_go_on() -> None:
    loaded = registry.load(
        points(
            "raises=plug_raises",
            "exits=plug_exits",
            "missing=plug_not_there",
            "bare=plug_bare",
            "silent=plug_silent",
            "other=plug_other",
            "shouting=plug_shouting",
            "good=plug_good",
            "good=plug_good:again",
            "word=plug_good:nope",
        )
    )
    assert list(loaded.adapters) == ["good"]
    reasons = {broken.name: broken.reason for broken in loaded.broken}
    assert reasons.pop("good").startswith("registered a second time by plug_good:again")
    assert reasons.pop("raises") == "RuntimeError: no [31m key file"
    assert reasons.pop("exits") == "SystemExit: 3"
    assert reasons.pop("missing").startswith("ModuleNotFoundError")
    assert reasons.pop("word").startswith("AttributeError")
    assert reasons.pop("bare") == "has no META of type AdapterMeta"
    assert reasons.pop("other") == "META.name 'good' is not its entry point's key"
    assert reasons.pop("silent") == "has no fetch and no parse"
    assert reasons.pop("shouting") == "'GOOD.example' is not a host name in small letters"
    assert not reasons


@pytest.mark.usefixtures("modules")
def test_asking_for_one() -> None:
    loaded = registry.load(points("good=plug_good", "raises=plug_raises"))
    assert loaded.get("good").META is META
    with pytest.raises(Problem, match="broken") as caught:
        loaded.get("raises")
    assert "RuntimeError" in str(caught.value.value)
    with pytest.raises(Problem, match="no such provider") as caught:
        loaded.get("goood")
    assert "good" in caught.value.do


def test_ours_are_there() -> None:
    loaded = registry.load()
    assert {"vast-ai", "runpod", "lambda", "vultr", "scaleway", "verda", "oci"} <= set(loaded.adapters)
    assert list(loaded.adapters) == sorted(loaded.adapters)
