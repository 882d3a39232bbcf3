"""A night: ask the adapters (or replay what they answered), parse, gate, keep, one provider at a time.

Fetching runs side by side in `adapters.run`; parsing, judging and keeping happen here, in one thread.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from statistics import quantiles
from typing import cast

from gpurent import fx
from gpurent.adapters import captures
from gpurent.adapters.contract import Adapter, Raw, TransportFailed, is_fault
from gpurent.adapters.http import Network
from gpurent.adapters.run import Outcome, fetch_all, reason_of
from gpurent.errors import NO, PARTIAL, Problem
from gpurent.offer import Offer, Reject
from gpurent.snapshots import aside, bank, gate, keep, lock, store
from gpurent.snapshots.collection import Answer, Ended, Remark, Verdict, without_doubles
from gpurent.snapshots.current import known_rates, past_of
from gpurent.snapshots.keep import Aggregate
from gpurent.version import __version__

Clock = Callable[[], datetime]


@dataclass(frozen=True)
class Night:
    """Everything one run needs that is not the history itself."""

    adapters: Mapping[str, Adapter]
    captures: Path  # folder of the kept answers
    now: Clock
    resolve: gate.Resolve
    secrets: Mapping[str, str] = field(default_factory=dict)  # key of each adapter, never written


@contextmanager
def history(folder: Path, now: Clock) -> Iterator[sqlite3.Connection]:
    """The history opened to write, under the one lock.

    Raises:
        Problem: another snapshot runs, or the folder cannot be written (exit 4); the file is newer (exit 2).
    """
    path = folder / store.FILE_NAME
    with lock.only_one(folder, now()), closing(store.open_to_write(path)) as db, store.told(path):
        yield db


def asked(night: Night, network: Network) -> Iterator[Outcome]:
    """Outcomes of asking every adapter, and the bank, as they come."""
    adapters = {**night.adapters, bank.NAME: cast(Adapter, bank.Bank())}
    return fetch_all(adapters, network.client, now=night.now)


def replayed(night: Night, folder: Path) -> Iterator[Outcome]:
    """Outcomes of the newest kept answer of each adapter in a folder; one that cannot be read fails alone."""
    for provider, path in captures.latest(folder).items():
        if provider not in night.adapters and provider != bank.NAME:
            continue
        started = night.now()
        try:
            yield Outcome(provider, captures.load(path), None, started, night.now())
        except Problem as problem:
            yield Outcome(
                provider, None, TransportFailed(path.name, f"{problem.what}: {problem.value}"), started, night.now()
            )


def collect(
    db: sqlite3.Connection,
    night: Night,
    outcomes: Iterable[Outcome],
    how: str,
    told: Callable[[Ended, tuple[Offer, ...]], None],
) -> list[Ended]:
    """Take outcomes into the history as they come.

    Args:
        db: the history, opened to write.
        night: adapters, captures, clock, resolver.
        outcomes: of fetching or replaying.
        how: "live" or "replay".
        told: called after each provider is kept, with how it ended and the offers that were believed.

    Raises:
        Problem: the history or the captures cannot be written; what was kept before stays.
    """
    run = keep.begin_run(db, night.now(), how, __version__)
    ended: list[Ended] = []
    for outcome in outcomes:
        one, offers = _take(db, run, night, outcome)
        ended.append(one)
        told(one, offers)
    keep.end_run(db, run, night.now())
    return ended


def accept(db: sqlite3.Connection, provider: str, now: datetime) -> Ended:
    """Take the refused answer of an adapter that was kept aside.

    Raises:
        Problem: nothing of it is kept aside (exit 1).
    """
    answer = aside.taken(db, provider)
    if answer is None:
        raise Problem(
            "nothing of this provider waits to be accepted", provider, "see `gpurent runs` for what was refused", NO
        )
    run = keep.begin_run(db, now, "accept", __version__)
    ended = keep.keep(db, run, answer, Verdict((), (Remark("accepted-by-hand"),), answer.offers))
    keep.end_run(db, run, now)
    return ended


def _take(db: sqlite3.Connection, run: int, night: Night, outcome: Outcome) -> tuple[Ended, tuple[Offer, ...]]:
    blank = Answer(outcome.provider, outcome.started, outcome.ended, outcome.ended, outcome.ended, None, ())
    if outcome.raw is None:
        return keep.fail(db, run, blank, outcome.reason or "no answer"), ()
    if not outcome.raw.parts:
        return keep.fail(db, run, blank, "; ".join(outcome.raw.troubles) or "an answer without parts"), ()
    raw, answer = _captured(night, outcome)
    try:
        if outcome.provider == bank.NAME:
            return keep.keep_rates(db, run, answer, bank.published(raw, night.now().date())), ()
        answer = parsed(answer, raw, night.adapters[outcome.provider])
    except Exception as error:
        if isinstance(error, sqlite3.Error):
            raise
        return keep.fail(db, run, answer, reason_of(error)), ()
    past = past_of(db, answer.provider)
    rates = _usd_rates(db, answer)
    verdict = gate.judge(answer, past, rates, night.resolve)
    if verdict.refused:
        return keep.refuse(db, run, answer, verdict), ()
    noted = tuple(Remark("trouble", trouble) for trouble in answer.troubles)
    verdict = Verdict((), (*verdict.notes, *noted), verdict.believed, verdict.held)
    return keep.keep(db, run, answer, verdict, aggregates(verdict.believed, night.resolve)), verdict.believed


def _captured(night: Night, outcome: Outcome) -> tuple[Raw, Answer]:
    """The answer kept in the captures before the history names it."""
    raw = cast(Raw, outcome.raw)
    adapter = night.adapters.get(outcome.provider)
    secret = night.secrets.get(outcome.provider)
    try:
        capture = captures.keep(
            raw, night.captures, keys=adapter.META.redact if adapter else (), secrets=(secret,) if secret else ()
        )
        manifest = hashlib.sha256(capture.path.read_bytes()).hexdigest()
    except OSError as error:
        raise Problem(
            "the captures cannot be written", f"{night.captures}: {error.strerror}",
            "make room or set GPURENT_CACHE_DIR, then run again", PARTIAL,
        ) from None  # fmt: skip
    times = [part.observed_at for part in raw.parts]
    return capture.raw, Answer(
        outcome.provider, outcome.started, outcome.ended, min(times), max(times), raw.complete, (),
        troubles=raw.troubles, capture=capture.path.relative_to(night.captures).as_posix(), capture_sha=manifest,
    )  # fmt: skip


def parsed(answer: Answer, raw: Raw, adapter: Adapter) -> Answer:
    """The answer with the offers and faults its adapter finds in it, one offer an id.

    Raises:
        Exception: whatever the adapter's `parse` raises; ShapeChanged when the whole answer drifted.
    """
    offers: list[Offer] = []
    faults: list[Reject] = []
    out_of_scope = 0
    for row in adapter.parse(raw):
        if isinstance(row, Offer):
            offers.append(row)
        elif is_fault(row):
            faults.append(row)
        else:
            out_of_scope += 1
    complete = raw.complete if not raw.troubles else False
    return without_doubles(
        Answer(**{
            **answer.__dict__, "offers": tuple(offers), "rejects": tuple(faults), "out_of_scope": out_of_scope,
            "complete": complete,
        })
    )  # fmt: skip


def _usd_rates(db: sqlite3.Connection, answer: Answer) -> dict[str, float]:
    currencies = {offer.price.currency for offer in answer.offers if offer.price}
    return fx.rates(currencies, answer.observed_to.date(), known_rates(db)) if currencies else {}


def aggregates(offers: tuple[Offer, ...], resolve: gate.Resolve) -> list[Aggregate]:
    """A marketplace's night in a few numbers: n, lowest, first quartile and median of each card, count and kind."""
    if not gate.is_marketplace(offers):
        return []
    by_count: dict[int, list[Offer]] = {}
    for offer in offers:
        if offer.stock != "sold-out":
            by_count.setdefault(offer.gpu_count, []).append(offer)
    made = []
    for count, alike in sorted(by_count.items()):
        for group, prices in sorted(gate.groups(alike, resolve).items()):
            quarters = quantiles(prices, n=4, method="inclusive") if len(prices) > 1 else prices * 3
            shown = (f"{number:.6g}" for number in (min(prices), quarters[0], quarters[1]))
            made.append(Aggregate(group.card, count, group.purchase, group.currency, len(prices), *shown))
    return made
