"""RunPod: secure and community cloud apart, per GPU, with MIG slices of the RTX PRO 6000.

Endpoint: POST https://api.runpod.io/graphql with a query for `gpuTypes` (a reading; it changes nothing).
Auth: none for gpuTypes. Price basis: USD an hour per GPU, for every count that is rented.
Stock: `lowestPrice.stockStatus` of each count; null is none. Its minVcpu and minMemory are the least a pod gets.
Known gaps: no CPU model, no disk speed, no data centre; serverless and clusters are other products. Community prices of
0.5 and 1 are placeholders when nothing says that the card is sold there. Spot prices have equalled the on-demand ones
since about 2026-08: then no spot offer is made. Units: memoryInGb and minMemory GB as marketed, taken as GiB.
The answers of REST v2 (`gpus` lists; a key is needed to ask) are read too.
Date checked: 2026-11-30, against the answer of 2026-08-22 and the OpenAPI examples of 2026-08-18.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from gpurent.adapters.contract import OUT_OF_SCOPE, AdapterMeta, Client, Raw, ShapeChanged
from gpurent.adapters.reading import (
    NO_GPU,
    NOT_ABOVE_ZERO,
    Row,
    carried,
    each,
    listed,
    numbered,
    read_json,
    shown,
    unique,
)  # fmt: skip
from gpurent.money import Price
from gpurent.offer import Offer, Reject
from gpurent_providers import runpod_facts
from gpurent_providers.runpod_facts import CLOUDS, COUNTS

URL = "https://api.runpod.io/graphql"
TERMS = {"oneMonthPrice": 1, "threeMonthPrice": 3, "sixMonthPrice": 6}

_LOWEST = " ".join(
    f"{cloud}{count}: lowestPrice(input: {{gpuCount: {count}, secureCloud: {str(cloud == 'secure').lower()}}})"
    " { minVcpu minMemory stockStatus }"
    for cloud in CLOUDS
    for count in COUNTS
)
QUERY = (
    "query { gpuTypes { id displayName manufacturer memoryInGb secureCloud communityCloud securePrice communityPrice"
    " secureSpotPrice communitySpotPrice oneMonthPrice threeMonthPrice sixMonthPrice maxGpuCountSecureCloud"
    f" maxGpuCountCommunityCloud {_LOWEST} }} }}"
)

META = AdapterMeta(
    name="runpod",
    title="RunPod",
    covers="pods of secure and community cloud, whole GPUs and MIG slices; not serverless, not clusters",
    hosts=("api.runpod.io",),
    card_pages="https://docs.runpod.io/references/gpu-types and https://graphql-spec.runpod.io, 2026-11-30",
)


def fetch(client: Client) -> Raw:
    part = client.part("gpu-types", client.post(URL, json={"query": QUERY}))
    return Raw(META.name, (part,), True)


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    for part in raw.parts:
        body = read_json(part.body, part.name)
        examples = isinstance(body, dict) and any(key.startswith("GET ") for key in body)  # a page of documentation
        seen: set[str] = set()
        for name, one in body.items() if examples else ((part.name, body),):
            rows, build = _rows(one, name if examples else "data", strict=not examples)
            yield from unique(each(part, rows, build), part, seen)


def _rows(body: Any, name: str, strict: bool) -> tuple[Any, Any]:
    """The rows of an answer and what builds offers from one."""
    if isinstance(body, dict) and isinstance(body.get("gpus"), list):
        return numbered(body["gpus"], f"{name}.gpus"), _rest_offers
    if isinstance(body, list):
        return numbered(body, name), _no_gpu
    if isinstance(body, dict) and isinstance(body.get("cpus"), list):
        return numbered(body["cpus"], f"{name}.cpus"), _no_gpu
    if not strict:
        return ((name, body),), _shown_before if isinstance(body, dict) and "memory" in body else _no_gpu
    if isinstance(body, dict) and {"id", "price", "memory"} <= body.keys():  # the answer about one card
        return ((name, body),), _rest_offers
    data = body.get("data") if isinstance(body, dict) else None
    if isinstance(data, dict) and "gpuTypes" not in data and isinstance(data.get("cpuFlavors"), list):
        return numbered(data["cpuFlavors"], "data.cpuFlavors"), _no_gpu
    if data is None and isinstance(body, dict) and body.get("errors"):
        raise ShapeChanged("errors", shown(body["errors"]))
    types = listed(data, "gpuTypes", "data")
    for key in ("id", "memoryInGb", "securePrice"):
        carried(types, key, "data.gpuTypes")
    return numbered(types, "data.gpuTypes"), _offers


def _no_gpu(row: Row) -> Iterator[Offer | Reject]:
    yield Reject(row.part.name, row.path, str(row.label("id")), NO_GPU)


def _shown_before(row: Row) -> Iterator[Offer | Reject]:
    yield Reject(row.part.name, row.path, str(row.label("id")), OUT_OF_SCOPE + "an example that shows a card once more")


def _offers(row: Row) -> Iterator[Offer | Reject]:
    for cloud in CLOUDS:
        key, sold = f"{cloud}Price", row.flag(f"{cloud}Cloud")
        price = row.number(key)
        if sold is False or (sold is None and not price):
            yield Reject(row.part.name, row.where(key), shown(price), OUT_OF_SCOPE + f"not sold in {cloud} cloud")
        elif price is None or price <= 0:
            if price is not None or row.get(key) is None:  # an unreadable one is noted already
                row.fault(key, price, "missing" if price is None else NOT_ABOVE_ZERO)
        elif sold is None and cloud == "community" and price in runpod_facts.placeholders():
            yield Reject(
                row.part.name, row.where(key), shown(price), "a placeholder price: nothing says it is sold here"
            )
        else:
            yield from _cloud(row, cloud, key)


def _cloud(row: Row, cloud: str, key: str) -> Iterator[Offer | Reject]:
    facts = runpod_facts.of_card(row, "displayName", "memoryInGb", cloud)
    most = row.positive(f"maxGpuCount{cloud.capitalize()}Cloud") or 1
    if facts["gpu_share"] == "mig":
        most = 1
    price = row.price(key, per="gpu")
    kinds = [("on-demand", price), *_spot(row, cloud, price.amount)]
    if cloud == "secure":
        kinds += _reserved(row, price.amount)
    for count in COUNTS:
        if count > most:
            break
        lowest, asked = row.row(f"{cloud}{count}"), f"{cloud}{count}" in row.values
        if count == 1 and not asked and _is_of(row, cloud, price.amount):
            lowest, asked = row.row("lowestPrice"), True
        stock = runpod_facts.stock(lowest.text("stockStatus")) if asked else {"stock_grade": "catalogue"}
        counted = facts | stock | {
            "gpu_count": count, "vcpus": lowest.positive("minVcpu"), "ram_gib": lowest.positive("minMemory"),
        }  # fmt: skip
        for purchase, one in kinds:
            yield row.offer(**counted, purchase=purchase, price=one)


def _is_of(row: Row, cloud: str, price: Decimal) -> bool:
    """Whether a bare `lowestPrice` is of this cloud: by its price, else it is the secure cloud's."""
    if "lowestPrice" not in row.values:
        return False
    lowest = row.row("lowestPrice").positive("uninterruptablePrice")
    return lowest == price if lowest is not None else cloud == "secure"


