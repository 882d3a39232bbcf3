"""Side by side: every fetch ends in one outcome, whatever it does, and none holds the others."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gpurent.adapters.contract import Adapter, AdapterMeta, Client, Part, Raw, ShapeChanged, TransportFailed
from gpurent.adapters.run import DeadlinePassed, Outcome, fetch_all, reason_of

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def adapter(name: str, fetch: Callable[[Any], Any], deadline_s: float = 30.0) -> Adapter:
    meta = AdapterMeta(name=name, title=name, covers="-", hosts=(), deadline_s=deadline_s)
    return cast(Adapter, SimpleNamespace(META=meta, fetch=fetch, parse=lambda raw: iter(())))


def answered(name: str) -> Raw:
    return Raw(name, (Part("one", "https://a.example", b"[]", NOW),), True)


def run(*adapters: Adapter, opened: Callable[[AdapterMeta], Any] = lambda meta: object()) -> dict[str, Outcome]:
    outcomes = fetch_all(
        {one.META.name: one for one in adapters},
        cast(Callable[[AdapterMeta], Client], opened),
        now=lambda: NOW,
        grace_s=0.0,
    )
    return {outcome.provider: outcome for outcome in outcomes}


def raising(error: BaseException) -> Callable[[Any], Any]:
    def fetch(client: Any) -> Any:
        raise error

    return fetch


def test_twelve_wait_for_one_another() -> None:
    # each needs all the others to be running at the same time
    barrier = threading.Barrier(12, timeout=20)

    def fetch(name: str) -> Callable[[Any], Raw]:
        def one(client: Any) -> Raw:
            barrier.wait()
            return answered(name)

        return one

    outcomes = run(*(adapter(f"p{number}", fetch(f"p{number}")) for number in range(12)))
    assert len(outcomes) == 12
    assert all(outcome.raw and not outcome.error and outcome.reason == "" for outcome in outcomes.values())


def test_one_that_hangs_is_left_behind() -> None:
    forever = threading.Event()
    outcomes = run(
        adapter("hangs", lambda client: forever.wait(), deadline_s=0.1),
        adapter("good", lambda client: answered("good")),
    )
    forever.set()
    assert outcomes["good"].raw == answered("good")
    assert isinstance(outcomes["hangs"].error, DeadlinePassed)
    assert outcomes["hangs"].reason == "not back within 0.1 s"


def test_fetching_threads_never_hold_the_exit() -> None:
    forever, seen = threading.Event(), list[bool]()

    def fetch(client: Any) -> None:
        seen.append(threading.current_thread().daemon)
        forever.wait()

    run(adapter("hangs", fetch, deadline_s=0.1))
    forever.set()
    assert seen == [True]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TransportFailed("https://a.example/x", "answered 500", 500), "answered 500 (https://a.example/x)"),
        (ShapeChanged("data.items", "missing"), "the answer's shape changed at data.items: missing"),
        (KeyError("price"), "a fault in the adapter: KeyError: 'price'"),
        (RecursionError("deep"), "a fault in the adapter: RecursionError: deep"),
        (SystemExit(3), "a fault in the adapter: RuntimeError: fetch called exit"),
    ],
)
def test_whatever_a_fetch_raises(error: BaseException, reason: str) -> None:
    outcomes = run(adapter("bad", raising(error)), adapter("good", lambda client: answered("good")))
    assert outcomes["good"].raw
    assert outcomes["bad"].raw is None
    assert outcomes["bad"].reason == reason


@pytest.mark.parametrize("given", [None, "text", answered("another")])
def test_whatever_a_fetch_gives(given: object) -> None:
    assert "no Raw of its own provider" in run(adapter("bad", lambda client: given))["bad"].reason


def test_clients_are_opened_in_the_thread_and_closed() -> None:
    events: list[str] = []

    def opened(meta: AdapterMeta) -> Any:
        if meta.name == "locked":
            raise TransportFailed("", "the key in X holds characters no key has")
        return SimpleNamespace(close=lambda: events.append(f"closed {meta.name}"))

    outcomes = run(
        adapter("good", lambda client: answered("good")), adapter("bad", raising(KeyError("x"))),
        adapter("locked", lambda client: answered("locked")), opened=opened,
    )  # fmt: skip
    assert sorted(events) == ["closed bad", "closed good"]
    assert "the key in X" in outcomes["locked"].reason


def test_reasons_are_one_clean_line() -> None:
    assert reason_of(ValueError("a\x1b[31m\nb\u202e" + "x" * 900)).startswith(
        "a fault in the adapter: ValueError: a[31m b"
    )
    assert len(reason_of(ValueError("x" * 900))) <= 200


def test_nobody_to_ask() -> None:
    assert run() == {}
