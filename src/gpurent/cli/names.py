"""The commands there are, in the order they are shown."""

from __future__ import annotations

# command -> module of gpurent.cli that holds it; a group's module has an `app` of its own.
COMMANDS = {
    "compare": "compare",
    "offers": "offers",
    "gpus": "gpus",
    "workloads": "workloads",
    "quote": "quote",
    "snapshot": "snapshot",
    "providers": "providers",
    "history": "history",
    "diff": "diff",
    "cheapest": "cheapest",
    "runs": "upkeep",
    "verify": "upkeep",
    "prune": "upkeep",
    "export": "upkeep",
    "validate": "validate",
    "doctor": "doctor",
}
GROUPS = ("gpus", "workloads", "providers")
