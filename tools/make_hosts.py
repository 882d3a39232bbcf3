"""Build tables/hosts.csv: what the machines of a provider, a tier and a card usually have.

    python tools/make_hosts.py

Reads the catalogue. A provider's own rows take the smallest and largest value that its offers state; rows of peers (a
kind of provider, a class of card) take the 10 % and 90 % points. Slices are kept apart from whole cards.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from gpurent import catalogue
from gpurent.hardware import cards
from gpurent.hardware.cpus import read_cpu
from gpurent.hardware.disks import classes, instance_caps
from gpurent.hardware.resolve import resolve
from gpurent.hardware.usual_hosts import COLUMNS, LEVELS, PEER_LEVELS, level_key, provider_kind
from gpurent.offer import Offer

TARGET = Path(__file__).resolve().parents[1] / "src" / "gpurent" / "tables" / "hosts.csv"
PEER_SHARE = 0.10
MIN_PEERS = 5


def facts(offer: Offer) -> dict[str, Any]:
    """What an offer states, per GPU; None where it does not."""
    cpu = read_cpu(offer.cpu_model) if offer.cpu_model else None
    cap = instance_caps().get((offer.provider, offer.sku or ""), {})
    threads = offer.threads_per_core or cap.get("threads_per_core")
    return {
        "vcpus_per_gpu": None if offer.vcpus is None else offer.vcpus / offer.gpu_count,
        "ram_gib_per_gpu": None if offer.ram_gib is None else offer.ram_gib / offer.gpu_count,
        "cpu": None if cpu is None else (cpu.index, offer.cpu_model),
        "cpu_efficiency": None if cpu is None else cpu.efficiency(int(threads or cpu.threads_per_core)),
        "disk_class": None
        if offer.disk_class is None
        else (classes()[offer.disk_class].small_bytes_per_s, offer.disk_class),
        "disk_read_mbyte_s": offer.disk_read_mbyte_s,
    }


def group(offer: Offer) -> dict[str, str]:
    """The names a host is looked up by."""
    found = resolve(offer)
    card = cards.by_id()[found.card or found.candidates[0]] if found.card or found.candidates else None
    return {
        "provider": offer.provider,
        "tier": offer.tier or "",
        "kind": provider_kind(offer.provider),
        "card_family": card.family if card else "",
        "card_class": card.class_ if card else "",
        "share": "whole" if found.share == "whole" else "slice",
    }


def _point(values: Iterable[Any], share: float) -> Any:
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def hosts(offers: Iterable[Offer], group_of: Callable[[Offer], dict[str, str]] = group) -> Iterator[dict[str, Any]]:
    """The rows of hosts.csv: groups in which any offer says anything about its host."""
    stated = [(group_of(offer), facts(offer)) for offer in offers]
    for level, names in LEVELS.items():
        members: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
        for names_of, said in stated:
            if all(names_of[name] for name in names if name != "tier"):
                members[level_key(level, names_of)].append(said)
        for key, each in sorted(members.items()):
            row: dict[str, Any] = dict.fromkeys(COLUMNS, "")
            row |= {"level": level, **dict(zip(names, key[1:], strict=True)), "offers": len(each)}
            for name in each[0]:
                row |= ends(name, [said[name] for said in each if said[name] is not None], level in PEER_LEVELS)
            if any(row[f"{name}_stated"] for name in each[0]):
                yield row | {"source": "gpurent-catalogue", "as_of": catalogue.as_of().isoformat()}


def ends(name: str, values: list[Any], peers: bool) -> dict[str, Any]:
    """The columns of one fact: how many offers state it, its low and, where there is a column for it, its high end."""
    if len(values) < (MIN_PEERS if peers else 1):
        return {f"{name}_stated": ""}
    columns: dict[str, Any] = {f"{name}_stated": len(values)}
    for end, share in (("low", PEER_SHARE if peers else 0.0), ("high", 1 - PEER_SHARE if peers else 1.0)):
        if f"{name}_{end}" in COLUMNS:
            value = _point(values, share)
            columns[f"{name}_{end}"] = value[1] if isinstance(value, tuple) else f"{value:.6g}"
    return columns


def main() -> None:
    rows = list(hosts(catalogue.offers()))
    with TARGET.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{len(rows)} rows", file=sys.stderr)


if __name__ == "__main__":
    main()
