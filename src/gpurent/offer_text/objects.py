"""Offers pasted as JSON: a provider's answer or a line of an offers file, keys to facts."""

from __future__ import annotations

import json
from typing import Any

from gpurent.money import InvalidNumber, bounded_decimal
from gpurent.offer_text.facts import Facts
from gpurent.price_text import find_prices

MAX_OBJECTS = 50
# field of the offer <- keys that hold it, and what one of their units is there
_NUMBERS: tuple[tuple[str, float, tuple[str, ...]], ...] = (
    ("gpu_count", 1, ("num_gpus", "gpu_count", "gpus", "count")),
    ("gpu_memory_gib", 1, ("gpu_memory_gib", "vram_gb", "memoryingb")),
    ("gpu_memory_gib", 1 / 1024, ("gpu_ram",)),
    ("vcpus", 1, ("cpu_cores_effective", "vcpus", "vcpu", "vcpucount")),
    ("ram_gib", 1, ("ram_gib", "ram_gb", "memory_gib")),
    ("ram_gib", 1 / 1024, ("cpu_ram",)),
    ("disk_gib", 1, ("disk_space", "disk_gib", "disk_gb")),
    ("disk_read_mbyte_s", 1, ("disk_bw", "disk_read_mbyte_s")),
    ("download_mbit_s", 1, ("inet_down", "download_mbit_s")),
    ("host_to_gpu_gbyte_s", 1, ("pcie_bw",)),
    ("reliability", 1, ("reliability2",)),
    ("power_limit_w", 1, ("gpu_max_power",)),
)
_TEXTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("gpu", ("gpu_name", "gpu", "gpu_model", "gpu_type", "displayname")),
    ("sku", ("instance_type", "sku")),
    ("cpu_model", ("cpu_name", "cpu_model")),
    ("cuda_max", ("cuda_max_good", "cuda_max")),
    ("driver", ("driver_version", "driver")),
    ("provider", ("provider",)),
    ("region", ("region",)),
    ("gpu_share", ("gpu_share",)),
    ("share_profile", ("share_profile",)),
)
_PRICES = (("dph_total", "node"), ("price_per_hour", "node"), ("hourly_price", "node"), ("price_per_gpu_hour", "GPU"))
_VAST = {"dph_total", "ask_contract_id", "cuda_max_good"}


def objects(text: str) -> list[str]:
    """The JSON objects of a text that is nothing else, each as one text; none otherwise."""
    text = text.strip()
    if text[:1] not in ("{", "["):
        return []
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return []
    found = parsed if isinstance(parsed, list) else [parsed]
    return [json.dumps(one, ensure_ascii=False) for one in found[:MAX_OBJECTS] if isinstance(one, dict)]


def read_object(text: str, facts: Facts) -> bool:
    """The keys of one pasted object that are known here. False: it is none, or says nothing of a card."""
    if text[:1] != "{":
        return False
    try:
        row: Any = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(row, dict):
        return False
    keys = {str(key).lower(): value for key, value in row.items()}
    for field, names in _TEXTS:
        for value in (keys.get(name) for name in names):
            if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
                facts.known.setdefault(field, str(value))
    for field, scale, names in _NUMBERS:
        for number in (_number(keys.get(name)) for name in names):
            if number:
                facts.known.setdefault(field, number * scale)
    if keys.keys() & _VAST:
        facts.known.setdefault("provider", "vast-ai")
    for key, basis in _PRICES:
        number = _number(keys.get(key))
        if number:
            amount = f"{number:.9f}".rstrip("0").rstrip(".")
            facts.prices = find_prices(f"{amount} {keys.get('currency') or 'USD'}/{basis}/h")
            break
    return "gpu" in facts.known or "sku" in facts.known


def _number(value: object) -> float:
    """A number above zero; 0 for anything else, which says nothing."""
    try:
        return max(0.0, float(bounded_decimal(value)))
    except InvalidNumber:
        return 0.0
