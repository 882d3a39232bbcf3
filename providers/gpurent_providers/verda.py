"""Verda (once DataCrunch): instance types on demand and spot.

Endpoint: GET https://api.verda.com/v1/instance-types?currency=usd. Auth: none for the types.
Price basis: USD an hour per machine, numbers written as text. Spot null or "0" is none.
Known gaps: stock and places need OAuth2 (instance-availability), so they are unknown; no CPU model; "dynamic" storage
is a volume billed apart. Serverless prices are another product.
Units: gpu_memory GB of all cards, memory GB; both as marketed, taken as GiB.
Date checked: 2026-11-30, against the answer in the tests of gpuhunt 0.1.34.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpurent.adapters.contract import AdapterMeta, Client, Raw, ShapeChanged
from gpurent.adapters.reading import NO_GPU, Row, carried, each, numbered, read_json, shown, terms, unique
from gpurent.offer import Offer, Reject

URL = "https://api.verda.com/v1/instance-types"

META = AdapterMeta(
    name="verda",
    title="Verda",
    covers="instance types, on demand and spot; no stock, no clusters, no containers",
    hosts=("api.verda.com",),
    card_pages="https://api.verda.com/v1/docs, 2026-11-30",
)


def fetch(client: Client) -> Raw:
    part = client.part("instance-types", client.get(URL, params={"currency": "usd"}))
    return Raw(META.name, (part,), True)


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    for part in raw.parts:
        types = read_json(part.body, part.name)
        if not isinstance(types, list):
            raise ShapeChanged(part.name, f"not a list: {shown(types)}")
        for key in ("instance_type", "gpu", "price_per_hour", "gpu_memory"):
            carried(types, key, part.name)
        yield from unique(each(part, numbered(types, part.name), _offers), part, set())


def _offers(row: Row) -> Iterator[Offer | Reject]:
    gpu = row.need_row("gpu")
    if gpu.need_number("number_of_gpus") == 0:
        yield Reject(row.part.name, row.path, row.need_text("instance_type"), NO_GPU)
        return
    facts = _facts(row, gpu)
    currency = row.need_text("currency").upper()
    on_demand = row.price("price_per_hour", currency=currency)
    yield row.offer(**facts, purchase="on-demand", price=on_demand)
    spot = row.positive("spot_price")
    if spot is not None and spot > on_demand.amount:
        row.fault("spot_price", spot, "spot above on-demand")
    elif spot is not None:
        yield row.offer(**facts, purchase="spot", price=row.price("spot_price", currency=currency))


def _facts(row: Row, gpu: Row) -> dict[str, Any]:
    count = gpu.need_count("number_of_gpus")
    said = re.fullmatch(r"(?:(\d{1,3})\s*x\s+)?(.+)", gpu.need_text("description"))
    if said is None or int(said[1] or count) != count:
        raise gpu.bad("description", f"not {count} cards")
    p2p, memory = row.text("p2p"), row.row("gpu_memory").positive("size_in_gigabytes")
    return {
        **terms(META.name),
        **_disk(row),
        "provider": META.name,
        "sku": row.need_text("instance_type"),
        "tier": "datacenter",
        "gpu": said[2],
        "gpu_count": count,
        "gpu_share": "whole",
        "gpu_memory_gib": memory / count if memory else None,
        "gpu_link": _link(said[2]) if p2p and count > 1 else None,
        "vcpus": row.row("cpu").positive("number_of_cores"),
        "ram_gib": row.row("memory").positive("size_in_gigabytes"),
        "stock_grade": "price",
        "note": f"peer to peer {p2p}" if p2p else None,
    }


def _link(text: str) -> str:
    """What a stated peer-to-peer rate means: with PCIe alone the field is null."""
    if "RTX" in text:
        return "nvlink-bridge"
    return "nvswitch" if "SXM" in text and "SXM2" not in text else "nvlink"


def _disk(row: Row) -> dict[str, object]:
    """A local disk is said with its size ("225GB NVME"); "dynamic" is a volume of the renter's choice."""
    storage = row.row("storage")
    size, text = storage.positive("size_in_gigabytes"), storage.text("description") or ""
    if size is None:
        return {}
    return {"disk_class": "local-nvme" if "nvme" in text.lower() else None, "disk_gib": size}
