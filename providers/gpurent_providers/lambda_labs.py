"""Lambda: on-demand instances, and 1-Click clusters by term.

Endpoint: without a key GET https://lambda.ai/pricing (HTML), with LAMBDA_API_KEY GET
https://cloud.lambda.ai/api/v1/instance-types (JSON, Bearer).
Price basis: the page USD an hour per GPU, before tax; the API US cents an hour per instance.
Stock: the API lists regions with capacity, none is sold out; the page says nothing.
Known gaps: no spot, no CPU model; the API gives no card memory: it stands in `gpu_description` or comes from
lambda_types.csv. Units: VRAM GB as marketed, taken as GiB; RAM and storage GiB and TiB as written.
Date checked: 2026-11-30, against the page of 2026-08-22 and the answer of 2026-08-15.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from gpurent.adapters.contract import OUT_OF_SCOPE, AdapterMeta, Client, Part, Raw, ShapeChanged
from gpurent.adapters.reading import NO_GPU, Bad, Row, carried, each, mapped, read_json, table, terms, unique
from gpurent.money import HOURS_PER_MONTH, InvalidNumber, Price
from gpurent.offer import Offer, Reject
from gpurent.price_text import exact_price
from gpurent_providers import lambda_page

PAGE = "https://lambda.ai/pricing"
API = "https://cloud.lambda.ai/api/v1/instance-types"
NOTHING = re.compile(r"[—–-]+")  # an empty cell

META = AdapterMeta(
    name="lambda",
    title="Lambda",
    covers="on-demand instances and clusters from the price page; with a key the API's instances and their stock",
    hosts=("lambda.ai", "cloud.lambda.ai"),
    key_env="LAMBDA_API_KEY",
    card_pages="https://lambda.ai/pricing and https://docs.lambda.ai/api/cloud, 2026-11-30",
)


def fetch(client: Client) -> Raw:
    key = client.key()
    if key:
        part = client.part("instance-types", client.get(API, headers={"authorization": f"Bearer {key}"}))
    else:
        part = client.part("pricing", client.get(PAGE))
    return Raw(META.name, (part,), True)


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    for part in raw.parts:
        if part.body.lstrip()[:1] in (b"{", b"["):
            types = mapped(read_json(part.body, part.name), "data", part.name)
            inner = [one.get("instance_type") for one in types.values() if isinstance(one, dict)]
            carried(inner or list(types.values()), "price_cents_per_hour", "data.*.instance_type")
            rows = ((f"data.{name}", value) for name, value in types.items())
            yield from unique(each(part, rows, _api_offers), part, set())
        else:
            yield from unique(_page(part), part, set())


def _known(**wanted: object) -> dict[str, str]:
    """The row of lambda_types.csv with these cells, or {}."""
    rows = table(__package__, "lambda_types")
    return next((row for row in rows if all(row[key] == str(value) for key, value in wanted.items())), {})


def _api_offers(row: Row) -> Iterator[Offer | Reject]:
    kind = row.need_row("instance_type")
    name = kind.text("name") or row.path.removeprefix("data.")
    known, specs = _known(sku=name), kind.row("specs")
    if name.startswith("cpu_") or specs.number("gpus") == 0:
        yield Reject(row.part.name, row.path, name, NO_GPU)
        return
    text = kind.text("gpu_description") or kind.text("description") or known.get("gpu") or name
    text = re.sub(r"^\d+x ", "", text)
    count = re.match(r"gpu_(\d{1,4})x_", name)
    gpus = specs.positive("gpus") or (count and int(count[1])) or known.get("gpu_count")
    if not gpus:
        raise kind.bad("name", "no count of GPUs")
    memory = re.search(r"\b(\d{1,3}) GB\b", text)
    facts = {
        **terms(META.name),
        "provider": META.name,
        "sku": name,
        "tier": "datacenter",
        "gpu": text,
        "gpu_count": gpus,
        "gpu_share": "whole",
        "gpu_memory_gib": memory[1] if memory else known.get("gpu_memory_gib") or None,
        "vcpus": specs.positive("vcpus"),
        "cpu_model": known.get("cpu_model") or None,
        "ram_gib": specs.positive("memory_gib"),
        "disk_class": "local-ssd" if specs.positive("storage_gib") else None,
        "disk_gib": specs.positive("storage_gib"),
        "stock_grade": "realtime",
        "price": kind.price("price_cents_per_hour", amount=kind.need_positive("price_cents_per_hour") / 100),
    }
    regions = row.rows("regions_with_capacity_available")
    if not regions:
        yield row.offer(**facts, stock="sold-out" if "regions_with_capacity_available" in row.values else "unknown")
    for region in regions:
        yield row.offer(**facts, region=region.text("name") or region.text("description"), stock="available")


def _page(part: Part) -> Iterator[Offer | Reject]:
    rows = list(lambda_page.cells(part))
    if not rows:
        raise ShapeChanged(f"{part.name}: tr[data-plan]", "no such row in the page")
    yield from each(part, rows, _page_offers)


def _page_offers(row: Row) -> Iterator[Offer | Reject]:
    if not re.search(r"\d", row.text("PRICE/GPU/HR") or ""):
        path = row.where("PRICE/GPU/HR")
        yield Reject(row.part.name, path, str(row.values["PRICE/GPU/HR"]), OUT_OF_SCOPE + "price on request")
        return
    facts = {**terms(META.name), "provider": META.name, "gpu": row.need_text("PLAN"), "gpu_share": "whole"}
    price = _price(row)
    count = re.fullmatch(r"(\d{1,4})x", row.need_text("TAB"))
    if count is None:
        yield _cluster(row, facts, price)
        return
    memory, plan = lambda_page.size_gib(row.need_text("VRAM/GPU"), "GB"), facts["gpu"]
    if memory is None:
        raise row.bad("VRAM/GPU", "no memory of a card")
    known = _known(gpu=plan, gpu_memory_gib=memory, gpu_count=count[1])
    disk = _gib(row, "STORAGE")
    yield row.offer(
        **facts,
        sku=known.get("sku") or f"{count[1]}x {plan} {memory} GB",
        tier="datacenter",
        gpu_count=count[1],
        gpu_memory_gib=memory,
        vcpus=row.positive("VCPUS"),
        cpu_model=known.get("cpu_model") or None,
        ram_gib=_gib(row, "RAM"),
        disk_class="local-ssd" if disk and "SSD" in row.values["STORAGE"] else None,
        disk_gib=disk,
        stock_grade="price",
        price=price,
        note="before tax",
    )


def _price(row: Row) -> Price:
    try:
        price = exact_price(row.need_text("PRICE/GPU/HR"), unit="hour", per="gpu")
        return price.model_copy(update={"tax_included": False})
    except InvalidNumber as error:
        raise row.bad("PRICE/GPU/HR", str(error)) from None


def _cluster(row: Row, facts: dict[str, Any], price: Price) -> Offer:
    count = re.fullmatch(r"(\d{1,4})\+?", row.need_text("GPU COUNT"))
    weeks = re.match(r"(\d{1,2}) weeks?\b", row.need_text("DURATION"))  # the shortest term of "2 weeks – 1 year"
    if count is None or weeks is None:
        raise Bad(row.path, f"{row.values['DURATION']}, {row.values['GPU COUNT']}", "a term or a count nobody knows")
    hours = int(weeks[1]) * 7 * 24
    price = price.model_copy(update={"term_months": round(hours / HOURS_PER_MONTH, 1)})
    return row.offer(
        **(facts | {"minimum_billed_s": hours * 3600}),
        sku=f"1-click-cluster-{facts['gpu']}-{row.values['GPU COUNT']}",
        tier="cluster",
        purchase="reserved",
        gpu_count=count[1],
        price=price,
        stock_grade="price",
        note=f"several nodes; {row.values['DURATION']}; before tax",
    )


def _gib(row: Row, key: str) -> Decimal | None:
    text = row.text(key)
    size = lambda_page.size_gib(text or "")
    if text and size is None and not NOTHING.fullmatch(text):
        row.fault(key, text, "not a size in GiB or TiB")
    return size
