"""Oracle Cloud Infrastructure: GPU shapes at the list price, which is the same in every region.

Endpoint: GET https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/?currencyCode=USD (prices) and
https://www.oracle.com/a/ocom/docs/cloudestimator2/data/shapes.json (shapes). Auth: none.
Price basis: USD an hour per GPU; rented only as whole shapes. The shapes' file says which, oci_shapes.csv where it does
not; a price whose shape nobody knows is an offer of one GPU that says so.
Known gaps: no stock; no preemptible capacity (half the price, for some shapes). CPU models and local disks are not in
these files and stand in the table.
An OCPU is two vCPUs on x86 and one on Arm. Units: bundleMemoryQty and gpuMemoryQty GB, of the whole shape.
Licences ("NVIDIA AI Enterprise"), Cloud@Customer and VMware rows bear GPU metrics and are no machines.
Date checked: 2026-11-30, against the answer of 2026-08-14.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from gpurent.adapters.contract import OUT_OF_SCOPE, AdapterMeta, Client, Raw, TransportFailed
from gpurent.adapters.reading import NO_GPU, Row, carried, each, listed, numbered, read_json, table, terms, unique
from gpurent.offer import Offer, Reject

PRICES = "https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/"
SHAPES = "https://www.oracle.com/a/ocom/docs/cloudestimator2/data/shapes.json"
METRIC = "GPU Per Hour"

META = AdapterMeta(
    name="oci",
    title="Oracle Cloud Infrastructure",
    covers="GPU shapes at list price, one offer for all regions; no stock, no preemptible",
    hosts=("apexapps.oracle.com", "www.oracle.com"),
    card_pages="https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/, answer of 2026-08-14",
)


@dataclass(frozen=True)
class _Shape:
    """A machine sold at a price per GPU."""

    name: str
    gpu_count: int
    memory_gib: Decimal | None = None  # of one card
    vcpus: Decimal | None = None
    ram_gib: Decimal | None = None
    cpu_model: str | None = None
    disk_class: str | None = None
    disk_gib: Decimal | None = None


def fetch(client: Client) -> Raw:
    parts = [client.part("products", client.get(PRICES, params={"currencyCode": "USD"}))]
    troubles = []
    try:
        parts.append(client.part("shapes", client.get(SHAPES)))
    except TransportFailed as error:  # the table beside this file knows most shapes
        troubles.append(f"shapes: {error}")
    return Raw(META.name, tuple(parts), not troubles, tuple(troubles))


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    lists = [(part, listed(read_json(part.body, part.name), "items", part.name)) for part in raw.parts]
    shapes: dict[str, list[_Shape]] = {}
    rejects: list[Reject] = []
    for part, items in lists:
        if _are_shapes(items):
            for one in each(part, numbered(items, "items"), lambda row: _shape(row, shapes)):
                rejects += [one] if isinstance(one, Reject) else []
    live = set(shapes)
    for row in table(__package__, "oci_shapes"):
        if row["part_number"] not in live:
            shapes.setdefault(row["part_number"], []).append(_tabled(row))
    seen: set[str] = set()
    for part, items in lists:
        if not _are_shapes(items):
            for key in ("partNumber", "displayName", "metricName", "currencyCodeLocalizations"):
                carried(items, key, "items")
            rows = each(part, numbered(items, "items"), lambda row: _offers(row, shapes))
            yield from unique(rows, part, seen)
    yield from rejects


def _are_shapes(items: list[Any]) -> bool:
    return bool(items) and all(isinstance(item, dict) and "gpuQty" in item for item in items)


def _tabled(row: Mapping[str, str]) -> _Shape:
    memory, vcpus, ram, disk = (
        Decimal(row[key]) if row[key] else None for key in ("gpu_memory_gib", "vcpus", "ram_gib", "disk_gib")
    )
    told = row["cpu_model"] or None, row["disk_class"] or None, disk
    return _Shape(row["shape"], int(row["gpu_count"]), memory, vcpus, ram, *told)


def _known(name: str) -> _Shape | None:
    """What oci_shapes.csv knows of a shape."""
    return next((_tabled(row) for row in table(__package__, "oci_shapes") if row["shape"] == name), None)


def _shape(row: Row, shapes: dict[str, list[_Shape]]) -> Iterator[Reject]:
    """Note a shape under the part numbers it is sold by."""
    name = row.need_text("name")
    if not row.positive("gpuQty"):
        yield Reject(row.part.name, row.path, name, NO_GPU)
        return
    if row.flag("hidden") or row.text("status") != "ACTIVE":
        yield Reject(row.part.name, row.path, name, OUT_OF_SCOPE + "not sold any more")
        return
    count, memory = row.need_count("gpuQty"), row.positive("gpuMemoryQty")
    # the file calls the A10 and A100 shapes Arm; only the Grace machines are
    threads = 1 if re.search(r"\.GB\d", name) else 2
    for product in row.rows("products"):
        cores = product.positive("qty") if product.row("type").text("value") == "ocpu" else None
        known = _known(name) or _Shape(name, count)
        shape = replace(
            known, gpu_count=count, memory_gib=memory / count if memory else known.memory_gib,
            vcpus=cores * threads if cores else known.vcpus, ram_gib=row.positive("bundleMemoryQty") or known.ram_gib,
        )  # fmt: skip
        shapes.setdefault(product.need_text("partNumber"), []).append(shape)
    yield Reject(row.part.name, row.path, name, OUT_OF_SCOPE + "facts of a shape, no price")


def _offers(row: Row, shapes: Mapping[str, list[_Shape]]) -> Iterator[Offer | Reject]:
    name, category = row.need_text("displayName"), row.text("serviceCategory") or ""
    scope = _scope(name, row.need_text("metricName"), category)
    if scope:
        yield Reject(row.part.name, row.path, name, scope)
        return
    part_number = row.need_text("partNumber")
    currency, amount = _list_price(row)
    price = row.price("currencyCodeLocalizations", amount=amount, currency=currency, per="gpu")
    for shape in shapes.get(part_number) or [_Shape("", 1)]:
        yield row.offer(
            **terms(META.name),
            provider=META.name,
            sku=shape.name or f"{part_number} (one GPU)",
            tier="bare-metal" if shape.name.startswith("BM.") else "datacenter",
            gpu=name,
            gpu_count=shape.gpu_count,
            gpu_share="whole",
            gpu_memory_gib=shape.memory_gib,
            vcpus=shape.vcpus,
            cpu_model=shape.cpu_model,
            ram_gib=shape.ram_gib,
            disk_class=shape.disk_class,
            disk_gib=shape.disk_gib,
            stock_grade="price",
            price=price,
            note=None if shape.name else "the list price of one GPU; the shape it is sold in is not known",
        )


def _scope(name: str, metric: str, category: str) -> str | None:
    """Why a price is not one of a machine of ours, or None."""
    if metric != METRIC:
        return NO_GPU if "GPU" not in name else OUT_OF_SCOPE + "not sold by the GPU-hour"
    if "AI Enterprise" in name:
        return OUT_OF_SCOPE + "a licence, not a machine"
    if not category.startswith("Compute - GPU"):
        return OUT_OF_SCOPE + "another service"
    return None


def _list_price(row: Row) -> tuple[str, Decimal]:
    """(currency, amount) of the pay-as-you-go price."""
    found = [
        (local.need_text("currencyCode"), price.need_positive("value"))
        for local in row.rows("currencyCodeLocalizations")
        for price in local.rows("prices")
        if price.text("model") == "PAY_AS_YOU_GO"
    ]
    if len(found) != 1:
        raise row.bad("currencyCodeLocalizations", f"{len(found)} pay-as-you-go prices, not one")
    return found[0]
