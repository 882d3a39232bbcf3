"""The history file: opening it to read or to write, its format, one transaction at a time.

SQLite with a rollback journal and full synchronisation: after a kill, a full disk or a power cut the file holds the
last complete state. Readers open it read-only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from importlib.resources import files
from pathlib import Path

from gpurent.errors import PARTIAL, USAGE, Problem

FILE_NAME = "history.sqlite"
BUSY_TIMEOUT_MS = 10_000
_FULL = ("disk is full", "disk i/o error", "unable to open database file", "readonly database", "read-only")

Migration = tuple[int, str]  # number and script


def migrations() -> tuple[Migration, ...]:
    """The numbered scripts of `sql/`, in order; the last number is the format this version writes."""
    scripts = (entry for entry in files(__package__).joinpath("sql").iterdir() if entry.name.endswith(".sql"))
    return tuple(sorted((int(script.name.split("_")[0]), script.read_text(encoding="utf-8")) for script in scripts))


def open_to_write(path: Path, steps: Sequence[Migration] | None = None) -> sqlite3.Connection:
    """Open the history, create it, or bring an older one to this version's format after keeping a copy of it.

    Args:
        path: the file; its folder must exist.
        steps: migrations; None: the shipped ones.

    Raises:
        Problem: the file is newer than this version, or no history (exit 2); it cannot be written (exit 4).
    """
    steps = migrations() if steps is None else steps
    with told(path):
        db = sqlite3.connect(path, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000)
        try:
            db.execute("PRAGMA journal_mode = DELETE")
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA foreign_keys = ON")
            db.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
            _migrate(db, path, steps)
            path.chmod(0o600)
        except BaseException:
            db.close()
            raise
    return db


def open_to_read(path: Path, damaged: int = USAGE) -> sqlite3.Connection | None:
    """Open the history read-only, or None where there is none yet.

    A journal that an interrupted snapshot left behind is played back first, which needs a folder that can be written.

    Args:
        path: the file.
        damaged: exit code for a file that SQLite cannot make sense of.

    Raises:
        Problem: the file is newer than this version, is no history, or cannot be read (exit 2).
    """
    with told(path, USAGE, damaged):
        if not path.exists() or (path.is_file() and path.stat().st_size == 0):
            return None
        if not path.is_file():
            raise Problem("this is no file", path, "move it away, or point GPURENT_DATA_DIR elsewhere", USAGE)
        try:
            db, version = _connect_to_read(path)
        except sqlite3.OperationalError as error:
            if not path.with_name(path.name + "-journal").exists():
                raise
            _play_back(path, error)
            db, version = _connect_to_read(path)
        newest = migrations()[-1][0]
        if version > newest:
            db.close()
            raise _newer(path, version)
        if version == 0:
            foreign = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            db.close()
            if foreign:
                raise _no_history(path)
            return None  # a first snapshot was interrupted before it kept anything
        if version < newest:  # the next snapshot brings it up; reading does not write
            db.close()
            raise Problem(
                "the history has an older format", f"{path}: format {version}",
                "run `gpurent snapshot` once; it keeps a copy and brings it up", USAGE,
            )  # fmt: skip
    return db


def _connect_to_read(path: Path) -> tuple[sqlite3.Connection, int]:
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_TIMEOUT_MS / 1000)
    try:
        db.execute("PRAGMA query_only = ON")
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()  # a hot journal is noticed here
        return db, int(db.execute("PRAGMA user_version").fetchone()[0])
    except BaseException:
        db.close()
        raise


def _play_back(path: Path, error: sqlite3.OperationalError) -> None:
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_MS / 1000)) as db:
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        raise Problem(
            "a snapshot was interrupted and its journal cannot be played back here", f"{path}-journal ({error})",
            "open it once where its folder can be written, for example with `gpurent runs`", USAGE,
        ) from None  # fmt: skip


def _newer(path: Path, version: int) -> Problem:
    return Problem(
        "the history was written by a newer gpurent", f"{path}: format {version}",
        "upgrade gpurent, or point GPURENT_DATA_DIR elsewhere", USAGE,
    )  # fmt: skip


def _no_history(path: Path) -> Problem:
    return Problem("this file is no history of gpurent", path, "point GPURENT_DATA_DIR at another folder", USAGE)


def _migrate(db: sqlite3.Connection, path: Path, steps: Sequence[Migration]) -> None:
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    if version > steps[-1][0]:
        raise _newer(path, version)
    if version == steps[-1][0]:
        return
    if version == 0 and db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise _no_history(path)
    if version:
        _copy(db, path.with_name(f"{path.name}.format-{version}"))
    with transaction(db):
        build(db, [step for step in steps if step[0] > version])


def build(db: sqlite3.Connection, steps: Sequence[Migration]) -> None:
    """Make the tables and indexes of these steps."""
    for number, script in steps:
        for statement in _statements(script):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {number}")


def _copy(db: sqlite3.Connection, target: Path) -> None:
    """A whole copy beside the file; an earlier copy of the same format is left as it is."""
    if target.exists():
        return
    partial = target.with_name(target.name + ".partial")
    partial.unlink(missing_ok=True)
    with closing(sqlite3.connect(partial)) as copy:
        copy.execute("PRAGMA synchronous = FULL")
        db.backup(copy)
    partial.chmod(0o600)
    partial.replace(target)


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, one at a time: `executescript` would commit what is open."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, also when the process is told to end in the middle of it."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


@contextmanager
def told(path: Path, code: int = PARTIAL, damaged: int = USAGE) -> Iterator[None]:
    """Turn what SQLite and the file system say into the three lines a person is told.

    Args:
        path: the history file.
        code: exit code for a file that cannot be written or read.
        damaged: exit code for one that SQLite cannot make sense of.
    """
    try:
        yield
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        reason = str(error)
        if isinstance(error, sqlite3.OperationalError) and "locked" in reason:
            raise Problem(
                "the history is in use", path, "wait until the other gpurent has ended, then run again", code
            ) from None
        if isinstance(error, sqlite3.OperationalError) and any(word in reason.lower() for word in _FULL):
            raise Problem(
                "the history cannot be written" if code == PARTIAL else "the history cannot be read",
                f"{path}: {reason}", "nothing was lost: make room or check the folder's rights, then run again", code,
            ) from None  # fmt: skip
        raise Problem(
            "this file is damaged or no history of gpurent", f"{path}: {reason}",
            "put a copy of it back, or move it away and start anew", damaged,
        ) from None  # fmt: skip
    except OSError as error:
        raise Problem(
            "the history's folder cannot be used", f"{path.parent}: {error.strerror or error}",
            "nothing was lost: make room or check the folder's rights, then run again", code,
        ) from None  # fmt: skip
