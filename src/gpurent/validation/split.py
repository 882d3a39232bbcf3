"""The split under which forms of the model are compared: fixed, with its seed, before the forms were compared."""

from __future__ import annotations

import hashlib
from functools import cache

from gpurent.tables import constants

TUNE, CONFIRM = "tune", "confirm"


@cache
def part(task: str, group: str, card: str) -> str:
    """The part of a cell: three of four tune, one confirms.

    The part is a hash of seed, task, precision group and card, so neither order nor number of cells changes it.

    >>> part("resnet50", "half", "rtx-3090")
    'tune'
    """
    model = constants("model")
    key = f"{int(model['split_seed'])}|{task}|{group}|{card}"
    number = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big")
    return CONFIRM if number % int(model["split_parts"]) == 0 else TUNE
