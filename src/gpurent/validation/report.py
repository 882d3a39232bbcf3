"""The whole validation as one document: `gpurent.validate/1`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from gpurent.normalizer import observed
from gpurent.validation import bars, file_scores, one_gpu, points, regret, scores, several_gpus
from gpurent.validation.points import Point
from gpurent.validation.scores import Cell

Document = dict[str, Any]

CLASSES = ("data-centre", "professional", "geforce")
_PRECISION = {"half": "amp"}


def of_package() -> Document:
    """The model against the measured rates and points in the package."""
    card, cell, several = one_gpu.card_out(), one_gpu.cell_out(), several_gpus.unseen_card()
    naive = {name: one_gpu.naive(name) for name in ("flops", "bandwidth")}
    known = several_gpus.one_known()
    found = {
        "one_gpu_card": _statistics(card),
        "one_gpu_cell": _statistics(cell),
        "one_gpu_die": _statistics(one_gpu.die_out()),
        "newer": _statistics(one_gpu.newer()),
        "several_one_known": _statistics(known),
        "several_unseen": _statistics(several),
        **_by_class("one_gpu_card", card),
        **_by_class("several_one_known", known),
        **_by_class("several_unseen", several),
        **{name: _statistics(cells) for name, cells in naive.items()},
    }
    for name in naive:
        found[f"over_{name}"] = {
            "n": found[name]["n"],
            "median_ratio": found["one_gpu_card"]["median_ape"] / found[name]["median_ape"],
        }
    stages, missing = _points()
    found.update(stages)
    found["regret"] = _regret(card)
    document = _common([*card, *several], naive, {})
    return {**document, "points_without_inputs": missing, "scores": found, **_judged("package", found)}


def of_file(path: Path) -> Document:
    """The model against a csv of measured rates, each row predicted without its own cell."""
    result = file_scores.score(path)
    found = {
        "one_gpu": _statistics([cell for cell in result.cells if cell.n_gpus == 1 and not cell.slice_profile]),
        "several_gpus": _statistics([cell for cell in result.cells if cell.n_gpus > 1]),
        "given_one_gpu": _statistics(result.given_one),
        "mig": _of_points(result.slices) if result.slices else {"n": 0},
    }
    document = _common(result.cells, result.naive, result.skipped)
    return {**document, "skipped_examples": result.examples, "scores": found, **_judged("file", found)}


def _common(cells: Sequence[Cell], naive: Mapping[str, Sequence[Cell]], skipped: dict[str, int]) -> Document:
    order, pairs = scores.pair_order(cells)
    errors = scores.errors(cells)
    return {
        "n": errors["n"],
        "skipped": dict(sorted(skipped.items())),
        "median_ape": errors["median_ape"],
        "mean_ape": errors["mean_ape"],
        "p90_ape": errors["p90_ape"],
        "pair_order": order,
        "pairs": pairs,
        "coverage80": scores.coverage(cells),
        "coverage80_by_class": {
            name: scores.coverage(part) for name in CLASSES if (part := [cell for cell in cells if cell.class_ == name])
        },
        "by_workload": scores.by(cells, _workload),
        "by_gpu": scores.by(cells, lambda cell: cell.card),
        "by_n_gpus": scores.by(cells, lambda cell: str(cell.n_gpus)),
        "baselines": {name: scores.errors(each) for name, each in naive.items()},
        "rows": [_row(cell) for cell in cells],
    }


def _workload(cell: Cell) -> str:
    return observed.tasks()[cell.task, cell.stack].workload


def _row(cell: Cell) -> Document:
    return {
        "workload": _workload(cell),
        "stack": cell.stack,
        "gpu": cell.card,
        "share_profile": cell.slice_profile or None,
        "n_gpus": cell.n_gpus,
        "precision": cell.asked or _PRECISION.get(cell.precision, cell.precision),
        "batch_per_gpu": cell.batch,
        "container": cell.container or None,
        "measured": cell.measured,
        "predicted": cell.predicted,
        "low": cell.low,
        "high": cell.high,
        "ape": cell.ape,
        "evidence": cell.evidence,
        "line": cell.line,
    }


def _statistics(cells: Sequence[Cell]) -> Document:
    order, pairs = scores.pair_order(cells)
    return {**scores.errors(cells), "pair_order": order, "pairs": pairs, "coverage": scores.coverage(cells)}


def _by_class(name: str, cells: Sequence[Cell]) -> dict[str, Document]:
    return {f"{name}.{kind}": _statistics([cell for cell in cells if cell.class_ == kind]) for kind in CLASSES}


def _points() -> tuple[dict[str, Document], dict[str, int]]:
    scored, shown, missing = points.stall_points()
    found = {part.replace("-", "_"): _of_points(each) for part, each in points.by_part(scored)}
    found |= {f"{part} (shown)": _of_points(each) for part, each in points.by_part(shown)}
    found["mig"] = _of_points(points.mig_points())
    found["storage"] = _of_points(points.storage_points())
    real = points.real_input_points()
    found["real_input"] = _of_points(real)
    no_penalty = float(np.mean([abs(1.0 - point.measured) for point in real]))
    found["real_input"]["no_penalty"] = no_penalty
    found["real_input"]["over_no_penalty"] = found["real_input"]["mean_difference"] / no_penalty
    return found, missing


def _of_points(each: Sequence[Point]) -> Document:
    assumed = sorted({point.assumed for point in each if point.assumed})
    return {
        "n": len(each),
        "mean_ape": float(np.mean([point.ape for point in each])),
        "mean_difference": float(np.mean([point.difference for point in each])),
        "assumed": assumed,
        "points": [{"point": point.name, "measured": point.measured, "predicted": point.predicted} for point in each],
    }


def _regret(cells: Sequence[Cell]) -> Document:
    found = regret.regrets(cells)
    ways = {
        way: {
            "n": len(lost),
            "median": float(np.median(lost)),
            "p90": float(np.quantile(lost, 0.9)),
            "mean": float(np.mean(lost)),
        }
        for way, lost in found.items()
    }
    ours = ways[regret.BY_MODEL]
    ratios = {f"mean_over_{way}": ours["mean"] / ways[way]["mean"] for way in (regret.BY_PRICE, regret.BY_FLOPS)}
    return {**ours, **ratios, "ways": ways}


def _judged(scope: str, found: Mapping[str, Mapping[str, Any]]) -> Document:
    judged = bars.judge(scope, found)
    return {"bars": [asdict(bar) for bar in judged], "bars_hold": all(bar.holds is not False for bar in judged)}
