"""What the commands about the past share: the history opened to read, days, groups."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpurent.cli import asked
from gpurent.errors import UNKNOWN, USAGE, Problem

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

    from gpurent.snapshots.series import By

SINCE = "90d"  # unless --since says otherwise
BY = ("card", "share", "provider", "region", "purchase", "count", "tier", "offer")

Since = Annotated[str | None, typer.Option(metavar="AGE|DAY", help=f"From when: 7d, 3m, 2026-09-01. Default {SINCE}.")]
Until = Annotated[str | None, typer.Option(metavar="AGE|DAY", help="Until when; default now.")]
ByOption = Annotated[str, typer.Option("--by", metavar="KEY,...", help=f"Groups by: {', '.join(BY)}.")]


@contextmanager
def opened(damaged: int = USAGE) -> Iterator[sqlite3.Connection]:
    """The history, open to read.

    Args:
        damaged: exit code for a file that SQLite cannot make sense of.

    Raises:
        Problem: nothing was collected yet (exit 3).
    """
    from gpurent.cli import paths
    from gpurent.snapshots import store

    path = paths.history()
    db = store.open_to_read(path, damaged)
    if db is None:
        raise Problem("there is no history yet", path, "collect once with `gpurent snapshot`", UNKNOWN)
    with closing(db), store.told(path, USAGE, damaged):
        yield db


def groups_by(text: str, purchase: str) -> tuple[By, ...]:
    """The keys of `--by`; purchase kinds are never mixed in one group."""
    keys = [asked.choice(word, BY, "--by") for word in asked.words(text)] or ["card"]
    if purchase == "any" and "purchase" not in keys:
        keys.append("purchase")  # spot and on-demand have no common median
    return tuple(dict.fromkeys(keys))


def days(since: str | None, until: str | None, on: str | None, now: datetime) -> tuple[datetime, datetime]:
    """The moments of `--since` and `--until`, or the one of `--on`."""
    from gpurent.snapshots.moments import point

    last = on or until
    end = point(last, now) if last else now
    return (end if on else point(since or SINCE, now)), end


def wanted(
    gpu: str | None, provider: str | None, region: str | None, tier: str | None, purchase: str, share: str,
    count: str | None, via: bool,
) -> Any:  # fmt: skip
    """The filters; sold-out offers are in, their days have no price."""
    return asked.wanted(gpu, provider, region, tier, purchase, share, None, None, None, count, True, via)
