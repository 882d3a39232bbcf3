"""Where things lie on this machine: the history, the captures."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from gpurent.errors import PARTIAL, Problem


def _chosen(environment: Mapping[str, str], own: str, service: str) -> Path | None:
    """The folder of our own variable, else the one systemd made for a service (the first of several)."""
    if environment.get(own):
        try:
            return Path(environment[own]).expanduser()
        except RuntimeError:
            raise Problem("there is no such user's folder", environment[own], f"set {own} to a folder") from None
    given = environment.get(service, "").split(":")[0]
    return Path(given) if given else None


def data_dir(environment: Mapping[str, str] = os.environ) -> Path:
    """Folder of the history: GPURENT_DATA_DIR, else $STATE_DIRECTORY of a service, else the platform's."""
    chosen = _chosen(environment, "GPURENT_DATA_DIR", "STATE_DIRECTORY")
    if chosen is None:
        from platformdirs import user_data_path

        chosen = user_data_path("gpurent", appauthor=False)
    return chosen


def cache_dir(environment: Mapping[str, str] = os.environ) -> Path:
    """Folder of the captures: GPURENT_CACHE_DIR, else $CACHE_DIRECTORY of a service, else the platform's."""
    chosen = _chosen(environment, "GPURENT_CACHE_DIR", "CACHE_DIRECTORY")
    if chosen is None:
        from platformdirs import user_cache_path

        chosen = user_cache_path("gpurent", appauthor=False)
    return chosen


def history(environment: Mapping[str, str] = os.environ) -> Path:
    """The history file, which need not exist yet.

    Raises:
        Problem: its folder cannot be looked into (exit 2).
    """
    path = data_dir(environment) / "history.sqlite"
    try:
        path.exists()
    except OSError as error:
        raise Problem(
            "the history's folder cannot be read", f"{path.parent}: {error.strerror}",
            "check its rights, or set GPURENT_DATA_DIR",
        ) from None  # fmt: skip
    return path


def made(folder: Path) -> Path:
    """The folder, made for this user alone (0700) if it is not there.

    Raises:
        Problem: it cannot be made (exit 4).
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Problem(
            "this folder cannot be made", f"{folder}: {error.strerror}",
            "check its rights, or set GPURENT_DATA_DIR and GPURENT_CACHE_DIR", PARTIAL,
        ) from None  # fmt: skip
    return folder
