"""Which offers serve now: a file, each provider's last complete collection, or the embedded catalogue."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from gpurent.cli.output import note
from gpurent.errors import PARTIAL, Problem
from gpurent.offer import Offer
from gpurent.offer_file import MAX_BYTES

if TYPE_CHECKING:
    from gpurent.fx import Rates
    from gpurent.snapshots.current import Source


@dataclass(frozen=True)
class Current:
    """Offers, where they come from, how each provider's collection ended, and what to exit with if all else is fine."""

    offers: Sequence[Offer]
    source: str
    providers: list[dict[str, Any]]
    code: int = 0

    def data(self) -> dict[str, Any]:
        """The `data` object of an answer."""
        return {"source": self.source, "providers": self.providers}


def current(path: str | None, now: datetime) -> Current:
    """The offers of `--offers`, or those that were collected, or the catalogue; says on stderr which and how old.

    Raises:
        Problem: the file cannot be read (exit 2).
    """
    if path is not None:
        return _from_file(path, now)
    collected = _collected()
    if collected is not None:
        newest = max(entry["collected_at"] for entry in collected.providers)
        note(f"offers: {len(collected.offers)} collected from {len(collected.providers)} providers, newest {newest}")
        return collected
    from gpurent import catalogue

    offers = catalogue.offers()
    latest: dict[str, datetime] = {}
    for offer in offers:
        if offer.observed_at is not None:
            latest[offer.provider] = max(offer.observed_at, latest.get(offer.provider, offer.observed_at))
    ages = sorted((now - offer.observed_at).days for offer in offers if offer.observed_at is not None)
    note(
        f"offers: {len(offers)} of {len(latest)} providers from the embedded catalogue, median age "
        f"{ages[len(ages) // 2]} days; `gpurent snapshot` collects today's"
    )
    providers = [
        {"provider": name, "collected_at": at.date().isoformat(), "complete": None}
        for name, at in sorted(latest.items())
    ]
    return Current(offers, "catalogue", providers)


def _collected() -> Current | None:
    from gpurent.cli import paths

    store = paths.history()
    if not store.exists():
        return None
    from gpurent.snapshots.current import current_offers

    offers, collections = current_offers(store)
    if not offers:
        return None
    for entry in collections.values():
        _say_when_behind(entry)
    providers = [
        {"provider": name, "collected_at": entry.collected_at.isoformat(), "complete": entry.complete}
        for name, entry in sorted(collections.items())
    ]
    return Current(offers, "collected", providers)


def _say_when_behind(source: Source) -> None:
    """Name a provider whose last try was no use, and what its answers stopped showing without being complete."""
    from gpurent.cli import state
    from gpurent.messages import say

    lang, seen = state.lang(), f"{source.collected_at:%Y-%m-%d %H:%M}"
    if source.last_status != "kept":
        status = say(f"snapshot.{source.last_status}", lang)
        note(say("snapshot.behind", lang, provider=source.provider, seen=seen, status=status))
    if source.unseen:
        note(say("snapshot.unseen", lang, provider=source.provider, n=source.unseen))


def rates() -> Rates:
    """Currency rates: the embedded ones, and the newer days that were kept with the nights."""
    from gpurent import fx
    from gpurent.cli import paths

    store = paths.history()
    if not store.exists():
        return fx.embedded()
    from gpurent.snapshots.current import rates as kept

    return kept(store)


def _from_file(path: str, now: datetime) -> Current:
    from gpurent.hardware.names import count_of
    from gpurent.offer_file import parse_offers

    name = "standard input" if path == "-" else path
    read = parse_offers(read_bytes(path), name, now, count_in=count_of)
    for text in read.notes:
        note(text)
    for reject in read.rejected[:20]:
        note(f"rejected: {reject.part}, {reject.path}: {reject.value!r}: {reject.reason}")
    if len(read.rejected) > 20:
        note(f"rejected: {len(read.rejected) - 20} more rows")
    providers = [
        {"provider": provider, "collected_at": None, "complete": None}
        for provider in sorted({offer.provider for offer in read.offers})
    ]
    return Current(read.offers, name, providers, PARTIAL if read.rejected else 0)


def read_bytes(path: str, limit: int = MAX_BYTES) -> bytes:
    """A file's or standard input's bytes, never more than a limit.

    Raises:
        Problem: not there, a directory, unreadable, closed or too large (exit 2).
    """
    try:
        if path == "-":
            if sys.stdin is None or sys.stdin.closed:
                raise Problem("standard input is closed", "-", "pipe a file in, or name one")
            data = sys.stdin.buffer.read(limit + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Problem(f"cannot read this: {reason}", path, "give a readable file, or - for standard input") from None
    if len(data) > limit:
        raise Problem("this file is too large", path, f"the limit is {limit // 2**20} MiB; split it")
    return data
