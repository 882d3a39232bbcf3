"""Vultr: Cloud GPU plans, fractions of a card included, and bare metal with GPUs.

Endpoint: GET https://api.vultr.com/v2/plans?type=all, /v2/plans-metal (cursor paging), /v2/regions for the countries.
Auth: none. Price basis: USD an hour per plan; `location_cost` overrides it in some places; `monthly_cost` caps a month.
Stock: a plan is offered in its `locations` (catalogue grade); who can deploy now needs a key.
Known gaps: vdm and metal plans have no gpu_* fields: the card and count are read from the plan's id, corrected by
vultr_plans.csv; the disk is local but its kind is said for metal only. An id may contradict the fields: the fields win.
Units: ram MB meaning MiB; disk GB, marketed sizes of both kinds, taken as GiB; gpu_vram_gb of the whole plan, GiB.
Date checked: 2026-11-30, against the answers in the tests of gpuhunt 0.1.34.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from gpurent.adapters.contract import OUT_OF_SCOPE, AdapterMeta, Client, Part, Raw, ShapeChanged
from gpurent.adapters.reading import NO_GPU, Row, carried, each, listed, numbered, read_json, table, terms, unique
from gpurent.money import Price
from gpurent.offer import Offer, Reject

API = "https://api.vultr.com/v2"
TOLERANCE = Decimal("0.1")  # between a card's memory as printed here and as printed there

META = AdapterMeta(
    name="vultr",
    title="Vultr",
    covers="Cloud GPU and bare metal plans by place, on demand and preemptible",
    hosts=("api.vultr.com",),
    card_pages="https://www.vultr.com/api/#tag/plans, 2026-11-30",
)


@dataclass(frozen=True)
class _Cards:
    """What of which card a plan holds; `memory_gib` of one card or slice."""

    gpu: str
    count: int
    share: str
    memory_gib: Decimal | None


def fetch(client: Client) -> Raw:
    parts: list[Part] = []
    for name, query in (("regions", {}), ("plans", {"type": "all"}), ("plans-metal", {})):
        cursor, page = "", 0
        while page == 0 or cursor:
            params = {"per_page": "500", **query, **({"cursor": cursor} if cursor else {})}
            part = client.part(f"{name}-{page}", client.get(f"{API}/{name}", params=params))
            parts.append(part)
            cursor, page = _next(part), page + 1
    return Raw(META.name, tuple(parts), True)


def _next(part: Part) -> str:
    try:
        body = read_json(part.body, part.name)
        return str(body["meta"]["links"]["next"] or "")
    except (ShapeChanged, KeyError, TypeError):  # no paging, or a body that parse will refuse
        return ""


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    bodies = [(part, read_json(part.body, part.name)) for part in raw.parts]
    countries = {
        str(region.get("id")): str(region.get("country") or "")
        for part, body in bodies
        if isinstance(body, dict) and "regions" in body
        for region in listed(body, "regions", part.name)
        if isinstance(region, dict)
    }
    seen: set[str] = set()
    for part, body in bodies:
        if isinstance(body, dict) and "regions" in body:
            continue
        key = "plans_metal" if isinstance(body, dict) and "plans_metal" in body else "plans"
        plans = listed(body, key, part.name)
        for name in ("id", "hourly_cost", "ram"):
            carried(plans, name, key)
        rows = each(part, numbered(plans, key), lambda row: _offers(row, countries))
        yield from unique(rows, part, seen)


def _cards(row: Row) -> _Cards | None:
    """The cards of a plan, or None for a plan without any."""
    plan = row.need_text("id")
    fixed = next((one for one in table(__package__, "vultr_plans") if one["plan"] == plan), None)
    if fixed:
        return _Cards(fixed["gpu"], int(fixed["gpu_count"]), "whole", Decimal(fixed["gpu_memory_gib"] or 0) or None)
    metal = re.search(r"(?:-(\d{1,2}))?-([a-z0-9]+)-gpu$", plan)
    if metal:
        card = _card(metal[2])
        memory = Decimal(card["memory_gib"]) if card else None
        return _Cards(card["gpu"] if card else metal[2], int(metal[1] or 1), "whole", memory)
    cloud = re.match(r"vcg-([a-z0-9]+)-\d+c-\d+g-(\d{1,5})vram$", plan)
    gpu, vram = row.text("gpu_type"), row.positive("gpu_vram_gb")
    if cloud and not gpu:
        gpu = cloud[1]
    if cloud and vram is None:
        vram = Decimal(cloud[2])
    if gpu is None:
        return None
    if vram is None:
        raise row.bad("gpu_vram_gb", "missing")
    card = _card(gpu)
    if card is None:  # a new card: kept, its share and count open
        return _Cards(gpu, 1, "unknown", vram)
    whole = Decimal(card["memory_gib"])
    name = gpu if row.text("gpu_type") else card["gpu"]
    count = int((vram / whole).to_integral_value(ROUND_HALF_UP))
    if abs(vram - count * whole) <= TOLERANCE * count * whole:  # 180 and 192 GB are the same B200
        return _Cards(name, count, "whole", vram / count)
    if vram < whole:
        return _Cards(name, 1, "vgpu", vram)
    raise row.bad("gpu_vram_gb", f"neither a part of one card of {whole} GB nor whole ones")


def _card(name: str) -> Mapping[str, str] | None:
    word = name.lower().removeprefix("nvidia_").removeprefix("amd_")
    return next((card for card in table(__package__, "vultr_cards") if card["name"] == word), None)


def _offers(row: Row, countries: Mapping[str, str]) -> Iterator[Offer | Reject]:
    cards = _cards(row)
    if cards is None:
        yield Reject(row.part.name, row.path, row.need_text("id"), NO_GPU)
        return
    facts = _facts(row, cards)
    on_demand, preemptible = row.flag("deploy_ondemand"), row.flag("deploy_preemptible")
    spot_key = "hourly_cost" if on_demand is False and preemptible else "hourly_cost_preemptible"
    spot = preemptible is not False and row.get(spot_key) is not None
    if on_demand is False and not spot:
        yield Reject(row.part.name, row.path, facts["sku"], OUT_OF_SCOPE + "nobody can deploy it")
        return
    places: list[str | None] = [place for place in row.list("locations") if isinstance(place, str) and place.strip()]
    for place in places or [None]:
        where = {
            "region": place,
            "country": countries.get(place or "") or None,
            "stock": "available" if place else "sold-out",
        }
        prices = row.row("location_cost").row(place) if place else row
        if on_demand is not False:
            yield row.offer(**facts, **where, purchase="on-demand", price=_price(row, prices, "hourly_cost"))
        if spot:
            yield row.offer(**facts, **where, purchase="spot", price=_price(row, prices, spot_key))


def _price(row: Row, place: Row, key: str) -> Price:
    return place.price(key) if place.get(key) is not None else row.price(key)


def _facts(row: Row, cards: _Cards) -> dict[str, Any]:
    threads, cores = row.positive("cpu_threads"), row.positive("cpu_cores")
    disk, cap = row.positive("disk"), row.positive("monthly_cost")
    return {
        **terms(META.name),
        "provider": META.name,
        "sku": row.need_text("id"),
        "tier": "bare-metal" if threads or row.text("type") == "vbm" else "datacenter",
        "gpu": cards.gpu,
        "gpu_count": cards.count,
        "gpu_share": cards.share,
        "gpu_memory_gib": cards.memory_gib,
        "vcpus": row.positive("vcpu_count") or threads,
        "threads_per_core": threads / cores if threads and cores and threads % cores == 0 else None,
        "cpu_model": row.text("cpu_model"),
        "ram_gib": row.need_positive("ram") / 1024,
        "disk_class": "local-nvme" if threads and row.text("type") == "NVMe" else None,
        "disk_gib": disk * (row.positive("disk_count") or 1) if disk else None,
        "stock_grade": "catalogue",
        "note": f"a month costs at most {cap} USD on demand" if cap else None,
    }
