"""Captures: kept by content, private, replayed as they were, refused when damaged."""

from __future__ import annotations

import gzip
import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gpurent.adapters import captures
from gpurent.adapters.contract import Part, Raw
from gpurent.errors import Problem

NOON = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


def raw(provider: str = "stub", body: bytes = b'{"ip": "203.0.113.7", "n": 1}', at: datetime = NOON) -> Raw:
    parts = (
        Part("one", "https://a.example/?key=s3cr3t-k3y", body, at, headers={"link": "<x>"}),
        Part("two", "https://a.example/two", b"\xff\x00 not text", at + timedelta(seconds=2)),
        Part("three", "https://a.example/three", body, at),
    )
    return Raw(provider, parts, True, ("zone x: answered 500",))


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    kept = captures.keep(raw(), tmp_path, keys=("ip",), secrets=("s3cr3t-k3y",))
    assert captures.load(kept.path) == kept.raw
    assert kept.raw.parts[0].body == b'{"ip": "[redacted]", "n": 1}'
    assert kept.raw.parts[0].url == "https://a.example/?key=[redacted]"
    assert kept.path.parent == tmp_path / "stub"
    assert kept.path.name.startswith("20261130T120002Z-")


def test_nothing_secret_reaches_the_disk(tmp_path: Path) -> None:
    captures.keep(raw(), tmp_path, keys=("ip",), secrets=("s3cr3t-k3y",))
    for path in tmp_path.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            text = gzip.decompress(data) if path.suffix == ".gz" else data
            assert b"s3cr3t" not in text
            assert b"203.0.113" not in text


def test_files_and_folders_are_private(tmp_path: Path) -> None:
    captures.keep(raw(), tmp_path / "new")
    for path in [tmp_path / "new", *(tmp_path / "new").rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_equal_bodies_are_kept_once(tmp_path: Path) -> None:
    kept = captures.keep(raw(), tmp_path)
    captures.keep(raw(at=NOON + timedelta(days=1)), tmp_path)
    assert kept.digests[0] == kept.digests[2]
    assert len(list(tmp_path.glob("bodies/*/*.gz"))) == 2
    assert len(list(captures.runs(tmp_path))) == 2


def test_the_same_answer_kept_twice_is_one_file(tmp_path: Path) -> None:
    assert captures.keep(raw(), tmp_path).path == captures.keep(raw(), tmp_path).path
    assert not list(tmp_path.rglob(".*.tmp"))


def test_the_latest_of_each_provider(tmp_path: Path) -> None:
    captures.keep(raw(at=NOON + timedelta(days=2)), tmp_path)
    captures.keep(raw(), tmp_path)
    other = captures.keep(raw("other"), tmp_path)
    newest = captures.latest(tmp_path)
    assert sorted(newest) == ["other", "stub"]
    assert newest["other"] == other.path
    assert newest["stub"].name.startswith("20261202T")
    assert captures.latest(tmp_path / "nothing here") == {}


@pytest.mark.parametrize("damage", ["body", "missing", "manifest", "schema", "digest", "list"])
def test_a_damaged_capture_is_named(tmp_path: Path, damage: str) -> None:
    kept = captures.keep(raw(), tmp_path)
    body = next(tmp_path.glob(f"bodies/*/{kept.digests[0]}.gz"))
    manifest = json.loads(kept.path.read_bytes())
    if damage == "body":
        body.write_bytes(gzip.compress(b"another"))
    elif damage == "missing":
        body.unlink()
    elif damage == "manifest":
        kept.path.write_text("{")
    elif damage == "schema":
        kept.path.write_text(json.dumps(manifest | {"schema": "other/9"}))
    elif damage == "digest":
        manifest["parts"][0]["sha256"] = "../../etc/passwd"
        kept.path.write_text(json.dumps(manifest))
    else:
        kept.path.write_text("[]")
    with pytest.raises(Problem, match="cannot be read"):
        captures.load(kept.path)


def test_a_provider_is_a_name_and_no_path(tmp_path: Path) -> None:
    for name in ("../up", "", "Bodies", "a/b", "x" * 65):
        with pytest.raises(Problem):
            captures.keep(raw(name), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_pruning_keeps_what_is_still_named(tmp_path: Path) -> None:
    captures.keep(raw(), tmp_path)
    young = captures.keep(raw(body=b"[2]", at=NOON + timedelta(days=3)), tmp_path)
    assert captures.prune(tmp_path, NOON + timedelta(days=1)) == 1
    assert captures.load(young.path) == young.raw
    assert len(list(tmp_path.glob("bodies/*/*.gz"))) == 2
    assert captures.prune(tmp_path, NOON) == 0
