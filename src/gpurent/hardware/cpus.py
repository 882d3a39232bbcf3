"""CPUs: how fast one core prepares samples, and how much of it a vCPU is.

The index J is the rate of stress-ng's JPEG method on one thread; Pillow decodes 0.675 J images/s. A measured J beats
one derived from PassMark, which beats one derived from Geekbench; a model in no table takes its family's median.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from statistics import median
from typing import Literal, NamedTuple

from gpurent import tables
from gpurent.hardware.cpu_names import read_name

Basis = Literal["measured", "passmark", "geekbench", "family"]
_RANK: dict[Basis, int] = {"measured": 0, "passmark": 1, "geekbench": 2, "family": 3}


@dataclass(frozen=True)
class Cpu:
    """A CPU model, or a family where no more is known."""

    key: str  # rows with one key share their draws
    model: str | None
    family: str
    index: float  # J, stress-ng JPEG images/s of one thread
    spread: float  # sigma of its log
    basis: Basis
    source: str  # key of sources.csv
    threads_per_core: int  # what one of its vCPUs usually is
    efficiency_one_thread: float
    efficiency_two_threads: float
    desktop: bool
    cores: int | None = None  # of one socket
    threads: int | None = None

    @property
    def known(self) -> bool:
        """Whether the model, not just its family, is known."""
        return self.basis != "family"

    def efficiency(self, threads_per_core: int) -> float:
        """Share e of a core's rate that a vCPU adds when all vCPUs work.

        Args:
            threads_per_core: vCPUs a physical core.
        """
        return self.efficiency_one_thread if threads_per_core == 1 else self.efficiency_two_threads


class _Score(NamedTuple):
    jpeg: float
    basis: Basis
    source: str
    weight: int  # machines read


@lru_cache(maxsize=4096)
def read_cpu(text: str) -> Cpu | None:
    """The CPU a text names, or None where it names no model and no family.

    >>> read_cpu("Xeon Platinum 8259CL").family
    'cascade-lake'
    >>> read_cpu("Xeon Platinum 8470Q").basis
    'family'
    >>> read_cpu("AMD EPYC") is None
    True
    """
    name = read_name(text)
    if name is None:
        return None
    family = families()[name.family]
    score = _scores().get(name.model or "")
    if score is None:
        index = family_index(name.family)
        if index is None:
            return None
        score = _Score(index, "family", family["source"], 0)
    cores, threads = _sockets().get(name.model or "", (None, None))
    return Cpu(
        key=f"cpu:{name.model}" if score.basis != "family" else f"cpu-family:{name.family}",
        model=name.model,
        family=name.family,
        index=score.jpeg,
        spread=_spread(score.basis),
        basis=score.basis,
        source=score.source,
        threads_per_core=int(family["threads_per_core"]),
        efficiency_one_thread=float(family["efficiency_one_thread"]),
        efficiency_two_threads=float(family["efficiency_two_threads"]),
        desktop=family["desktop"] == "yes",
        cores=cores,
        threads=threads,
    )


def rules() -> dict[str, float]:
    """The single numbers of tables/cpu_rules.csv."""
    return tables.constants("cpu_rules")


@cache
def families() -> dict[str, dict[str, str]]:
    """Rows of tables/cpu_families.csv by family."""
    return {row["family"]: row for row in tables.rows("cpu_families")}


@cache
def family_index(family: str) -> float | None:
    """J of a family: the median of its measured models, else of its derived ones; None without any."""
    measured, derived = _by_family()
    found = measured.get(family) or derived.get(family)
    return median(found) if found else None


def _spread(basis: Basis) -> float:
    return rules()["spread_model" if basis == "measured" else f"spread_{basis}"]


@cache
def _by_family() -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    measured: dict[str, list[float]] = defaultdict(list)
    derived: dict[str, list[float]] = defaultdict(list)
    for model, score in _raw_scores().items():
        name = read_name(model)
        if name is not None:
            (measured if score.basis == "measured" else derived)[name.family].append(score.jpeg)
    return measured, derived


@cache
def _scores() -> dict[str, _Score]:
    """The best score of each model key, derived ones capped at 1.15 x the measured median of the family."""
    rule = rules()
    measured, _ = _by_family()
    best: dict[str, _Score] = {}
    for text, score in _raw_scores().items():
        name = read_name(text)
        if name is None or name.model is None:
            continue
        peers = measured.get(name.family, [])
        if score.basis != "measured" and len(peers) >= rule["cap_min_measured"]:
            score = score._replace(jpeg=min(score.jpeg, rule["family_cap"] * median(peers)))
        known = best.get(name.model)
        if known is None or (_RANK[score.basis], -score.weight) < (_RANK[known.basis], -known.weight):
            best[name.model] = score
    return best


@cache
def _raw_scores() -> dict[str, _Score]:
    """Score of every CPU text of the tables: measured J, else 0.301 x PassMark (x86), else 0.458 x Geekbench 6."""
    rule = rules()
    scores: dict[str, _Score] = {}
    for row in (*tables.rows("cpus"), *tables.rows("sparecores/cpu_scores")):
        name = read_name(row["cpu"])
        if name is None:
            continue
        arm = families()[name.family]["vendor"] == "arm"
        weight = int(row.get("servers") or 0)
        if cell := row.get("jpeg_score"):
            score = _Score(float(cell), "measured", row["source"], int(row["jpeg_readings"]))
        elif (cell := row["passmark_single_score"]) and not arm:
            score = _Score(rule["passmark_to_index"] * float(cell), "passmark", row["source"], weight)
        elif cell := row["geekbench6_single_score"]:
            score = _Score(rule["geekbench_to_index"] * float(cell), "geekbench", row["source"], weight)
        else:
            continue
        scores[row["cpu"]] = score
    return scores


@cache
def _sockets() -> dict[str, tuple[int, int]]:
    """Cores and threads of a socket by model key, where known."""
    found = {}
    for row in tables.rows("cpus"):
        name = read_name(row["cpu"])
        if name is not None and name.model and row["cores"]:
            found[name.model] = (int(row["cores"]), int(row["threads"]))
    return found
