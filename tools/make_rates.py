"""Choose the measured rates that the package carries: a csv of measured rates in, tables/rates.csv out.

    python tools/make_rates.py measured.csv > src/gpurent/tables/rates.csv

A row is kept when a shipped workload uses it and `measurements.leave_out` has nothing against it; every run stays a row
of its own. Sources without a public address are never kept.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

from gpurent import measurements, tables
from gpurent.measurements import Measurement

COLUMNS = (
    "task",
    "stack",
    "container",
    "card",
    "n_gpus",
    "precision",
    "batch",
    "size",
    "rate",
    "unit",
    "framework",
    "source",
    "source_path",
    "commit",
    "as_of",
    "note",
)
_LARGEST_N = 8


def main(path: str) -> None:
    kept = [
        row for row in measurements.read(Path(path)) if measurements.leave_out(row) is None and row.n_gpus <= _LARGEST_N
    ]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_cells(run) for run in sorted(kept, key=_order))


def _order(run: Measurement) -> tuple[object, ...]:
    tasks = [(row["task"], row["stack"]) for row in tables.rows("tasks")]
    place = tasks.index((run.task or "", run.stack or ""))
    return place, run.container or "", run.card, run.n_gpus, run.precision, run.batch or 0.0, run.rate, run.line


def _cells(run: Measurement) -> list[str]:
    task, stack = run.task or "", run.stack or ""
    commit, date = _commit(run.cells["commit_or_date"], run.cells["software_date"])
    unit = measurements.task_row(task, stack)["unit"]
    source = measurements.stack_row(run.source)["source_key"]
    return [
        task, stack, run.container or "", run.card or "", str(run.n_gpus), run.precision,
        "" if run.batch is None else f"{run.batch:g}", run.cells["seq_len_or_image_size"], f"{run.rate:g}", unit,
        run.cells["framework"], source, run.cells["source_path"], commit, date, _note(run),
    ]  # fmt: skip


def _commit(text: str, software_date: str) -> tuple[str, str]:
    """A commit or release and its date, "2022" and "2022-06" completed to their first day."""
    found = re.fullmatch(r"(\S+)(?: \((\d{4}-\d{2}-\d{2})\))?", text)
    commit, date = (found[1], found[2]) if found else (text, None)
    if date is None and (dated := re.fullmatch(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?", software_date)):
        date = f"{dated[1]}-{dated[2] or '01'}-{dated[3] or '01'}"
    return commit, date or ""


def _note(run: Measurement) -> str:
    """The host, where the source names it; nothing else of its words."""
    found = re.search(r"system=([^;]+)", run.note)
    return f"host: {found[1].strip()}" if found else ""


if __name__ == "__main__":
    main(sys.argv[1])
