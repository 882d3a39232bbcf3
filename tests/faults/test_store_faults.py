"""A full disk, a folder that cannot be written, a command that is told to end: clear words, and nothing lost."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from gpurent.errors import PARTIAL, Problem
from gpurent.snapshots import chain, store
from gpurent.snapshots.current import current_offers
from tests.shared import ROOT
from tests.snapshots.making import NIGHT, ONE_DAY, keep_night, offer

MANY = [offer(f"type-{number}", note="x" * 150) for number in range(300)]


def test_a_full_disk_loses_nothing_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / store.FILE_NAME
    with closing(store.open_to_write(path)) as db:
        keep_night(db, [offer("a")])
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(Problem, match="cannot be written") as problem, store.told(path):
            keep_night(db, [offer("a", "1.60"), *MANY], NIGHT + ONE_DAY)
    assert problem.value.code == PARTIAL
    assert "full" in str(problem.value.value)
    with closing(store.open_to_write(path)) as db:
        assert chain.verify(db) == []
        keep_night(db, [offer("a", "1.70"), *MANY], NIGHT + 2 * ONE_DAY)  # with room again
    assert len(current_offers(path)[0]) == 301


_LIMITED = """
import resource, signal, sys
from pathlib import Path
from contextlib import closing
from gpurent.errors import Problem
from gpurent.snapshots import store
from tests.faults.test_store_faults import MANY
from tests.snapshots.making import NIGHT, ONE_DAY, keep_night
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 8192, resource.RLIM_INFINITY))
try:
    with store.told(path), closing(store.open_to_write(path)) as db:
        keep_night(db, MANY, NIGHT + ONE_DAY)
except Problem as problem:
    print(problem.code, problem.what)
"""


@pytest.mark.parametrize(
    ("content", "code", "what"),
    [
        (b"", None, ""),
        (b"hello, this is no database\n" * 9, 1, "this file is damaged"),
        (bytes(4096), 1, "this file is damaged"),
    ],
)
def test_what_verify_says_of_a_file_that_is_no_history(
    tmp_path: Path, content: bytes, code: int | None, what: str
) -> None:
    path = tmp_path / store.FILE_NAME
    path.write_bytes(content)
    if code is None:
        assert store.open_to_read(path) is None
        return
    with pytest.raises(Problem, match=what) as problem:
        store.open_to_read(path, damaged=code)
    assert problem.value.code == code


def test_a_foreign_database_a_folder_and_a_first_run_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "foreign.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE other (a)")
    with pytest.raises(Problem, match="no history of gpurent"):
        store.open_to_read(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TABLE other")
    assert store.open_to_read(path) is None  # as a first snapshot leaves it that was killed before it kept anything
    with pytest.raises(Problem, match="no file"):
        store.open_to_read(tmp_path)


def test_a_flipped_bit_anywhere_that_matters_shows(tmp_path: Path) -> None:
    path = tmp_path / store.FILE_NAME
    with closing(store.open_to_write(path)) as db:
        keep_night(db, [offer("a", region="Iceland", vcpus=16), offer("b", reliability=0.9, via="shop")])
        keep_night(db, [offer("a", "1.60", region="Iceland", vcpus=16)], NIGHT + ONE_DAY)
    whole, seen, chance = path.read_bytes(), _content(path), random.Random(3)
    flipped = tmp_path / "flipped.sqlite"
    found = 0
    for place in chance.sample([place for place, byte in enumerate(whole) if byte], 600):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << chance.randrange(8)
        flipped.write_bytes(damaged)
        try:
            reader = store.open_to_read(flipped)
            assert reader is not None, place
            with closing(reader):
                differences = chain.verify(reader)
        except Problem:
            differences = ["no history"]
        found += bool(differences)
        assert differences or _content(flipped) == seen, place
    assert found > 300


# What `verify` answers for. When a run ended is written later than its collections.
_WRITTEN = {
    **dict.fromkeys(("collection", "offer", "facts", "span", "aggregate", "reject", "aside", "ecb_rate", "meta"), "*"),
    "run": "id, started, how, version",
}


def _content(path: Path) -> list[object]:
    with closing(sqlite3.connect(path)) as db:
        return [
            db.execute(f"SELECT {columns} FROM {name} ORDER BY 1, 2").fetchall() for name, columns in _WRITTEN.items()
        ]


def test_a_write_that_the_system_cuts_off_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / store.FILE_NAME
    with closing(store.open_to_write(path)) as db:
        keep_night(db, [offer("a")])
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "4 the history cannot be written", done.stderr
    with closing(store.open_to_write(path)) as db:
        assert chain.verify(db) == []
    assert len(current_offers(path)[0]) == 1


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    folders = {"GPURENT_DATA_DIR": str(tmp_path / "data"), "GPURENT_CACHE_DIR": str(tmp_path / "cache")}
    return {**os.environ, **folders, "LC_ALL": "C.UTF-8", "GPURENT_LANG": "en"}


_COMMAND = "import sys; from gpurent.cli.app import main; sys.argv[0] = 'gpurent'; main()"


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv, which takes root's rights away, is not installed")
def test_snapshot_in_a_read_only_folder_is_three_lines(tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "data").mkdir(mode=0o500)
    replay = kept_answers(tmp_path / "replay")
    plain = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*plain, sys.executable, "-c", _COMMAND, "snapshot", "--replay", str(replay)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 4
    assert done.stdout == ""
    assert done.stderr.splitlines()[0] == "gpurent: the history's folder cannot be written"
    assert len(done.stderr.splitlines()) == 3


# A job of a shell's background starts with interrupts ignored, and so would its children: here they never are.
_SLOW = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from gpurent.adapters import captures
from gpurent.cli.app import main
kept = captures.keep
def slow(*words, **names):
    made = kept(*words, **names)
    print("keeping", flush=True)
    time.sleep(30)
    return made
captures.keep = slow
sys.argv[0] = "gpurent"
main()
"""


@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_snapshot_told_to_end_ends_at_once_and_keeps_what_was_whole(
    tmp_path: Path, environment: dict[str, str], how: signal.Signals, code: int
) -> None:
    replay = kept_answers(tmp_path / "replay")
    process = subprocess.Popen(
        [sys.executable, "-c", _SLOW, "snapshot", "--replay", str(replay)],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "keeping\n"
    second = subprocess.run(
        [sys.executable, "-c", _COMMAND, "snapshot", "--replay", str(replay)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert second.returncode == 4
    assert second.stderr.startswith("gpurent: another snapshot runs since ")
    process.send_signal(how)
    _, errors = process.communicate(timeout=25)  # sooner than it would have woken by itself
    assert process.returncode == code, errors
    assert "Traceback" not in errors
    path = tmp_path / "data" / store.FILE_NAME
    with closing(store.open_to_write(path)) as db:
        assert chain.verify(db) == []
        assert db.execute("SELECT count(*) FROM run WHERE ended IS NULL").fetchone()[0] == 1
    again = subprocess.run(
        [sys.executable, "-c", _COMMAND, "snapshot", "--replay", str(replay)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert again.returncode == 0, again.stderr


def kept_answers(folder: Path) -> Path:
    """A folder with one kept answer of a provider, from our fixtures."""
    from gpurent.adapters import captures
    from gpurent.adapters.contract import Part, Raw

    body = (ROOT / "fixtures" / "verda" / "normal.json").read_bytes()
    captures.keep(Raw("verda", (Part("normal", "https://api.verda.com/v1/instance-types", body, NIGHT),), True), folder)
    return folder
