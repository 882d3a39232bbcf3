"""What a provider adapter is: `fetch` does the I/O, `parse` is pure. Third parties write against this page alone.

An adapter is a module registered under the entry point group `gpurent.providers` with these names:

    META = AdapterMeta(...)
    def fetch(client: Client) -> Raw                     # every request, nothing else
    def parse(raw: Raw) -> Iterator[Offer | Reject]      # pure; raises ShapeChanged when the whole answer drifted
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from gpurent.offer import Offer, Reject

Complete = bool | None  # None: the source does not let us know


class ShapeChanged(Exception):
    """The whole answer no longer has the documented shape; `path` names where it drifted."""

    def __init__(self, path: str, found: str = "") -> None:
        super().__init__(f"{path}: {found}" if found else path)
        self.path = path
        self.found = found


@dataclass(frozen=True)
class Part:
    """One body a provider answered: `name` is the adapter's own ("offers-rtx-4090-asc"), unique in a Raw."""

    name: str
    url: str
    body: bytes
    observed_at: datetime
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)  # lower-case names, the few that parsing needs


@dataclass(frozen=True)
class Raw:
    """Everything one collection of one provider received, in order. Serialised by captures, replayed by parse."""

    provider: str
    parts: tuple[Part, ...]
    complete: Complete = None


@dataclass(frozen=True)
class AdapterMeta:
    """What `providers list` shows, and what the client allows."""

    name: str  # provider id as in providers.csv, or the importer's name
    title: str
    covers: str  # one line: what is and is not covered
    hosts: tuple[str, ...]  # the only hosts the client may talk to
    official: bool = True
    key_env: str | None = None  # environment variable of the key, None: no key
    key_required: bool = False
    redirects: bool = False
    redact: tuple[str, ...] = ()  # JSON keys whose values are blanked before a body is hashed and kept
    min_interval_s: float = 1.0
    deadline_s: float = 120.0
    card_pages: str = ""  # documentation the shape was read from, and the date


class Response(Protocol):
    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str


class Client(Protocol):
    """What `fetch` may use: HTTPS to `META.hosts` only, capped, paced, retried. Raises `TransportFailed`."""

    def get(
        self, url: str, *, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> Response: ...

    def post(self, url: str, *, json: object, headers: Mapping[str, str] | None = None) -> Response: ...

    def part(self, name: str, response: Response) -> Part: ...

    def key(self) -> str | None: ...


class Adapter(Protocol):
    """A provider module as the registry sees it."""

    META: AdapterMeta

    def fetch(self, client: Client) -> Raw: ...

    def parse(self, raw: Raw) -> Iterator[Offer | Reject]: ...
