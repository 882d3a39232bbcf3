"""Run every benchmark: `python -m benchmarks`."""

from __future__ import annotations

import os
import platform
from importlib import import_module
from pathlib import Path


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


if __name__ == "__main__":
    print(f"machine: {_processor()}, {os.cpu_count()} CPUs, Python {platform.python_version()}, {platform.system()}")
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        print(f"\n== {path.stem}", flush=True)
        import_module(f"benchmarks.{path.stem}").main()
