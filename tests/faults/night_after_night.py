"""A process that writes nights into a history until it is stopped.

`python -m tests.faults.night_after_night FOLDER [SEED]`. Four providers of 60 offers; each night some prices move. It
says "ready" whenever a provider is kept.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

from gpurent.adapters.contract import Adapter, Part, Raw
from gpurent.adapters.run import Outcome
from gpurent.hardware.resolve import resolve
from gpurent.offer import Offer
from gpurent.snapshots import collect, store
from gpurent.snapshots.collection import Ended
from tests.snapshots.making import Fake, offer

PROVIDERS = ("one", "two", "three", "four")
OFFERS = 60


def first_moment(folder: Path) -> datetime:
    """A day after the last collection of the history, so that the clock only goes forward."""
    from gpurent.snapshots.current import current_offers

    _, sources = current_offers(folder / store.FILE_NAME)
    last = max((source.last_at for source in sources.values()), default=datetime(2026, 1, 1, tzinfo=UTC))
    return last + timedelta(days=1)


def offers_of(provider: str, chance: random.Random) -> list[Offer]:
    """One night's offers; a fifth of the prices differ from the night before."""
    return [
        offer(f"type-{number}", f"{1.5 + chance.choice([0, 0, 0, 0, 0.1]):.2f}", provider=provider)
        for number in range(OFFERS)
    ]


class Writer:
    """The nights, one after another, as fast as they can be written."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder = folder
        self.chance = chance
        self.at = first_moment(folder)
        self.fakes = {name: Fake(name, []) for name in PROVIDERS}

    def now(self) -> datetime:
        return self.at

    def outcomes(self) -> Iterator[Outcome]:
        for name, fake in self.fakes.items():
            fake.offers = list(offers_of(name, self.chance))
            part = Part("all", "https://example.org", f"{name} {self.at.isoformat()}".encode(), self.at)
            yield Outcome(name, Raw(name, (part,), True), None, self.at, self.at)

    def run(self) -> None:
        adapters = {name: cast(Adapter, fake) for name, fake in self.fakes.items()}
        night = collect.Night(adapters, self.folder / "captures", self.now, resolve)
        while True:
            with collect.history(self.folder, self.now) as db:
                collect.collect(db, night, self.outcomes(), "live", told)
            self.at += timedelta(days=1)


def told(ended: Ended, offers: tuple[Offer, ...]) -> None:
    del offers
    print("ready", ended.provider, ended.seq, flush=True)


if __name__ == "__main__":
    Writer(Path(sys.argv[1]), random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 0)).run()
