"""What the workload would meet on the quote's machine: memory, vCPUs, disk, RAM, links, precision, cost."""

from __future__ import annotations

from collections.abc import Iterator

from gpurent import tables
from gpurent.quotes.context import Context, Estimate
from gpurent.quotes.findings import Finding, money, percent
from gpurent.workloads.workload import Workload

GIB = 2.0**30
MBYTE = 1e6
SMALL_FILES = "files"
_ABOUT = 0.01  # so close to the median that saying which side is noise


def host_findings(context: Context) -> Iterator[Finding]:
    """Everything that needs the estimate; nothing without a workload."""
    if context.workload is None or context.estimate is None:
        return
    estimate, workload = context.estimate, context.workload
    yield from _does_it_run(context, estimate, workload)
    if estimate.reason:
        return
    yield from _busy(context, estimate, workload)
    yield from _room(context, workload)
    yield from _precision(context, estimate)
    yield from _together(context, estimate)
    yield from _cost(context, estimate)


def _does_it_run(context: Context, estimate: Estimate, workload: Workload) -> Iterator[Finding]:
    numbers = {"workload": workload.name, "card": context.names or context.offer.gpu}
    if estimate.reason == "does-not-fit":
        needs = {"needs_gib": estimate.needed_gib, "has_gib": context.found.memory_gib}
        yield Finding("does-not-fit", "fail", {**numbers, **needs}, verdict="does-not-fit")
    elif estimate.reason in ("incompatible-stack", "other-platform", "precision-unsupported"):
        yield Finding(f"run-{estimate.reason}", "fail", numbers, verdict="incompatible")
    elif estimate.reason == "no-rate":
        yield Finding("run-no-rate", "warning", numbers)


def _busy(context: Context, estimate: Estimate, workload: Workload) -> Iterator[Finding]:
    row, rules = estimate.row, tables.constants("quote")
    busy, best, limit = row["gpu_busy"], estimate.gpu_busy_high, row["limit"]
    if busy is None or limit not in ("cpu", "disk"):
        return
    numbers = {
        "gpu_busy": busy, "gpu_busy_high": best, "limit": limit, "vcpus": row["vcpus"],
        "vcpus_enough": estimate.vcpus_enough, "samples_per_s": row["samples_per_s"],
        "gpu_samples_per_s": row["gpu_samples_per_s"], "cpu_samples_per_s": row["cpu_samples_per_s"],
        "disk_samples_per_s": row["disk_samples_per_s"],
    }  # fmt: skip
    shown = {"busy": percent(busy), "best": percent(best or busy), "enough": str(estimate.vcpus_enough or "?")}
    starved = best is not None and best < rules["starved_busy"]
    verdict = "starved" if starved else None
    if limit == "cpu" and (starved or busy < rules["enough_busy"]):
        assumed = "vcpus" in row["assumed"]
        code = "starved-by-cpu" if starved else "vcpus-assumed-short" if assumed else "vcpus-short"
        if estimate.vcpus_enough is None:
            code += "-any"
        yield Finding(code, "fail" if starved else "warning", numbers, shown, verdict)
    elif limit == "disk" and (starved or busy < rules["enough_busy"]):
        yield from _disk(context, workload, numbers, shown, verdict)


def _disk(
    context: Context, workload: Workload, numbers: dict[str, object], shown: dict[str, str], verdict: str | None
) -> Iterator[Finding]:
    rate = float(str(numbers["gpu_samples_per_s"]))
    needs = rate * workload.bytes_per_sample / MBYTE
    size = workload.dataset_bytes or workload.samples_per_epoch * workload.bytes_per_sample
    host_rate = context.offer.disk_read_mbyte_s
    assumed = "disk_read_mbyte_s" in (context.estimate.row["assumed"] if context.estimate else {})
    numbers |= {"needs_mbyte_s": needs, "has_mbyte_s": host_rate, "dataset_bytes": size}
    code = "starved-by-disk" if verdict else "disk-slow"
    if assumed or host_rate is None:
        code = "disk-assumed-slow" if not verdict else "starved-by-assumed-disk"
    else:
        minutes = size / (host_rate * MBYTE) / 60
        numbers["stage_minutes"] = minutes
        shown = {**shown, "stage": f"{minutes:.3g}"}
    shown = {**shown, "gigabytes": f"{size / 1e9:.0f}", "small": "1" if workload.read == SMALL_FILES else ""}
    yield Finding(code, "fail" if verdict else "warning", numbers, shown, verdict)


