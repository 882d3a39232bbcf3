"""The contract, over every registered adapter and its fixtures: providers are listed in the entry points only."""

from __future__ import annotations

from gpurent.adapters import registry
from gpurent.adapters.testing import AdapterContract
from tests.shared import ROOT

FIXTURES = ROOT / "fixtures"
REGISTRY = registry.load()


def test_every_registered_adapter_loads() -> None:
    assert not REGISTRY.broken
    assert REGISTRY.adapters


def test_no_fixtures_without_an_adapter() -> None:
    assert {path.name for path in FIXTURES.iterdir() if path.is_dir()} <= set(REGISTRY.adapters)


for _name, _adapter in REGISTRY.adapters.items():
    _class = f"Test_{_name.replace('-', '_')}"
    globals()[_class] = type(_class, (AdapterContract,), {"adapter": _adapter, "fixtures": FIXTURES / _name})
