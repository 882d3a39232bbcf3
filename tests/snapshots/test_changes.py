"""What changed, how the nights went, one offer's history."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from gpurent.errors import Problem
from gpurent.snapshots import changes, keep, store
from gpurent.snapshots.collection import Remark, Verdict
from tests.snapshots.making import NIGHT, ONE_DAY, answer, keep_night, offer

LATER = timedelta(hours=1)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(store.open_to_write(tmp_path / store.FILE_NAME)) as opened:
        yield opened


def told(found: changes.Difference) -> list[tuple[str, str | None, float | None]]:
    return [(one.kind, one.offer.sku, None if one.percent is None else round(one.percent, 1)) for one in found.changes]


def test_new_gone_cheaper_and_dearer_with_percent(db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a", "1.00"), offer("b", "2.00"), offer("c"), offer("e"), offer("f"), offer("g")])
    keep_night(
        db,
        [
            offer("a", "0.90"), offer("b", "2.50"), offer("d"), offer("e", stock="sold-out"),
            offer("f", currency="EUR"), offer("g", vcpus=16),
        ],
        NIGHT + ONE_DAY,
    )  # fmt: skip
    assert told(changes.diff(db, *changes.last_points(db))) == [
        ("new", "d", None), ("gone", "c", None), ("cheaper", "a", -10.0), ("dearer", "b", 25.0),
        ("currency", "f", None), ("sold-out", "e", 0.0), ("facts", "g", 0.0),
    ]  # fmt: skip


def test_equal_nights_have_no_difference(db: sqlite3.Connection) -> None:
    for night in range(2):
        keep_night(db, [offer("a"), offer("b", reliability=0.9 - night / 10)], NIGHT + night * ONE_DAY)
    assert told(changes.diff(db, *changes.last_points(db))) == []


def test_what_a_cut_answer_does_not_show_is_not_gone(db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a"), offer("b")])
    keep_night(db, [offer("a", "1.40")], NIGHT + ONE_DAY, complete=False)
    assert told(changes.diff(db, *changes.last_points(db))) == [("cheaper", "a", -6.7)]


def test_a_provider_collected_for_the_first_time_is_not_all_new(db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a")])
    keep_night(db, [offer("x", provider="other")], NIGHT + ONE_DAY, provider="other")
    found = changes.diff(db, *changes.last_points(db))
    assert (found.changes, found.first, found.same) == ([], ("other",), ("cloud",))


def test_a_difference_from_before_the_first_night_is_no_empty_one(db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a")])
    with pytest.raises(Problem, match="nothing was kept by then") as problem:
        changes.diff(db, changes.at_time(NIGHT - ONE_DAY), changes.at_time(NIGHT + ONE_DAY))
    assert problem.value.code == 3


def test_what_was_accepted_by_hand_is_known_from_then_on(db: sqlite3.Connection) -> None:
    """The refused answer was given before another provider's of the same night, and taken a day later."""
    keep_night(db, [offer("a", "1.00")])
    keep_night(db, [offer("x", "5.00", provider="other")], provider="other")
    refused = answer([offer("a", "9.00")], NIGHT + ONE_DAY)
    run = keep.begin_run(db, NIGHT + ONE_DAY, "live", "test")
    keep.refuse(db, run, refused, Verdict((Remark("median", "a", "1", "9"),)))
    late = answer([offer("x", "6.00", provider="other")], NIGHT + ONE_DAY + LATER, provider="other")
    keep.keep(db, run, late, Verdict((), (), late.offers))
    taken = keep.begin_run(db, NIGHT + 2 * ONE_DAY, "accept", "test")
    keep.keep(db, taken, refused, Verdict((), (), refused.offers))
    assert told(changes.diff(db, *changes.last_points(db))) == [("dearer", "a", 800.0)]
    that_day, next_day = (changes.at_time(NIGHT + days * ONE_DAY + 2 * LATER) for days in (1, 2))
    assert told(changes.diff(db, changes.at_time(NIGHT + LATER), that_day)) == [("dearer", "x", 20.0)]
    assert told(changes.diff(db, that_day, next_day)) == [("dearer", "a", 800.0)]


def test_a_difference_needs_two_runs(db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a")])
    with pytest.raises(Problem, match="nothing to compare") as problem:
        changes.last_points(db)
    assert problem.value.code == 3


def test_runs_name_every_provider_and_its_reasons(db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a")])
    run = keep.begin_run(db, NIGHT + ONE_DAY, "live", "test")
    keep.refuse(db, run, answer([], NIGHT + ONE_DAY), Verdict((Remark("empty", "", "1", "0"),)))
    keep.fail(db, run, answer([], NIGHT + ONE_DAY, provider="other"), "answered 503")
    newest, oldest = changes.runs(db, 10)
    assert [(row["provider"], row["status"]) for row in newest.collections] == [
        ("cloud", "refused"),
        ("other", "failed"),
    ]
    assert newest.collections[0]["remarks"] == [{"rule": "empty", "subject": "", "before": "1", "now": "0"}]
    assert [(row["new"], row["changed"], row["gone"]) for row in oldest.collections] == [(1, 0, 0)]
    assert newest.ended is None  # interrupted, or still running
    assert oldest.ended is not None
    assert len(changes.runs(db, 1)) == 1


def test_one_offer_s_spells(db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a", "1.50"), offer("b")])
    keep_night(db, [offer("a", "1.50"), offer("b")], NIGHT + ONE_DAY)
    keep_night(db, [offer("a", "1.40"), offer("b")], NIGHT + 2 * ONE_DAY)
    keep_night(db, [offer("b")], NIGHT + 3 * ONE_DAY)
    found = changes.spells(db, offer("a").offer_id[:6].upper())
    seconds = timedelta(seconds=2)
    assert [(spell.amount, spell.first_seen, spell.last_seen, spell.ended) for spell in found] == [
        ("1.50", NIGHT + seconds, NIGHT + ONE_DAY + seconds, NIGHT + 2 * ONE_DAY + seconds),
        ("1.40", NIGHT + 2 * ONE_DAY + seconds, NIGHT + 2 * ONE_DAY + seconds, NIGHT + 3 * ONE_DAY + seconds),
    ]


@pytest.mark.parametrize("prefix", ["", "zzzz", "%"])
def test_an_id_must_name_one_offer(db: sqlite3.Connection, prefix: str) -> None:
    keep_night(db, [offer("a"), offer("b")])
    with pytest.raises(Problem):
        changes.spells(db, prefix)


def test_a_run_s_moment_is_what_was_known_after_it(db: sqlite3.Connection) -> None:
    keep_night(db, [offer("a", "1.00")])
    keep_night(db, [offer("a", "2.00")], NIGHT + ONE_DAY)
    moments = changes.after_run(db, 1), changes.after_run(db, 2)
    assert told(changes.diff(db, *moments)) == [("dearer", "a", 100.0)]
    with pytest.raises(Problem, match="no such run"):
        changes.after_run(db, 9)
