"""A night from answers to history: each provider on its own, captures first, refused ones aside."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from gpurent.adapters.contract import Adapter, Client, Part, Raw, ShapeChanged, TransportFailed
from gpurent.adapters.run import Outcome, fetch_all
from gpurent.errors import NO, PARTIAL, Problem
from gpurent.hardware.resolve import resolve
from gpurent.offer import Offer, Reject
from gpurent.snapshots import bank, chain, collect, current, store
from gpurent.snapshots.collection import Ended
from tests.snapshots.making import NIGHT, ONE_DAY, Fake, offer


class Nights:
    """Collects nights of fake adapters into one history."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / store.FILE_NAME
        self.captures = folder / "captures"
        self.at = NIGHT
        self.believed: dict[str, tuple[Offer, ...]] = {}

    def run(self, *fakes: Fake, outcomes: Iterator[Outcome] | None = None) -> dict[str, Ended]:
        """One night; the next one is a day later."""
        for fake in fakes:
            fake.at = self.at
        night = collect.Night(
            {fake.META.name: cast(Adapter, fake) for fake in fakes}, self.captures, lambda: self.at, resolve
        )
        outcomes = outcomes or fetch_all(night.adapters, lambda meta: cast(Client, None), now=lambda: self.at)

        def told(ended: Ended, offers: tuple[Offer, ...]) -> None:
            self.believed[ended.provider] = offers

        with collect.history(self.folder, lambda: self.at) as db:
            ended = collect.collect(db, night, outcomes, "live", told)
        self.at += ONE_DAY
        return {one.provider: one for one in ended}

    def db(self) -> Any:
        return closing(cast(sqlite3.Connection, store.open_to_read(self.path)))


@pytest.fixture
def nights(tmp_path: Path) -> Iterator[Nights]:
    made = Nights(tmp_path)
    yield made
    if made.path.exists():
        with made.db() as db:
            assert chain.verify(db, made.captures) == []


def cloud(name: str, *amounts: str) -> Fake:
    return Fake(name, [offer(f"type-{place}", amount, provider=name) for place, amount in enumerate(amounts)])


def test_three_of_twelve_down_stay_at_their_last_age(nights: Nights) -> None:
    clouds = [cloud(f"cloud-{number}", "1.5", "2.0") for number in range(12)]
    assert {one.status for one in nights.run(*clouds).values()} == {"kept"}
    clouds[0].fetching = TransportFailed("https://example.org", "answered 503", 503)
    clouds[1].offers = [ShapeChanged("rows[0].price", "missing")]
    clouds[2].offers = [offer("type-0", "1.5", provider="cloud-2"), ZeroDivisionError("oops")]
    ended = nights.run(*clouds)
    assert {name for name, one in ended.items() if one.status == "failed"} == {"cloud-0", "cloud-1", "cloud-2"}
    assert ended["cloud-0"].remarks[0].subject == "answered 503 (https://example.org)"
    assert ended["cloud-1"].remarks[0].subject == "the answer's shape changed at rows[0].price: missing"
    assert "ZeroDivisionError" in ended["cloud-2"].remarks[0].subject
    offers, sources = current.current_offers(nights.path)
    assert len(offers) == 24
    old = {name for name, source in sources.items() if source.collected_at == NIGHT}
    assert old == {"cloud-0", "cloud-1", "cloud-2"}
    assert {source.last_status for name, source in sources.items() if name in old} == {"failed"}


def test_an_answer_is_captured_before_it_is_parsed(nights: Nights) -> None:
    broken = Fake("cloud", [ShapeChanged("rows", "missing")])
    nights.run(broken)
    with nights.db() as db:
        (name,) = db.execute("SELECT capture FROM collection").fetchone()
    assert (nights.captures / name).is_file()


def test_captures_that_cannot_be_written_end_the_night_and_lose_nothing(nights: Nights) -> None:
    nights.run(cloud("cloud", "1.5"))
    nights.captures = nights.folder / "file"
    nights.captures.touch()
    with pytest.raises(Problem, match="captures cannot be written") as problem:
        nights.run(cloud("cloud", "1.6"))
    assert problem.value.code == PARTIAL
    assert [str(one.price and one.price.amount) for one in current.current_offers(nights.path)[0]] == ["1.5"]
    nights.captures = nights.folder / "captures"


