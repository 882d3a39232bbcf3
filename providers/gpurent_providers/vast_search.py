"""Asking Vast.ai's search, which stops at 64 rows: by groups of names, halved until an answer is not cut."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpurent.adapters.contract import Client, Part, ShapeChanged
from gpurent.adapters.reading import listed, read_json

URL = "https://console.vast.ai/api/v0/bundles/"
KEYLESS_ROWS = 64
STORAGE_GB = 5.0


class Search:
    """One collection: asks, keeps the answers that are whole, and knows whether anything was cut."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.parts: list[Part] = []
        self.cut = False

    def ask(self, name: str, names: dict[str, Any], direction: str = "asc") -> tuple[Part, list[Any]]:
        body = {
            "rentable": {"eq": True},
            "gpu_name": names,
            "type": "on-demand",
            "order": [["dph_total", direction]],
            "limit": KEYLESS_ROWS,
            "allocated_storage": STORAGE_GB,
        }
        part = self.client.part(name, self.client.post(URL, json=body))
        try:
            return part, listed(read_json(part.body, name), "offers", name)
        except ShapeChanged:  # parse says so, with the body kept
            return part, []

    def both_ends(self, name: str, names: dict[str, Any], cheap: Part, rows: list[Any]) -> None:
        """Keep a cut answer with the same one from its dear end; they meet, or something is missing between them."""
        dear, others = self.ask(f"{name}-desc", names, "desc")
        self.parts += [cheap, dear]
        if len(others) >= KEYLESS_ROWS and not ids(rows) & ids(others):
            self.cut = True

    def names(self, names: list[str]) -> None:
        """Ask for some names; halve them while the answer is cut."""
        label = f"offers-{names[0]}..{names[-1]}"
        asked = {"in": names}
        part, rows = self.ask(label, asked)
        if len(rows) < KEYLESS_ROWS:
            self.parts.append(part)
        elif len(names) > 1:
            half = len(names) // 2
            self.names(names[:half])
            self.names(names[half:])
        else:
            self.both_ends(label, asked, part, rows)


def ids(rows: list[Any]) -> set[str]:
    return {row_id(row) for row in rows if isinstance(row, dict)}


def row_id(row: Mapping[str, Any]) -> str:
    """An offer's id; older answers have it under its long name alone."""
    return str(row.get("id") or row.get("ask_contract_id"))
