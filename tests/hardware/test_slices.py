"""Shares of slices."""

from __future__ import annotations

import pytest

from gpurent.hardware import slices


@pytest.mark.parametrize(
    ("card", "profile", "compute", "bandwidth", "memory_gib"),
    [
        ("a100-sxm-40gb", "1g.5gb", 14 / 108, 1 / 8, 4.75),
        ("a100-sxm-40gb", "3g.20gb", 42 / 108, 4 / 8, 19.62),
        ("a100-pcie-80gb", "2g.20gb", 28 / 108, 2 / 8, 19.5),
        ("a100-pcie-80gb", "7g.80gb", 98 / 108, 1, 79),
        ("h100-pcie-80gb", "1g.10gb", 14 / 114, 1 / 8, 9.5),
        ("h100-sxm-80gb", "4g.40gb", 64 / 132, 4 / 8, 40),
        ("a30", "2g.12gb", 0.5, 0.5, 12),
        ("rtx-pro-6000-se", "1g.24gb", 0.25, 0.25, 24),
    ],
)
def test_mig(card: str, profile: str, compute: float, bandwidth: float, memory_gib: float) -> None:
    part = slices.fractions(card, "mig", f"MIG {profile}+me")
    assert part is not None
    assert (part.compute, part.bandwidth) == pytest.approx((compute, bandwidth), abs=1e-5)
    assert part.memory_mib / 1024 == pytest.approx(memory_gib, abs=0.3)


def test_a_size_that_fits_several_profiles_spans_them() -> None:
    part = slices.fractions("a100-sxm-80gb", "mig", None, 20)
    assert part is not None
    assert (part.compute, part.compute_high) == pytest.approx((14 / 108, 28 / 108), abs=1e-5)


@pytest.mark.parametrize(
    ("card", "profile", "memory_gib", "part"),
    [
        ("a10", "1/6", None, 1 / 6),
        ("a10", "4q", None, 4 / 24),
        ("a10", "4Q", None, 4 / 24),
        ("a100-sxm-80gb", None, 4, 4 / 80),
        ("l4", "1/8", 3, 1 / 8),
        ("a16", "16q", None, 1),
        ("a100-sxm-80gb", "1-10c", None, 10 / 80),
    ],
)
def test_vgpu(card: str, profile: str | None, memory_gib: float | None, part: float) -> None:
    found = slices.fractions(card, "vgpu", profile, memory_gib)
    assert found is not None
    assert (found.compute, found.compute_high, found.bandwidth) == pytest.approx((part, 1, part), abs=1e-5)


@pytest.mark.parametrize(
    ("card", "share", "profile", "memory_gib"),
    [
        ("a100-sxm-80gb", "mig", None, None),
        ("a100-sxm-80gb", "mig", "1g.99gb", None),
        ("rtx-4090", "mig", "1g.10gb", None),
        ("a100-sxm-80gb", "mig", None, 80),
        ("a10", "vgpu", None, None),
        ("a10", "vgpu", "48q", None),
        ("a10", "vgpu", "7/6", None),
        ("a10", "unknown", None, 48),
        ("l40s", "timeslice", None, 48),
    ],
)
def test_what_cannot_be_said_is_none(card: str, share: str, profile: str | None, memory_gib: float | None) -> None:
    assert slices.fractions(card, share, profile, memory_gib) is None


def test_time_slices_keep_the_memory() -> None:
    part = slices.fractions("l40s", "timeslice", "1/4", None)
    assert part is not None
    assert (part.compute, part.bandwidth, part.memory_mib) == (0.25, 1, 49140)


def test_profile_names() -> None:
    assert slices.mig_profile("mig-1g.5gb") == slices.mig_profile("1c.1g.5gb") == "1g.5gb"
    assert slices.mig_profile("4q") is None
    assert "a30" in slices.cards_with("1g.6gb")
    assert slices.cards_with("9g.9gb") == ()
