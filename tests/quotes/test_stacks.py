"""Gates of software and hardware, by the table."""

from __future__ import annotations

import pytest

from gpurent.errors import Problem
from gpurent.hardware.cards import by_id
from gpurent.quotes.stacks import Stack, read_stack, stack_findings, version


@pytest.mark.parametrize(
    ("text", "torch", "toolkit"),
    [
        ("torch==2.0+cu118", (2, 0), (11, 8)),
        ("pytorch 2.7 cu128", (2, 7), (12, 8)),
        ("torch 2.5", (2, 5), (12, 4)),
        ("cuda 12.4", None, (12, 4)),
        ("cu121", None, (12, 1)),
        ("torch==2.10.0+cu130", (2, 10), (13, 0)),
    ],
)
def test_reading_a_stack(text: str, torch: tuple[int, int] | None, toolkit: tuple[int, int]) -> None:
    stack = read_stack(text)
    assert (stack.torch, stack.toolkit) == (torch, toolkit)


def test_a_stack_without_a_version_is_a_problem() -> None:
    with pytest.raises(Problem):
        read_stack("tensorflow, I think")
    assert read_stack(None) == Stack()


# card, stack, host's newest CUDA, driver -> the finding that stops it
GATES = [
    ("rtx-5090", "torch==2.0+cu118", None, None, "cuda-older-than-card"),
    ("rtx-5090", "torch==2.6+cu126", None, None, "cuda-older-than-card"),
    ("rtx-5090", "torch==2.7+cu128", None, None, None),
    ("rtx-5090", "torch==2.6+cu128", None, None, "torch-older-than-card"),
    ("rtx-5090", "torch==2.7+cu128", "12.4", None, "host-older-than-card"),
    ("h100-sxm-80gb", "torch==1.13+cu117", None, None, "cuda-older-than-card"),
    ("h100-sxm-80gb", "torch==2.1+cu118", None, None, None),
    ("rtx-4090", "torch==1.12+cu102", None, None, "cuda-older-than-card"),
    ("rtx-4090", "torch==1.13+cu117", None, None, None),
    ("a100-sxm-80gb", "cuda 10.2", None, None, "cuda-older-than-card"),
    ("v100-sxm-16gb", "cuda 13.0", None, None, "cuda-newer-than-card"),
    ("v100-sxm-16gb", "torch==2.8+cu128", None, None, "torch-build-without-card"),
    ("v100-sxm-16gb", "torch==2.8+cu126", None, None, None),
    ("k80", "torch==2.0+cu118", None, None, None),
    ("k80", "cuda 12.1", None, None, "cuda-newer-than-card"),
    ("rtx-4090", "cuda 12.8", "12.6", None, "host-cuda-older"),
    ("rtx-4090", "cuda 12.8", "12.8", None, None),
    ("rtx-4090", "cuda 12.8", None, "550.54", "driver-older"),
    ("rtx-4090", "cuda 12.4", None, "550.54.14", None),
    ("mi300x", "torch==2.5+cu124", None, None, "not-cuda"),
]


@pytest.mark.parametrize(("card", "stack", "cuda_max", "driver", "stops"), GATES)
def test_gates(card: str, stack: str, cuda_max: str | None, driver: str | None, stops: str | None) -> None:
    found = list(stack_findings((by_id()[card],), read_stack(stack), cuda_max, driver, None))
    assert stops in {finding.code for finding in found} if stops else found == []
    assert all(finding.verdict == "incompatible" for finding in found)


def test_a_card_that_may_be_two_is_only_stopped_if_both_are() -> None:
    cards = (by_id()["v100-sxm-16gb"], by_id()["t4"])
    assert not list(stack_findings(cards, read_stack("torch==2.8+cu128"), None, None, None))


def test_arm_is_a_warning() -> None:
    [finding] = stack_findings((by_id()["gh200-96gb"],), Stack(), None, None, None)
    assert (finding.code, finding.verdict) == ("arch-aarch64", None)


def test_versions() -> None:
    assert version("v12.8") == (12, 8)
    assert version("580") == (580, 0)
