"""Akamai (Linode): instance types with their prices, and the regions that offer GPUs.

Endpoint   GET https://api.linode.com/v4/linode/types and /v4/regions, `page`, `pages`, page_size up to 500
Auth       none
Basis      per machine and hour; `region_prices` override it in some regions; `monthly` is the cap of hourly billing
Currency   USD
Units      memory and disk in MB that are MiB (32768 = the plan's "32GB")
Card       only in the label: "Dedicated 32GB + RTX6000 GPU x1", "RTX4000 Ada x1 Small"; RTX6000 is the Quadro card
Stock      none: a region that lists the capability "GPU Linodes" offers some of the types (catalogue)
Gaps       memory of the card, CPU model, class of the disk are not said. Which GPU type a region has is not said either
Checked    2026-11-30, against a recorded answer of 2024-07; not against the live service
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from gpurent.adapters.contract import OUT_OF_SCOPE, AdapterMeta, Client, Part, Raw
from gpurent.adapters.reading import NO_GPU, Row, carried, each, listed, numbered, read_json, terms, unique
from gpurent.offer import Offer, Reject

URL = "https://api.linode.com/v4/"
LISTS = ("linode/types", "regions")
PAGE_SIZE = 500
MAX_PAGES = 10
GPU_CAPABILITY = "GPU Linodes"
MIB_PER_GIB = 1024

META = AdapterMeta(
    name="linode",
    title="Akamai (Linode)",
    covers="on-demand GPU machines, whole cards; no stock",
    hosts=("api.linode.com",),
    card_pages="https://techdocs.akamai.com/linode-api/reference/get-linode-types (2026-11-30)",
)

# "Dedicated 32GB + RTX6000 GPU x1" or "RTX4000 Ada x1 Small"
LABEL = re.compile(r"(?:^|\+ )(?P<card>[^+]+?)(?: GPU)? x(?P<count>\d{1,3})\b")


def fetch(client: Client) -> Raw:
    """Types and regions, all pages of both."""
    parts: list[Part] = []
    troubles: list[str] = []
    for name in LISTS:
        page, pages = 1, Decimal(1)
        while page <= pages and page <= MAX_PAGES:
            response = client.get(URL + name, params={"page": str(page), "page_size": str(PAGE_SIZE)})
            parts.append(client.part(f"{name.rpartition('/')[2]}-{page}", response))
            body = read_json(response.body, name)
            count = body.get("pages") if isinstance(body, dict) else None
            pages = count if isinstance(count, Decimal) else Decimal(1)
            page += 1
        if pages > MAX_PAGES:
            troubles.append(f"{name}: stopped after {MAX_PAGES} pages")
    return Raw(META.name, tuple(parts), complete=not troubles, troubles=tuple(troubles))


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    """One offer a type and region that may have it; without the list of regions, one a type and price."""
    lists = [(part, listed(read_json(part.body, part.name), "data", part.name)) for part in raw.parts]
    places: dict[str, str | None] = {}
    for part, items in lists:
        if _are_regions(items):
            yield from each(part, numbered(items, "data"), lambda row: _region(row, places))
    seen: set[str] = set()
    for part, items in lists:
        if not _are_regions(items):
            for key in ("gpus", "label", "price"):
                carried(items, key, "data")
            yield from unique(each(part, numbered(items, "data"), lambda row: _offers(row, places)), part, seen)


def _are_regions(items: list[Any]) -> bool:
    return any(isinstance(item, dict) and "capabilities" in item for item in items)


def _region(row: Row, places: dict[str, str | None]) -> Iterator[Offer | Reject]:
    """Remember a region with GPUs; the row itself is no offer."""
    name = row.need_text("id")
    if GPU_CAPABILITY not in row.list("capabilities"):
        raise row.bad("capabilities", OUT_OF_SCOPE + "a region without GPUs")
    country = row.text("country")
    places[name] = country.upper() if country else None
    raise row.bad("id", OUT_OF_SCOPE + "a region, no price")


def _offers(row: Row, places: dict[str, str | None]) -> Iterator[Offer]:
    sku = row.need_text("id")
    if not row.need_number("gpus"):
        raise row.bad("gpus", NO_GPU)
    count = row.need_count("gpus")
    label = row.need_text("label")
    named = LABEL.search(label)
    if not named:
        raise row.bad("label", "no card in it")
    if int(named["count"]) != count:
        raise row.bad("label", f"its number of cards is not gpus = {count}")
    ram, disk, base = row.positive("memory"), row.positive("disk"), row.need_row("price")
    cap = base.positive("monthly")
    facts: dict[str, Any] = {
        "provider": META.name, "sku": sku, "tier": "datacenter", "gpu": named["card"], "gpu_count": count,
        "gpu_share": "whole",
        "vcpus": row.positive("vcpus"), "ram_gib": ram and ram / MIB_PER_GIB, "disk_gib": disk and disk / MIB_PER_GIB,
        "stock_grade": "catalogue" if places else "price",
        "note": f"hourly billing stops at {cap} USD a month" if cap else None,
    } | terms(META.name)  # fmt: skip
    own = {}
    for number, item in enumerate(row.list("region_prices")):
        override = Row(row.part, f"{row.where('region_prices')}[{number}]", item, row.faults)
        own[override.need_text("id")] = override
    regions: list[tuple[str | None, str | None]] = list(places.items()) or [
        (None, None),
        *((name, None) for name in own),
    ]
    for region, country in regions:
        priced = own.get(region, base) if region else base
        yield row.offer(price=priced.price("hourly"), region=region, country=country, **facts)
