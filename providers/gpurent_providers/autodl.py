"""AutoDL, the largest Chinese marketplace: the market with the token of a free account, the price list without one.

Endpoints  POST https://www.autodl.com/api/v1/machine/search      the market, pages of at most 100; undocumented
           GET  https://www.autodl.com/home and its scripts       the list price of each card (`originalPrice`)
           a saved csv of that list (gpu, memory_gb, price_cny_per_gpu_hour) is read by `parse` too
Auth       header `Authorization: <token>` without "Bearer" (AUTODL_TOKEN), for the market only
Basis      per GPU; market prices in 1/1000 CNY an hour (payg), day, week, month or year; the list in CNY an hour
Currency   CNY. Members pay 95 %: the price here is everybody's
Units      gpu_memory, mem_per_gpu in bytes, per card; CPU cores per card
Counts     a machine rents out from one card to all of its cards: an offer for one and one for all
Stock      gpu_idle_num, realtime; the list has none
Card       names "vGPU-32GB", "vGPU-48GB" hide the chip and whether it is whole: their share is unknown
Gaps       the shape of the page's scripts was never seen whole: found by `originalPrice`, a name and a memory beside it
Checked    2026-11-30, the market against field notes of 2026-08, the list against one of 2026-09-24; not live
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from gpurent.adapters.contract import OUT_OF_SCOPE, AdapterMeta, Client, Part, Raw, ShapeChanged
from gpurent.adapters.reading import (
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

HOST = "https://www.autodl.com"
SEARCH = {
    "charge_type": "payg", "region_sign_list": [], "gpu_type_name": [], "machine_tag_name": [], "gpu_idle_num": 0,
    "mount_net_disk": False, "instance_disk_size_order": "", "date_range": "", "date_from": "", "date_to": "",
    "pay_price_order": "", "gpu_idle_type": "", "default_order": True,
}  # fmt: skip
PAGE_SIZE = 100
MAX_PAGES = 80
MAX_SCRIPTS = 30
MILLI = Decimal(1000)
WAYS: dict[str, dict[str, Any]] = {
    "payg": {"unit": "hour"},
    "daily": {"unit": "day"},  # paid by whole days, no longer commitment
    "weekly": {"unit": "week"},
    "monthly": {"unit": "month", "term_months": 1},
    "yearly": {"unit": "year", "term_months": 12},
}
WHOLE_S = {"daily": 86_400, "weekly": 7 * 86_400}  # what such a purchase is billed in
LIST_COLUMNS = ("gpu", "memory_gb", "price_cny_per_gpu_hour")

META = AdapterMeta(
    name="autodl",
    title="AutoDL",
    covers="with a token every machine of the market and its idle cards; without one the list price of each card",
    hosts=("www.autodl.com",),
    official=False,
    key_env="AUTODL_TOKEN",
    deadline_s=300.0,
    card_pages="https://www.autodl.com/docs/price/ (2026-11-30)",
)

SCRIPT = re.compile(rb"/?assets/[\w.-]{1,80}\.js")
CARD = re.compile(r"\{[^{}]{0,2000}?originalPrice[^{}]{0,2000}\}")
FIELD = re.compile(r"[\"']?(\w{1,40})[\"']?\s*:\s*(?:[\"']([^\"']{0,200})[\"']|(-?[\d.]{1,20}))")
NAMES = ("gpu_name", "gpuName", "gpu", "name", "title", "label", "model", "type")


def fetch(client: Client) -> Raw:
    """The market page by page with a token, else the script of the home page that holds the prices."""
    token = client.key()
    return _fetch_market(client, token) if token else _fetch_list(client)


def _fetch_market(client: Client, token: str) -> Raw:
    parts: list[Part] = []
    had = 0
    for page in range(1, MAX_PAGES + 1):
        question = SEARCH | {"page_index": page, "page_size": PAGE_SIZE}
        answer = client.post(f"{HOST}/api/v1/machine/search", json=question, headers={"Authorization": token})
        parts.append(client.part(f"market-{page}", answer))
        data = mapped(read_json(answer.body, "market"), "data", "market")
        machines, total = listed(data, "list", "data"), data.get("result_total")
        had += len(machines)
        if len(machines) < PAGE_SIZE or (isinstance(total, Decimal) and had >= total):
            return Raw(META.name, tuple(parts), complete=not isinstance(total, Decimal) or had >= total)
    return Raw(META.name, tuple(parts), complete=False, troubles=(f"stopped after {MAX_PAGES} pages",))


def _fetch_list(client: Client) -> Raw:
    """Follow the scripts from the home page until one holds prices; their names change with every build."""
    waiting = _scripts(client.get(f"{HOST}/home").body)
    asked: set[str] = set()
    while waiting and len(asked) < MAX_SCRIPTS:
        path = waiting.pop(0)
        if path not in asked:
            asked.add(path)
            answer = client.get(HOST + path)
            if b"originalPrice" in answer.body:
                return Raw(META.name, (client.part("price-list", answer),), complete=True)
            waiting += _scripts(answer.body)
    raise ShapeChanged("home.assets", f"no originalPrice in {len(asked)} scripts")


def _scripts(body: bytes) -> list[str]:
    return ["/" + path.decode().lstrip("/") for path in dict.fromkeys(SCRIPT.findall(body))]


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    """Offers of the market's machines, or one for each card of a price list."""
    seen: set[str] = set()
    for part in raw.parts:
        yield from unique(_part(part), part, seen)


