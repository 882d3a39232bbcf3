"""Scaleway: GPU instances of every zone, with their stock.

Endpoint: GET https://api.scaleway.com/instance/v1/zones/{zone}/products/servers and .../servers/availability.
Auth: none. Paging: header X-Total-Count. Price basis: EUR an hour per machine, without VAT and without block storage.
Stock: available, scarce or shortage (realtime). Zones: scaleway_zones.csv; one that cannot be asked leaves the rest.
Known gaps: no CPU model, no link; a scratch volume is local, otherwise the block volume's bandwidth is the disk's.
Units: bytes for memory, scratch and block bandwidth (a second), bit/s for the network.
Date checked: 2026-11-30, against the answer of 2026-08-22.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gpurent.adapters.contract import AdapterMeta, Client, Part, Raw, TransportFailed
from gpurent.adapters.reading import NO_GPU, Row, carried, each, mapped, read_json, table, terms, unique
from gpurent.offer import Offer, Reject

API = "https://api.scaleway.com/instance/v1/zones"
PER_PAGE = 100
BITS_EXPONENT = 13  # bit/s and byte/s of a network pass the bound of money

META = AdapterMeta(
    name="scaleway",
    title="Scaleway",
    covers="GPU instances by zone with stock; not Elastic Metal, not Managed Inference",
    hosts=("api.scaleway.com",),
    min_interval_s=0.5,
    card_pages="https://www.scaleway.com/en/developers/api/instance/, 2026-11-30",
)


def fetch(client: Client) -> Raw:
    parts: list[Part] = []
    troubles: list[str] = []
    for row in table(__package__, "scaleway_zones"):
        zone = row["zone"]
        try:
            parts += [*_pages(client, f"servers-{zone}", f"{API}/{zone}/products/servers")]
            parts += [*_pages(client, f"stock-{zone}", f"{API}/{zone}/products/servers/availability")]
        except TransportFailed as error:
            troubles.append(f"zone {zone}: {error}")
            last = error
            if error.status is None:  # the host itself does not answer: nor will it for the other zones
                break
    if not parts:
        raise last
    return Raw(META.name, tuple(parts), not troubles, tuple(troubles))


def _pages(client: Client, name: str, url: str) -> Iterator[Part]:
    page, total = 1, PER_PAGE
    while (page - 1) * PER_PAGE < total:
        part = client.part(f"{name}-{page}", client.get(url, params={"page": str(page), "per_page": str(PER_PAGE)}))
        yield part
        count = part.headers.get("x-total-count", "")
        total = int(count) if count.isdecimal() and len(count) < 7 else 0
        page += 1


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    stocks: dict[str | None, dict[str, Any]] = {}
    products: list[tuple[Part, str | None, dict[str, Any]]] = []
    for part in raw.parts:
        servers, zone = mapped(read_json(part.body, part.name), "servers", part.name), _zone(part)
        if servers and all(isinstance(one, dict) and "availability" in one for one in servers.values()):
            stocks.setdefault(zone, {}).update(servers)
        elif "/availability" not in part.url:
            for key in ("hourly_price", "gpu", "ncpus", "ram"):
                carried(list(servers.values()), key, "servers")
            products.append((part, zone, servers))
    seen: set[str] = set()
    for part, zone, servers in products:
        rows = ((f"servers.{name}", value) for name, value in servers.items())
        yield from unique(each(part, rows, lambda row, zone=zone: _offers(row, zone, stocks.get(zone, {}))), part, seen)  # type: ignore[misc]


def _zone(part: Part) -> str | None:
    """The zone stands in the address only, or in the name of a saved answer."""
    found = re.search(r"(?<![a-z])[a-z]{2}-[a-z]{3}-\d(?!\d)", f"{part.url} {part.name}")
    return found[0] if found else None


def _offers(row: Row, zone: str | None, stocks: Mapping[str, Any]) -> Iterator[Offer | Reject]:
    sku = row.path.removeprefix("servers.")
    if not row.number("gpu"):
        yield Reject(row.part.name, row.path, sku, NO_GPU)
        return
    gpu = row.need_row("gpu_info")
    profile = row.text("mig_profile")
    country = next((one["country"] for one in table(__package__, "scaleway_zones") if one["zone"] == zone), None)
    network = row.row("network").positive("sum_internet_bandwidth", max_exponent=BITS_EXPONENT)
    memory = gpu.gib_of_bytes("gpu_memory")
    if memory is None and profile:
        raise gpu.bad("gpu_memory", "a slice without its size")
    yield row.offer(
        **terms(META.name),
        **_disk(row),
        **_stock(stocks.get(sku)),
        provider=META.name,
        sku=sku,
        region=zone,
        country=country,
        tier="datacenter",
        gpu=gpu.need_text("gpu_name"),
        gpu_count=row.need_count("gpu"),
        gpu_share="mig" if profile else "whole",
        share_profile=profile,
        gpu_memory_gib=memory,
        vcpus=row.positive("ncpus"),
        ram_gib=row.gib_of_bytes("ram"),
        download_mbit_s=network / 10**6 if network else None,
        price=row.price("hourly_price", currency="EUR", tax_included=False),
        note="end of service announced" if row.flag("end_of_service") else None,
    )


def _disk(row: Row) -> dict[str, object]:
    """The scratch volume or local volumes where there are some, else block storage."""
    block = row.positive("block_bandwidth", max_exponent=BITS_EXPONENT)
    local = row.gib_of_bytes("scratch_storage_max_size") or row.row("volumes_constraint").gib_of_bytes("max_size")
    if local:
        return {"disk_class": "local-ssd", "disk_gib": local}
    return {"disk_class": "network-ssd", "disk_read_mbyte_s": block / 10**6 if block else None}


def _stock(entry: object) -> dict[str, str]:
    level = entry.get("availability") if isinstance(entry, Mapping) else None
    if level in ("available", "scarce"):
        return {"stock": "available", "stock_grade": "realtime"}
    if level == "shortage":
        return {"stock": "sold-out", "stock_grade": "realtime"}
    return {"stock": "unknown", "stock_grade": "catalogue"}
