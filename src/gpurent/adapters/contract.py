"""What a provider adapter is: `fetch` does the I/O, `parse` is pure. Third parties write against this page alone.

An adapter is a module registered under the entry point group `gpurent.providers` (key: `META.name`) with these names:

    META = AdapterMeta(...)
    def fetch(client: Client) -> Raw                     # every request, nothing else
    def parse(raw: Raw) -> Iterator[Offer | Reject]      # pure; raises ShapeChanged when the whole answer drifted

`parse` tells parts apart by what they hold, and by their names only where the body does not say (a zone): saved
answers come with the name of a file. `gpurent.adapters.reading` reads hostile rows, `gpurent.adapters.testing` checks
an adapter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from gpurent.offer import Offer, Reject

ENTRY_POINTS = "gpurent.providers"

Complete = bool | None  # None: the source does not let us know

OUT_OF_SCOPE = "out of scope: "


def is_fault(reject: Reject) -> bool:
    """Whether a rejection is a fault of the row; rows that are no offer of ours (no GPU, a licence) are not."""
    return not reject.reason.startswith(OUT_OF_SCOPE)


class ShapeChanged(Exception):
    """The whole answer no longer has the documented shape; `path` names where it drifted."""

    def __init__(self, path: str, found: str = "") -> None:
        super().__init__(f"{path}: {found}" if found else path)
        self.path = path
        self.found = found


class TransportFailed(Exception):
    """A request that gave no usable answer: refused by the client's rules, by the server, or by the network."""

    def __init__(self, url: str, reason: str, status: int | None = None) -> None:
        super().__init__(f"{reason} ({url})")
        self.url = url
        self.reason = reason
        self.status = status


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
    troubles: tuple[str, ...] = ()  # what could not be had although the rest could; `complete` is then never True


@dataclass(frozen=True)
class AdapterMeta:
    """What `providers list` shows, and what the client allows."""

    name: str  # provider id as in providers.csv, or the importer's name
    title: str
    covers: str  # one line: what is and is not covered
    hosts: tuple[str, ...]  # the only hosts the client may talk to, lower case; an importer of files has none
    official: bool = True  # False: an interface the provider does not document or promise
    key_env: str | None = None  # environment variable of the key, None: no key
    key_required: bool = False
    redirects: bool = False  # followed to declared hosts only
    redact: tuple[str, ...] = ()  # JSON keys whose values are blanked before a body is hashed and kept
    min_interval_s: float = 1.0  # between two requests to one host
    deadline_s: float = 120.0  # of the whole collection
    card_pages: str = ""  # documentation the shape was read from, and the date


class Response(Protocol):
    """An answer with a 2xx status; anything else raised `TransportFailed`. `body` is decoded, at most 64 MiB."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...  # lower-case names
    @property
    def body(self) -> bytes: ...
    @property
    def url(self) -> str: ...


class Client(Protocol):
    """What `fetch` may use: HTTPS to `META.hosts` only, capped, paced, retried. Raises `TransportFailed`.

    Both calls are retried, so `post` is for searches only. Headers given here go to the host they were given for.
    """

    def get(
        self, url: str, *, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> Response: ...

    def post(self, url: str, *, json: object, headers: Mapping[str, str] | None = None) -> Response: ...

    def part(self, name: str, response: Response) -> Part:
        """The answer as a Part, with the time it came and without the key and the `META.redact` values."""
        ...

    def key(self) -> str | None:
        """The value of `META.key_env`, or None."""
        ...


class Adapter(Protocol):
    """A provider module as the registry sees it."""

    @property
    def META(self) -> AdapterMeta: ...  # noqa: N802 - a module constant

    def fetch(self, client: Client) -> Raw: ...

    def parse(self, raw: Raw) -> Iterator[Offer | Reject]: ...
