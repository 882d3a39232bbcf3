"""Killed at random moments, again and again: the history stays whole, and no provider is half in it."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from gpurent.snapshots import chain, store
from gpurent.snapshots.current import current_offers
from tests.faults.night_after_night import OFFERS, PROVIDERS
from tests.shared import ROOT


def killed(folder: Path, seed: int, after_s: float, how: signal.Signals) -> int:
    """Start the writer, stop it some time after its first provider was kept; gives the last collection it told of."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.night_after_night", str(folder), str(seed)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    first = process.stdout.readline()
    assert first.startswith("ready"), process.stderr.read()
    time.sleep(after_s)
    process.send_signal(how)
    rest, errors = process.communicate(timeout=60)
    assert process.returncode == -how, errors
    told = [line for line in [first, *rest.splitlines()] if line.startswith("ready") and line.count(" ") == 2]
    return int(told[-1].split()[2])


def is_whole(folder: Path, told: int) -> None:
    """Nothing differs, what was told is kept, every provider is all of one night."""
    path = folder / store.FILE_NAME
    offers, sources = current_offers(path)
    reader = store.open_to_read(path)
    assert reader is not None
    with closing(reader) as db:
        assert chain.verify(db, folder / "captures") == []
        assert db.execute("SELECT max(seq) FROM collection").fetchone()[0] >= told
        counts = db.execute("SELECT DISTINCT provider, offers FROM collection").fetchall()
    assert set(counts) <= {(provider, OFFERS) for provider in PROVIDERS}
    for provider in sources:
        seen = {offer.observed_at for offer in offers if offer.provider == provider}
        assert len(seen) == 1
    assert len(offers) == OFFERS * len(sources)


def kill_again_and_again(folder: Path, times: int, chance: random.Random) -> None:
    for number in range(times):
        how = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
        is_whole(folder, killed(folder, number, chance.uniform(0, 0.15), how))


def test_a_few_kills_at_random_moments(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, 4, random.Random(11))


@pytest.mark.soak
def test_two_hundred_kills_at_random_moments(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, 200, random.Random(12))
