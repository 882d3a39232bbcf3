"""A synthetic year of history: how large it gets, how long a night and a question take.

python benchmarks/bench_history.py [nights] [offers]
"""

from __future__ import annotations

import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from statistics import median

from gpurent import fx, workloads
from gpurent.hardware import cards
from gpurent.hardware.resolve import resolve
from gpurent.money import Price
from gpurent.offer import Offer
from gpurent.snapshots import chain, changes, gate, keep, series, store
from gpurent.snapshots import questions as asked
from gpurent.snapshots.collection import Answer
from gpurent.snapshots.current import current_offers, known_rates, past_of

PROVIDERS = 12
CHANGED = 0.03  # of the prices a night
START = datetime(2025, 12, 1, 3, 0, tzinfo=UTC)


def first_night(count: int, chance: random.Random) -> list[Offer]:
    """Offers of a dozen providers, a third of them listings of marketplaces."""
    models = [card for card in cards.table() if card.usd_h_low and card.usd_h_high]
    offers = []
    for number in range(count):
        provider = number % PROVIDERS
        card = models[(number * 7) % len(models)]
        price = (card.usd_h_low or 0) * 1.1 + chance.random() * (
            (card.usd_h_high or 0) * 0.9 - (card.usd_h_low or 0) * 1.1
        )
        offers.append(
            Offer(
                provider=f"provider-{provider}", gpu=card.name, sku=f"type-{number // PROVIDERS % 90}",
                listing=str(number) if provider < 4 else None, region=f"region-{number // PROVIDERS // 90}",
                gpu_count=1, vcpus=8 + number % 5 * 4, ram_gib=60 + number % 3 * 60,
                price=Price(amount=f"{price:.3f}"), observed_at=START, reliability=0.9 + number % 10 / 100,
            )
        )  # fmt: skip
    return offers


def nights(offers: list[Offer], count: int, chance: random.Random) -> Iterator[tuple[datetime, list[Offer]]]:
    """Each night, with some prices moved to within five percent of where they began."""
    began = [offer.price.amount for offer in offers if offer.price]
    for night in range(count):
        at = START + timedelta(days=night)
        for place in chance.sample(range(len(offers)), int(CHANGED * len(offers)) if night else 0):
            moved = began[place] * Decimal(str(round(chance.uniform(0.95, 1.05), 4)))
            price = Price(amount=f"{moved:.3f}")
            offers[place] = Offer.assemble({**offers[place].__dict__, "price": price})
        yield at, [Offer.assemble({**offer.__dict__, "observed_at": at}) for offer in offers]


def write_night(path: Path, at: datetime, offers: list[Offer]) -> None:
    """What `snapshot` does after the answers came."""
    by_provider: dict[str, list[Offer]] = {}
    for offer in offers:
        by_provider.setdefault(offer.provider, []).append(offer)
    with closing(store.open_to_write(path)) as db:
        run = keep.begin_run(db, at, "live", "bench")
        for provider, own in by_provider.items():
            answer = Answer(provider, at, at, at, at, True, tuple(own))
            verdict = gate.judge(answer, past_of(db, provider), {"USD": 1.0}, resolve)
            if verdict.refused:
                raise SystemExit(f"refused: {verdict.refused}")
            keep.keep(db, run, answer, verdict)
        keep.end_run(db, run, at)


def timed(name: str, work: Callable[[], object], budget_s: float) -> None:
    begun, worked = time.perf_counter(), time.process_time()
    work()
    wall_s, cpu_s = time.perf_counter() - begun, time.process_time() - worked
    print(f"{name:<44} {wall_s:7.3f} s, of it processor {cpu_s:.3f} s (budget {budget_s:g} s)")


def costs(db: sqlite3.Connection, days: list[date], last: datetime) -> None:
    found = series.prices(db, days, resolve, lambda offer, found: True, known_rates(db))
    per_epoch = asked.costs(db, found, workloads.load("bert-large"), None, last)
    series.group(found, per_epoch, ("card",))


def questions(path: Path, last: datetime) -> None:
    """Each question the way a command asks it: the file is opened for it."""
    with closing(store.open_to_read(path)) as db:
        days = series.days_between(START, last)

        def by(*names: series.By) -> None:
            found = series.prices(db, days, resolve, lambda offer, found: True, known_rates(db))
            series.group(found, found.usd_per_gpu_hour, names)

        timed("history: a year by card", lambda: by("card"), 0.3)
        timed("history: a year by card, provider, region", lambda: by("card", "provider", "region"), 0.3)
        timed("history: a year of costs by card", lambda: costs(db, days, last), 0.3)
        timed(
            "history: one day by card",
            lambda: series.prices(db, days[len(days) // 2 :][:1], resolve, lambda o, f: True, fx.embedded()),
            0.3,
        )
        year = changes.at_time(START), changes.at_time(last)
        timed("diff: first and last night", lambda: changes.diff(db, *year), 0.3)
        timed("diff: last two nights", lambda: changes.diff(db, *changes.last_points(db)), 0.3)
        key = db.execute("SELECT key FROM offer LIMIT 1 OFFSET 100").fetchone()[0]
        timed("one offer's history", lambda: changes.spells(db, key), 0.3)
        timed("runs: the last 20", lambda: changes.runs(db, 20), 0.3)
        timed("verify: the whole chain", lambda: chain.verify(db), 5)
    timed("current offers for compare", lambda: current_offers(path), 0.3)
    timed("offers as of half a year ago", lambda: current_offers(path, START + timedelta(days=180)), 0.3)


def main() -> None:
    count, size = (int(word) for word in (sys.argv[1:] + ["365", "3000"][len(sys.argv) - 1 :])[:2])
    chance = random.Random(5)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.sqlite"
        seconds: list[float] = []
        cpu: list[float] = []
        for at, offers in nights(first_night(size, chance), count, chance):
            begun, worked = time.perf_counter(), time.process_time()
            write_night(path, at, offers)
            seconds.append(time.perf_counter() - begun)
            cpu.append(time.process_time() - worked)
        with closing(store.open_to_read(path)) as db:
            spans = db.execute("SELECT count(*) FROM span").fetchone()[0]
            sizes = dict(db.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
        own = sizes["span"] + sizes["span_offer"]
        print(f"{count} nights x {size} offers of {PROVIDERS} providers, {spans} spans")
        print(f"spans {own / 1e6:.2f} MB (budget 3), file {path.stat().st_size / 1e6:.2f} MB")
        print({name: round(bytes_ / 1e6, 2) for name, bytes_ in sorted(sizes.items(), key=lambda item: -item[1])[:6]})
        print(f"a night: median {median(seconds):.3f} s, of it processor {median(cpu):.3f} s (budget 0.3 s)")
        questions(path, at)


if __name__ == "__main__":
    main()
