"""`gpurent diff`: what is new, gone, cheaper and dearer between two moments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gpurent.cli import asked, past, state
from gpurent.cli.output import Output, note
from gpurent.errors import Problem

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

    from gpurent.snapshots.changes import Point

_WHEN = "A day, an age, or #RUN"


def diff(
    before: Annotated[str | None, typer.Argument(metavar="[A]", help=f"{_WHEN}; default the run before.")] = None,
    after: Annotated[str | None, typer.Argument(metavar="[B]", help="The same; default the last run.")] = None,
    gpu: asked.Gpu = None,
    provider: asked.Provider = None,
    region: asked.Region = None,
    tier: asked.Tier = None,
    purchase: asked.Purchase = "any",
    share: asked.Share = "any",
    output: asked.OutputOption = Output.TABLE,
) -> int:
    """Show what is new, gone, cheaper and dearer between two moments.

    \b
    gpurent diff
    gpurent diff 7d --gpu 'rtx-4090*'
    gpurent diff 2026-11-01 2026-11-30 -o csv
    """
    from datetime import UTC, datetime

    from gpurent.cli.output import document, emit
    from gpurent.messages import say
    from gpurent.render.history import changes_table
    from gpurent.snapshots import changes, questions
    from gpurent.snapshots.moments import shown

    filters = past.wanted(gpu, provider, region, tier, purchase, share, None, True)
    with past.opened() as db:
        start, end = _moments(db, before, after, datetime.now(UTC))
        found = changes.diff(db, start, end)
        rows = questions.change_rows(found.changes, filters)
    lang = state.lang()
    span = (start.at.isoformat(timespec="seconds"), end.at.isoformat(timespec="seconds"))
    counts = {kind: sum(row["change"] == kind for row in rows) for kind in changes.KINDS}
    answer = document(
        "diff", before=span[0], after=span[1], counts=counts, first_collected=found.first, not_collected=found.same,
        rows=rows,
    )  # fmt: skip
    words = {"before": shown(start.at), "after": shown(end.at)}
    if rows:
        told = ", ".join(f"{say(f'history.kind-{kind}', lang)} {n}" for kind, n in counts.items() if n)
        note(say("history.changes", lang, **words, counts=told))
    else:
        note(say("history.no-change", lang, **words))
    for code, names in (("first-collected", found.first), ("not-collected", found.same)):
        if names:
            note(say(f"history.{code}", lang, n=len(names), providers=", ".join(names)))
    emit(answer, rows, output, lambda: changes_table(rows, lang) if rows else "", changes.COLUMNS)
    return 0


def _moments(db: sqlite3.Connection, before: str | None, after: str | None, now: datetime) -> tuple[Point, Point]:
    from gpurent.snapshots import changes
    from gpurent.snapshots.moments import point

    def read(text: str) -> Point:
        word = text.strip()
        if word[:1] == "#" and word[1:].isdecimal():
            return changes.after_run(db, int(word[1:10]))
        return changes.at_time(point(word, now))

    if before is None:
        return changes.last_points(db)
    start, end = read(before), read(after) if after is not None else changes.at_time(now)
    both_runs = isinstance(start.until, int) and isinstance(end.until, int)
    if start.until > end.until if both_runs else start.at > end.at:  # type: ignore[operator]
        raise Problem("A is after B", f"{before} {after or ''}", "give the earlier moment first")
    return start, end
