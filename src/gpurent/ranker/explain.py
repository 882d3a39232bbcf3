"""One row, or two side by side, as the whole chain from card text to cost per epoch, with what to try."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gpurent import tables, workloads
from gpurent.hardware import cards
from gpurent.normalizer import matrix
from gpurent.offer import Offer
from gpurent.ranker.rows import Columns
from gpurent.ranker.run_cost import GIB
from gpurent.workloads.workload import Workload

Stage = Literal["offer", "compute", "sync", "prep", "read", "together", "money"]
Value = float | str | None
Row = Mapping[str, Any]
Again = Callable[[Workload, str, Offer], Row]

_STAGE_OF_LIMIT: dict[str, Stage] = {"gpu": "compute", "sync": "sync", "cpu": "prep", "disk": "read"}
_WORTH = 1.05  # a change that gives less is not worth a sentence


@dataclass(frozen=True)
class Line:
    """One number of the chain: its value for one row or for two, their ratio, where it comes from."""

    stage: Stage
    name: str  # message code explain.line-<name>
    values: tuple[Value, ...]
    source: str
    is_rate: bool = False  # the line that speaks for its stage

    @property
    def ratio(self) -> float | None:
        """First value over the second, where both are numbers."""
        if len(self.values) < 2:
            return None
        first, second = self.values[:2]
        if isinstance(first, str) or isinstance(second, str) or not first or not second:
            return None
        return first / second


@dataclass(frozen=True)
class Advice:
    """Something to try: a message code, its values, and the row it would give (None: a question of hardware)."""

    code: str
    values: Mapping[str, Any]
    row: Row | None = None


@dataclass(frozen=True)
class Explanation:
    """The chain of a row, perhaps beside another; `guilty` is the stage that holds the slower (or only) one back."""

    ids: tuple[str, ...]
    rows: tuple[Row, ...]
    lines: tuple[Line, ...]
    guilty: Stage
    advice: tuple[Advice, ...]

    def document(self) -> dict[str, Any]:
        """As JSON: one entry a line."""
        return {
            "ids": list(self.ids),
            "guilty": self.guilty,
            "lines": [
                {
                    "stage": line.stage, "name": line.name, "values": list(line.values), "ratio": line.ratio,
                    "source": line.source, "guilty": self.marks(line),
                }
                for line in self.lines
            ],
            "try": [
                {
                    "code": each.code, "values": dict(each.values),
                    "samples_per_s": each.row and each.row["samples_per_s"],
                    "cost_per_epoch_usd": each.row and each.row["cost_per_epoch_usd"],
                }
                for each in self.advice
            ],
        }  # fmt: skip

    def marks(self, line: Line) -> bool:
        """Whether a line is the one the eye should go to."""
        return line.is_rate and line.stage == self.guilty


def explain(
    columns: Columns, places: Sequence[int], rows: Sequence[Row], workload: Workload, again: Again
) -> Explanation:
    """The chain of one offer, or of two.

    Args:
        columns: of the comparison the rows come from: the same numbers, so that the chain cannot disagree with them.
        places: positions of the offers, one or two.
        rows: their rows.
        workload: what is trained.
        again: estimates one offer anew with a changed workload, precision or offer.
    """
    chains = [chain(columns, place, row) for place, row in zip(places, rows, strict=True)]
    lines = tuple(
        Line(first[0], first[1], tuple(chain[at][2] for chain in chains), first[3], first[4])
        for at, first in enumerate(chains[0])
    )
    slow = min(range(len(rows)), key=lambda at: rows[at]["samples_per_s"] or 0.0)
    guilty = _STAGE_OF_LIMIT.get(rows[slow]["limit"] or "gpu", "compute")
    advice = _advice(columns, places[slow], rows[slow], workload, again)
    return Explanation(tuple(row["offer_id"] for row in rows), tuple(rows), lines, guilty, tuple(advice))


Entry = tuple[Stage, str, Value, str, bool]


def chain(columns: Columns, place: int, row: Row) -> list[Entry]:
    """All numbers of one offer in the order they are made."""
    at = int(columns.hardware_of[place])
    machine = int(columns.model.machine[at])
    found: list[Entry] = [*_offer_lines(row)]
    if machine >= 0:
        found += [*_compute_lines(columns, machine, row), *_sync_lines(columns, machine, row)]
        found += [*_host_lines(columns, at, machine, row)]
    return [*found, *_end_lines(columns, at, row)]


def _offer_lines(row: Row) -> list[Entry]:
    card = row["gpu"] or " / ".join(row["gpu_candidates"])
    share = row["gpu_share"] + (f" {row['share_profile']}" if row["share_profile"] else "")
    basis = f"{row['price_source'] or '-'} ({str(row['observed_at'])[:10]})"
    return [
        ("offer", "seller", row["gpu_text"], basis, False),
        ("offer", "card", card, "aliases, cards", False),
        ("offer", "share", share, "slices" if row["gpu_share"] != "whole" else "", False),
        ("offer", "gpus", row["gpu_count"], "", False),
        (
            "offer",
            "native-price",
            f"{row['price_per_hour']} {row['currency']}" if row["currency"] else None,
            basis,
            False,
        ),
        ("offer", "usd-per-hour", row["usd_per_hour"], "ecb-eurofxref" if row["currency"] != "USD" else "", False),
    ]


def _compute_lines(columns: Columns, machine: int, row: Row) -> list[Entry]:
    model = columns.model
    machines, rates, steps = model.machines, model.rates, model.steps
    place = int(machines.card[machine])
    card = cards.table()[place]
    batch = float(steps.batch[machine])
    compute, bandwidth = machines.compute_fraction[machine], machines.bandwidth_fraction[machine]
    charged = matrix.charges(rates.precision)[place].tflops
    host_s = (batch * rates.unit_s[place] + rates.step_s[place]) * steps.launch[machine]
    evidence = f"{row['rate_evidence']}: {row['rate_source']}"
    return [
        ("compute", "matrix-rate", charged, card.measured_source or card.source, False),
        ("compute", "bandwidth", card.bandwidth_gbyte_s, card.source, False),
        ("compute", "compute-share", float(compute), "slices" if compute < 1 else "", False),
        ("compute", "bandwidth-share", float(bandwidth), "slices" if compute < 1 else "", False),
        ("compute", "batch", batch, "workload" if batch == columns.model.request.workload.batch else "memory", False),
        ("compute", "matrix-ms", float(1e3 * batch * rates.matrix_s[place] / compute), "coefficients", False),
        ("compute", "bandwidth-ms", float(1e3 * batch * rates.bandwidth_s[place] / bandwidth), "coefficients", False),
        ("compute", "host-ms", float(1e3 * host_s), "coefficients", False),
        ("compute", "step-ms", float(1e3 * steps.step_1_s[machine]), evidence, False),
        ("compute", "gpu-1", batch / float(steps.step_1_s[machine]), str(row["rate_source"]), True),
    ]  # fmt: skip


def _sync_lines(columns: Columns, machine: int, row: Row) -> list[Entry]:
    steps = columns.model.steps
    single = steps.gpus[machine] <= 1
    megabytes = float(steps.fit.sync_bytes[machine]) / 1e6
    bus = float(steps.bus.gbyte_s[machine])
    return [
        ("sync", "link", row["gpu_link"], "links", False),
        ("sync", "exchange-mb", None if single else megabytes, "workload", False),
        ("sync", "bus", None if single else bus, "bus", False),
        ("sync", "step-n-ms", float(1e3 * steps.step_n_s[machine]), "", False),
        ("sync", "efficiency", row["sync_efficiency"], "", False),
        ("sync", "gpu-all", row["gpu_samples_per_s"], "", True),
    ]


def _host_lines(columns: Columns, at: int, machine: int, row: Row) -> list[Entry]:
    each, host = columns.hardware[at], columns.model.host
    facts = each.host
    workload = columns.model.request.workload

    def source(key: str) -> str:
        return "hosts (assumed)" if key in facts.assumed else "offer"

    prep_ms = workload.prep_ms_per_sample
    return [
        ("prep", "vcpus", facts.vcpus, source("vcpus"), False),
        ("prep", "cpu", facts.cpu_model or facts.cpu_key, source("cpu_model"), False),
        ("prep", "cpu-index", facts.cpu_index, "cpus", False),
        ("prep", "cpu-efficiency", facts.cpu_efficiency, "cpus", False),
        ("prep", "prep-ms", prep_ms, f"pipelines: {workload.pipeline or '-'}", False),
        ("prep", "workers", float(host.workers[machine]), "", False),
        ("prep", "cpu-rate", row["cpu_samples_per_s"], "", True),
        ("read", "ram", facts.ram_bytes / GIB, source("ram_gib"), False),
        ("read", "dataset-gb", columns.job.dataset_bytes / 1e9, "workload", False),
        ("read", "cached", float(host.cached_fraction[machine]), "", False),
        ("read", "miss", float(host.miss[machine]), "", False),
        ("read", "disk", f"{facts.disk_class} {facts.disk_bytes_per_s / 1e6:.0f} MB/s", source("disk_class"), False),
        ("read", "disk-rate", row["disk_samples_per_s"], "", True),
    ]


def _end_lines(columns: Columns, at: int, row: Row) -> list[Entry]:
    limit = (row["limit"] or "-") + (f", {row['limit_also']}" if row["limit_also"] else "")
    interval = None
    if row["samples_per_s_low"] is not None:
        interval = f"{row['samples_per_s_low']:.4g}–{row['samples_per_s_high']:.4g}"
    because = columns.model.limit_reason[at]
    return [
        ("together", "limit", f"{limit} ({because})" if because else limit, "", False),
        ("together", "samples-per-s", row["samples_per_s"], "", False),
        ("together", "samples-interval", interval, "spreads", False),
        ("together", "gpu-busy", row["gpu_busy"], "", False),
        ("money", "steady-epoch-s", row["steady_epoch_s"], "", False),
        ("money", "first-epoch-s", row["first_epoch_s"], "", False),
        ("money", "setup-s", row["setup_s"], "boot, run_model", False),
        ("money", "run-cost", row["run_cost_usd"], "", False),
        ("money", "steady-cost", row["steady_cost_per_epoch_usd"], "", False),
        ("money", "cost", row["cost_per_epoch_usd"], "", False),
    ]


def _advice(columns: Columns, place: int, row: Row, workload: Workload, again: Again) -> list[Advice]:
    """What would help this row, best first; each is the same estimate made anew, not a guess."""
    offer = columns.hardware[int(columns.hardware_of[place])].offer
    precision = row["precision"]
    tried: list[Advice] = []

    def attempt(code: str, job: Workload, how: str = precision, machine: Offer = offer, **values: Any) -> None:
        changed = again(job, how, machine)
        gained = (changed["samples_per_s"] or 0.0) / (row["samples_per_s"] or np.inf)
        if gained >= _WORTH:
            tried.append(Advice(code, {**values, "gain": gained}, changed))

    if row["rate_evidence"] == "assumed" and not columns.model.request.anchors:
        tried.append(Advice("try-anchor", {}))
    if row["limit"] in ("cpu", "disk") or row["limit_also"] in ("cpu", "disk"):
        _input_advice(workload, offer, columns, place, row, attempt, tried)
    if row["limit"] in ("gpu", "sync") or (row["gpu_busy"] or 0) > 0.8:
        if "bf16-emulated" in row["warnings"]:
            attempt("try-fp16", workload, "fp16")
        elif precision == "fp32":
            attempt("try-amp", workload, "amp")
            attempt("try-tf32", workload, "tf32")
        elif precision == "tf32":
            attempt("try-amp", workload, "amp")
        attempt("try-batch", workloads.changed(workload, batch=2 * workload.batch), batch=2 * workload.batch)
    if row["limit"] == "sync" or row["limit_also"] == "sync":
        steps = 4 * workload.accumulation
        attempt("try-accumulation", workloads.changed(workload, accumulation=steps), steps=steps)
        lost = 1 - (row["sync_efficiency"] or 1.0)
        tried.append(Advice("try-one", {"n": row["gpu_count"], "share": f"{lost:.0%}"}))
    return sorted(tried, key=lambda each: -float(each.values.get("gain", 0.0)))


def _input_advice(
    workload: Workload, offer: Offer, columns: Columns, place: int, row: Row, attempt: Callable[..., None],
    tried: list[Advice],
) -> None:  # fmt: skip
    current = workload.pipeline
    known = {each["pipeline"]: each for each in tables.rows("pipelines")}
    if current in known:
        for name, code in (("dali", "try-dali"), (f"{current}-256px", "try-small")):
            if name in known and name != current:
                attempt(code, workloads.changed(workload, pipeline=name), pipeline=name)
    if row["limit"] == "cpu" and row["cpu_samples_per_s"] and row["gpu_samples_per_s"]:
        needed = row["vcpus"] * row["gpu_samples_per_s"] / row["cpu_samples_per_s"]
        tried.append(Advice("try-vcpus", {"vcpus": int(np.ceil(needed))}))
    if row["limit"] == "disk" or row["limit_also"] == "disk":
        fast = Offer.assemble(
            {**offer.__dict__, "disk_class": "local-nvme", "disk_read_mbyte_s": None, "disk_iops": None}
        )
        attempt("try-disk", workload, row["precision"], fast)
        constants = tables.constants("host_model")
        workers = float(columns.model.host.workers[int(columns.model.machine[columns.hardware_of[place]])])
        ram = columns.job.dataset_bytes / constants["cache_share"] + constants["system_bytes"]
        tried.append(Advice("try-ram", {"ram": int(np.ceil((ram + workers * constants["worker_bytes"]) / GIB))}))
