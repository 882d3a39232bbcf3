"""The exchange between GPUs: classes of bus, counts, and the efficiency they lead to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent import workloads
from gpurent.hardware import cards
from gpurent.normalizer import sync
from gpurent.normalizer.compute import card_rates


def gbyte_s(card: str, gpus: int, link: str = "") -> float:
    return sync.bus_of_card(cards.by_id()[card], gpus, link)


def efficiency(workload: str, card: str, gpus: int, batch: int) -> float:
    """Share of N times one GPU's rate on one node, amp."""
    loaded = workloads.load(workload)
    step = card_rates(loaded, "amp").whole_card_s(batch)[[cards.index()[card]]]
    gradient = loaded.footprint("amp").gradient_bytes or 0.0
    bus = np.array([gbyte_s(card, gpus)])
    return float(sync.efficiency(step, sync.step_s_n(step, np.array([float(gpus)]), gradient, 1, bus))[0])


@pytest.mark.parametrize(
    ("card", "link", "expected"),
    [
        ("rtx-4090", "", "geforce"),
        ("rtx-2080-ti", "nvlink-bridge", "geforce"),  # a bridge gave no gain
        ("rtx-6000-ada", "", "pcie"),
        ("a100-pcie-80gb", "", "pcie"),
        ("a100-sxm-80gb", "nvswitch", "sxm"),
        ("a100-sxm-80gb", "pcie", "pcie"),
        ("a800-sxm-80gb", "", "sxm-export"),
        ("h20-96gb", "", "sxm"),
        ("v100-sxm-16gb", "", "v100-mesh"),
        ("t4", "", "pcie-gen3"),
        ("quadro-rtx-6000", "", "pcie-gen3"),
        ("h200-nvl-141gb", "", "nvl-bridge"),
        ("mi300x", "", "xgmi"),
    ],
)
def test_class_by_card_and_stated_link(card: str, link: str, expected: str) -> None:
    assert sync.class_of_card(card, link) == expected


def test_counts_between_the_measured_ones() -> None:
    assert gbyte_s("rtx-3090", 2) == 7
    assert {gbyte_s("rtx-3090", gpus) for gpus in (3, 4, 5, 6, 7)} == {6}
    assert gbyte_s("rtx-3090", 8) == 2.5
    assert {gbyte_s("rtx-3090", gpus) for gpus in (9, 10, 16)} == {1.25}


def test_export_links_are_two_thirds() -> None:
    assert gbyte_s("a800-sxm-80gb", 8) / gbyte_s("a100-sxm-80gb", 8) == pytest.approx(0.68)


def test_eight_of_a_kind() -> None:
    assert efficiency("bert-large", "rtx-4090", 8, 28) < 0.6
    assert efficiency("resnet50", "rtx-4090", 8, 256) > 0.65
    assert efficiency("bert-large", "a100-sxm-80gb", 8, 112) > 0.9
    assert efficiency("resnet50", "a100-sxm-80gb", 8, 256) > 0.9
    assert efficiency("bert-large", "a100-sxm-80gb", 8, 32) > 0.9


def test_one_gpu_exchanges_nothing() -> None:
    step = sync.step_s_n(np.array([0.5]), np.array([1.0]), 1e9, 1, np.array([np.inf]))
    assert step.tolist() == [0.5]


def test_several_nodes_need_a_fabric() -> None:
    card = np.array([cards.index()["h100-sxm-80gb"]] * 2)
    bus = sync.bus(card, ("", ""), np.array([8, 8]), 2, np.array([np.nan, 3.7]))
    assert np.isnan(bus.gbyte_s[0])
    assert bus.gbyte_s[1] == 3.7
    slow = sync.bus(card, ("", ""), np.array([8, 8]), 2, np.array([482.0, 482.0]))
    assert slow.gbyte_s.tolist() == [100.0, 100.0]  # the node is the slower


def test_one_gpu_a_node_uses_the_fabric_alone() -> None:
    card = np.array([cards.index()["rtx-5090"]])
    assert sync.bus(card, ("",), np.array([1]), 2, np.array([2.3])).gbyte_s.tolist() == [2.3]
    alone = sync.bus(card, ("",), np.array([1]), 1, np.array([np.nan]))
    assert alone.key == ("none",)
    assert alone.sigma.tolist() == [0.0]


def test_the_slowest_of_several_decides_a_step() -> None:
    gpus = np.array([1.0, 2.0, 4.0, 8.0])
    even = sync.step_s_n(np.full(4, 1.0), gpus, 0.0, 1, np.full(4, 10.0))
    uneven = sync.step_s_n(np.full(4, 1.0), gpus, 0.0, 1, np.full(4, 10.0), 0.1)
    # The expected largest of 1, 2, 4, 8 standard normals is 0, 0.56, 1.03, 1.42.
    assert uneven - even == pytest.approx([0.0, 0.056, 0.103, 0.142], abs=0.004)


@given(
    step=st.floats(1e-3, 10),
    gpus=st.sampled_from([2, 4, 8]),
    size=st.floats(0, 1e10),
    narrow=st.floats(0.5, 100),
    more=st.floats(1, 10),
)
def test_a_wider_bus_never_slows(step: float, gpus: int, size: float, narrow: float, more: float) -> None:
    steps = sync.step_s_n(np.array([step, step]), np.array([gpus, gpus]), size, 1, np.array([narrow, narrow * more]))
    assert steps[1] <= steps[0]
    assert steps[0] >= step


@given(step=st.floats(1e-3, 10), gpus=st.sampled_from([2, 4, 8]), size=st.floats(0, 1e9), bus=st.floats(5, 200))
def test_undoing_the_exchange(step: float, gpus: int, size: float, bus: float) -> None:
    together = float(sync.step_s_n(np.array([step]), np.array([float(gpus)]), size, 1, np.array([bus]))[0])
    alone = sync.step_s_1(together, gpus, size, bus)
    half = 0.5 * together / sync.overhead()
    assert alone == pytest.approx(max(step, half), rel=1e-6)