def _room(context: Context, workload: Workload) -> Iterator[Finding]:
    offer, model = context.offer, tables.constants("host_model")
    size = workload.dataset_bytes or workload.samples_per_epoch * workload.bytes_per_sample
    if offer.disk_gib and offer.disk_gib * GIB < size:
        numbers = {"disk_gib": offer.disk_gib, "dataset_gib": size / GIB}
        yield Finding("disk-small", "warning", numbers)
    elif offer.disk_class is None and offer.disk_read_mbyte_s is None and workload.read != "memory":
        yield Finding("disk-unknown", "info", {"dataset_gib": size / GIB})
    if offer.ram_gib:
        workers = max(1, int((offer.vcpus or 2) - 1)) if (workload.prep_ms_per_sample or 0) > 1 else 1
        most = max(0, int((offer.ram_gib * GIB - model["system_bytes"]) / model["worker_bytes"]))
        if most < min(workers, 4 * context.found.gpu_count):
            yield Finding("ram-short", "warning", {"ram_gib": offer.ram_gib, "workers": most, "vcpus": offer.vcpus})
    told = context.estimate is not None and context.estimate.row["limit"] == "cpu"  # by the finding on vCPUs
    if offer.vcpus is None and (workload.prep_ms_per_sample or 0) > 1 and not told:
        yield Finding("vcpus-unknown", "info", {"workload": workload.name})


def _precision(context: Context, estimate: Estimate) -> Iterator[Finding]:
    row = estimate.row
    numbers = {"card": context.names, "precision": row["precision"]}
    for code in ("bf16-emulated",):
        if code in row["warnings"]:
            yield Finding(code, "warning", numbers)
    modern = all((card.compute_capability or 0) >= 8 for card in context.cards)
    tensor = all(card.tf32_tflops for card in context.cards)
    if row["precision"] == "fp32" and modern and tensor:
        card = context.cards[0]
        slow, fast = card.fp32_measured_tflops or card.fp32_tflops, card.tf32_measured_tflops or card.tf32_tflops
        if slow and fast and fast > slow:
            yield Finding("fp32-trap", "warning", {**numbers, "ratio": fast / slow})


def _together(context: Context, estimate: Estimate) -> Iterator[Finding]:
    efficiency = estimate.row["sync_efficiency"]
    if efficiency is not None and context.found.gpu_count > 1 and efficiency < tables.constants("quote")["sync_loss"]:
        numbers = {"n": context.found.gpu_count, "efficiency": efficiency}
        yield Finding("sync-loss", "warning", numbers, {"efficiency": percent(efficiency)})


def _cost(context: Context, estimate: Estimate) -> Iterator[Finding]:
    row = estimate.row
    cost, median = row["cost_per_epoch_usd"], estimate.median_cost_per_epoch_usd
    if row["rate_evidence"] == "assumed":
        yield Finding("rate-assumed", "info", {"workload": context.workload.name if context.workload else ""})
    if row["steady_epoch_s"] and row["steady_epoch_s"] < tables.constants("quote")["short_epoch_s"]:
        yield Finding("short-epoch", "info", {"seconds": row["steady_epoch_s"]})
    if "run-longer-than-offer" in row["warnings"]:
        yield Finding("run-longer-than-offer", "warning", {"hours": context.offer.max_hours})
    if cost is None:
        return
    numbers = {
        "cost_per_epoch_usd": cost, "low_usd": row["cost_per_epoch_usd_low"],
        "high_usd": row["cost_per_epoch_usd_high"], "epoch_s": row["steady_epoch_s"], "median_usd": median,
    }  # fmt: skip
    shown = {"cost": money(cost), "low": money(numbers["low_usd"]), "high": money(numbers["high_usd"])}
    if median and abs(cost / median - 1) >= _ABOUT:
        above = cost / median - 1
        shown |= {"median": money(median), "above": percent(abs(above))}
        numbers["above_median"] = above
        yield Finding("epoch-cost-above" if above > 0 else "epoch-cost-below", "info", numbers, shown)
    else:
        yield Finding("epoch-cost", "info", numbers, shown)
