"""Sync: the exchange of gradients between N GPUs, on one node and over several."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpurent import tables
from gpurent.hardware import cards
from gpurent.hardware.cards import Card

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LARGEST_NODE = 16  # GPUs whose exchange within one node was measured
_NO_LINK = "none"  # one GPU: nothing is exchanged
_NVLINK = ("nvlink", "nvswitch")


class Bus(NamedTuple):
    """Bus bandwidth of machines, GB/s, with its spread; columns of equal length.

    `gbyte_s` is infinite for one GPU and NaN where the fabric between nodes is not known. `key` names the thing whose
    draws rows share.
    """

    gbyte_s: Floats
    sigma: Floats
    key: tuple[str, ...]


@cache
def _classes() -> dict[str, dict[str, str]]:
    return {row["class"]: row for row in tables.rows("bus")}


def overhead() -> float:
    """What a step of several GPUs costs besides the bytes it exchanges, as a factor on the step of one."""
    return tables.constants("model")["sync_step_factor"]


def step_s_n(
    step_1_s: Floats,
    gpus: Floats,
    gradient_bytes: Floats | float,
    accumulation: int,
    bus_gbyte_s: Floats,
    variation: float = 0.0,
) -> Floats:
    """Seconds of one step of N GPUs.

        step_N = (1.015 + variation * E) step_1 + 2 (N - 1) / N * gradient_bytes / (bus * accumulation)      for N > 1

    E is the expected largest of N standard normals: where samples differ in size, the slowest GPU decides.
    Broadcasts; `bus_gbyte_s` in 1e9 bytes/s, infinite where nothing travels. Valid for data parallelism by all-reduce;
    embedding-parallel work exchanges all to all and is not described. Source: table bus; variation, table tasks.

    >>> float(step_s_n(np.array(0.5), np.array(8.0), 1.34e9, 1, np.array(2.5)))
    1.4455
    """
    several = gpus > 1
    exchange = 2.0 * (gpus - 1.0) / gpus * gradient_bytes / (bus_gbyte_s * 1e9 * accumulation)
    slowest = variation * _largest(gpus) if variation else 0.0
    step: Floats = np.where(several, (overhead() + slowest) * step_1_s + exchange, step_1_s)
    return step


def _largest(gpus: Floats) -> Floats:
    """Expected largest of N standard normals, by Blom's plotting position (N - 0.375) / (N + 0.25)."""
    known, at = np.unique(np.asarray(gpus, dtype=float), return_inverse=True)
    values = np.array([NormalDist().inv_cdf((n - 0.375) / (n + 0.25)) if n > 1 else 0.0 for n in known])
    found: Floats = values[at].reshape(np.shape(gpus))
    return found


def step_s_1(step_n_s: float, gpus: int, gradient_bytes: float, bus_gbyte_s: float) -> float:
    """The step of one GPU behind a measured step of N: `step_s_n` undone, the exchange at most half of the step."""
    exchange = 2.0 * (gpus - 1) / gpus * gradient_bytes / (bus_gbyte_s * 1e9)
    return max(step_n_s - exchange, 0.5 * step_n_s) / overhead()


def efficiency(step_1_s: Floats, step_n_s: Floats) -> Floats:
    """Share of N times one GPU's rate that N GPUs reach."""
    share: Floats = step_1_s / step_n_s
    return share


@cache
def class_of_card(card_id: str, link: str = "") -> str:
    """The bus class of a card between its copies on one node; `link` is what the offer says, "" unknown.

    A bridge between GeForce cards gave no gain in the measured rows; boards on PCIe 3 exchange over host memory.
    """
    card = cards.by_id()[card_id]
    told = link in _NVLINK or link == "nvswitch"
    if card.class_ == "amd":
        return "xgmi" if card.link_class == "xgmi" and link != "pcie" else "pcie"
    if card.class_ in ("geforce", "other") and card.platform == "cuda":
        return "geforce"
    if link == "pcie":
        return _by_pcie(card)
    if card.link_class == "sxm-mesh":
        return "v100-mesh"
    if card.link_class == "sxm":
        return "sxm-export" if card.status == "export" and not card.card.startswith("h20-") else "sxm"
    if card.card == "h200-nvl-141gb":
        return "nvl-bridge"
    if card.form in ("sxm", "oam", "superchip") or (told and card.link_class not in ("none", "bridge")):
        return "sxm"
    return _by_pcie(card)


def _by_pcie(card: Card) -> str:
    return "pcie-gen3" if (card.pcie_gen or 4) <= 3 else "pcie"


@cache
def _bus(bus_class: str, gpus: int) -> tuple[float, float]:
    """GB/s and spread of a class for N GPUs: 3 and 5-7 take 4's value, 9-16 half of 8's; NaN beyond: not one node."""
    row = _classes()[bus_class]
    if gpus <= 2:
        gbyte_s = float(row["gpus_2"])
    elif gpus <= 7:
        gbyte_s = float(row["gpus_4"])
    else:
        gbyte_s = float(row["gpus_8"]) / (1.0 if gpus == 8 else 2.0 if gpus <= _LARGEST_NODE else np.nan)
    return gbyte_s, float(row["spread_small" if gpus <= 3 else "spread_large"])


def bus_of_card(card: Card, gpus: int, link: str = "") -> float:
    """Bus bandwidth between `gpus` copies of a card on one node, GB/s.

    >>> bus_of_card(cards.by_id()["rtx-4090"], 8)
    2.5
    """
    return _bus(class_of_card(card.card, link), gpus)[0]


def bus(card: Ints, link: Sequence[str], gpu_count: Ints, nodes: int, fabric_gbyte_s: Floats) -> Bus:
    """The bus of machines: the slower of the node's own and, over several nodes, the fabric.

    Args:
        card: row in `cards.table()`.
        link: class the offer states ("" unknown), one a machine.
        gpu_count: GPUs of one node.
        nodes: nodes of the job, the same for all.
        fabric_gbyte_s: bus bandwidth between nodes, GB/s; NaN unknown: then no rate beyond one node.
    """
    table = cards.table()
    gbyte_s, sigma, keys = np.full(len(card), np.inf), np.zeros(len(card)), []
    for row, (place, said, gpus) in enumerate(zip(card, link, gpu_count, strict=True)):
        if gpus * nodes == 1:
            keys.append(_NO_LINK)
            continue
        bus_class = class_of_card(table[place].card, said)
        if gpus > 1:
            gbyte_s[row], sigma[row] = _bus(bus_class, int(gpus))
        else:
            sigma[row] = float(_classes()[bus_class]["spread_small"])
        keys.append(bus_class if nodes == 1 else f"{bus_class}+fabric")
    if nodes > 1:
        gbyte_s = np.where(np.isfinite(fabric_gbyte_s), np.minimum(gbyte_s, fabric_gbyte_s), np.nan)
    return Bus(gbyte_s, sigma, tuple(keys))
