"""Every fact that the normal fixture of each adapter gives, as it was last looked at. Look again, then
`pytest tests/contract/test_whole_answers.py --snapshot-update`."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension

from gpurent.adapters import registry
from gpurent.adapters.testing import cases, parse
from gpurent.offer_file import to_row
from tests.shared import ROOT

ADAPTERS = registry.load().adapters
EVERYWHERE = ("provider", "observed_at", "source")  # the same in every row of a case, and checked elsewhere


def facts(row: dict[str, Any]) -> dict[str, Any]:
    return {key: str(value) for key, value in row.items() if value is not None and key not in EVERYWHERE}


@pytest.mark.parametrize("name", ADAPTERS)
def test_normal_answers(name: str, snapshot: SnapshotAssertion) -> None:
    [normal] = [case for case in cases(ROOT / "fixtures" / name, name) if case.name == "normal"]
    parsed = parse(ADAPTERS[name], normal.raw)
    seen = {
        "offers": [facts(to_row(offer)) for offer in parsed.offers],
        "rejects": [list(reject) for reject in parsed.rejects],
    }
    assert seen == snapshot(extension_class=JSONSnapshotExtension)
