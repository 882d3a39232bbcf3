"""Fetching from many providers side by side: each in a thread and with a deadline of its own, none holding the exit."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from gpurent.adapters.contract import Adapter, AdapterMeta, Client, Raw, ShapeChanged, TransportFailed
from gpurent.offer import clean_line

GRACE_S = 2.0  # the client keeps the deadline itself; only a fetch that hangs elsewhere needs this


class DeadlinePassed(Exception):
    """A fetch that was not back in time; it is left behind."""


@dataclass(frozen=True)
class Outcome:
    """How one provider's fetch ended: with a Raw, or with an error."""

    provider: str
    raw: Raw | None
    error: Exception | None
    started: datetime
    ended: datetime

    @property
    def reason(self) -> str:
        """Why it failed, one line; "" when it did not."""
        return "" if self.error is None else reason_of(self.error)


def reason_of(error: Exception) -> str:
    """An adapter's failure as one line a person can use."""
    if isinstance(error, ShapeChanged):
        return clean_line(f"the answer's shape changed at {error}")
    if isinstance(error, TransportFailed | DeadlinePassed):
        return clean_line(str(error))
    return clean_line(f"a fault in the adapter: {type(error).__name__}: {error}")


def _fetch(adapter: Adapter, open_client: Callable[[AdapterMeta], Client]) -> Raw:
    client = open_client(adapter.META)
    try:
        raw = adapter.fetch(client)
    finally:
        getattr(client, "close", lambda: None)()
    if not isinstance(raw, Raw) or raw.provider != adapter.META.name:
        raise TypeError("fetch gave no Raw of its own provider")
    return raw


def fetch_all(
    adapters: Mapping[str, Adapter],
    open_client: Callable[[AdapterMeta], Client],
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    monotonic: Callable[[], float] = time.monotonic,
    grace_s: float = GRACE_S,
) -> Iterator[Outcome]:
    """Fetch all at once and give each outcome as it comes; parsing and keeping stay with the caller's thread.

    Args:
        adapters: the adapters to run, by name.
        open_client: makes the client of one fetch, in that fetch's thread (`http.Network.client`).
        now: the clock of the outcomes.
        monotonic: the clock of the deadlines.
        grace_s: how long after `META.deadline_s` a fetch is given up.

    Yields:
        One Outcome a provider, whatever its fetch does: raising, hanging and answering nonsense end in one too.
    """
    done: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
    started = now()
    due = {name: monotonic() + adapter.META.deadline_s + grace_s for name, adapter in adapters.items()}

    def work(name: str, adapter: Adapter) -> None:
        raw: Raw | None = None
        failure: Exception | None = None
        try:
            raw = _fetch(adapter, open_client)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - somebody's fetch may raise anything; it fails alone
            failure = error if isinstance(error, Exception) else RuntimeError("fetch called exit")
        done.put(Outcome(name, raw, failure, started, now()))

    for name, adapter in adapters.items():
        threading.Thread(target=work, args=(name, adapter), name=f"fetch {name}", daemon=True).start()
    while due:
        try:
            outcome = done.get(timeout=max(0.0, min(due.values()) - monotonic()))
        except queue.Empty:
            for name in [name for name, limit in due.items() if limit <= monotonic()]:
                limit_s = adapters[name].META.deadline_s
                del due[name]
                yield Outcome(name, None, DeadlinePassed(f"not back within {limit_s:g} s"), started, now())
            continue
        if due.pop(outcome.provider, None) is not None:  # else it was given up before
            yield outcome