def test_a_refused_answer_waits_and_can_be_taken(nights: Nights) -> None:
    nights.run(cloud("cloud", *["1.5"] * 10))
    assert nights.run(cloud("cloud", *["1.5"] * 3))["cloud"].status == "refused"
    assert nights.believed["cloud"] == ()
    assert len(current.current_offers(nights.path)[0]) == 10
    with collect.history(nights.folder, lambda: nights.at) as db:
        taken = collect.accept(db, "cloud", nights.at)
        assert (taken.status, taken.offers, taken.gone) == ("kept", 3, 7)
        with pytest.raises(Problem) as problem:
            collect.accept(db, "cloud", nights.at)
    assert problem.value.code == NO
    assert len(current.current_offers(nights.path)[0]) == 3


def test_the_second_equal_refusal_accepts_itself(nights: Nights) -> None:
    nights.run(cloud("cloud", *["1.5"] * 10))
    assert [nights.run(cloud("cloud", *["2.5"] * 10))["cloud"].status for _ in range(3)] == ["refused", "kept", "kept"]
    assert {str(one.price and one.price.amount) for one in current.current_offers(nights.path)[0]} == {"2.5"}


def test_a_good_answer_in_between_starts_the_count_anew(nights: Nights) -> None:
    good, bad = ["1.5"] * 10, ["2.5"] * 10
    statuses = [nights.run(cloud("cloud", *amounts))["cloud"].status for amounts in (good, bad, good, bad, bad)]
    assert statuses == ["kept", "refused", "kept", "refused", "kept"]


def test_a_held_price_is_taken_the_second_night(nights: Nights) -> None:
    usual = ["1.5"] * 9
    nights.run(cloud("cloud", *usual, "1.5"))
    assert nights.run(cloud("cloud", *usual, "30"))["cloud"].held == 1
    assert sorted({str(one.price and one.price.amount) for one in current.current_offers(nights.path)[0]}) == ["1.5"]
    assert nights.run(cloud("cloud", *usual, "30"))["cloud"].held == 0
    amounts = {str(one.price and one.price.amount) for one in current.current_offers(nights.path)[0]}
    assert amounts == {"1.5", "30"}


def test_a_cut_marketplace_answer_ends_no_offer_and_is_summed_up(nights: Nights) -> None:
    def listings(*amounts: str) -> Fake:
        return Fake("market", [
            Offer.model_validate({**offer("x", amount, provider="market").model_dump(), "listing": str(place)})
            for place, amount in enumerate(amounts)
        ])  # fmt: skip

    nights.run(listings("1.0", "1.2", "1.4", "1.6"))
    cut = listings("1.0", "1.3")
    cut.complete = False
    cut.troubles = ("64 rows and no more",)
    assert nights.run(cut)["market"].changed == 1  # the one with another price
    with nights.db() as db:
        assert db.execute("SELECT count(*) FROM span WHERE ended_in IS NULL").fetchone()[0] == 4
        assert db.execute("SELECT card, purchase, n, lowest, p25, median FROM aggregate ORDER BY seq").fetchall() == [
            ("a100-sxm-80gb", "on-demand", 4, "1.0", "1.15", "1.3"),
            ("a100-sxm-80gb", "on-demand", 2, "1.0", "1.075", "1.15"),
        ]


def test_troubles_make_an_answer_incomplete(nights: Nights) -> None:
    nights.run(cloud("cloud", "1.5", "1.6"))
    fake = cloud("cloud", "1.5")
    fake.troubles = ("page 2: answered 500",)
    ended = nights.run(fake)["cloud"]
    assert (ended.complete, ended.gone) == (False, 0)
    assert [remark.subject for remark in ended.remarks] == ["page 2: answered 500"]