def _spot(row: Row, cloud: str, on_demand: Decimal) -> list[tuple[str, Price]]:
    key = f"{cloud}SpotPrice"
    spot = row.positive(key)
    if spot is not None and spot > on_demand:
        row.fault(key, spot, "spot above on-demand")
    elif spot is not None and spot < on_demand:  # equal: spot is not sold here any more
        return [("spot", row.price(key, per="gpu"))]
    return []


def _reserved(row: Row, on_demand: Decimal) -> list[tuple[str, Price]]:
    plans = []
    for key, months in TERMS.items():
        price = row.positive(key)
        if price is not None and price > on_demand:
            row.fault(key, price, "a savings plan above on-demand")
        elif price is not None:
            plans.append(("reserved", row.price(key, per="gpu", term_months=months)))
    return plans


def _rest_offers(row: Row) -> Iterator[Offer | Reject]:
    """A GPU of REST v2: one offer a cloud, count and data centre."""
    prices, most = row.need_row("price"), row.row("maxCount")
    places: list[Row | None] = [*row.rows("dataCenters")] or [None]
    for cloud in CLOUDS:
        if row.flag(cloud) is False or prices.get(cloud) is None:
            where = row.where(f"price.{cloud}")
            yield Reject(row.part.name, where, shown(prices.get(cloud)), OUT_OF_SCOPE + f"not sold in {cloud} cloud")
            continue
        facts = runpod_facts.of_card(row, "name", "memory", cloud)
        limit = 1 if facts["gpu_share"] == "mig" else most.positive(cloud) or 1
        for place in places if cloud == "secure" else [None]:
            level = (place or row).text("availability")
            known = {
                "region": place.text("id") if place else None,
                **runpod_facts.stock(None if level == "NONE" else level),
            }
            for count in (count for count in COUNTS if count <= limit):
                yield row.offer(**facts, **known, gpu_count=count, price=prices.price(cloud, per="gpu"))
