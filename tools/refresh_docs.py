"""Write what commands print into the pages that show it: `make docs`.

A block of a page is refreshed when the line before its fence says which command made it:

    <!-- output: gpurent compare -w bert-large --top 8 -->
    ```text
    ...
    ```
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gpurent.cli import app

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"(<!-- output: gpurent (?P<command>[^\n]*?) -->\n```text\n)(?P<shown>.*?)(```)", re.DOTALL)
# What changes with the day: a row's age, and the lines that speak of ages.
_AGE = re.compile(r"\b\d+ d\b")
_AGE_LINE = re.compile(r"^(?:the prices shown|所列价格|the rate of exchange|汇率是)[^\n]*\n", re.MULTILINE)


class Block(NamedTuple):
    """One shown output: where, of which command, and what the page shows."""

    page: Path
    command: str
    shown: str


def pages() -> list[Path]:
    """The pages that may show output."""
    return sorted([*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")])


def blocks() -> Iterator[Block]:
    """Every block of every page."""
    for page in pages():
        for found in _BLOCK.finditer(page.read_text(encoding="utf-8")):
            yield Block(page, found["command"], found["shown"])


def printed(command: str) -> str:
    """What a command prints on stdout when it is piped."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        app.run(shlex.split(command))
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines()) + "\n"


def ageless(text: str) -> str:
    """A text without what changes from day to day, for comparing."""
    return re.sub(r"\s+", " ", _AGE.sub("AGE", _AGE_LINE.sub("", text)))


def main() -> int:
    """Refresh every page; the number of blocks that changed is told."""
    changed = 0
    for page in pages():
        text = page.read_text(encoding="utf-8")
        new = _BLOCK.sub(lambda found: found[1] + printed(found["command"]) + found[4], text)
        if ageless(new) != ageless(text):
            page.write_text(new, encoding="utf-8")
            changed += 1
            print(f"refreshed {page.relative_to(ROOT)}")
    print(f"{changed} pages changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
