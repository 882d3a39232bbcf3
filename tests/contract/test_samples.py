"""Real and documented answers of the first seven providers, where they lie beside the checkout: every row is an offer
or a rejection, and three rows of each, copied by hand from the answer, say what they should."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from gpurent.adapters import registry
from gpurent.adapters.contract import Part, Raw
from gpurent.adapters.testing import Parsed, check_cards, check_offers, parse
from gpurent.offer import Offer
from tests.shared import shared

ADAPTERS = registry.load().adapters
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)

# provider, files, offers, faults, out of scope
SAMPLES = [
    ("vast-ai", ("vast_bundles_h200nvl_2026-08-22.json",), 6, 0, 0),
    ("vast-ai", ("vast_500farm_offers_rtx5090_2025-07-26.json",), 2, 0, 0),
    ("runpod", ("runpod_graphql_gputypes_2026-08.json",), 14, 2, 2),
    ("runpod", ("runpod_graphql_cpuflavors.json",), 0, 0, 6),
    ("runpod", ("runpod_rest_v2_catalog_doc_examples.json",), 7, 0, 6),
    ("lambda", ("lambda_pricing_2026-08.html",), 28, 0, 2),
    ("lambda", ("lambda_instance_types_2026-08-15.json",), 3, 0, 0),
    ("vultr", ("vultr_plans.json", "vultr_plans_metal.json"), 9, 0, 1),
    ("scaleway", ("scaleway_products_servers_fr-par-2_2026-08.json",), 8, 0, 1),
    ("verda", ("verda_instance_types.json",), 6, 0, 1),
    ("oci", ("oci_cetools_products_usd_2026-08-14.json", "oci_cloudestimator_shapes_excerpt.json"), 23, 0, 9),
]


def read(provider: str, files: tuple[str, ...]) -> tuple[Raw, Parsed]:
    parts = []
    for name in files:
        path = shared("samples") / name
        parts.append(Part(path.stem, f"file:{name}", path.read_bytes(), NOON))
    raw = Raw(provider, tuple(parts))
    return raw, parse(ADAPTERS[provider], raw)


@pytest.mark.parametrize(("provider", "files", "offers", "faults", "scope"), SAMPLES)
def test_every_row_is_an_offer_or_a_rejection(
    provider: str, files: tuple[str, ...], offers: int, faults: int, scope: int
) -> None:
    raw, parsed = read(provider, files)
    assert (len(parsed.offers), len(parsed.faults), len(parsed.rejects) - len(parsed.faults)) == (offers, faults, scope)
    check_offers(ADAPTERS[provider], parsed, raw)
    check_cards(parsed, unknown=())


def row(provider: str, files: tuple[str, ...], name: str, purchase: str = "on-demand", **more: Any) -> Offer:
    _, parsed = read(provider, files)
    [offer] = [
        offer
        for offer in parsed.offers
        if name in (offer.listing, offer.sku)
        and offer.purchase == purchase
        and all(getattr(offer, key) == value for key, value in more.items())
    ]
    return offer


def said(offer: Offer) -> tuple[object, ...]:
    """Price as printed, its unit and basis, the price of the whole offer an hour, count, share, memory of a card."""
    assert offer.price is not None
    price = offer.price
    return (
        f"{price.amount} {price.currency}/{price.unit}/{price.per}", float(offer.price_per_hour or 0), offer.gpu_count,
        offer.gpu_share, offer.gpu_memory_gib,
    )  # fmt: skip


H200 = 143771 / 1024  # MiB, as the card reports itself
VAST = ("vast_bundles_h200nvl_2026-08-22.json",)
RUNPOD = ("runpod_graphql_gputypes_2026-08.json",)
LAMBDA = ("lambda_pricing_2026-08.html",)
VULTR = ("vultr_plans.json", "vultr_plans_metal.json")
SCALEWAY = ("scaleway_products_servers_fr-par-2_2026-08.json",)
VERDA = ("verda_instance_types.json",)
OCI = ("oci_cetools_products_usd_2026-08-14.json",)


@pytest.mark.parametrize(
    ("offer", "expected"),
    [
        (("vast-ai", VAST, "47111252"), ("2.6688888888888886 USD/hour/offer", 2.6688888888888886, 1, "whole", H200)),
        (("vast-ai", VAST, "31183516"), ("2.9663703703703708 USD/hour/offer", 2.9663703703703708, 1, "whole", H200)),
        (("vast-ai", VAST, "45172707", "spot"), ("0.404888888889 USD/hour/offer", 0.404888888889, 1, "whole", H200)),
        (("lambda", LAMBDA, "gpu_8x_a100_80gb_sxm4"), ("2.79 USD/hour/gpu", 22.32, 8, "whole", 80)),
        (("lambda", LAMBDA, "gpu_4x_a100"), ("1.99 USD/hour/gpu", 7.96, 4, "whole", 40)),
        (("lambda", LAMBDA, "gpu_1x_gh200"), ("2.29 USD/hour/gpu", 2.29, 1, "whole", 96)),
        (("vultr", VULTR, "vcg-a100-1c-6g-4vram"), ("0.123 USD/hour/offer", 0.123, 1, "vgpu", 4)),
        (("vultr", VULTR, "vcg-a40-24c-120g-48vram"), ("1.712 USD/hour/offer", 1.712, 1, "whole", 48)),
        (("vultr", VULTR, "vbm-256c-2048gb-8-mi300x-gpu"), ("17.52 USD/hour/offer", 17.52, 8, "whole", 192)),
        (("scaleway", SCALEWAY, "H100-2-80G"), ("5.733 EUR/hour/offer", 5.733, 2, "whole", 80)),
        (("scaleway", SCALEWAY, "B300-SXM-8-288G"), ("60.0 EUR/hour/offer", 60.0, 8, "whole", 288)),
        (("scaleway", SCALEWAY, "L4-1-24G"), ("0.7875 EUR/hour/offer", 0.7875, 1, "whole", 24)),
        (("verda", VERDA, "1H100.80S.30V", "spot"), ("1.70 USD/hour/offer", 1.70, 1, "whole", 80)),
        (("verda", VERDA, "2A6000.20V"), ("1.98 USD/hour/offer", 1.98, 2, "whole", 48)),
        (("verda", VERDA, "1V100.6V"), ("0.89 USD/hour/offer", 0.89, 1, "whole", 16)),
        (("oci", OCI, "BM.GPU.H100.8"), ("10 USD/hour/gpu", 80, 8, "whole", 80)),
        (("oci", OCI, "VM.GPU.A10.2"), ("2 USD/hour/gpu", 4, 2, "whole", 24)),
        (("oci", OCI, "BM.GPU4.8"), ("3.05 USD/hour/gpu", 24.4, 8, "whole", 40)),
    ],
)  # fmt: skip
def test_rows_compared_by_hand(offer: tuple[Any, ...], expected: tuple[object, ...]) -> None:
    assert said(row(*offer)) == expected


@pytest.mark.parametrize(
    ("sku", "tier", "expected"),
    [
        ("NVIDIA H100 80GB HBM3", "secure", ("3.29 USD/hour/gpu", 3.29, 1, "whole", 80)),
        ("NVIDIA H100 80GB HBM3", "community", ("2.69 USD/hour/gpu", 2.69, 1, "whole", 80)),
        ("NVIDIA GeForce RTX 4090", "community", ("0.34 USD/hour/gpu", 0.34, 1, "whole", 24)),
    ],
)
def test_runpod_rows_compared_by_hand(sku: str, tier: str, expected: tuple[object, ...]) -> None:
    assert said(row("runpod", RUNPOD, sku, tier=tier)) == expected


def test_hosts_compared_by_hand() -> None:
    vast = row("vast-ai", VAST, "31183516")
    assert (vast.vcpus, vast.cpu_model, vast.ram_gib) == (48, "AMD EPYC 9655 96-Core Processor", None)
    assert (vast.disk_read_mbyte_s, vast.host_to_gpu_gbyte_s, vast.download_mbit_s) == (7823, 54.9, 8583.4)
    assert (vast.machine, vast.region, vast.country, vast.tier) == ("200002", "Czechia", "CZ", "datacenter")
    assert vast.included_storage_gib == 8
    assert round(row("vast-ai", VAST, "47111252").ram_gib or 0, 1) == 251.4, "this offer is the whole machine"
    metal = row("vultr", VULTR, "vbm-112c-2048gb-8-h100-gpu")
    assert (metal.vcpus, metal.threads_per_core, metal.cpu_model, metal.ram_gib) == (224, 2, "Platinum 8480+", 2048)
    scaleway = row("scaleway", SCALEWAY, "L4-8-24G")
    assert (scaleway.vcpus, scaleway.ram_gib, scaleway.disk_class, scaleway.disk_read_mbyte_s) == (
        64,
        384,
        "network-ssd",
        5242.88,
    )
    page = row("lambda", LAMBDA, "gpu_8x_h100_sxm5")
    assert (page.vcpus, page.ram_gib, page.disk_gib, page.disk_class) == (208, 1800, 22 * 1024, "local-ssd")
    verda = row("verda", VERDA, "1V100.6V")
    assert (verda.vcpus, verda.ram_gib, verda.disk_gib, verda.disk_class) == (6, 23, 225, "local-nvme")


def test_sold_out_types_keep_their_price() -> None:
    offer = row("lambda", ("lambda_instance_types_2026-08-15.json",), "gpu_1x_h100_sxm5")
    assert (offer.stock, offer.stock_grade, float(offer.price_per_hour or 0)) == ("sold-out", "realtime", 4.29)
