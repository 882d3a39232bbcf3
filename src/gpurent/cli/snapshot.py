"""`gpurent snapshot`: ask the providers now, and keep what they answered."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpurent.cli import asked, state
from gpurent.cli.output import Output, clean_value, note
from gpurent.errors import PARTIAL, Problem

if TYPE_CHECKING:
    from gpurent.adapters.contract import Adapter
    from gpurent.adapters.registry import Registry
    from gpurent.offer import Offer
    from gpurent.snapshots.collection import Ended


def snapshot(
    provider: Annotated[str | None, typer.Option(metavar="P,...", help="Only these; see `providers list`.")] = None,
    include_unofficial: Annotated[bool, typer.Option(help="Ask interfaces nobody promised, too.")] = False,
    replay: Annotated[str | None, typer.Option(metavar="DIR", help="Take kept answers instead of asking.")] = None,
    out: Annotated[str | None, typer.Option(metavar="FILE", help="Write the offers to a file as well.")] = None,
    accept: Annotated[str | None, typer.Option(metavar="P", help="Take a refused answer that waits.")] = None,
    output: asked.OutputOption = Output.TABLE,
) -> int:
    """Collect what the providers offer now; `compare`, `history` and `diff` use it.

    Exit code 4 when a provider failed or was refused; the others are kept.

    \b
    gpurent snapshot
    gpurent snapshot --provider vast-ai,runpod --out offers.csv
    gpurent snapshot --accept lambda
    """
    from datetime import UTC, datetime

    from gpurent.cli import paths
    from gpurent.snapshots import collect

    def now() -> datetime:
        return datetime.now(UTC)

    kept = None if replay is None else _folder(replay)
    folder = paths.made(paths.data_dir())
    if accept is not None:
        if provider or replay or out:
            raise Problem("--accept takes what waits and asks nobody", accept, "give it alone")
        with collect.history(folder, now) as db:
            return _finish([collect.accept(db, accept.strip(), now())], output, folder / "history.sqlite", None, 0)
    night = _night(provider, include_unofficial, replay is not None)
    progress = _Progress(list(night.adapters) if replay is None else [])
    offers: list[Offer] = []

    def told(ended: Ended, believed: tuple[Offer, ...]) -> None:
        offers.extend(believed)
        progress.ended(ended)

    with collect.history(folder, now) as db:
        progress.show()
        outcomes = collect.asked(night, _network()) if kept is None else collect.replayed(night, kept)
        ended = collect.collect(db, night, outcomes, "live" if replay is None else "replay", told)
        _note_age(db, now())
    if not ended:
        raise Problem("no kept answer of these providers", replay or provider, "see `gpurent providers list`")
    if out is not None:
        from gpurent.offer_file import write_offers

        write_offers(out, offers)
    return _finish(ended, output, folder / "history.sqlite", out, len(offers))


def _night(provider: str | None, unofficial: bool, replay: bool) -> Any:
    from datetime import UTC, datetime

    from gpurent.adapters import registry
    from gpurent.cli import paths
    from gpurent.hardware.resolve import resolve
    from gpurent.snapshots.collect import Night

    known = registry.load()
    chosen = _chosen(known, provider, unofficial, replay, os.environ)
    secrets = {
        name: os.environ[adapter.META.key_env]
        for name, adapter in chosen.items()
        if adapter.META.key_env and os.environ.get(adapter.META.key_env)
    }
    return Night(chosen, paths.made(paths.cache_dir()), lambda: datetime.now(UTC), resolve, secrets)


def _chosen(
    known: Registry, provider: str | None, unofficial: bool, replay: bool, environment: Mapping[str, str]
) -> dict[str, Adapter]:
    """The adapters that are asked; says which are not, and why."""
    from gpurent.messages import say

    lang = state.lang()
    names = asked.words(provider)
    wanted = {name: known.get(name) for name in names} if names else dict(known.adapters)
    for broken in known.broken if not names else ():
        note(say("snapshot.broken", lang, provider=broken.name, reason=broken.reason))
    if replay:
        return wanted
    apart = [name for name, adapter in wanted.items() if not adapter.META.official and not unofficial]
    if apart and names:
        raise Problem("this source is not official", ", ".join(apart), "ask it with --include-unofficial")
    if apart:
        note(say("snapshot.skipped-unofficial", lang, n=len(apart), providers=", ".join(apart)))
    chosen = {}
    for name, adapter in wanted.items():
        meta = adapter.META
        if name in apart or not meta.hosts:  # an importer of files has no host to ask
            continue
        if meta.key_required and not environment.get(meta.key_env or ""):
            note(say("snapshot.skipped-key", lang, provider=name, variable=meta.key_env))
            continue
        chosen[name] = adapter
    if not chosen:
        raise Problem("there is no provider to ask", provider or "", "see `gpurent providers list`")
    return chosen


def _network() -> Any:
    from gpurent.adapters.http import Network

    return Network(environ=os.environ)


def _folder(replay: str | None) -> Any:
    from pathlib import Path

    from gpurent.adapters import captures

    path = Path(replay or "")
    if not os.path.isdir(path) or not captures.latest(path):
        do = "give one that `gpurent snapshot` wrote; `gpurent providers parse` reads single saved answers"
        raise Problem("--replay needs a folder of kept answers", replay, do)
    return path


class _Progress:
    """A line a provider on stderr; on a terminal also who is still waited for."""

    def __init__(self, names: list[str]) -> None:
        self._waiting = names
        self._live = sys.stderr.isatty() and not state.quiet()

    def show(self) -> None:
        from gpurent.messages import say

        if self._live and self._waiting:
            text = say("snapshot.waiting", state.lang(), providers=", ".join(self._waiting))
            print(f"\r\x1b[2K{clean_value(text)[:78]}", end="", file=sys.stderr, flush=True)

    def ended(self, ended: Ended) -> None:
        if self._live:
            print("\r\x1b[2K", end="", file=sys.stderr)
        note(_line(ended, state.lang()))
        self._waiting = [name for name in self._waiting if name != ended.provider]
        self.show()


def _line(ended: Ended, lang: str) -> str:
    from gpurent.messages import say
    from gpurent.render.history import complete, remarks_text
    from gpurent.snapshots import bank

    code = "bank-line" if ended.provider == bank.NAME else "line"
    text = say(
        f"snapshot.{code}", lang, provider=ended.provider, status=say(f"snapshot.{ended.status}", lang),
        offers=ended.offers, new=ended.new, changed=ended.changed, gone=ended.gone, rejects=ended.rejects,
        held=ended.held, complete=complete(ended.complete, lang), seconds=f"{ended.seconds:.1f}",
    )  # fmt: skip
    remarks = remarks_text([remark._asdict() for remark in ended.remarks], lang, 1)  # `runs` has them all
    return say("snapshot.line-why", lang, line=text, remarks=remarks) if remarks else text


def _note_age(db: Any, now: Any) -> None:
    """Say when even the newest rate of exchange is old."""
    from gpurent import fx
    from gpurent.messages import say
    from gpurent.snapshots.current import known_rates

    newest = known_rates(db).newest
    age_days = (now.date() - newest).days
    if fx.is_stale(age_days):
        note(say("snapshot.fx-old", state.lang(), day=newest.isoformat(), days=age_days))


def _finish(ended: list[Ended], output: Output, path: Any, out: str | None, offers: int) -> int:
    """Write the summary, and give the exit code."""
    from gpurent.cli.output import document, emit
    from gpurent.messages import say
    from gpurent.render.history import snapshot_table
    from gpurent.snapshots import bank

    lang = state.lang()
    providers = [one for one in ended if one.provider != bank.NAME]
    counts = {status: sum(one.status == status for one in providers) for status in ("kept", "refused", "failed")}
    rows = [one.as_row() for one in ended]
    answer = document("snapshot", **counts, history=str(path), out=out, written=offers if out else None, providers=rows)
    emit(answer, rows, output, lambda: snapshot_table(rows, lang))
    if out:
        note(say("snapshot.written", lang, n=offers, path=out))
    note(say("snapshot.done", lang, **counts, path=path))
    if counts["refused"]:
        note(say("snapshot.accept-hint", lang))
    return PARTIAL if counts["refused"] or counts["failed"] else 0
