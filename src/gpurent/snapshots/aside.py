"""A refused answer kept whole inside the history, so that it can be accepted later without its capture."""

from __future__ import annotations

import gzip
import json
import sqlite3
import zlib
from datetime import datetime
from typing import Any

from gpurent.errors import Problem
from gpurent.offer import Offer, Reject
from gpurent.snapshots.collection import Answer
from gpurent.snapshots.stored_offer import canonical

_TIMES = ("started", "ended", "observed_from", "observed_to")


def pack(answer: Answer) -> bytes:
    """An answer as the history keeps it."""
    values: dict[str, Any] = {**answer.__dict__, "rejects": [list(reject) for reject in answer.rejects]}
    values |= {name: values[name].isoformat() for name in _TIMES}
    values["offers"] = [offer.model_dump(mode="json") for offer in answer.offers]
    return gzip.compress(canonical(values).encode(), mtime=0)


def taken(db: sqlite3.Connection, provider: str) -> Answer | None:
    """The refused answer of an adapter that waits to be accepted, or None.

    Raises:
        Problem: it is damaged.
    """
    row = db.execute("SELECT answer FROM aside WHERE provider = ?", (provider,)).fetchone()
    if row is None:
        return None
    try:
        return _unpack(row[0])
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as error:
        raise Problem(
            "the refused answer that waits cannot be read",
            f"{provider}: {error}",
            "collect again with gpurent snapshot",
        ) from None


def _unpack(packed: bytes) -> Answer:
    values = json.loads(gzip.decompress(packed))
    values |= {name: datetime.fromisoformat(values[name]) for name in _TIMES}
    values["offers"] = tuple(Offer.model_validate(offer) for offer in values["offers"])
    values["rejects"] = tuple(Reject(*reject) for reject in values["rejects"])
    values["troubles"] = tuple(values["troubles"])
    return Answer(**values)
