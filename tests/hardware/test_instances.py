"""Names of machine sizes."""

from __future__ import annotations

import pytest

from gpurent import tables
from gpurent.hardware import cards, instances


@pytest.mark.parametrize(
    ("text", "card", "count", "share", "profile"),
    [
        ("p4d.24xlarge", "a100-sxm-40gb", 8, None, None),
        ("ML.P5.48xlarge", "h100-sxm-80gb", 8, None, None),
        ("g6f.4xlarge", "l4", 1, "vgpu", "1/2"),
        ("Standard_NC40ads_H100_v5", "h100-nvl-94gb", 1, None, None),
        ("Standard_NV18ads_A10_v5", "a10", 1, "vgpu", "1/2"),
        ("a3-megagpu-8g", "h100-sxm-80gb", 8, None, None),
        ("g4-standard-12", "rtx-pro-6000-se", 1, "vgpu", "1/4"),
        ("BM.GPU4.8", "a100-sxm-40gb", 8, None, None),
        ("B300-SXM-8-288G", "b300", 8, None, None),
        ("h100-760", "h100-pcie-80gb", 2, None, None),
        ("1A100.22V", "a100-sxm-80gb", 1, None, None),
        ("2A100.40S.44V", "a100-sxm-40gb", 2, None, None),
        ("vbm-64c-2048gb-8-l40-gpu", "l40s", 8, None, None),
    ],
)
def test_size(text: str, card: str, count: int, share: str | None, profile: str | None) -> None:
    machine = instances.find(text)
    assert machine is not None
    assert (machine.cards, machine.gpu_count, machine.share, machine.profile) == ((card,), count, share, profile)


def test_memory_of_the_machine() -> None:
    machine = instances.find("vcg-a100-1c-6g-4vram", "vultr")
    assert machine is not None
    assert (machine.cards, machine.total_gib) == (("a100-pcie-80gb",), 4)


@pytest.mark.parametrize(
    "text", ["", "p4d", "t4g.micro", "a100", "p4d.24xlarge extra", "x" * 500, "0h100.80s.30v", "-", "{n}"]
)
def test_no_size(text: str) -> None:
    assert instances.find(text) is None


def test_sizes_of_machines_are_recognised_by_their_shape() -> None:
    assert instances.is_size("t4g.micro")
    assert instances.is_size("c7i.metal-24xl")
    assert not instances.is_size("RTX 4090")


def test_every_pattern_meets_itself() -> None:
    for row in tables.rows("instance_types"):
        example = row["pattern"].replace("{n}", "2").replace("{any}", "9").replace("{v}", "80")
        machine = instances.find(example, row["provider"])
        assert machine is not None, row
        assert all(name in cards.by_id() for name in machine.cards)
        if "{" not in row["pattern"]:
            assert machine.cards == tuple(row["cards"].split(";")), row


def test_whole_spellings() -> None:
    machine = instances.spelling("oci - compute - gpu - e4")
    assert machine is not None
    assert machine.cards == ("a100-sxm-40gb",)
    assert instances.spelling("nvidia-tesla-a100") is None
    assert instances.spelling("nvidia-tesla-a100", "gcp") is not None