def test_rejects_are_counted_by_kind_and_the_faults_kept(nights: Nights) -> None:
    fake = cloud("cloud", "1.5")
    fake.offers += [
        Reject("all", "rows[1]", "x", "out of scope: no GPU"),
        Reject("all", "rows[2].price", "free", "bad"),
    ]
    ended = nights.run(fake)["cloud"]
    assert (ended.rejects, ended.out_of_scope) == (1, 1)
    with nights.db() as db:
        assert db.execute("SELECT path, value FROM reject").fetchall() == [("rows[2].price", "free")]


def _rates(body: bytes, at: datetime) -> Iterator[Outcome]:
    raw = Raw(bank.NAME, (Part("rates", "https://data-api.ecb.europa.eu", body, at),), True)
    yield Outcome(bank.NAME, raw, None, at, at)


def test_the_bank_s_day_is_kept_with_the_night(nights: Nights) -> None:
    body = b"CURRENCY,TIME_PERIOD,OBS_VALUE\nUSD,2026-10-31,1.2\nCNY,2026-10-31,7.5\nCNY,2026-12-24,7.5\n"
    ended = nights.run(outcomes=_rates(body, NIGHT))[bank.NAME]
    assert (ended.status, ended.remarks[0].subject) == ("kept", "2")
    assert current.rates(nights.path).newest == date(2026, 10, 31)


def test_an_unreadable_bank_is_said_and_the_old_rates_serve(nights: Nights) -> None:
    ended = nights.run(outcomes=_rates(b"<html>", NIGHT))[bank.NAME]
    assert ended.status == "failed"
    assert current.rates(nights.path).newest == date(2026, 10, 30)


def test_the_bank_is_asked_in_one_request() -> None:
    asked: list[tuple[str, Any]] = []

    class Listening:
        def get(self, url: str, *, params: Any) -> str:
            asked.append((url, params))
            return "answer"

        def part(self, name: str, response: str) -> Part:
            return Part(name, response, b"", NIGHT)

    raw = bank.Bank().fetch(cast(Client, Listening()))
    assert len(raw.parts) == 1
    ((url, params),) = asked
    assert url.startswith("https://data-api.ecb.europa.eu/service/data/EXR/D.USD+CNY+")
    assert params["format"] == "csvdata"


def test_kept_answers_are_replayed_and_a_damaged_one_fails_alone(nights: Nights, tmp_path: Path) -> None:
    one, two = cloud("one", "1.5"), cloud("two", "1.6")
    nights.run(one, two)
    manifest = next((nights.captures / "two").iterdir())
    whole = manifest.read_bytes()
    manifest.write_bytes(b"{}")
    other = Nights(tmp_path / "other")
    other.folder.mkdir()
    night = collect.Night(
        {"one": cast(Adapter, one), "two": cast(Adapter, two)}, other.captures, lambda: NIGHT, resolve
    )
    ended = other.run(one, two, outcomes=collect.replayed(night, nights.captures))
    assert {name: one.status for name, one in ended.items()} == {"one": "kept", "two": "failed"}
    assert "cannot be read" in ended["two"].remarks[0].subject
    manifest.write_bytes(whole)


def test_two_snapshots_at_once_are_one(nights: Nights) -> None:
    with (
        collect.history(nights.folder, lambda: NIGHT),
        pytest.raises(Problem, match="another snapshot runs since 03:00") as problem,
    ):
        nights.run(cloud("cloud", "1.5"))
    assert problem.value.code == PARTIAL
    assert nights.run(cloud("cloud", "1.5"))["cloud"].status == "kept"


def test_a_clock_that_goes_back_loses_nothing(nights: Nights) -> None:
    nights.at = NIGHT + 30 * ONE_DAY
    nights.run(cloud("cloud", "1.5"))
    nights.at = NIGHT
    ended = nights.run(cloud("cloud", "1.7"))["cloud"]
    assert (ended.status, ended.remarks[0].rule) == ("refused", "clock-backwards")
    assert [str(one.price and one.price.amount) for one in current.current_offers(nights.path)[0]] == ["1.5"]
    nights.at = NIGHT + 31 * ONE_DAY
    assert nights.run(cloud("cloud", "1.8"))["cloud"].status == "kept"