def _part(part: Part) -> Iterator[Offer | Reject]:
    if part.body.lstrip().startswith(b"{"):
        body = read_json(part.body, part.name)
        if isinstance(body, dict) and "code" in body and body["code"] != "Success":
            raise ShapeChanged("code", f"{shown(body['code'])}: {shown(body.get('msg'))}")
        machines = listed(mapped(body, "data", part.name), "list", "data")
        return each(part, numbered(machines, "data.list"), _machine)
    if b"originalPrice" in part.body:
        return each(part, _cards(part), _listed)
    return each(part, read_csv(part.body, part.name, LIST_COLUMNS), _listed)


def _machine(row: Row) -> Iterator[Offer | Reject]:
    count, base = row.need_count("gpu_number"), row.row("machine_base_info")
    idle, cores, ram = row.number("gpu_idle_num"), row.positive("cpu_per_gpu"), row.gib_of_bytes("mem_per_gpu")
    name, machine = row.need_text("gpu_name"), row.label("machine_id")
    facts = _facts(name) | {
        "listing": machine, "machine": machine, "region": row.text("region_sign"), "note": row.text("region_name"),
        "gpu_memory_gib": row.gib_of_bytes("gpu_memory"), "cpu_model": base.text("cpu_name"),
        "driver": row.label("driver_version"), "cuda_max": row.label("highest_cuda_version"),
    }  # fmt: skip
    ways = row.rows("machine_sku_info")
    if not ways:
        raise row.bad("machine_sku_info", "no price")
    for way in ways:
        kind = way.need_text("type")
        if kind not in WAYS or (kind != "payg" and not way.number("current_price")):
            yield Reject(row.part.name, way.path, kind, OUT_OF_SCOPE + "not rented this way")
            continue
        amount = way.need_positive("current_price") / MILLI
        price = way.price("current_price", amount=amount, currency="CNY", per="gpu", **WAYS[kind])
        billed = {"billing_increment_s": WHOLE_S[kind], "minimum_billed_s": WHOLE_S[kind]} if kind in WHOLE_S else {}
        reserved = "term_months" in WAYS[kind]
        for cards in dict.fromkeys((1, count)):
            stock = "unknown" if idle is None else "available" if idle >= cards else "sold-out"
            yield row.offer(
                price=price, purchase="reserved" if reserved else "on-demand", gpu_count=cards,
                vcpus=cores and cores * cards, ram_gib=ram and ram * cards, stock=stock, stock_grade="realtime",
                **facts | billed,
            )  # fmt: skip


def _facts(name: str) -> dict[str, Any]:
    disk = next(fact["value"] for fact in table(__package__, "autodl_facts") if fact["key"] == "free_data_disk")
    return {
        "provider": META.name, "sku": name, "country": "CN", "tier": "marketplace", "gpu": name,
        "gpu_share": "unknown" if name.lower().startswith("vgpu") else "whole",
        "disk_class": "local-ssd", "disk_gib": disk, "included_storage_gib": disk,
    } | terms(META.name)  # fmt: skip


def _listed(row: Row) -> Iterator[Offer]:
    price = row.price("price_cny_per_gpu_hour", currency="CNY", per="gpu")
    facts = _facts(row.need_text("gpu"))
    yield row.offer(price=price, gpu_memory_gib=row.positive("memory_gb"), stock_grade="price", **facts)


def _cards(part: Part) -> Iterator[tuple[str, object]]:
    """The cards of a script, in the columns of the saved list."""
    for number, found in enumerate(CARD.finditer(part.body.decode("utf-8", "replace"))):
        told = {key: text or digits for key, text, digits in FIELD.findall(found[0])}
        memory = re.search(r"(\d{1,4}) ?G", " ".join(told.values()))
        yield (
            f"originalPrice[{number}]",
            {
                "gpu": next((told[key] for key in NAMES if told.get(key)), None),
                "memory_gb": memory[1] if memory else None,
                "price_cny_per_gpu_hour": told.get("originalPrice"),
            },
        )
