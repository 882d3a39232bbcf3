"""SkyPilot's catalogue: the csv of one cloud is imported as offers of that cloud, `via` skypilot.

Endpoint   GET https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v8/{cloud}/vms.csv
Auth       none
Columns    InstanceType, AcceleratorName, AcceleratorCount, vCPUs, MemoryGiB, Price, SpotPrice, Region,
           AvailabilityZone, GpuInfo, in an order of each cloud's own; GpuInfo is Python or JSON text, read as data
Basis      USD per machine and hour; empty = not known
Cloud      the file does not say it: from the part's address or name; skypilot_clouds.csv says how each file is read
Stock      none (catalogue)
Corrected  memory of all cards in the place of one card's (Vast), GB in a MiB column (RunPod), 80 GB of H200, GH200,
           B200 and H100 NVL (left out), card names cut short (Vast: taken from the type), 32 vCPU and 64 GB in every
           row (Vast: left out), shares and forms of AWS, Azure and Google types (known_types)
Rejected   0 and SpotPrice 0.00; spot not below on-demand; the price of one card on machines of several; GCP's hosts
           without their GPUs and GPUs without a host; Mithril's floor of a bid; Seeweb, whose currency is not certain
Gaps       the rows carry no date: observed_at is when the file was read; the form of the card only where a name says it
Checked    2026-11-30, against files of v8 and of 2025-10
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Any

from gpurent.adapters.contract import OUT_OF_SCOPE, AdapterMeta, Client, Part, Raw, ShapeChanged, TransportFailed
from gpurent.adapters.reading import (
    NO_GPU,
    NOT_ABOVE_ZERO,
    Row,
    each,
    provider_id,
    read_csv,
    shown,
    table,
    unique,
)
from gpurent.offer import Offer, Reject
from gpurent_providers import known_types, skypilot_gpus

URL = "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v8/{cloud}/vms.csv"
NEEDED = ("InstanceType", "AcceleratorName", "AcceleratorCount", "Price")

META = AdapterMeta(
    name="skypilot",
    title="SkyPilot catalogue",
    covers="clouds without a source of their own here: Nebius, CUDO, Hyperstack, JarvisLabs, Lium and others",
    hosts=("raw.githubusercontent.com",),
    card_pages="https://github.com/skypilot-org/skypilot-catalog (2026-11-30)",
)

Cheapest = dict[tuple[str, str, str], Decimal]  # kind, place and column -> price of one card

NOT_A_GPU = re.compile(r"tpu|trainium|inferentia", re.I)
GCP_GPU_HOST = re.compile(r"(?:a[2-9]\w*|g\d+)-")


@cache
def _clouds() -> dict[str, dict[str, str]]:
    return {row["cloud"]: row for row in table(__package__, "skypilot_clouds")}


def fetch(client: Client) -> Raw:
    """One file a cloud; a cloud whose file cannot be had is a trouble, the others count."""
    parts, troubles = [], []
    for cloud in (row["cloud"] for row in table(__package__, "skypilot_clouds") if row["fetched"]):
        try:
            parts.append(client.part(f"vms-{cloud}", client.get(URL.format(cloud=cloud))))
        except TransportFailed as failed:
            troubles.append(f"{cloud}: {failed}")
    if not parts:
        raise TransportFailed(URL, f"no file could be had: {troubles[0]}")
    return Raw(META.name, tuple(parts), complete=None, troubles=tuple(troubles))


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    """Offers of each file. Files pasted together, each below a line "### path", are read one by one."""
    seen: set[str] = set()
    for part in raw.parts:
        pieces = re.split(rb"^### *(.*)$", part.body, flags=re.M)
        named = list(zip(pieces[1::2], pieces[2::2], strict=True))
        if not named:
            yield from unique(_file(part, f"{part.url} {part.name}", part.body, ""), part, seen)
        for label, body in named:
            name = label.decode("utf-8", "replace").strip()
            try:
                yield from unique(_file(part, name, body.lstrip(), f"{name} "), part, seen)
            except ShapeChanged as changed:
                yield Reject(part.name, shown(name), shown(changed.path), shown(changed.found))


def _file(part: Part, name: str, body: bytes, prefix: str) -> Iterator[Offer | Reject]:
    rows = [(prefix + path, cells) for path, cells in read_csv(body, part.name, NEEDED)]
    cloud = next((token for token in re.split(r"[^a-z0-9]+", name.lower()) if token in _clouds()), None)
    if cloud is None:
        raise ShapeChanged(part.name, "which cloud is not said: give the file its name")
    how = _clouds()[cloud]
    cheapest: Cheapest = {}
    for _, cells in rows:
        for column in ("Price", "SpotPrice") if isinstance(cells, dict) else ():
            if found := _one_card(cells, column):
                cheapest[found[0]] = min(found[1], cheapest.get(found[0], found[1]))
    return each(part, rows, lambda row: _offers(row, how, cheapest))


def _stem(cells: Any, count: object) -> tuple[str, str]:
    """The type without its number of cards, and the place: what machines of one kind share."""
    digits = re.sub(r"\.0*$", "", str(count))
    kind = re.sub(rf"(?<!\d){re.escape(digits)}(?!\d)", "#", str(cells.get("InstanceType")), count=1)
    return kind, f"{cells.get('Region')} {cells.get('AvailabilityZone')}"


def _one_card(cells: Any, column: str) -> tuple[tuple[str, str, str], Decimal] | None:
    """Kind and price of a machine with one card."""
    price, count = str(cells.get(column)), str(cells.get("AcceleratorCount"))
    if re.fullmatch(r"1(\.0*)?", count) and re.fullmatch(r"\d{1,6}(\.\d{1,20})?", price):
        return (*_stem(cells, count), column), Decimal(price)
    return None


def _of_one_card(row: Row, column: str, price: Decimal, count: Decimal, cheapest: Cheapest) -> bool:
    """Whether a machine of several cards carries the price of one; noted when it does."""
    lone = cheapest.get((*_stem(row.values, row.get("AcceleratorCount")), column))
    if count <= 1 or not lone or price > lone:
        return False
    row.fault(column, price, f"the price of one card ({lone}) on a machine of {shown(count)}")
    return True


def _offers(row: Row, how: dict[str, str], cheapest: Cheapest) -> Iterator[Offer | Reject]:
    kind, card, count = row.text("InstanceType"), row.text("AcceleratorName"), row.number("AcceleratorCount")
    if not card or NOT_A_GPU.match(card) or not count:
        if kind and how["cloud"] == "gcp" and GCP_GPU_HOST.match(kind):
            raise row.bad("InstanceType", OUT_OF_SCOPE + "the host of a GPU machine without its GPUs")
        raise row.bad("AcceleratorName", NO_GPU)
    if not kind:
        raise row.bad("AcceleratorName", OUT_OF_SCOPE + "a GPU to attach, without its host: no price of a machine")
    if how["refused"]:
        raise row.bad("Price", how["refused"])
    facts = _facts(row, how, kind, card, count)
    on_demand = row.number("Price")
    if on_demand is not None and on_demand <= 0:
        row.fault("Price", on_demand, NOT_ABOVE_ZERO)
    elif on_demand is not None and not _of_one_card(row, "Price", on_demand, count, cheapest):
        yield row.offer(price=row.price("Price"), purchase="on-demand", **facts)
    spot = row.number("SpotPrice")
    if spot is not None and spot <= 0:
        row.fault("SpotPrice", spot, NOT_ABOVE_ZERO)
    elif spot is not None and on_demand is not None and spot >= on_demand:
        reason = "spot is not below on-demand"
        row.fault("SpotPrice", spot, OUT_OF_SCOPE + reason if spot == on_demand else reason)
    elif spot is not None and not _of_one_card(row, "SpotPrice", spot, count, cheapest):
        yield row.offer(price=row.price("SpotPrice"), purchase="spot", **facts)
    elif spot is None and row.get("Price") is None:
        raise row.bad("Price", "missing")


def _facts(row: Row, how: dict[str, str], kind: str, card: str, count: Decimal) -> dict[str, Any]:
    seller, sku = how["provider"], kind
    if how["seller"] and how["seller"] in kind:
        first, _, sku = kind.partition(how["seller"])
        seller = provider_id(first)
    info, known = skypilot_gpus.info_of(row), how["host"] != "constant"
    gpus = info.rows("Gpus")
    zone, region = row.text("AvailabilityZone"), (row.text("Region") or "").lstrip(", ") or None
    country = re.search(r"(?:^|, )([A-Z]{2})(?:, [A-Z]{2})?$", row.text("Region") or "")
    facts: dict[str, Any] = {
        "provider": seller, "via": META.name, "sku": sku, "region": zone or region, "note": how["note"] or None,
        "country": country[1] if country else None, "stock_grade": "catalogue", "disk_gib": row.positive("StorageGiB"),
        "gpu": skypilot_gpus.card_text(how, kind, card, [gpu.text("Name") or "" for gpu in gpus]),
        "vcpus": row.positive("vCPUs") if known else None, "ram_gib": row.positive("MemoryGiB") if known else None,
    }  # fmt: skip
    known_type = known_types.facts(how["cloud"], kind)
    part = gpus[0].positive("GpuPartitionSize") if gpus else None
    if min(count, part or count) < 1 or known_type.get("gpu_share") == "vgpu":
        if known_type.get("gpu_share") != "vgpu":
            raise row.bad("AcceleratorCount", "a slice of a card whose size is not known")
        return facts | known_type
    memory = skypilot_gpus.memory_gib(row, info, gpus[0], how, card) if gpus else None
    return facts | {"gpu_count": row.need_count("AcceleratorCount"), "gpu_memory_gib": memory} | known_type
