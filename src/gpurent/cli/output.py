"""Where rows go: stdout carries data and nothing else, notes go to stderr."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from gpurent.cli import state


class Output(StrEnum):
    """`--output/-o`."""

    TABLE = "table"
    JSON = "json"
    NDJSON = "ndjson"
    CSV = "csv"
    MARKDOWN = "markdown"


def clean_value(value: object) -> str:
    """A value from outside as one short harmless line."""
    from gpurent.offer import clean_line

    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return clean_line(text)


def said(line: str) -> None:
    """A line on stderr; where stderr cannot be written nothing is lost but the line."""
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr)


def note(text: str) -> None:
    """A word to the user on stderr, unless --quiet."""
    if not state.quiet():
        said(clean_value(text))


def document(command: str, **content: Any) -> dict[str, Any]:
    """The envelope of every JSON answer: schema, who made it from which tables, when."""
    from datetime import UTC, datetime

    from gpurent import catalogue
    from gpurent.version import __version__

    return {
        "schema": f"gpurent.{command}/1",
        "made_by": {"version": __version__, "tables": catalogue.as_of().isoformat()},
        "generated_at": datetime.now(UTC).replace(microsecond=0).isoformat(),
        **content,
    }


def emit(
    answer: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    output: Output,
    table: Callable[[], str],
    columns: Iterable[str] | None = None,
) -> None:
    """Write one answer to stdout.

    Args:
        answer: the whole JSON document.
        rows: its rows, for csv, ndjson and markdown.
        output: the format asked for.
        table: makes the text a person reads.
        columns: csv and markdown columns; None: the keys of the first row.
    """
    from gpurent.render import machine

    if output is Output.JSON:
        text = machine.json_text(answer)
    elif output is Output.NDJSON:
        text = machine.ndjson_text(rows)
    elif output is Output.CSV:
        text = machine.csv_text(rows, columns)
    elif output is Output.MARKDOWN:
        text = machine.markdown_text(rows, columns)
    else:
        text = table()
    sys.stdout.write(text if text.endswith("\n") or not text else text + "\n")
