"""`gpurent providers`: which sources there are, what saved answers of one hold, whether one still answers as it did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpurent.cli import asked, state
from gpurent.cli.output import Output, note
from gpurent.errors import PARTIAL, UNKNOWN, USAGE, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpurent.adapters.contract import Adapter, Raw
    from gpurent.offer import Offer, Reject

app = typer.Typer(help="The sources of offers: list them, read saved answers, try one.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A source, see `gpurent providers list`.")]
MAX_FILE = 64 * 2**20
_REJECT_KEYS = ("part", "path", "value", "reason")


@app.command("list")
def list_(output: asked.OutputOption = Output.TABLE) -> int:
    """Show every source: what it covers, whether it needs a key, is official, when it last answered and how.

    \b
    gpurent providers list
    gpurent providers list -o json
    gpurent providers list --lang zh
    """
    import os

    from gpurent.adapters import registry
    from gpurent.cli.output import document, emit
    from gpurent.messages import say
    from gpurent.render.grid import MISSING, Column, grid

    known, lang, last = registry.load(), state.lang(), _last_ends()
    rows: list[dict[str, Any]] = []
    for name, adapter in known.adapters.items():
        meta, ended = adapter.META, last.get(name, {})
        rows.append(
            {
                "name": name, "title": meta.title, "covers": meta.covers, "hosts": list(meta.hosts),
                "official": meta.official, "key_variable": meta.key_env, "key_required": meta.key_required,
                "key_present": bool(meta.key_env and os.environ.get(meta.key_env)),
                "last_collected_at": ended.get("observed_at"), "last_ended": ended.get("status"),
                "complete": ended.get("complete"), "offers": ended.get("offers"),
            }
        )  # fmt: skip
    broken = [{"name": one.name, "reason": one.reason} for one in known.broken]

    def table() -> str:
        heads = [Column(say(f"providers.{key}", lang), shrinks=key == "covers") for key in _LISTED]
        cells = [
            [
                row["name"], row["covers"], say(f"providers.{_key_need(row)}", lang),
                say(f"providers.{'official' if row['official'] else 'unofficial'}", lang),
                (row["last_collected_at"] or MISSING)[:16].replace("T", " "),
                say(f"snapshot.{row['last_ended']}", lang) if row["last_ended"] else MISSING,
            ]
            for row in rows
        ]  # fmt: skip
        return grid(heads, cells)

    for one in known.broken:
        note(say("snapshot.broken", lang, provider=one.name, reason=one.reason))
    emit(document("providers", providers=rows, broken=broken), rows, output, table)
    return PARTIAL if broken else 0


_LISTED = ("name", "covers", "key", "kind", "collected", "ended")


def _key_need(row: dict[str, Any]) -> str:
    if not row["key_variable"]:
        return "no-key"
    if row["key_present"]:
        return "key-present"
    return "key-required" if row["key_required"] else "key-optional"


def _last_ends() -> dict[str, dict[str, Any]]:
    """How the last collection of each source ended; nothing where nothing was collected yet."""
    from contextlib import closing

    from gpurent.cli import paths
    from gpurent.snapshots import changes, store

    path = paths.history()
    db = store.open_to_read(path)
    if db is None:
        return {}
    last: dict[str, dict[str, Any]] = {}
    with closing(db), store.told(path, USAGE):
        for run in changes.runs(db, last=1000):
            for ended in run.collections:
                last.setdefault(ended["provider"], dict(ended))
    return last


@app.command()
def parse(
    name: Name,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Saved answers, or a capture's manifest.")],
    rejects: Annotated[str | None, typer.Option(metavar="F", help="Write the rejections to a csv file.")] = None,
    output: asked.OutputOption = Output.TABLE,
) -> int:
    """Turn saved answers of one source into offers, offline. Exit 4 when rows were bad or the shape changed.

    \b
    gpurent providers parse vast-ai bundles.json -o csv > offers.csv
    gpurent providers parse vultr plans.json plans-metal.json --rejects bad.csv
    gpurent providers parse lambda pricing.html -o json
    """
    from gpurent.adapters import registry
    from gpurent.adapters.contract import is_fault
    from gpurent.cli.output import document, emit
    from gpurent.offer_file import KEYS, to_row

    adapter = registry.load().get(name)
    offers, rejected = _read(adapter, _saved(name, files))
    if rejects is not None:
        _write_rejects(rejects, rejected)
    rows = [to_row(offer) for offer in offers]
    answer = document("offers", offers=rows, rejected=[reject._asdict() for reject in rejected])
    emit(answer, rows, output, lambda: _offers_text(offers), KEYS)
    _tell_rejected(rejected)
    if any(is_fault(reject) for reject in rejected):
        return PARTIAL
    return 0 if offers else UNKNOWN


@app.command()
def check(name: Name, output: asked.OutputOption = Output.TABLE) -> int:
    """Ask one source now and say how it answers; nothing is kept. Exit 4 when it failed or its shape changed.

    \b
    gpurent providers check verda
    gpurent providers check vast-ai -o json
    GPURENT_LANG=zh gpurent providers check autodl
    """
    import os

    from gpurent.adapters import registry
    from gpurent.adapters.contract import is_fault
    from gpurent.adapters.http import Network
    from gpurent.adapters.run import fetch_all
    from gpurent.cli.output import document, emit
    from gpurent.messages import say

    adapter, lang = registry.load().get(name), state.lang()
    meta = adapter.META
    if not meta.hosts:
        raise Problem("this source is a file, there is nobody to ask", name, f"gpurent providers parse {name} FILE")
    if meta.key_required and not os.environ.get(meta.key_env or ""):
        raise Problem("this source wants a key", meta.key_env, f"set {meta.key_env} in the environment")
    if not meta.official:
        note(say("providers.unofficial-note", lang, provider=name))
    [outcome] = fetch_all({name: adapter}, Network(environ=os.environ).client)
    if outcome.raw is None:
        raise Problem(f"{name} did not answer", outcome.reason, "try again later; see `gpurent doctor`", PARTIAL)
    offers, rejected = _read(adapter, outcome.raw)
    faults = sum(map(is_fault, rejected))
    row = {
        "provider": name, "seconds": round((outcome.ended - outcome.started).total_seconds(), 2),
        "parts": len(outcome.raw.parts), "bytes": sum(len(part.body) for part in outcome.raw.parts),
        "complete": outcome.raw.complete, "offers": len(offers), "rejects": faults,
        "out_of_scope": len(rejected) - faults, "troubles": list(outcome.raw.troubles),
    }  # fmt: skip
    answer = document("check", **row, rejected=[reject._asdict() for reject in rejected])
    emit(answer, [row], output, lambda: say("providers.checked", lang, **row))
    for trouble in outcome.raw.troubles:
        note(trouble)
    _tell_rejected(rejected)
    return PARTIAL if faults or outcome.raw.troubles or not offers else 0


def _saved(name: str, files: Sequence[str]) -> Raw:
    """The files as one answer; a capture's manifest stands for the answer it keeps."""
    from datetime import UTC, datetime

    from gpurent.adapters import captures
    from gpurent.adapters.contract import Part, Raw
    from gpurent.offer import clean_line

    parts: list[Part] = []
    for path in map(Path, files):
        try:
            with path.open("rb") as file:  # a pipe or a device does not say its size
                body = file.read(MAX_FILE + 1)
            if len(body) > MAX_FILE:
                raise Problem("this file is too large for an answer", path, f"give at most {MAX_FILE >> 20} MiB")
            seen = datetime.fromtimestamp(path.stat().st_mtime, UTC).replace(microsecond=0)
        except OSError as error:
            raise Problem("this file cannot be read", f"{path}: {error.strerror}", "give a saved answer") from None
        if captures.SCHEMA.encode() in body[:4096]:
            parts += captures.load(path).parts
        else:
            parts.append(Part(clean_line(path.stem) or "answer", f"file:{clean_line(path.name)}", body, seen))
    return Raw(name, tuple(parts))


