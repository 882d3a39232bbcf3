"""One snapshot at a time: a lock that the system releases when its holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from gpurent.errors import PARTIAL, Problem

FILE_NAME = "snapshot.lock"


@contextmanager
def only_one(folder: Path, now: datetime) -> Iterator[None]:
    """Hold the folder's lock.

    Args:
        folder: where the history lies.
        now: written into the lock, so that the next one can say since when.

    Raises:
        Problem: another snapshot holds it, or the folder cannot be written (exit 4).
    """
    path = folder / FILE_NAME
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Problem(
            "the history's folder cannot be written", f"{folder}: {error.strerror}",
            "check its rights, or set GPURENT_DATA_DIR", PARTIAL,
        ) from None  # fmt: skip
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            since = os.read(handle, 64).decode("ascii", "replace").strip() or "?"
            raise Problem(
                f"another snapshot runs since {since[11:16]}", f"{path}: started {since}",
                "wait until it has ended, then run again", PARTIAL,
            ) from None  # fmt: skip
        with suppress(OSError):  # only a note for the next one, which then says "?"
            os.ftruncate(handle, 0)
            os.write(handle, now.isoformat(timespec="seconds").encode())
        yield
    finally:
        os.close(handle)
