"""What a card's own rates in other tasks say of it in one that it was not measured in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

from gpurent import tables
from gpurent.hardware import cards


@dataclass(frozen=True)
class Effect:
    """What a card's own rates in OTHER cells of its stack say of it: the log of its unit time over its kin's."""

    log_time: float
    cells: int
    precisions: frozenset[str]  # that it was measured in


@cache
def effects(task: str, stack: str, group: str) -> dict[int, Effect]:
    """Card effects for a task and group, by the card's row in `cards.table()`; the cell itself never counts.

        effect = mean * n / (n + 2) over the n cells of other tasks; half way from there to the cell of the same task
        in the other precision group, where there is one

    A cell's deviation is the log of its measured over its predicted unit time (`time_ratio`), predicted without the
    card. Fewer than three cells say nothing.
    """
    model, places = tables.constants("model"), cards.index()
    by_card: dict[str, list[dict[str, str]]] = {}
    for row in tables.rows("card_deviations"):
        if row["stack"] == stack:
            by_card.setdefault(row["card"], []).append(row)
    found = {}
    for card, rows in by_card.items():
        other = [math.log(float(row["time_ratio"])) for row in rows if row["task"] != task]
        same = [math.log(float(row["time_ratio"])) for row in rows if row["task"] == task and row["group"] != group]
        effect = sum(other) / (len(other) + model["effect_shrink"]) if other else 0.0
        if same:
            effect += model["effect_same_task"] * (sum(same) / len(same) - effect)
        precisions = frozenset(row["precision"] for row in rows if (row["task"], row["group"]) != (task, group))
        if len(other) + len(same) >= model["effect_min_cells"]:
            found[places[card]] = Effect(effect, len(other) + len(same), precisions)
    return found
