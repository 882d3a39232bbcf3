"""Which adapters there are: the entry points of group `gpurent.providers`, ours and anybody's, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points

from gpurent.adapters.contract import ENTRY_POINTS, Adapter, AdapterMeta
from gpurent.errors import Problem
from gpurent.offer import clean_line

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_HOST = re.compile(r"[a-z0-9.-]+")


@dataclass(frozen=True)
class Broken:
    """A registered adapter that cannot be used, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Registry:
    """The usable adapters by name, in order of name, and the broken ones."""

    adapters: dict[str, Adapter] = field(default_factory=dict)
    broken: tuple[Broken, ...] = ()

    def get(self, name: str) -> Adapter:
        """One adapter.

        Raises:
            Problem: no such adapter, or a broken one.
        """
        if name in self.adapters:
            return self.adapters[name]
        reason = next((broken.reason for broken in self.broken if broken.name == name), None)
        if reason:
            raise Problem("this provider's adapter is broken", f"{name}: {reason}", "repair or remove its package")
        raise Problem("no such provider", name, f"one of: {', '.join(self.adapters)}")


def fault_of(name: str, adapter: object) -> str | None:
    """What keeps a module from being an adapter, or None."""
    meta = getattr(adapter, "META", None)
    if not isinstance(meta, AdapterMeta):
        return "has no META of type AdapterMeta"
    if not _NAME.fullmatch(meta.name) or meta.name != name:
        return f"META.name {clean_line(meta.name)!r} is not its entry point's key"
    missing = [function for function in ("fetch", "parse") if not callable(getattr(adapter, function, None))]
    if missing:
        return f"has no {' and no '.join(missing)}"
    wrong = next((host for host in meta.hosts if not _HOST.fullmatch(host)), None)
    return f"{clean_line(wrong)!r} is not a host name in small letters" if wrong is not None else None


def load(points: Iterable[EntryPoint] | None = None) -> Registry:
    """Import every registered adapter, each on its own: a broken one is named and the others go on.

    Args:
        points: entry points to use instead of the installed ones.
    """
    if points is None:
        points = entry_points(group=ENTRY_POINTS)
    adapters: dict[str, Adapter] = {}
    broken: list[Broken] = []
    for point in sorted(points, key=lambda point: (point.name, point.value)):
        name = clean_line(point.name)
        if name in adapters:
            broken.append(Broken(name, f"registered a second time by {clean_line(point.value)}; the first one is used"))
            continue
        try:
            adapter = point.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - importing somebody's module may raise anything; it fails alone
            broken.append(Broken(name, clean_line(f"{type(error).__name__}: {error}")))
            continue
        fault = fault_of(name, adapter)
        if fault:
            broken.append(Broken(name, fault))
        else:
            adapters[name] = adapter
    return Registry(adapters, tuple(broken))
