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

    filters = past.wanted(gpu, provider, region, tier, purchase, share, None, True)
    with past.opened() as db:
        start, end = _moments(db, before, after, datetime.now(UTC))
        rows = questions.change_rows(changes.diff(db, start, end), filters)
    lang = state.lang()
    span = (start.isoformat(timespec="seconds"), end.isoformat(timespec="seconds"))
    counts = {kind: sum(row["change"] == kind for row in rows) for kind in changes.KINDS}
    answer = document("diff", before=span[0], after=span[1], counts=counts, rows=rows)
    if rows:
        told = ", ".join(f"{say(f'history.kind-{kind}', lang)} {n}" for kind, n in counts.items() if n)
        note(say("history.changes", lang, before=span[0], after=span[1], counts=told))
    else:
        note(say("history.no-change", lang, before=span[0], after=span[1]))
    emit(answer, rows, output, lambda: changes_table(rows, lang) if rows else "", changes.COLUMNS)
    return 0


def _moments(db: sqlite3.Connection, before: str | None, after: str | None, now: datetime) -> tuple[datetime, datetime]:
    from gpurent.snapshots import changes
    from gpurent.snapshots.moments import point

    def read(text: str) -> datetime:
        word = text.strip()
        return changes.run_moment(db, int(word[1:10])) if word[:1] == "#" and word[1:].isdecimal() else point(word, now)

    if before is None:
        return changes.last_moments(db)
    start, end = read(before), read(after) if after is not None else now
    if start > end:
        raise Problem("A is after B", f"{before} {after or ''}", "give the earlier moment first")
    return start, end
