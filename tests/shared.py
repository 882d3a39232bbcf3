"""Where the team's fact files lie beside a checkout; tests that read them skip with the reason elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def shared(name: str) -> Path:
    """A file or folder of ../shared, or skip: it is no part of the project."""
    path = ROOT.parent / "shared" / name
    if not path.exists():
        pytest.skip(f"../shared/{name} is not on this machine")
    return path
