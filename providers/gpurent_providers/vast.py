"""Vast.ai: the market's live offers, with measured CPU share, disk and PCIe bandwidth.

Endpoint: POST https://console.vast.ai/api/v0/bundles/ with the filter as the body (a search; it changes nothing).
Auth: none. The documentation asks for a key; keyless answers worked on 2026-10-20 and stop at 64 rows.
Price basis: USD an hour for the whole offer; `dph_total` includes the allocated storage (5 GB are asked for).
Asked by groups of card names, halved until an answer is not cut; a single name that is cut is asked from both ends.
Known gaps: a name with more than 128 offers is cut (`complete` is then False). `cpu_ram` is documented neither as the
machine's nor as the offer's, so RAM is given only where the offer is the whole machine. The interruptible price is the
floor of the bid plus storage. Units: gpu_ram and cpu_ram MiB, disk_space GB, disk_bw MB/s, pcie_bw GB/s, inet Mb/s.
Date checked: 2026-11-30, against the answer of 2026-08-22 and the documentation of 2026-08-18.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from gpurent.adapters.contract import OUT_OF_SCOPE, AdapterMeta, Client, Raw, TransportFailed
from gpurent.adapters.reading import NO_GPU, Row, carried, each, listed, numbered, read_json, table, terms, unique
from gpurent.money import HOURS_PER_MONTH
from gpurent.offer import Offer, Reject
from gpurent_providers import vast_search

GROUP = 8  # names asked at once to begin with

META = AdapterMeta(
    name="vast-ai",
    title="Vast.ai",
    covers="all rentable offers by card name, on demand and interruptible; not reserved",
    hosts=("console.vast.ai",),
    redact=("public_ipaddr", "hostname"),
    min_interval_s=2.0,  # 10 a minute are documented, 80 were served
    deadline_s=900.0,
    card_pages="https://docs.vast.ai/api-reference/search/search-offers, 2026-11-30",
)


def fetch(client: Client) -> Raw:
    known = [row["gpu_name"] for row in table(__package__, "vast_gpu_names")]
    search, troubles = vast_search.Search(client), []
    try:
        for start in range(0, len(known), GROUP):
            search.names(known[start : start + GROUP])
        rest = {"notin": known}
        part, rows = search.ask("offers-other-cards", rest)
        if len(rows) < vast_search.KEYLESS_ROWS:
            search.parts.append(part)
        else:
            search.both_ends("offers-other-cards", rest, part, rows)
    except TransportFailed as error:
        if not search.parts:
            raise
        troubles.append(f"not all cards were asked: {error}")
    return Raw(META.name, tuple(search.parts), not (search.cut or troubles), tuple(troubles))


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    before: set[str] = set()
    for part in raw.parts:
        rows = listed(read_json(part.body, part.name), "offers", part.name)
        for key in ("gpu_name", "num_gpus", "gpu_ram", "dph_base"):
            carried(rows, key, "offers")
        fresh = [
            (path, row)
            for path, row in numbered(rows, "offers")
            if not (isinstance(row, dict) and vast_search.row_id(row) in before)  # asked for from both ends
        ]
        yield from unique(each(part, fresh, _offers), part, set())
        before |= vast_search.ids(rows)


def _offers(row: Row) -> Iterator[Offer | Reject]:
    if row.number("num_gpus") == 0 or row.text("resource_type") not in (None, "gpu"):
        yield Reject(row.part.name, row.path, vast_search.row_id(row.values), NO_GPU)
        return
    total, storage = _hourly(row)
    facts = _facts(row, storage)
    if row.flag("is_bid"):
        yield row.offer(**facts, purchase="spot", price=row.price("dph_total", amount=total))
        return
    yield row.offer(**facts, purchase="on-demand", price=row.price("dph_total", amount=total))
    floor = row.positive("min_bid")
    if floor is not None and round(floor + storage, 12) > round(total, 12):
        row.fault("min_bid", floor, OUT_OF_SCOPE + "the floor of the bid is above the on-demand price")
    elif floor is not None:
        price = row.price("min_bid", amount=round(floor + storage, 12))
        note = f"floor of the bid plus storage; {facts['note']}"
        yield row.offer(**(facts | {"note": note}), purchase="spot", price=price)


def _hourly(row: Row) -> tuple[Decimal, Decimal]:
    """The price of the offer an hour, and the storage in it."""
    search = row.row("search")
    storage = row.positive("storage_total_cost") or search.positive("diskHour") or Decimal(0)
    if row.get("dph_total") is not None:
        total = row.need_positive("dph_total")
    elif search.get("totalHour") is not None:
        total = search.need_positive("totalHour")
    else:  # mirrors leave the total out
        total = row.need_positive("dph_base") + storage
    return total, min(storage, total)


def _facts(row: Row, storage: Decimal) -> dict[str, Any]:
    count, memory_mib = row.need_count("num_gpus"), row.need_positive("gpu_ram")
    whole_mib = row.positive("gpu_total_ram")
    if whole_mib is not None and abs(whole_mib - memory_mib * count) > whole_mib / 50:
        raise row.bad("gpu_total_ram", f"not {count} times gpu_ram")
    region, country = _place(row.text("geolocation"))
    nvlink, ram_mib = row.number("bw_nvlink"), row.positive("cpu_ram")
    per_month, seconds = row.positive("storage_cost"), row.positive("duration")
    rentable = row.flag("rentable")
    disk_name = row.text("disk_name") or ""
    return {
        **terms(META.name),
        "provider": META.name,
        "listing": row.label("id") or row.need_label("ask_contract_id"),
        "machine": row.label("machine_id"),
        "region": region,
        "country": country,
        "tier": "datacenter" if row.number("hosting_type") == 1 else "marketplace",
        "gpu": row.need_text("gpu_name"),
        "gpu_count": count,
        "gpu_share": "whole",  # documented: a GPU is never shared
        "gpu_memory_gib": memory_mib / 1024,
        "gpu_link": _link(row.need_text("gpu_name"), nvlink) if count > 1 and nvlink is not None else None,
        "host_to_gpu_gbyte_s": row.positive("pcie_bw"),
        "power_limit_w": row.positive("gpu_max_power"),
        "vcpus": row.positive("cpu_cores_effective"),
        "cpu_model": row.text("cpu_name"),
        "ram_gib": ram_mib / 1024 if ram_mib and row.number("gpu_frac") == 1 else None,
        "disk_class": "local-nvme" if "nvme" in disk_name.lower() else None,
        "disk_gib": row.positive("disk_space"),
        "disk_read_mbyte_s": row.positive("disk_bw"),
        "download_mbit_s": row.positive("inet_down"),
        "driver": row.text("driver_version"),
        "cuda_max": row.label("cuda_max_good"),
        "included_storage_gib": round(storage * HOURS_PER_MONTH / per_month, 3) if per_month and storage else None,
        "storage_per_gib_month": per_month,
        "egress_per_gib": row.number("inet_up_cost"),
        "ingress_per_gib": row.number("inet_down_cost"),
        "reliability": row.number("reliability2"),
        "max_hours": seconds / 3600 if seconds else None,
        "stock": "sold-out" if rentable is False else "available" if rentable else "unknown",
        "stock_grade": "realtime" if rentable is not None else "catalogue",
        "note": f"{row.text('verification') or 'unknown verification'} host",
    }


def _link(name: str, nvlink: Decimal) -> str | None:
    """The link a measured NVLink bandwidth stands for; an SXM card that shows none was not measured."""
    if "SXM" in name:
        return None if nvlink <= 0 else "nvlink" if "V100" in name else "nvswitch"
    bridged = any(word in name for word in ("PCIE", "NVL", "RTX"))
    return "pcie" if nvlink <= 0 else "nvlink-bridge" if bridged else "nvlink"


def _place(text: str | None) -> tuple[str | None, str | None]:
    """ "California, US" -> region and country; ", CN" -> country alone."""
    match = re.fullmatch(r"(?:(.*?),\s*)?([A-Z]{2})", text or "")
    return (match[1] or None, match[2]) if match else (text, None)
