"""`gpurent runs`, `verify`, `prune`, `export`: how the nights went, whether the history is whole, copies of it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from gpurent.cli import asked, past, state
from gpurent.cli.output import Output, note
from gpurent.errors import NO, Problem


def runs(
    last: Annotated[int, typer.Option(help="How many runs.")] = 7,
    output: asked.OutputOption = Output.TABLE,
) -> int:
    """Show how each provider's collection ended, newest run first, with what the gate said.

    \b
    gpurent runs
    gpurent runs --last 1 -o json
    gpurent runs --last 30 -o csv > runs.csv
    """
    from gpurent.cli.output import document, emit
    from gpurent.messages import say
    from gpurent.render.history import runs_table
    from gpurent.snapshots import changes
    from gpurent.snapshots.moments import shown

    if not 1 <= last <= 100_000:
        raise Problem("--last must be 1 or more", last, "give a number of runs")
    with past.opened() as db:
        found = changes.runs(db, last)
    lang = state.lang()
    rows = [{"run": run.number, "started": run.started.isoformat(), **row} for run in found for row in run.collections]
    listed = [run.as_row() for run in found]
    emit(document("runs", runs=listed), rows, output, lambda: runs_table(rows, lang))
    for run in found:
        if run.ended is None:
            note(say("history.interrupted", lang, run=run.number, started=shown(run.started)))
    return 0


def verify(
    captures: Annotated[bool, typer.Option("--captures/--no-captures", help="Check the kept answers too.")] = True,
    output: asked.OutputOption = Output.TABLE,
) -> int:
    """Recompute the digest chain over all collections; exit 1 on any difference.

    \b
    gpurent verify
    gpurent verify --no-captures
    gpurent verify -o json
    """
    import sqlite3
    from contextlib import suppress

    from gpurent.cli import paths
    from gpurent.cli.output import document, emit
    from gpurent.messages import say
    from gpurent.snapshots import chain

    extent: dict[str, Any] = {}
    with past.opened(damaged=NO) as db:
        found = chain.verify(db, paths.cache_dir() if captures else None)
        with suppress(sqlite3.DatabaseError):  # of a damaged file; `found` says so
            extent = chain.extent(db)
    lang = state.lang()
    rows = [{"difference": difference} for difference in found]
    emit(document("verify", whole=not found, **extent, differences=found), rows, output, lambda: "\n".join(found))
    if found:
        note(say("history.differs", lang, n=len(found)))
        return NO
    note(say("history.whole", lang, **{**extent, "head": extent["head"][:16]}))
    return 0


def prune(
    captures: Annotated[str, typer.Option(metavar="AGE", help="Remove kept answers older than this: 30d, 3m.")],
) -> int:
    """Remove old kept answers. Prices and their history stay.

    \b
    gpurent prune --captures 30d
    gpurent prune --captures 3m
    gpurent prune --captures 1y --quiet
    """
    from datetime import UTC, datetime

    from gpurent.cli import paths
    from gpurent.messages import say
    from gpurent.snapshots import collect, keep
    from gpurent.snapshots.moments import age

    def now() -> datetime:
        return datetime.now(UTC)

    before = now() - age(captures)
    with collect.history(paths.made(paths.data_dir()), now) as db:
        removed = keep.forget_captures(db, paths.cache_dir(), before)
    note(say("history.pruned", state.lang(), n=removed, day=before.date().isoformat()))
    return 0


def export(
    parquet: Annotated[str, typer.Option(metavar="DIR", help="Folder of the Parquet files.")],
) -> int:
    """Write the whole history as Parquet files: spans, collections, aggregates.

    \b
    gpurent export --parquet history/
    gpurent export --parquet /mnt/share/gpurent --quiet
    gpurent export --parquet h && duckdb -c "select gpu, min(amount) from 'h/spans.parquet' group by gpu"
    """
    from pathlib import Path

    from gpurent.messages import say
    from gpurent.snapshots.export import export as write

    with past.opened() as db:
        for name, count in write(db, Path(parquet)).items():
            note(say("history.exported", state.lang(), name=f"{parquet}/{name}.parquet", n=count))
    return 0
