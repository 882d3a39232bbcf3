"""Fixtures of the adapters: stamp the digest of a written one, or record one from a kept answer.

    python tools/record_fixture.py stamp fixtures/vultr/*.toml
    python tools/record_fixture.py record cache/vultr/20261130T203000Z-1a2b3c4d.json fixtures/vultr --case live

`stamp` writes the sha256 of the body beside a sidecar into it. `record` copies the bodies of a capture, which hold no
keys and no host addresses, with sidecars of kind "recorded"; look at them before you commit them: a body may be large,
and a provider's terms may not allow to publish it.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from gpurent.adapters import captures
from gpurent.adapters.contract import Part
from gpurent.adapters.testing import BODIES


def stamp(sidecar: Path) -> None:
    """Put the digest of the body beside a sidecar into it."""
    body = next((path for end in BODIES if (path := sidecar.with_suffix(end)).exists()), None)
    if body is None:
        raise SystemExit(f"{sidecar}: no body beside it")
    line = f'sha256 = "{captures.digest(body.read_bytes())}"'
    text = sidecar.read_text(encoding="utf-8")
    text, found = re.subn(r"^sha256 = .*$", line, text, count=1, flags=re.MULTILINE)
    sidecar.write_text(text if found else f"{line}\n{text}", encoding="utf-8")


def ending(part: Part) -> str:
    """The file ending of a body, by what it looks like."""
    start = part.body.lstrip()[:1]
    if start in (b"{", b"["):
        return ".json"
    return ".html" if start == b"<" else ".csv" if b"," in part.body[:200] else ".txt"


def record(manifest: Path, folder: Path, case: str) -> None:
    """Write every part of a capture as a fixture; the first one is the case, the others belong to it."""
    raw = captures.load(manifest)
    names = [case, *(f"{case}-{number}" for number in range(2, len(raw.parts) + 1))]
    folder.mkdir(parents=True, exist_ok=True)
    for number, (name, part) in enumerate(zip(names, raw.parts, strict=True)):
        (folder / name).with_suffix(ending(part)).write_bytes(part.body)
        belongs = f'of = "{case}"\n' if number else f"with = {names[1:]!r}\n".replace("'", '"')
        sidecar = (folder / name).with_suffix(".toml")
        sidecar.write_text(
            f'{belongs}part = "{part.name}"\nurl = "{part.url}"\nmethod = "GET or POST: see fetch"\nkind = "recorded"\n'
            f'date = {part.observed_at:%Y-%m-%d}\nsource = "capture {manifest.name}"\n',
            encoding="utf-8",
        )
        stamp(sidecar)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("stamp").add_argument("sidecars", nargs="+", type=Path)
    recording = commands.add_parser("record")
    recording.add_argument("manifest", type=Path)
    recording.add_argument("folder", type=Path)
    recording.add_argument("--case", default="recorded")
    options = parser.parse_args()
    if options.command == "stamp":
        for sidecar in options.sidecars:
            stamp(sidecar)
    else:
        record(options.manifest, options.folder, options.case)
    print("done", file=sys.stderr)


if __name__ == "__main__":
    main()
