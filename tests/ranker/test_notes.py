"""What a comparison says of the anchors it was given."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from gpurent import workloads
from gpurent.comparison import Options, compare
from gpurent.normalizer.anchor import Anchor
from gpurent.offer import Offer

NOW = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.mark.parametrize(("rate", "said"), [(3000.0, True), (110.0, False), (2.0, False)])
def test_only_a_rate_beyond_the_card_is_hard_to_believe(rate: float, said: bool) -> None:
    offer = Offer.model_validate(
        {"provider": "somebody", "gpu": "rtx-3090", "price": {"amount": "0.30"}, "observed_at": NOW}
    )
    options = Options(anchors=(Anchor("a100-sxm-80gb", rate),))
    found = compare([offer], workloads.load("bert-large", []), options, now=NOW)
    assert ("compare.anchor-implausible" in [code for code, _ in found.notes]) is said
