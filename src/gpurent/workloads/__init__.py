"""Workloads by name or file: what is trained, in one stack."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from importlib.resources import files as _resources
from pathlib import Path

from gpurent.errors import Problem
from gpurent.tables import rows
from gpurent.workloads.files import build, overrides, parse, read_text
from gpurent.workloads.workload import Workload

__all__ = ["Workload", "aliases", "changed", "load", "names", "template"]

_SUFFIX = ".toml"
_TEMPLATE = "template.toml.txt"


@cache
def names() -> tuple[str, ...]:
    """Names of the shipped workloads, sorted.

    >>> "bert-large" in names()
    True
    """
    found = (entry.name for entry in _resources(__package__).iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in found if name.endswith(_SUFFIX)))


@cache
def aliases() -> dict[str, str]:
    """Other spellings of the shipped workloads: alias -> name.

    >>> aliases()["transformer-xl"]
    'transformer-xl-base'
    """
    return {row["alias"]: row["workload"] for row in rows("workload_aliases")}


def load(name_or_path: str | Path, set_: Iterable[str] = (), *, anchored: bool = False) -> Workload:
    """A shipped workload by its name or alias, or the workload of a TOML file.

    Args:
        name_or_path: a name of `names()`, an alias, or a path (ends in .toml or has a folder in it).
        set_: overrides, "key=value" each.
        anchored: a measured rate is given beside the workload, so the file may leave FLOPs and stack out.

    Raises:
        Problem: unknown name (with near ones), unreadable or invalid file, invalid override.

    >>> load("bert-large", ["batch=16"]).batch
    16
    """
    changed = overrides(set_)
    if isinstance(name_or_path, Path) or _is_path(name_or_path):
        path = Path(name_or_path)
        return build(parse(read_text(path), path.name), changed, path.name, anchored=anchored)
    name = _resolve(name_or_path)
    text = _resources(__package__).joinpath(name + _SUFFIX).read_text(encoding="utf-8")
    return build(parse(text, name), changed, name, anchored=anchored)


def changed(workload: Workload, **keys: object) -> Workload:
    """The same workload with other values of some keys; another pipeline brings its own costs.

    >>> changed(load("resnet50"), pipeline="dali").prep_ms_per_sample
    3.7
    """
    return build(workload.model_dump(exclude_none=True), keys, workload.name, anchored=True)


def template() -> str:
    """A commented workload file that loads as it is."""
    return _resources(__package__).joinpath(_TEMPLATE).read_text(encoding="utf-8")


def _is_path(text: str) -> bool:
    return text.casefold().endswith(_SUFFIX) or "/" in text or "\\" in text or text in (".", "..")


def _resolve(text: str) -> str:
    key = text.strip().casefold().replace("_", "-")
    name = aliases().get(text.strip().casefold()) or aliases().get(key, key)
    if name in names():
        return name
    near = get_close_matches(key[:100], [*names(), *aliases()], n=4, cutoff=0.5)
    known = dict.fromkeys(aliases().get(one, one) for one in near)
    do = f"did you mean {', '.join(known)}?" if known else "`gpurent workloads list` shows all; a file ends in .toml"
    raise Problem("there is no workload of this name", text.strip() or "(empty)", do)
