"""How long a night of twelve providers takes that need a second each: about the slowest of them, not the sum.

python benchmarks/bench_collect.py [providers] [seconds]
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.faults.replay import Reply, replaying

from gpurent.adapters.contract import AdapterMeta, Client, Raw
from gpurent.adapters.run import fetch_all

BUDGET_S = 3.0


@dataclass(frozen=True)
class Slow:
    """An adapter whose provider takes its time."""

    META: AdapterMeta

    def fetch(self, client: Client) -> Raw:
        part = client.part("list", client.get(f"https://{self.META.hosts[0]}/list"))
        return Raw(self.META.name, (part,), True)

    def parse(self, raw: Raw):  # type: ignore[no-untyped-def]
        return iter(())


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    delay_s = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    with replaying() as server:
        adapters = {}
        for number in range(count):
            name, host = f"p{number}", f"p{number}.example"
            server.answer(host, "/list", Reply(json.dumps([number]).encode(), delay_s=delay_s))
            adapters[name] = Slow(AdapterMeta(name=name, title=name, covers="-", hosts=(host,)))
        started = time.perf_counter()
        outcomes = list(fetch_all(adapters, server.network().client))
        took_s = time.perf_counter() - started
    failed = [outcome.reason for outcome in outcomes if outcome.error]
    print(
        f"{count} providers of {delay_s:g} s each: {took_s:.2f} s (budget {BUDGET_S:g} s); failed: {failed or 'none'}"
    )


if __name__ == "__main__":
    main()
