"""Settings of a command that its line does not give: GPURENT_* variables, then config.toml."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from gpurent.cli.names import COMMANDS
from gpurent.errors import Problem

_PREFIX = "GPURENT_"
_MAX_BYTES = 1 << 20


def folder() -> Path:
    """The platform's folder of gpurent's config.toml."""
    from platformdirs import user_config_path

    return user_config_path("gpurent", appauthor=False)


def defaults(command: str, options: Mapping[str, bool], environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """What a command's options are when its line does not say.

    Args:
        command: its name, which is a table of config.toml.
        options: its option names (`max_age`), and whether each takes several values.
        environment: where GPURENT_MAX_AGE and its like are looked up.

    Raises:
        Problem: a config file that cannot be read, or a key the command does not have.
    """
    found = _from_file(command, options)
    for name in options:
        value = environment.get(_PREFIX + name.strip("_").upper())
        if value:
            found[name] = value.split(",") if options[name] else value
    return found


def _from_file(command: str, options: Mapping[str, bool]) -> dict[str, Any]:
    path = folder() / "config.toml"
    if not os.path.lexists(path):
        return {}
    import tomllib

    try:
        if path.stat().st_size > _MAX_BYTES:
            raise Problem("the config file is too large", path, f"keep it below {_MAX_BYTES >> 20} MiB")
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise Problem(f"the config file cannot be read: {error}"[:150], path, "mend it, or move it away") from None
    for name in told:
        if name not in COMMANDS:
            near = ", ".join(get_close_matches(name, COMMANDS, 3, 0.5)) or ", ".join(COMMANDS)
            raise Problem("config.toml has a table or key no command reads", name, f"tables are commands: {near}")
    table = told.get(command, {})
    if not isinstance(table, dict):
        raise Problem(
            "the config file has a value where a table belongs", command, f"write [{command}] and keys under it"
        )
    return {_known(str(key), options, path): value for key, value in table.items()}


def _known(key: str, options: Collection[str], path: Path) -> str:
    name = key.replace("-", "_")
    for known in options:
        if name == known.strip("_"):
            return known
    near = ", ".join(get_close_matches(name, options, 3, 0.5))
    raise Problem(f"unknown key in {path.name}", key, f"near: {near}" if near else "see the command's --help")
