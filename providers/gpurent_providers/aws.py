"""Amazon Web Services: the light path without a key: price map, spot price file, table of accelerated types.

Endpoints  GET https://b0.p.awsstatic.com/pricing/2.0/meteredUnitMaps/ec2/USD/current/ec2.json      on-demand Linux
           GET https://website.spot.ec2.aws.a2z.com/spot.json                                       spot
           GET https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.md                           hardware
           saved price-list csv and DescribeSpotPriceHistory answers are read by `parse` too
Auth       none
Basis      per machine and hour, shared tenancy; numbers are text
Currency   USD
Purchases  on-demand, spot. Reserved and savings plans are not in these files; Capacity Blocks are no on-demand offer
Hardware   aws_instances.csv (shares of g6f and gr6f stand there), completed by the documentation table; aws_regions.csv
Stock      none: a price is evidence of a price
Gaps       the price map and the spot file feed AWS's own pages and are not promised; a GPU type neither table knows is
           rejected. EBS disks are billed apart
Checked    2026-11-30, against shapes in public tests only; not against the live service
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from typing import Any

from gpurent.adapters.contract import OUT_OF_SCOPE, AdapterMeta, Client, Part, Raw, ShapeChanged, TransportFailed
from gpurent.adapters.reading import (
    NO_GPU,
    Row,
    each,
    listed,
    mapped,
    numbered,
    read_csv,
    read_json,
    shown,
    table,
    terms,
    unique,
)
from gpurent.offer import Offer, Reject
from gpurent_providers import aws_types

URLS = {
    "ondemand": "https://b0.p.awsstatic.com/pricing/2.0/meteredUnitMaps/ec2/USD/current/ec2.json",
    "spot": "https://website.spot.ec2.aws.a2z.com/spot.json",
    "types": "https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.md",
}
ENTRY = "OnDemand Linux-instancetype-"
PRICE_LIST = re.compile(rb'"?SKU"?,"?OfferTermCode')
OTHER_SYSTEM = OUT_OF_SCOPE + "another system than plain Linux"

META = AdapterMeta(
    name="aws",
    title="Amazon Web Services",
    covers="on-demand and spot Linux GPU machines of every region; whole cards and L4 fractions; no stock",
    hosts=("b0.p.awsstatic.com", "website.spot.ec2.aws.a2z.com", "docs.aws.amazon.com"),
    card_pages="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html (2026-11-30)",
)


@cache
def _places() -> dict[str, tuple[str, str]]:
    return {row["name"]: (row["region"], row["country"]) for row in table(__package__, "aws_regions")}


def fetch(client: Client) -> Raw:
    """The three files; without the spot file or the documentation the on-demand prices still count."""
    parts, troubles = [client.part("ondemand", client.get(URLS["ondemand"]))], []
    for name in ("spot", "types"):
        try:
            parts.append(client.part(name, client.get(URLS[name])))
        except TransportFailed as failed:
            troubles.append(f"{name}: {failed}")
    return Raw(META.name, tuple(parts), complete=not troubles, troubles=tuple(troubles))


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    """Offers of the priced parts, with the hardware of the table beside this file and of the documentation part."""
    sizes = dict(aws_types.known())
    seen: set[str] = set()
    for part in sorted(raw.parts, key=lambda part: b"<table" not in part.body):  # facts first
        if b"<table" in part.body:
            yield from each(part, aws_types.documented(part), lambda row: aws_types.learn(row, sizes))
        else:
            yield from unique(each(part, _rows(part), lambda row: _offers(row, sizes)), part, seen)


def _rows(part: Part) -> Iterator[tuple[str, object]]:
    """The rows of a priced part in one form: type, region, purchase, price, currency, other (why it is not ours)."""
    if start := PRICE_LIST.search(part.body, 0, 10_000):
        return _price_list(part, part.body[start.start() :])
    tree = read_json(part.body, part.name)
    if isinstance(tree, dict) and "config" in tree:
        return _spot_file(part, tree)
    if isinstance(tree, dict) and "SpotPriceHistory" in tree:
        return _spot_history(part, tree)
    return _price_map(part, tree)


def _price_map(part: Part, tree: Any) -> Iterator[tuple[str, object]]:
    regions = mapped(tree, "regions", part.name)
    if not any(
        isinstance(entries, dict) and any(key.startswith(ENTRY) for key in entries) for entries in regions.values()
    ):
        raise ShapeChanged(f"{part.name}.regions.*", f"no entry starts with {ENTRY}")
    about = tree["manifest"] if isinstance(tree.get("manifest"), dict) else {}
    for region, entries in regions.items():
        for key, entry in entries.items() if isinstance(entries, dict) else (("", entries),):
            yield f"regions.{region}.{key}", {
                "type": key.removeprefix(ENTRY), "region": region, "purchase": "on-demand",
                "price": entry.get("price") if isinstance(entry, dict) else entry,
                "currency": about.get("currencyCode"), "other": None if key.startswith(ENTRY) else OTHER_SYSTEM,
            }  # fmt: skip


def _items(node: Any, key: str) -> list[Any]:
    """The list under a key; a node without it stands for itself, so that it is rejected and not lost."""
    return node[key] if isinstance(node, dict) and isinstance(node.get(key), list) else [node]


def _spot_file(part: Part, tree: Any) -> Iterator[tuple[str, object]]:
    regions = listed(mapped(tree, "config", part.name), "regions", f"{part.name}.config")
    for r, region in enumerate(regions):
        for t, family in enumerate(_items(region, "instanceTypes")):
            for s, size in enumerate(_items(family, "sizes")):
                for column in _items(size, "valueColumns"):
                    yield f"config.regions[{r}].instanceTypes[{t}].sizes[{s}]", _spot(region, size, column)


def _spot(region: Any, size: Any, column: Any) -> dict[str, Any]:
    told = column if isinstance(column, dict) else {}
    price = told["prices"].get("USD") if isinstance(told.get("prices"), dict) else None
    other = OUT_OF_SCOPE + "not rented as spot there" if price == "N/A*" else None
    return {
        "type": size.get("size") if isinstance(size, dict) else size, "purchase": "spot", "price": price,
        "region": region.get("region") if isinstance(region, dict) else region,
        "other": other if told.get("name") == "linux" else OTHER_SYSTEM,
    }  # fmt: skip


def _spot_history(part: Part, tree: Any) -> Iterator[tuple[str, object]]:
    for path, item in numbered(listed(tree, "SpotPriceHistory", part.name), "SpotPriceHistory"):
        told = item if isinstance(item, dict) else {}
        yield path, told and {
            "type": told.get("InstanceType"), "region": told.get("AvailabilityZone"), "purchase": "spot",
            "price": told.get("SpotPrice"), "seen": told.get("Timestamp"),
            "other": None if str(told.get("ProductDescription")).startswith("Linux/UNIX") else OTHER_SYSTEM,
        }  # fmt: skip


def _price_list(part: Part, body: bytes) -> Iterator[tuple[str, object]]:
    """A saved price-list csv: five lines before the header; Capacity Blocks are tagged OnDemand there."""
    needed = ("TermType", "PriceDescription", "PricePerUnit", "Region Code", "Instance Type", "Operating System")
    for path, cells in read_csv(body, part.name, needed):
        told = cells if isinstance(cells, dict) else {}
        wanted = {"TermType": "OnDemand", "Unit": "Hrs", "Tenancy": "Shared", "CapacityStatus": "Used"}
        wanted |= {"Operating System": "Linux", "Pre Installed S/W": "NA"}
        other = next(
            (f"{key} is {shown(told.get(key)) or 'empty'}" for key, value in wanted.items() if told.get(key) != value),
            "",
        )
        if "Capacity Block" in told.get("PriceDescription", ""):
            other = "a Capacity Block, rented for fixed days"
        yield path, told and {
            "type": told["Instance Type"], "region": told["Region Code"], "purchase": "on-demand",
            "price": told["PricePerUnit"], "currency": told.get("CurrencyCode"),
            "other": other and OUT_OF_SCOPE + other,
        }  # fmt: skip


def _offers(row: Row, sizes: dict[str, dict[str, str]]) -> Iterator[Offer]:
    if row.get("other"):
        raise row.bad("type", str(row.get("other")))
    name = row.need_text("type")
    if not aws_types.GPU_TYPE.match(name):
        raise row.bad("type", NO_GPU)
    if name not in sizes:
        raise row.bad("type", "a GPU type aws_instances.csv does not know: its cards and its share are unknown")
    place = row.need_text("region")
    region, country = _places().get(place) or (place, _places().get(place[:-1], ("", ""))[1])  # a zone: us-east-1d
    facts: dict[str, Any] = {"stock_grade": "price", "tier": "datacenter", "purchase": row.get("purchase")}
    facts |= sizes[name] | terms(META.name)
    if seen := row.text("seen"):
        try:
            facts["observed_at"] = min(datetime.fromisoformat(seen), row.part.observed_at)
        except (ValueError, TypeError):  # TypeError: a moment without its zone
            row.fault("seen", seen, "not a moment")
    price = row.price("price", currency=row.text("currency") or "USD")
    yield row.offer(provider=META.name, sku=name, region=region, country=country or None, price=price, **facts)
