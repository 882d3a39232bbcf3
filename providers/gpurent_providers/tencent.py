"""Tencent Cloud CVM: the purchase workbench, with the stock of every zone. Undocumented: for --include-unofficial.

Endpoints  POST https://workbench.cloud.tencent.com/cgi/area/queryCvmRegion                          regions and zones
           POST https://workbench.cloud.tencent.com/cgi/api?i=cvm/DescribeZoneInstanceConfigInfos    types of one zone
Auth       none
Basis      per machine: `UnitPriceDiscount` (else `UnitPrice`) an hour for POSTPAID_BY_HOUR and SPOTPAID;
           `DiscountPrice` (else `OriginalPrice`) a month for PREPAID
Currency   CNY (the China site; the international site has another host and USD)
Units      Memory GiB; MaxSize of local disks "GB" is GiB (3,570 = a 3.84 TB drive)
Share      `GpuCount` is in physical cards: below one it is a vGPU slice (0.25 of a T4)
Card       not in the answer: tencent_families.csv by InstanceFamily; a family it does not know keeps its own name
Stock      Status SELL or SOLD_OUT, realtime, each zone; a sold-out type keeps its price
Gaps       steps of a price after some hours are noted, not used; disks and traffic are billed apart
Checked    2026-11-30, against a documented example and public code; not against the live service
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from gpurent.adapters.contract import OUT_OF_SCOPE, AdapterMeta, Client, Part, Raw, ShapeChanged, TransportFailed
from gpurent.adapters.reading import (
    NO_GPU,
    Row,
    carried,
    each,
    listed,
    mapped,
    numbered,
    read_json,
    shown,
    terms,
    unique,
)
from gpurent.adapters.reading import table as csv_table
from gpurent.offer import Offer, Reject

HOST = "https://workbench.cloud.tencent.com"
REGIONS_URL = f"{HOST}/cgi/area/queryCvmRegion"
TYPES_URL = f"{HOST}/cgi/api?i=cvm/DescribeZoneInstanceConfigInfos&uin=&region="
CHARGES = ("PREPAID", "POSTPAID_BY_HOUR", "SPOTPAID")
STOCK = {"SELL": "available", "SOLD_OUT": "sold-out"}
SMALLEST_SLICE = 64  # a slice is written as a decimal; its fraction has a denominator up to this

META = AdapterMeta(
    name="tencent",
    title="Tencent Cloud CVM",
    covers="on-demand, spot and monthly GPU machines of every zone, with realtime stock; vGPU slices",
    hosts=("workbench.cloud.tencent.com",),
    official=False,
    deadline_s=300.0,
    card_pages="https://cloud.tencent.com/document/product/213/17378 (2026-11-30)",
)


@cache
def _families() -> dict[str, dict[str, str]]:
    return {row["family"]: row for row in csv_table(__package__, "tencent_families")}


def fetch(client: Client) -> Raw:
    """The regions, then every zone; a zone that does not answer is a trouble, the others count."""
    first = client.part("regions", client.post(REGIONS_URL, json={}))
    parts, troubles = [first], []
    for region, zone in _zones(first):
        try:
            answer = client.post(TYPES_URL + region, json=_question(region, zone))
        except TransportFailed as failed:
            troubles.append(f"{zone}: {failed}")
        else:
            parts.append(client.part(f"types-{zone}", answer))
    return Raw(META.name, tuple(parts), complete=not troubles, troubles=tuple(troubles))


def _question(region: str, zone: str) -> dict[str, Any]:
    filters = [{"Name": "instance-charge-type", "Values": list(CHARGES)}, {"Name": "zone", "Values": [zone]}]
    return {
        "serviceType": "cvm", "action": "DescribeZoneInstanceConfigInfos", "region": region, "cgiName": "api",
        "data": {"Filters": filters, "Platform": "LINUX", "Version": "2017-03-12"},
    }  # fmt: skip


def _zones(part: Part) -> list[tuple[str, str]]:
    """Pairs of region and zone, in order, once each."""
    zones: dict[tuple[str, str], None] = {}
    for region in listed(_response(part), "RegionSet", "data.Response"):
        name = region.get("region") if isinstance(region, dict) else None
        for zone in region.get("zones") or () if isinstance(region, dict) else ():
            if isinstance(zone, dict) and isinstance(name, str) and isinstance(zone.get("zone"), str):
                zones[name, zone["zone"]] = None
    return list(zones)


def _response(part: Part) -> dict[str, Any]:
    response = mapped(mapped(read_json(part.body, part.name), "data", part.name), "Response", "data")
    if "Error" in response:
        raise ShapeChanged("data.Response.Error", shown(response["Error"]))
    return response


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    """Offers of every zone's types; the list of regions holds none."""
    seen: set[str] = set()
    for part in raw.parts:
        response = _response(part)
        if "RegionSet" not in response:
            items = listed(response, "InstanceTypeQuotaSet", "data.Response")
            carried(items, "InstanceType", "data.Response.InstanceTypeQuotaSet")
            rows = numbered(items, "data.Response.InstanceTypeQuotaSet")
            yield from unique(each(part, rows, _offers), part, seen)


