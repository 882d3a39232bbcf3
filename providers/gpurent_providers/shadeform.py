"""Shadeform: one reseller's list of some thirty clouds. Every offer is `via` shadeform, never mixed with a cloud's own.

Endpoints  GET https://api.shadeform.ai/v1/instances/types with a key; without one GET https://shadeform.com/, whose
           scripts hold the same objects as escaped JSON
Auth       header X-API-KEY (SHADEFORM_API_KEY), optional
Basis      `hourly_price` in CENTS per machine
Currency   USD
Units      memory and storage "in_gb" are GiB (the same machines of Scaleway and Nebius show it in bytes); VRAM per card
Stock      `available` of each region: sellable now or not (realtime); a region that is sold out keeps its price
Card       `gpu_type`, with the form from `interconnect`, or from the type's name where the two disagree: that field is
           often "pcie" for SXM machines
Gaps       on-demand only; CPU model and class of the disk are not said; region names are Shadeform's own
Checked    2026-11-30, against a recorded page of 2026-08-22; not against the live service
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from gpurent.adapters.contract import AdapterMeta, Client, Part, Raw, ShapeChanged
from gpurent.adapters.reading import (
    NO_GPU,
    Row,
    carried,
    each,
    listed,
    numbered,
    provider_id,
    read_json,
    unique,
)
from gpurent.offer import Offer, Reject
from gpurent_providers import known_types

API_URL = "https://api.shadeform.ai/v1/instances/types"
PAGE_URL = "https://shadeform.com/"
CENTS = Decimal(100)
TIERS = {"vm": "datacenter", "baremetal": "bare-metal", "container": "container"}

META = AdapterMeta(
    name="shadeform",
    title="Shadeform (reseller)",
    covers="on-demand machines of some thirty clouds as Shadeform sells them, with stock by region",
    hosts=("api.shadeform.ai", "shadeform.com", "www.shadeform.com"),
    key_env="SHADEFORM_API_KEY",
    redirects=True,
    card_pages="https://docs.shadeform.ai/api-reference/instances/instances-types (2026-11-30)",
)

# A string of the page's flight script, and an instance type inside the joined strings.
PIECE = re.compile(r'self\.__next_f\.push\(\[1,\s*("(?:[^"\\]|\\.)*")\]\)')
OBJECT = re.compile(r'\{"cloud":"')


def fetch(client: Client) -> Raw:
    """The list with the key, or the page without one."""
    key = client.key()
    if key:
        return Raw(META.name, (client.part("types", client.get(API_URL, headers={"X-API-KEY": key})),), complete=True)
    return Raw(META.name, (client.part("page", client.get(PAGE_URL)),), complete=None)


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    """One offer for each region of each instance type."""
    seen: set[str] = set()
    for part in raw.parts:
        items = _types(part)
        for key in ("cloud", "hourly_price"):
            carried(items, key, "instance_types")
        yield from unique(each(part, numbered(items, "instance_types"), _offers), part, seen)


def _types(part: Part) -> list[Any]:
    """The instance types of the API's answer, or those inside the page's scripts."""
    if not part.body.lstrip().startswith(b"<"):
        return listed(read_json(part.body, part.name), "instance_types", part.name)
    page = part.body.decode("utf-8", "replace")
    text = "".join(read_json(piece[1], part.name) for piece in PIECE.finditer(page))
    items: list[Any] = []
    decoder = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
    for start in OBJECT.finditer(text):
        try:
            items.append(decoder.raw_decode(text, start.start())[0])
        except (ValueError, RecursionError):
            items.append(text[start.start() : start.start() + 80])
    if not items:
        raise ShapeChanged(f"{part.name}.instance_types", "no instance types in the scripts of the page")
    return items


def _offers(row: Row) -> Iterator[Offer | Reject]:
    shape = row.row("configuration") if row.get("configuration") else row  # the page repeats most of it outside
    card = shape.need_text("gpu_type")
    if card.upper() == "CPU" or shape.number("num_gpus") == 0:
        raise shape.bad("num_gpus", NO_GPU)
    cents = row.need_positive("hourly_price")
    sku, name = row.need_text("shade_instance_type"), row.text("cloud_instance_type")
    wires = shape.text("interconnect") or ""
    boot = row.row("boot_time")
    times = [time for time in (boot.number("min_boot_in_sec"), boot.number("max_boot_in_sec")) if time is not None]
    told: dict[str, Any] = {
        "provider": provider_id(row.need_text("cloud")), "via": META.name, "sku": sku,
        "tier": TIERS.get(row.text("deployment_type") or ""),
        "gpu": known_types.with_form(card, f"{sku} {name}", wires),
        "gpu_count": shape.need_count("num_gpus"), "gpu_memory_gib": shape.positive("vram_per_gpu_in_gb"),
        "gpu_link": "nvlink-bridge" if shape.flag("nvlink") and wires == "pcie" else None,
        "vcpus": shape.positive("vcpus"), "ram_gib": shape.positive("memory_in_gb"),
        "disk_gib": shape.positive("storage_in_gb"), "boot_s": sum(times) / len(times) if times else None,
        "price": row.price("hourly_price", amount=cents / CENTS), "note": name and f"the cloud calls it {name}",
    }  # fmt: skip
    places = row.rows("availability")
    for place in places:
        free, region = place.flag("available"), place.text("region")
        if region is None:
            place.fault("region", None, "missing")
            continue
        country = re.match(r"([A-Z]{2}), ", place.text("display_name") or "")
        yield row.offer(
            region=region,
            country=country[1] if country else None,
            stock="unknown" if free is None else "available" if free else "sold-out",
            stock_grade="realtime",
            **told,
        )
    if not places:
        yield row.offer(stock_grade="price", **told)
