"""Regret: how much dearer the first row is than the truly cheapest, over measured tasks and the catalogue's prices.

A set is the cards of one provider, or of the whole market, at their lowest embedded on-demand price a GPU hour. The
truth is the measured rate. The choice is made by our rates, with one card of the set held out and predicted, in turn
(or all of them at once: every rate predicted without its card); by the price alone; or by nominal FLOPS per dollar.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np

from gpurent import catalogue, fx
from gpurent.hardware import cards, names
from gpurent.normalizer import matrix
from gpurent.offer import Offer
from gpurent.tables import constants
from gpurent.validation.scores import Cell

MARKET = "all providers"
BY_MODEL, BY_MODEL_ALONE, BY_PRICE, BY_FLOPS = "gpurent", "gpurent_all_held_out", "usd_per_gpu_hour", "flops_per_usd"
_PRECISION = {"half": "amp", "tf32": "tf32", "fp32": "fp32", "fp8": "fp8"}


@cache
def price_sets() -> dict[str, dict[str, float]]:
    """Lowest USD a GPU hour of each whole card, by provider and over all of them."""
    sets: dict[str, dict[str, float]] = {MARKET: {}}
    for offer in catalogue.offers():
        price, card = _usd_per_gpu_hour(offer), _card(offer)
        if price is None or card is None:
            continue
        for name in (offer.provider, MARKET):
            known = sets.setdefault(name, {})
            known[card] = min(price, known.get(card, np.inf))
    return sets


def regrets(cells: Sequence[Cell]) -> dict[str, list[float]]:
    """Regret of each way to choose: true cost of its choice over the lowest true cost, minus 1; one entry a choice.

    Args:
        cells: leave-one-out cells of one GPU; of several rows of a card the reference software's stands.
    """
    found: dict[str, list[float]] = {BY_MODEL: [], BY_MODEL_ALONE: [], BY_PRICE: [], BY_FLOPS: []}
    least = int(constants("model")["regret_min_cards"])
    for group in _tasks(cells).values():
        for _, prices in sorted(price_sets().items()):
            there = [cell for cell in group if cell.card in prices]
            if len(there) < least:
                continue
            price = np.array([prices[cell.card] for cell in there])
            true = price / np.array([cell.measured for cell in there])
            predicted = price / np.array([cell.predicted for cell in there])
            flops = np.array([_nominal(cell) for cell in there]) / price
            lost = true / true.min() - 1.0
            for out in range(len(there)):
                known = true.copy()
                known[out] = predicted[out]
                found[BY_MODEL].append(float(lost[int(np.argmin(known))]))
            for way, choice in ((BY_MODEL_ALONE, predicted), (BY_PRICE, price), (BY_FLOPS, -flops)):
                found[way].append(float(lost[int(np.argmin(choice))]))
    return found


def _tasks(cells: Iterable[Cell]) -> Mapping[tuple[str, str], list[Cell]]:
    """Cells by task and precision group, the newest container's row of each card."""
    newest: dict[tuple[str, str, str], Cell] = {}
    for cell in cells:
        key = cell.task, cell.group, cell.card
        if key not in newest or (cell.container, cell.batch) > (newest[key].container, newest[key].batch):
            newest[key] = cell
    groups: dict[tuple[str, str], list[Cell]] = {}
    for (task, group, _), cell in sorted(newest.items()):
        groups.setdefault((task, group), []).append(cell)
    return groups


def _nominal(cell: Cell) -> float:
    return matrix.nominal_tflops(cards.by_id()[cell.card], _PRECISION[cell.precision]) or np.nan


def _card(offer: Offer) -> str | None:
    if offer.gpu is None or (offer.gpu_share or "whole") != "whole":
        return None
    return names.read_name(offer.gpu, provider=offer.provider, memory_gib=offer.gpu_memory_gib).gpu


def _usd_per_gpu_hour(offer: Offer) -> float | None:
    """The price of one GPU for an hour in USD; None where it is no on-demand price or has no rate of exchange."""
    if offer.price is None or offer.purchase != "on-demand" or offer.partial_price:
        return None
    hourly = offer.price.per_hour(offer.gpu_count or 1)
    usd = fx.to_usd(hourly, offer.price.currency, catalogue.as_of())
    return None if usd is None else float(usd.usd) / (offer.gpu_count or 1)
