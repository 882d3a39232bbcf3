"""What providers answered, kept: bodies by their content, one manifest a collection; replayed as the Raw it was.

    <directory>/bodies/ab/<sha256>.gz            one body, whoever sent it (POST answers too)
    <directory>/<provider>/<time>-<digest>.json  one collection: its parts in order, their addresses, times and digests

Files are 0600 in folders of 0700. Keys and host addresses are blanked before a body is hashed (`redaction`).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from gpurent.adapters.contract import Part, Raw
from gpurent.adapters.redaction import redacted_body, redacted_text
from gpurent.errors import USAGE, Problem

SCHEMA = "gpurent.capture/1"
MAX_BODY = 64 * 2**20

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MANIFEST = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}\.json")


@dataclass(frozen=True)
class Capture:
    """A kept collection: its manifest, the Raw as it was kept, and the digests of its bodies in order."""

    path: Path
    raw: Raw
    digests: tuple[str, ...]


def digest(body: bytes) -> str:
    """The name of a body: sha256 in hex."""
    return hashlib.sha256(body).hexdigest()


def _body_path(directory: Path, name: str) -> Path:
    return directory / "bodies" / name[:2] / f"{name}.gz"


def _folder(path: Path) -> None:
    """Make a private folder and every private folder above it that is missing (`mkdir` gives its mode to the last)."""
    if not path.is_dir():
        _folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)


def _write(path: Path, data: bytes) -> None:
    """Write a private file whole or not at all, and have it on the disk before anybody names it."""
    _folder(path.parent)
    half = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def redacted(raw: Raw, keys: Iterable[str] = (), secrets: Iterable[str] = ()) -> Raw:
    """The Raw without secrets and host addresses; the client's parts are already, a fetch may build its own."""
    keys, secrets = tuple(keys), tuple(secrets)
    parts = tuple(
        replace(part, url=redacted_text(part.url, secrets), body=redacted_body(part.body, keys, secrets))
        for part in raw.parts
    )
    return replace(raw, parts=parts, troubles=tuple(redacted_text(trouble, secrets) for trouble in raw.troubles))


def keep(raw: Raw, directory: Path, *, keys: Iterable[str] = (), secrets: Iterable[str] = ()) -> Capture:
    """Keep one collection.

    Args:
        raw: what `fetch` gave.
        directory: the captures folder; made (0700) when it is not there.
        keys: `META.redact`.
        secrets: values that must not be written.

    Returns:
        The capture; parse its `raw`, so that a replay gives the same offers.
    """
    if not _NAME.fullmatch(raw.provider):
        raise Problem("not a provider's name", raw.provider, "small letters, digits and hyphens", USAGE)
    raw = redacted(raw, keys, secrets)
    _folder(directory)
    digests = tuple(digest(part.body) for part in raw.parts)
    for part, name in zip(raw.parts, digests, strict=True):
        path = _body_path(directory, name)
        if not path.exists():
            _write(path, gzip.compress(part.body, mtime=0))
    manifest = json.dumps(_manifest(raw, digests), indent=1, ensure_ascii=False, sort_keys=True).encode()
    taken = max((part.observed_at for part in raw.parts), default=datetime.fromtimestamp(0, UTC)).astimezone(UTC)
    path = directory / raw.provider / f"{taken:%Y%m%dT%H%M%SZ}-{digest(manifest)[:8]}.json"
    _write(path, manifest)
    return Capture(path, raw, digests)


def _manifest(raw: Raw, digests: tuple[str, ...]) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "provider": raw.provider,
        "complete": raw.complete,
        "troubles": list(raw.troubles),
        "parts": [
            {
                "name": part.name,
                "url": part.url,
                "status": part.status,
                "headers": dict(part.headers),
                "observed_at": part.observed_at.isoformat(),
                "sha256": name,
                "bytes": len(part.body),
            }
            for part, name in zip(raw.parts, digests, strict=True)
        ],
    }


def load(path: Path) -> Raw:
    """The collection a manifest describes, its bodies checked against their digests.

    Raises:
        Problem: a manifest or a body that is missing, damaged or not ours.
    """
    try:
        manifest = json.loads(path.read_bytes())
        if manifest["schema"] != SCHEMA:
            raise ValueError(manifest["schema"])
        parts = tuple(_part(path.parents[1], entry) for entry in manifest["parts"])
        return Raw(manifest["provider"], parts, manifest["complete"], tuple(manifest["troubles"]))
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise Problem(
            "this capture cannot be read", f"{path}: {error}", "collect again with gpurent snapshot"
        ) from None


def _part(directory: Path, entry: dict[str, object]) -> Part:
    name = str(entry["sha256"])
    if not _DIGEST.fullmatch(name):
        raise ValueError(f"not a digest: {name[:80]}")
    unzip = zlib.decompressobj(wbits=31)
    try:
        body = unzip.decompress(_body_path(directory, name).read_bytes(), MAX_BODY)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if digest(body) != name:
        raise ValueError(f"the body does not match its digest {name}")
    return Part(
        name=str(entry["name"]),
        url=str(entry["url"]),
        body=body,
        observed_at=datetime.fromisoformat(str(entry["observed_at"])),
        status=int(str(entry["status"])),
        headers={str(key): str(value) for key, value in dict(entry["headers"]).items()},  # type: ignore[call-overload]
    )


def runs(directory: Path) -> Iterator[tuple[str, Path]]:
    """(provider, manifest) of every kept collection, oldest first within a provider."""
    for path in sorted(directory.glob("*/*.json")):
        if _MANIFEST.fullmatch(path.name) and _NAME.fullmatch(path.parent.name):
            yield path.parent.name, path


def latest(directory: Path) -> dict[str, Path]:
    """The newest manifest of each provider."""
    return dict(runs(directory))


def prune(directory: Path, before: datetime) -> int:
    """Remove collections older than a time, and the bodies nobody names any more.

    Returns:
        How many collections were removed.
    """
    mark = f"{before.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    old = [path for _, path in runs(directory) if path.name < mark]
    for path in old:
        path.unlink()
    named = {
        name
        for _, path in runs(directory)
        for name in re.findall(r'"sha256": "([0-9a-f]{64})"', path.read_text("utf-8", "replace"))
    }
    for body in directory.glob("bodies/*/*.gz"):
        if body.stem not in named:
            body.unlink()
    return len(old)
