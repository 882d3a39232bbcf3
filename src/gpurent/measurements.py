"""Measured training rates in the columns of `validate --measurements`: read, mapped to our names, selected.

What is comparable: the same task in the same stack (so the same sequence length or image size and the same unit),
one card variant, one precision, one container. Rates of two stacks are never mixed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from gpurent import measured_file, tables
from gpurent.errors import Problem
from gpurent.money import InvalidNumber, bounded_decimal

REQUIRED = (
    "workload",
    "task_detail",
    "gpu",
    "gpu_mem_gb",
    "form_factor",
    "n_gpus",
    "precision",
    "batch_per_gpu",
    "throughput",
    "source_repo_or_url",
)
GROUP = {"amp": "half", "fp16": "half", "bf16": "half", "fp32": "single", "tf32": "single", "fp8": "fp8"}
_RELEASE = re.compile(r"\b(\d\d)\.(\d\d)\b")
_PYTORCH = re.compile(r"PyTorch (\d+)\.(\d+)")
_MAX_EXPONENT = 15  # samples of a recommender pass 10^9 a second


@dataclass(frozen=True)
class Measurement:
    """One measured rate. Unknown is None; `rate` counts `unit` over all GPUs together."""

    line: int
    workload: str
    gpu: str
    n_gpus: int
    precision: str
    rate: float
    unit: str | None = None
    batch: float | None = None
    card: str | None = None
    slice_profile: str | None = None
    task: str | None = None
    stack: str | None = None
    container: str | None = None
    source: str = ""
    note: str = ""
    cells: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def group(self) -> str | None:
        """The precision group it is fitted in: half, single or fp8."""
        return GROUP.get(self.precision)


def read(path: Path) -> Iterator[Measurement]:
    """The rows of a csv of measured rates, mapped to our tasks, stacks and cards.

    Args:
        path: a csv with at least the columns `REQUIRED`; `seq_len_or_image_size, framework, software_date, unit,
            note` are read when present.

    Raises:
        Problem: unreadable file, missing column, or a number or unit that cannot be what the column says; exit code
            2, with the line.
    """
    for line, cells in measured_file.rows(path, REQUIRED):
        yield _measurement(line, cells)


def leave_out(row: Measurement) -> str | None:
    """Why a row may not be fitted or scored, as a reason code; None when it may.

    In this order: `unknown-stack`, `unknown-workload`, `unknown-gpu`, `unknown-precision`, `suspect` (the note says
    so), `several-slices` (a job runs on one slice), `no-gradients` (N > 1 rows of a task whose copies exchanged
    none), `too-many-gpus`, `few-steps` (fewer than 25 optimiser steps in the measured pass: steps = samples_in_pass /
    (batch N)).
    """
    if row.stack is None:
        return "unknown-stack"
    if row.task is None:
        return "unknown-workload"
    if row.card is None:
        return "unknown-gpu"
    if row.group is None:
        return "unknown-precision"
    if row.note.upper().startswith("SUSPECT"):
        return "suspect"
    if row.slice_profile is not None and row.n_gpus > 1:
        return "several-slices"
    task = task_row(row.task, row.stack)
    if row.n_gpus > int(task["largest_n"]):
        return "no-gradients" if task["largest_n"] == "1" else "too-many-gpus"
    samples = tables.number(task["samples_in_pass"])
    steps_wanted = tables.constants("model")["measured_pass_min_steps"]
    if samples is not None and row.batch is not None and samples / (row.batch * row.n_gpus) < steps_wanted:
        return "few-steps"
    return None


@cache
def _tasks() -> dict[tuple[str, str], dict[str, str]]:
    return {(row["task"], row["stack"]): row for row in tables.rows("tasks")}


def task_row(task: str, stack: str) -> dict[str, str]:
    """The row of tasks.csv of a measured task in a stack."""
    return _tasks()[task, stack]


def _measurement(line: int, cells: dict[str, str]) -> Measurement:
    stack = _stack(cells["source_repo_or_url"])
    task = _task(stack, cells) if stack else None
    card, profile = _card(cells["gpu"], cells["gpu_mem_gb"], cells["form_factor"])
    row = Measurement(
        line=line,
        workload=cells["workload"],
        gpu=" ".join(filter(None, (cells["gpu"], cells["form_factor"], _gigabytes(cells["gpu_mem_gb"])))),
        n_gpus=_count(line, cells["n_gpus"]),
        precision=cells["precision"].lower(),
        rate=_positive(line, "throughput", cells["throughput"]),
        unit=cells.get("unit") or None,
        batch=_positive(line, "batch_per_gpu", cells["batch_per_gpu"]) if cells["batch_per_gpu"] else None,
        card=card,
        slice_profile=profile,
        task=task,
        stack=stack,
        container=_container(stack, cells.get("software_date", ""), cells.get("note", "")) if stack else None,
        source=cells["source_repo_or_url"],
        note=cells.get("note", ""),
        cells=cells,
    )
    if stack and task and row.unit and row.unit != task_row(task, stack)["unit"]:
        expected = task_row(task, stack)["unit"]
        raise Problem(
            "a measured rate has another unit than its workload",
            f"line {line}: {row.unit}",
            f"{task} counts {expected}",
        )
    if row.batch is not None and "accumulated" in row.note:  # a batch of many steps says nothing about one step
        return Measurement(**{**row.__dict__, "batch": None})
    return row


def _gigabytes(text: str) -> str:
    return f"{text}GB" if text else ""


def stack_row(source: str) -> dict[str, str]:
    """The row of measured_stacks.csv of a source's address, or of a stack named for a rate of one's own.

    Raises:
        KeyError: a source whose stack is not known.
    """
    address = source.removeprefix("https://").removeprefix("http://").rstrip("/").removesuffix(".git")
    return _stacks()[address]


@cache
def _stacks() -> dict[str, dict[str, str]]:
    return {key: row for row in tables.rows("measured_stacks") for key in (row["stack"], row["address"])}


def _stack(source: str) -> str | None:
    try:
        return stack_row(source)["stack"]
    except KeyError:
        return None


def _task(stack: str, cells: dict[str, str]) -> str | None:
    if cells["source_repo_or_url"] == stack and (cells["workload"], stack) in _tasks():
        return cells["workload"]  # of one's own, in our words
    size = cells.get("seq_len_or_image_size", "")
    framework = cells.get("framework", "")
    for row in tables.rows("tasks"):
        if row["stack"] != stack or row["measured_workload"] != cells["workload"]:
            continue
        same_detail = not row["measured_detail"] or row["measured_detail"] == cells["task_detail"]
        same_size = not (row["measured_size"] and size) or row["measured_size"] == size
        same_framework = not (row["measured_framework"] and framework) or framework.startswith(
            row["measured_framework"]
        )
        if same_detail and same_size and same_framework:
            return row["task"]
    return None


@cache
def _cards() -> dict[tuple[str, str, str], str]:
    return {(row["gpu"], row["memory_gib"], row["form"]): row["card"] for row in tables.rows("measured_cards")}


@cache
def _card(gpu: str, memory: str, form: str) -> tuple[str | None, str | None]:
    """The card of a row, and the profile of its slice where it is one."""
    known = _cards().get((gpu, memory.removesuffix(".0"), form))
    if known:
        return known, None
    if form.lower() == "laptop" or "max-q" in gpu.lower() or "(" in gpu:
        return None, None
    try:
        memory_gib = float(memory) if memory else None
    except ValueError:
        return None, None
    from gpurent.hardware import names  # only for spellings that the written mapping lacks

    text = " ".join(filter(None, (gpu, form)))
    told = names.read_name(text, memory_gib=memory_gib)
    if told.gpu_share in (None, "whole"):
        return told.gpu, None
    if told.gpu is None:  # the memory may be the slice's own
        told = names.read_name(text)
    return (told.gpu, told.share_profile) if told.gpu_share == "mig" else (None, None)


def _container(stack: str, software_date: str, note: str) -> str | None:
    """The container of a run by its date or its note; None, which counts as the newest, where neither says.

    A release that is not in the table counts as the newest known one before it, by its number or its PyTorch.
    """
    known = [row for row in tables.rows("measured_containers") if row["stack"] == stack]
    for row in known:
        if software_date and row["software_date"] == software_date:
            return row["container"]
    for pattern in (_RELEASE, _PYTORCH):
        asked = _version(pattern, software_date)
        dated = [(_version(pattern, f"{row['software_date']} NGC {row['container']}"), row) for row in known]
        older = [(version, row["container"]) for version, row in dated if version and asked and version <= asked]
        if older:
            return max(older)[1]
    era = re.search(r"\bera=(v\d)\b", note)
    return next((row["container"] for row in known if era and row["era"] == era[1]), None)


def _version(pattern: re.Pattern[str], text: str) -> tuple[int, int] | None:
    found = pattern.search(text)
    return (int(found[1]), int(found[2])) if found else None


def _positive(line: int, column: str, text: str) -> float:
    try:
        value = float(bounded_decimal(text, max_exponent=_MAX_EXPONENT))
    except InvalidNumber:
        value = math.nan
    if not value > 0:
        raise Problem(f"{column} is not a positive number", f"line {line}: {text}", "write the number alone, no unit")
    return value


def _count(line: int, text: str) -> int:
    value = _positive(line, "n_gpus", text)
    if value != int(value):
        raise Problem("n_gpus is not a whole number", f"line {line}: {text}", "count the GPUs of the run")
    return int(value)
