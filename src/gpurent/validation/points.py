"""Measured points of the other stages: preparation, page cache, reading, CPU index, slices, real input, storage runs.

Each is predicted by the product's own functions from what the source states; what had to be assumed is returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpurent import tables, workloads
from gpurent.hardware import cards, cpus, slices
from gpurent.normalizer import combine, compute, prep, read
from gpurent.normalizer.combine import Stages
from gpurent.tables import constants

Row = Mapping[str, str]
Floats = NDArray[np.float64]

PREP, CACHE, READ, CPU_INDEX = "prep", "cache", "read", "cpu-index"
_FREE = np.array(np.inf)


@dataclass(frozen=True)
class Point:
    """One measured value and what the product says of it."""

    name: str
    part: str
    measured: float
    predicted: float
    assumed: str = ""

    @property
    def ape(self) -> float:
        """Absolute relative error."""
        return abs(self.predicted / self.measured - 1.0)

    @property
    def difference(self) -> float:
        """Absolute difference, for shares and ratios."""
        return abs(self.predicted - self.measured)


def stall_points() -> tuple[list[Point], list[Point], dict[str, int]]:
    """Scored points, points that are only shown, and how many lack inputs, by part."""
    scored: list[Point] = []
    shown: list[Point] = []
    missing: dict[str, int] = {}
    for row in tables.rows("stall_points"):
        if row["scored"] == "no-inputs":
            missing[row["part"]] = missing.get(row["part"], 0) + 1
            continue
        point = Point(row["point"], row["part"], float(row["measured"]), _stall(row))
        (scored if row["scored"] == "yes" else shown).append(point)
    return scored, shown, missing


def mig_points() -> list[Point]:
    """Slices over the largest profile, by the step of a kindred workload at the same batch."""
    found = []
    for row in tables.rows("mig_measured"):
        part, whole = (_slice_step(row, row[name]) for name in ("profile", "relative_to"))
        name = f"{row['workload']} {row['profile']} batch {row['batch']}"
        found.append(Point(name, "mig", float(row["ratio"]), whole / part, f"shape of {row['shape_of']}"))
    return found


def real_input_points() -> list[Point]:
    """Real over synthetic input of whole training runs; the host by what the system's name says of it."""
    found = []
    for row in tables.rows("io_points"):
        host, assumed = _io_host(row)
        pipeline = _pipeline("tf-data-distortions" if row["distortions"] == "yes" else "tf-data")
        gpu = np.array(float(row["synthetic_images_s"]))
        prepared = prep.prep_rate(*host, pipeline / 1000.0)
        rate = combine.throughput(Stages(_FREE, prepared, _FREE, _FREE), gpu, synthetic_anchor=True)
        name = f"{row['system']} {row['workload']} {row['precision']} x{row['n_gpus']}"
        measured = float(row["real_images_s"]) / float(gpu)
        found.append(Point(name, "real-input", measured, float(rate / gpu), assumed))
    return found


def storage_points() -> list[Point]:
    """Storage runs with accelerators busy at least 95 %: the emulated steps of an epoch decide, not the storage."""
    run, model = constants("run_model"), constants("model")
    found = []
    for row in tables.rows("storage_points"):
        if float(row["utilisation"]) < model["storage_min_utilisation"]:
            continue
        count, batch = float(row["accelerators"]), float(row["batch"])
        steps = model["storage_steps_per_epoch"]
        step = float(row["compute_s"]) + run["step_overhead_s"]
        rate = combine.throughput(Stages(_FREE, _FREE, _FREE, _FREE), np.array(count * batch / step))
        samples = steps * count * batch
        epoch = samples / float(rate) + run["epoch_overhead_s"]
        name = f"{row['submitter']} {row['model']} {row['accelerators']} x {row['accelerator']}"
        found.append(Point(name, "storage", float(row["samples_per_s"]), samples / epoch, f"{steps:g} steps an epoch"))
    return found


