"""Workload files: read, overridden, completed; every fault named with its key, its value and what to do."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gpurent.errors import Problem
from gpurent.tables import rows
from gpurent.workloads import pipelines
from gpurent.workloads.workload import Workload

MAX_FILE_BYTES = 1 << 20

# What a pipeline says when the file does not.
_FROM_PIPELINE = ("prep_ms_per_sample", "loader", "loader_ceiling_samples_per_s")
_UNSET = ("", "none", "unknown")


def read_text(path: Path) -> str:
    """The text of a workload file.

    Raises:
        Problem: no such file, a directory, too large, not UTF-8.
    """
    try:
        if path.is_dir():
            raise Problem("the workload file is a directory", path, "name a .toml file inside it")
        if not path.is_file():
            raise Problem("there is no such workload file", path, "`gpurent workloads new` prints one to start from")
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not a usable path"
        raise Problem(f"the workload file cannot be read: {reason}", path, "check the path and its rights") from error
    if len(data) > MAX_FILE_BYTES:
        raise Problem("the workload file is larger than 1 MiB", path, "a workload is a few dozen lines of TOML")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Problem(f"the workload file is not UTF-8 (byte {error.start})", path, "save it as UTF-8") from error


def parse(text: str, name: str) -> dict[str, Any]:
    """The keys of a workload file.

    Raises:
        Problem: not TOML.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        place = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "a value is too large or too deep"
        raise Problem(
            f"the workload file is not TOML: {place}", name, "compare with `gpurent workloads new`"
        ) from error


def overrides(pairs: Iterable[str]) -> dict[str, str | None]:
    """`--set key=value` as a mapping; `none` takes a key away.

    Raises:
        Problem: no `=`, an unknown key, a required key taken away.

    >>> overrides(["batch=64", "loader_ceiling_samples_per_s=none"])
    {'batch': '64', 'loader_ceiling_samples_per_s': None}
    """
    found: dict[str, str | None] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        key, value = key.strip(), value.strip().strip("\"'")
        if not equals:
            raise Problem("an override needs key=value", pair, "for example --set batch=64")
        if key not in Workload.model_fields:
            raise Problem(f"a workload has no key {key}", pair, _near(key, "`gpurent workloads new` lists the keys"))
        found[key] = None if value.casefold() in _UNSET else value
    return found


def build(given: Mapping[str, Any], changed: Mapping[str, Any], name: str, *, anchored: bool) -> Workload:
    """A workload from the keys of a file and the overrides of a command line.

    Args:
        given: keys of the file.
        changed: keys that override it, None takes one away.
        name: the file or workload, for error lines.
        anchored: the command line brings a measured rate, so FLOPs and a shipped stack may be missing.

    Raises:
        Problem: an unknown, missing, negative, mistyped or contradictory key.
    """
    keys = _apply(given, changed)
    assumed = _complete(keys)
    try:
        workload = Workload.model_validate(keys)
    except ValidationError as error:
        raise _problem(error, name) from None
    _consistent(workload, name)
    if not anchored and workload.flops_per_sample is None and not has_measured_rates(workload):
        raise Problem(
            "nothing says how fast this workload runs: no measured rates of its stack, no flops_per_sample, no anchor",
            f"{workload.name}, stack {workload.stack or 'not given'}",
            "add flops_per_sample to the file, or measure one card and give --anchor CARD=RATE",
        )
    return workload.with_assumed(assumed)


def has_measured_rates(workload: Workload) -> bool:
    """Whether the tables hold measured rates of this workload's task, or of its name, in its stack."""
    mine = {workload.task, workload.name}
    return any(
        row["stack"] == workload.stack and (row["task"] in mine or row["workload"] == workload.name)
        for row in rows("tasks")
    )


