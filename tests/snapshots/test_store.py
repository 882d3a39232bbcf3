"""Opening the history: its format, copies before a migration, files that are none, readers that only read."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from gpurent.errors import USAGE, Problem
from gpurent.snapshots import store
from tests.snapshots.making import keep_night, offer


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / store.FILE_NAME


def test_a_new_history_is_private_and_safe(path: Path) -> None:
    with closing(store.open_to_write(path)) as db:
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
        assert db.execute("PRAGMA synchronous").fetchone()[0] == 2
        assert db.execute("PRAGMA foreign_keys").fetchone()[0] == 1
    assert path.stat().st_mode & 0o777 == 0o600


def test_where_nothing_was_collected_there_is_nothing_to_read(path: Path) -> None:
    assert store.open_to_read(path) is None
    path.touch()
    assert store.open_to_read(path) is None


def test_readers_cannot_write(path: Path) -> None:
    with closing(store.open_to_write(path)) as db:
        keep_night(db, [offer()])
    reader = store.open_to_read(path)
    assert reader is not None
    with closing(reader), pytest.raises(sqlite3.OperationalError, match="attempt to write a readonly"):
        reader.execute("DELETE FROM span")


def test_a_migration_keeps_a_copy_first(path: Path) -> None:
    with closing(store.open_to_write(path)) as db:
        keep_night(db, [offer()])
    steps = (*store.migrations(), (2, "ALTER TABLE run ADD COLUMN host TEXT;\n"))
    with closing(store.open_to_write(path, steps)) as db:
        assert db.execute("SELECT host FROM run").fetchall() == [(None,)]
        assert db.execute("PRAGMA user_version").fetchone()[0] == 2
    copy = path.with_name(f"{path.name}.format-1")
    with closing(sqlite3.connect(copy)) as old:
        assert old.execute("PRAGMA user_version").fetchone()[0] == 1
        assert old.execute("SELECT count(*) FROM span").fetchone()[0] == 1


def test_a_migration_that_fails_changes_nothing(path: Path) -> None:
    store.open_to_write(path).close()
    steps = (*store.migrations(), (2, "CREATE TABLE half (a);\nALTER TABLE nowhere ADD COLUMN b;\n"))
    with pytest.raises(Problem):
        store.open_to_write(path, steps)
    with closing(store.open_to_write(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] == 1
        assert not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'half'").fetchone()


@pytest.mark.parametrize("opening", [store.open_to_write, store.open_to_read])
def test_a_newer_history_is_one_clear_line(path: Path, opening: object) -> None:
    with closing(store.open_to_write(path)) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(Problem, match="newer gpurent") as told:
        opening(path)  # type: ignore[operator]
    assert told.value.code == USAGE
    assert "format 99" in str(told.value.value)


@pytest.mark.parametrize("opening", [store.open_to_write, store.open_to_read])
def test_a_file_of_something_else_is_left_alone(path: Path, opening: object) -> None:
    path.write_bytes(b"not a database at all " * 100)
    before = path.read_bytes()
    with pytest.raises(Problem) as told:
        opening(path)  # type: ignore[operator]
    assert told.value.code == USAGE
    assert path.read_bytes() == before


def test_another_program_s_database_is_left_alone(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE song (title)")
    with pytest.raises(Problem, match="no history"):
        store.open_to_write(path)


_CUT_OFF = """
import os, sqlite3, sys
from pathlib import Path
from gpurent.snapshots import store
db = store.open_to_write(Path(sys.argv[1]))
db.execute("PRAGMA cache_size = 1")  # dirty pages go to the file before the commit
db.execute("BEGIN IMMEDIATE")
db.execute("DELETE FROM span")
db.executemany("INSERT INTO reject VALUES (1, 'p', 'q', ?, 'r')", [("x" * 900,) for _ in range(200)])
os._exit(9)
"""


def test_a_journal_left_by_a_kill_is_played_back_by_the_next_reader(path: Path) -> None:
    with closing(store.open_to_write(path)) as db:
        keep_night(db, [offer("a"), offer("b")])
    assert subprocess.run([sys.executable, "-c", _CUT_OFF, str(path)], check=False).returncode == 9
    assert path.with_name(path.name + "-journal").exists()
    reader = store.open_to_read(path)
    assert reader is not None
    with closing(reader):
        assert reader.execute("SELECT count(*) FROM span").fetchone()[0] == 2
        assert reader.execute("SELECT count(*) FROM reject").fetchone()[0] == 0


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv, which takes root's rights away, is not installed")
def test_a_read_only_folder_can_be_read_and_says_why_it_cannot_be_written(path: Path) -> None:
    with closing(store.open_to_write(path)) as db:
        keep_night(db, [offer("a"), offer("b")])
    path.chmod(0o400)
    path.parent.chmod(0o500)
    script = """
import sys
from pathlib import Path
from gpurent.errors import Problem
from gpurent.snapshots import current, store
print(len(current.current_offers(Path(sys.argv[1]))[0]))
try:
    db = store.open_to_write(Path(sys.argv[1]))
    with store.told(Path(sys.argv[1])), store.transaction(db):
        db.execute("DELETE FROM span")
except Problem as problem:
    print(problem.code, problem.what)
"""
    plain = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    try:
        done = subprocess.run(
            [*plain, sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False
        )
    finally:
        path.parent.chmod(0o700)
    assert done.stdout.splitlines() == ["2", "4 the history cannot be written"], done.stderr