def _read(adapter: Adapter, raw: Raw) -> tuple[list[Offer], list[Reject]]:
    """Offers and rejections of an answer.

    Raises:
        Problem: the shape changed, or the adapter has a fault (exit 4).
    """
    from gpurent.adapters.contract import ShapeChanged
    from gpurent.adapters.run import reason_of
    from gpurent.offer import Offer

    try:
        made = list(adapter.parse(raw))
    except ShapeChanged as changed:
        raise Problem(
            "the answer no longer has the shape this adapter knows", changed,
            "report it with the answer; other sources go on without this one", PARTIAL,
        ) from None  # fmt: skip
    except Exception as error:
        if state.debug():
            raise
        raise Problem("this adapter failed", reason_of(error), "report it with the answer", PARTIAL) from None
    offers = [one for one in made if isinstance(one, Offer)]
    return offers, [one for one in made if not isinstance(one, Offer)]


def _offers_text(offers: Sequence[Offer]) -> str:
    from datetime import UTC, datetime

    from gpurent.render.table import offers_table

    return offers_table(offers, datetime.now(UTC), state.lang())


def _tell_rejected(rejected: Sequence[Reject]) -> None:
    """How many rows are no offers, by reason."""
    from collections import Counter

    from gpurent.messages import say

    for reason, count in Counter(reject.reason for reject in rejected).most_common():
        note(say("providers.rejected", state.lang(), n=count, reason=reason))


def _write_rejects(path: str, rejected: Sequence[Reject]) -> None:
    import csv

    try:
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(_REJECT_KEYS)
            writer.writerows(rejected)
    except OSError as error:
        raise Problem("the rejections cannot be written", f"{path}: {error.strerror}", "give another file") from None
