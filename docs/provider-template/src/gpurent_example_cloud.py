"""Example Cloud: on-demand and spot machines.

Endpoint: GET https://api.example.com/v1/machines. Auth: none.
Price basis: USD an hour per machine. Stock: `free` machines of each type in each region (realtime).
Known gaps: no CPU model, no disk speed.
Units: memory_gb of one GPU and ram_gb, both as marketed, taken as GiB.
Date checked: 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpurent.adapters.contract import AdapterMeta, Client, Raw
from gpurent.adapters.reading import NO_GPU, Row, carried, each, listed, numbered, read_json, unique
from gpurent.offer import Offer, Reject

META = AdapterMeta(
    name="example-cloud",
    title="Example Cloud",
    covers="machines with GPUs by region, on demand and spot",
    hosts=("api.example.com",),
    card_pages="https://docs.example.com/api, 2026-11-30",
)


def fetch(client: Client) -> Raw:
    part = client.part("machines", client.get("https://api.example.com/v1/machines"))
    return Raw(META.name, (part,), complete=True)


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    for part in raw.parts:
        machines = listed(read_json(part.body, part.name), "machines", part.name)
        for key in ("name", "gpu", "usd_per_hour"):
            carried(machines, key, "machines")
        yield from unique(each(part, numbered(machines, "machines"), offers), part, set())


def offers(row: Row) -> Iterator[Offer | Reject]:
    if row.number("gpus") == 0:
        yield Reject(row.part.name, row.path, row.need_text("name"), NO_GPU)
        return
    free = row.number("free")
    facts = {
        "provider": META.name,
        "sku": row.need_text("name"),
        "region": row.text("region"),
        "gpu": row.need_text("gpu"),
        "gpu_count": row.need_count("gpus"),
        "gpu_share": "whole",
        "gpu_memory_gib": row.need_positive("memory_gb"),
        "vcpus": row.positive("vcpus"),
        "ram_gib": row.positive("ram_gb"),
        "stock": "unknown" if free is None else "available" if free > 0 else "sold-out",
        "stock_grade": "catalogue" if free is None else "realtime",
    }
    yield row.offer(**facts, purchase="on-demand", price=row.price("usd_per_hour"))
    if row.positive("spot_usd_per_hour"):
        yield row.offer(**facts, purchase="spot", price=row.price("spot_usd_per_hour"))