def _offers(row: Row) -> Iterator[Offer]:
    sku = row.need_text("InstanceType")
    family = row.text("InstanceFamily") or sku.partition(".")[0]
    known = _families().get(family)
    cards = row.number("GpuCount") or row.number("Gpu")
    if not cards:
        raise row.bad("GpuCount" if known else "Gpu", "a GPU family without a number of cards" if known else NO_GPU)
    kind = row.need_text("InstanceChargeType")
    if kind not in CHARGES:
        raise row.bad("InstanceChargeType", OUT_OF_SCOPE + "another way of renting")
    prices, disks = row.need_row("Price"), _disks(row)
    later = prices.positive("UnitPriceDiscountSecondStep") or prices.positive("UnitPriceSecondStep")
    facts: dict[str, Any] = {
        "provider": META.name, "sku": sku, "region": row.text("Zone") or _zone_of(row.part), "tier": "datacenter",
        "vcpus": row.positive("Cpu"), "ram_gib": row.positive("Memory"),
        "cpu_model": row.text("CpuType") or (known and known["cpu_model"]) or None,
        "stock": STOCK.get(row.text("Status") or "", "unknown"), "stock_grade": "realtime",
    } | terms(META.name) | _cards(row, family, known, cards) | disks  # fmt: skip
    if kind == "PREPAID":
        key = "DiscountPrice" if prices.get("DiscountPrice") is not None else "OriginalPrice"
        price = prices.price(key, currency="CNY", unit="month", term_months=1)
        yield row.offer(purchase="reserved", price=price, **facts)
        return
    if prices.get("ChargeUnit") not in (None, "HOUR"):
        raise prices.bad("ChargeUnit", "not HOUR")
    key = "UnitPriceDiscount" if prices.get("UnitPriceDiscount") is not None else "UnitPrice"
    note = f"{later} CNY an hour after the first step" if later else None
    purchase = "spot" if kind == "SPOTPAID" else "on-demand"
    yield row.offer(purchase=purchase, price=prices.price(key, currency="CNY"), note=note, **facts)


def _cards(row: Row, family: str, known: dict[str, str] | None, cards: Decimal) -> dict[str, Any]:
    """Card, count, share and memory from the number of physical cards."""
    memory = Decimal(known["gpu_memory_gib"]) if known else None
    facts: dict[str, Any] = {"gpu": known["gpu"] if known else family, "gpu_memory_gib": memory}
    if 0 < cards < 1 and (share := _slice(cards)):
        if memory is None:
            raise row.bad("GpuCount", "a slice of a card whose size is not known")
        part = round(memory * share.numerator / share.denominator, 3)
        facts |= {"gpu_share": "vgpu", "share_profile": str(share), "gpu_memory_gib": part}
    elif cards >= 1 and cards == cards.to_integral_value():
        facts |= {"gpu_count": int(cards), "gpu_share": "whole"}
        facts |= {"gpu_link": known["gpu_link"]} if known and cards > 1 else {}
    else:
        raise row.bad("GpuCount", "neither a slice nor a whole number of cards")
    return facts


def _slice(cards: Decimal) -> Fraction:
    """The fraction a decimal means: 1/n when that is what it was rounded from. 0 when it is less than the smallest.

    >>> _slice(Decimal("0.33")), _slice(Decimal("0.75"))
    (Fraction(1, 3), Fraction(3, 4))
    """
    unit = Decimal(1).scaleb(cards.normalize().as_tuple().exponent)  # type: ignore[arg-type]
    whole = min(int(1 / cards + Decimal("0.5")), SMALLEST_SLICE)
    if abs(Decimal(1) / whole - cards) < unit / 2:
        return Fraction(1, whole)
    return Fraction(cards).limit_denominator(SMALLEST_SLICE)


def _disks(row: Row) -> dict[str, Any]:
    """Class and size of the first local disk; without one the disks are bought apart and stay unknown."""
    for item in row.list("LocalDiskTypeList"):
        disk = Row(row.part, row.where("LocalDiskTypeList"), item, row.faults)
        kind = (disk.text("Type") or "").upper()
        known = "local-nvme" if "NVME" in kind else "local-ssd" if "SSD" in kind else None
        return {"disk_class": known, "disk_gib": disk.positive("MaxSize")}
    return {}


def _zone_of(part: Part) -> str | None:
    """The zone a part was asked for, where its rows do not say it."""
    return part.name.removeprefix("types-") if part.name.startswith("types-") else None
