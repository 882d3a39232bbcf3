"""Times of the command line and of comparing many offers, beside their budgets and beside gpuhunt.

python -m benchmarks.bench_compare
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median

from gpurent import catalogue, workloads
from gpurent.comparison import compare
from gpurent.offer import Offer
from gpurent.offer_file import parse_offers, write_offers

COMMANDS = (
    (["--help"], 0.15),
    (["compare", "-w", "bert-large"], 0.8),
    (["compare", "-w", "resnet50", "-o", "json"], 0.8),
    (["quote", "A100 80G 8卡 月付 4.5万/月"], 0.8),
)
FROM_A_FILE, FROM_A_FILE_BUDGET = 20_000, 1.2
MANY, MANY_BUDGET, MANY_MIB = 100_000, 2.0, 400


def best_of(times: int, work: Callable[[], object]) -> tuple[float, float]:
    """Least and median seconds of some runs."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken), median(taken)


def command(*words: str) -> None:
    """Run the command in a process of its own; a reasoned no is an answer too."""
    ran = subprocess.run([sys.executable, "-m", "gpurent", *words], capture_output=True)
    if ran.returncode not in (0, 1, 3, 4):
        raise SystemExit(ran.stderr.decode())


def many_offers(count: int) -> list[Offer]:
    """The catalogue repeated, each copy a listing of its own."""
    base = catalogue.offers()
    return [Offer.assemble({**base[n % len(base)].__dict__, "listing": f"copy-{n}"}) for n in range(count)]


def told(what: str, seconds: tuple[float, float], budget: float) -> None:
    verdict = "within" if seconds[0] <= budget else "OVER"
    print(f"{what:<55} {seconds[0]:6.2f} s best, {seconds[1]:6.2f} median   budget {budget:4.2f} s: {verdict}")


def main() -> None:
    """Print every budget of the command line that can be taken here."""
    _memory()  # first: a child's peak begins at what its parent held
    for words, budget in COMMANDS:
        told("gpurent " + " ".join(words), best_of(5, lambda words=words: command(*words)), budget)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "offers.csv"
        write_offers(path, many_offers(FROM_A_FILE))
        told(
            f"gpurent compare --offers ({FROM_A_FILE:,} rows, {path.stat().st_size >> 20} MiB csv)",
            best_of(3, lambda: command("compare", "-w", "bert-large", "--offers", str(path), "--top", "20")),
            FROM_A_FILE_BUDGET,
        )
    offers, job, now = many_offers(MANY), workloads.load("bert-large"), datetime.now(UTC)
    compare(offers[:1000], job, now=now)
    ours = best_of(3, lambda: compare(offers, job, now=now))
    told(f"compare({MANY:,} offers), with intervals", ours, MANY_BUDGET)
    seconds = best_of(1, partial(compare, many_offers(10 * MANY), job, now=now))[0]
    print(f"compare({10 * MANY:,} offers): {seconds:.2f} s, {seconds / ours[0]:.1f} times that of {MANY:,}")
    _beside_gpuhunt(offers, ours[0])


def _memory() -> None:
    code = (
        "import benchmarks.bench_compare as b, resource; from datetime import UTC, datetime;"
        "b.compare(b.many_offers(b.MANY), b.workloads.load('bert-large'), now=datetime.now(UTC));"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    mib = int(ran.stdout) / 1024
    verdict = "within" if mib <= MANY_MIB else "OVER"
    print(f"compare({MANY:,} offers), peak memory of the process: {mib:.0f} MiB   budget {MANY_MIB} MiB: {verdict}")


# Run in an environment of the peer's own: its load and filter of as many rows of its own file format.
_PEER = """
import time
from gpuhunt import Catalog
from importlib.metadata import version
def once():
    start = time.perf_counter()
    found = Catalog(auto_reload=False).query(provider="nebius", min_gpu_count=1, spot=False)
    return time.perf_counter() - start, len(found)
taken = [once() for _ in range(3)]
print(version("gpuhunt"), min(seconds for seconds, _ in taken), taken[0][1])
"""
_PEER_COLUMNS = (
    "instance_name", "location", "price", "cpu", "memory", "gpu_count", "gpu_name", "gpu_memory", "spot", "disk_size",
    "gpu_vendor", "flags", "cpu_arch", "provider_data",
)  # fmt: skip


def _beside_gpuhunt(offers: list[Offer], ours: float) -> None:
    """The ratio to a peer that loads and filters by price, measured in this run; installed for it where that works."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "env" / "bin" / "python"
        venv.create(Path(folder) / "env", with_pip=True)
        installed = subprocess.run([str(python), "-m", "pip", "install", "--quiet", "gpuhunt"], capture_output=True)
        if installed.returncode:
            print("gpuhunt cannot be installed here: no ratio to its load and filter")
            return
        with (Path(folder) / "nebius.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(_PEER_COLUMNS)
            for n, offer in enumerate(offers):
                row = [f"i{n}", offer.region or "x", float(offer.price_per_hour or 1), 8, 64.0, offer.gpu_count, "A100"]
                writer.writerow([*row, 80.0, False, 100.0, "nvidia", "", "x86", "{}"])
        environment = {**os.environ, "GPUHUNT_CATALOG_DIR": folder}
        ran = subprocess.run([str(python), "-c", _PEER], env=environment, check=True, capture_output=True, text=True)
        version, seconds, count = ran.stdout.split()
        path = Path(folder) / "offers.csv"
        write_offers(path, offers)
        now = datetime.now(UTC)

        def whole_road() -> None:
            compare(parse_offers(path.read_bytes(), "offers", now).offers, workloads.load("bert-large"), now=now)

        loaded = best_of(2, whole_road)[0]
    print(f"gpuhunt {version}: load and filter of {len(offers):,} rows ({count} left) {float(seconds):.2f} s")
    print(f"  ours, ranked with intervals: {ours / float(seconds):.2f} times that; csv reading included: ", end="")
    print(f"{loaded:.2f} s, {loaded / float(seconds):.2f} times")


if __name__ == "__main__":
    main()