def _stall(row: Row) -> float:
    number = tables.number
    if row["part"] == CACHE:
        return _cache(row)
    if row["part"] == CPU_INDEX:
        return constants("model")["pillow_images_per_j"] * float(row["cpu_index"])
    prepared = _prepared(row)
    if row["part"] == READ:
        size = float(row["bytes_per_sample"])
        disk = number(row["disk_mbyte_s"])
        fetched = _FREE if disk is None else read.disk_rate(np.array(disk * 1e6), size)
        stages = Stages(fetched, prepared, _FREE, _FREE)
        if not row["compute_s"]:
            return float(combine.loader_rate(stages))
        step = float(row["compute_s"]) + constants("run_model")["step_overhead_s"]
        return float(combine.throughput(stages, np.array(float(row["accelerators"]) * float(row["batch"]) / step)))
    ceiling = number(row["loader_ceiling_samples_per_s"])
    stages = Stages(_FREE, prepared, _FREE if ceiling is None else np.array(ceiling), _FREE)
    gpu = number(row["gpu_samples_per_s"])
    if gpu is None:
        return float(combine.loader_rate(stages))
    rate = float(combine.throughput(stages, np.array(gpu)))
    return 1.0 - rate / gpu if row["quantity"] == "stall share" else rate


def _prepared(row: Row) -> Floats:
    """Prep rate of the cores, or of so many loader processes that each have one; free where nothing is prepared."""
    if not row["prep_ms"]:
        return _FREE
    reference_s = (
        float(row["prep_ms"]) / 1000.0 * float(row["prep_ms_index"]) / constants("host_model")["reference_index"]
    )
    cores = np.array(float(row["physical_cores"] or row["workers"]))
    index = np.array(float(row["cpu_index"]))
    if not row["physical_cores"]:
        return prep.serial_loader_rate(cores, cores, np.array(1.0), index, reference_s)
    one_thread = constants("cpu_rules")["class_efficiency_one_thread"]
    return prep.prep_rate(cores, np.array(one_thread), index, reference_s)


def _cache(row: Row) -> float:
    cached = float(row["cached_fraction"])
    if row["read_order"] == "no-evict":  # a cache of its own that never evicts: what fits is hit
        missed = 1.0 - cached
    else:
        missed = 1.0 - float(read.hit_rate(np.array(cached), row["read_order"], float(row["node_fraction"] or 1.0)))
    return missed * float(row["dataset_gb"]) if row["dataset_gb"] else missed


def _slice_step(row: Row, profile: str) -> float:
    share = slices.fractions(row["card"], "mig", profile)
    if share is None:
        raise KeyError(f"no slice {profile} of {row['card']}")
    rates = compute.card_rates(workloads.load(row["shape_of"]), row["precision"])
    place = np.array([cards.index()[row["card"]]])
    fractions = np.array([share.compute]), np.array([share.bandwidth])
    batch = np.array([float(row["batch"])])
    return float(compute.step_seconds(rates, place, *fractions, batch, np.ones(1))[0])


def _io_host(row: Row) -> tuple[tuple[Floats, Floats, Floats], str]:
    """vCPUs, efficiency and index of a system, and what of it was assumed."""
    cpu = cpus.read_cpu(row["cpu_model"]) if row["cpu_model"] else None
    model = constants("model")
    if cpu is None:
        vcpus = model["io_cloud_vcpus_per_gpu"] * float(row["n_gpus"])
        unknown = constants("cpu_rules")
        values = vcpus, unknown["class_efficiency"], unknown["class_index"]
        return _columns(*values), f"{vcpus:g} vCPUs of a cloud host, local disk"
    threads = cpu.threads or model["io_threads_assumed"]
    said = "local disk" if cpu.threads else f"{threads:g} threads, local disk"
    return _columns(float(threads), cpu.efficiency(2), cpu.index), said


def _columns(vcpus: float, efficiency: float, index: float) -> tuple[Floats, Floats, Floats]:
    return np.array(vcpus), np.array(efficiency), np.array(index)


def _pipeline(name: str) -> float:
    return next(float(row["prep_ms"]) for row in tables.rows("pipelines") if row["pipeline"] == name)


def by_part(points: list[Point]) -> Iterator[tuple[str, list[Point]]]:
    """Points by their part, in order of first appearance."""
    for part in dict.fromkeys(point.part for point in points):
        yield part, [point for point in points if point.part == part]