def _apply(given: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    keys = dict(given)
    pipeline = pipelines.table().get(str(changed.get("pipeline")).casefold())
    if pipeline is not None:
        # Another pipeline brings its own costs, and its own format where it stores the data anew.
        for key in _FROM_PIPELINE:
            keys.pop(key, None)
        if pipeline.stored_bytes_per_sample is not None:
            for key in ("dataset_bytes", "io_ops_per_sample"):
                keys.pop(key, None)
            keys |= {"bytes_per_sample": pipeline.stored_bytes_per_sample, "read": pipeline.read}
    return keys | dict(changed)  # None stays: what was taken away is not filled from the pipeline


def _complete(keys: dict[str, Any]) -> dict[str, Any]:
    """Fill what the pipeline says; returns the keys that were assumed, which neither file nor pipeline says."""
    assumed: dict[str, Any] = {}
    sample = str(keys.get("sample", ""))
    if "pipeline" not in keys and "prep_ms_per_sample" not in keys:
        usual = pipelines.default(sample)
        if usual is not None:
            keys["pipeline"] = assumed["pipeline"] = usual.name
        else:
            assumed["prep_ms_per_sample"] = None
    if "read" not in keys:
        keys["read"] = assumed["read"] = "shards" if sample.casefold() in ("token", "sequence") else "files"
    name = keys.get("pipeline")
    pipeline = pipelines.table().get(name.casefold()) if isinstance(name, str) else None
    if pipeline is None:
        if isinstance(name, str) and "prep_ms_per_sample" not in keys:
            near = get_close_matches(name.casefold(), pipelines.table(), n=3, cutoff=0.4)
            known = ", ".join(near or pipelines.table())
            raise Problem("this pipeline is not known", name, f"take one of {known}, or give prep_ms_per_sample")
        return assumed
    keys["pipeline"] = pipeline.name
    if "prep_ms_per_sample" not in keys:
        size = keys.get("bytes_per_sample")
        keys["prep_ms_per_sample"] = pipeline.prep_ms_of(_number(size))
    keys.setdefault("loader", pipeline.loader)
    if pipeline.ceiling_samples_per_s is not None:
        keys.setdefault("loader_ceiling_samples_per_s", pipeline.ceiling_samples_per_s)
    return assumed


def _number(value: object) -> float:
    """A size as a number where it is one; the schema names the fault where it is not."""
    try:
        return float(value) if isinstance(value, int | float | str) else 0.0
    except (ValueError, OverflowError):
        return 0.0


def _consistent(workload: Workload, name: str) -> None:
    if workload.precisions is not None and workload.precision not in workload.precisions:
        known = ", ".join(workload.precisions)
        raise Problem(
            f"{name}: this workload does not run in this precision", workload.precision, f"take one of {known}"
        )
    if workload.params and workload.trainable_params and workload.trainable_params > workload.params:
        raise Problem(
            f"{name}: more trainable_params than params",
            workload.trainable_params,
            "count the frozen parameters in params",
        )


def _near(key: str, otherwise: str) -> str:
    near = get_close_matches(key, Workload.model_fields, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(near)}?" if near else otherwise


_WHY = {
    "greater_than": "must be more than 0",
    "greater_than_equal": "must not be negative",
    "less_than_equal": "is too large",
    "literal_error": "is none of the known values",
    "missing": "is missing",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "string_type": "must be a text",
    "tuple_type": "must be a list",
    "string_too_short": "must not be empty",
    "string_pattern_mismatch": 'must be a version in quotes, such as "12.8"',
}


def _problem(error: ValidationError, name: str) -> Problem:
    """The first fault, an unknown key before all others: it is usually the misspelling of a missing one."""
    faults = sorted(error.errors(include_url=False), key=lambda fault: fault["type"] != "extra_forbidden")
    fault, more = faults[0], len(faults) - 1
    key = str(fault["loc"][0]) if fault["loc"] else "?"
    tail = f" (and {more} more)" if more else ""
    if fault["type"] == "extra_forbidden":
        return Problem(f"{name}: a workload has no key {key}{tail}", key, _near(key, "see `gpurent workloads new`"))
    if fault["type"] == "missing":
        return Problem(f"{name}: the key {key} is missing{tail}", key, "see `gpurent workloads new` for what it means")
    why = _WHY.get(fault["type"]) or str(fault["msg"]).removeprefix("Value error, ")
    if fault["type"] == "greater_than_equal" and fault.get("ctx", {}).get("ge") == 1:
        why = "must be 1 or more"
    if fault["type"] == "literal_error":
        why = f"must be {fault.get('ctx', {}).get('expected', 'a known value')}"
    return Problem(
        f"{name}: {key} {why}{tail}", fault["input"], f"correct {key}; `gpurent workloads new` explains the keys"
    )
