"""Mistakes that collectors of prices are known to have made, each on a fixture of ours."""

from __future__ import annotations

import csv

import pytest

from gpurent.adapters import registry
from gpurent.adapters.testing import cases, parse
from gpurent.hardware.resolve import resolve
from gpurent.offer import Offer
from gpurent.tables import rows
from tests.shared import ROOT

ADAPTERS = registry.load().adapters


def offers(provider: str, case: str = "normal") -> list[Offer]:
    [found] = [one for one in cases(ROOT / "fixtures" / provider, provider) if one.name == case]
    return list(parse(ADAPTERS[provider], found.raw).offers)


def cards(provider: str, case: str = "normal") -> set[str | None]:
    return {resolve(offer).card for offer in offers(provider, case)}


def test_editions_of_a_card_stay_apart() -> None:
    assert {"rtx-4090", "rtx-4090-48gb", "a100-pcie-40gb", "a100-sxm-80gb"} <= cards("vast-ai"), (
        "one name, other memory"
    )
    assert {"a100-sxm-40gb", "a100-sxm-80gb", "h100-sxm-80gb", "h100-pcie-80gb"} <= cards("lambda")
    assert {"h100-sxm-80gb", "h100-pcie-80gb"} <= cards("runpod")
    assert {"h100-sxm-80gb", "h100-pcie-80gb"} <= cards("scaleway")


def test_more_cards_never_cost_the_price_of_one() -> None:
    one, two = (
        offer.price_per_hour
        for offer in offers("runpod")
        if (offer.sku, offer.tier, offer.purchase) == ("NVIDIA GeForce RTX 4090", "secure", "on-demand")
    )
    assert one is not None
    assert two == 2 * one


def test_memory_of_all_cards_is_not_the_memory_of_one() -> None:
    by_name = {
        offer.sku or offer.listing: offer
        for provider in ("vast-ai", "vultr", "verda", "oci")
        for offer in offers(provider)
    }
    assert by_name["1003"].gpu_memory_gib == 80, "gpu_total_ram is of eight"
    assert by_name["vcg-l40s-128c-1500g-384vram"].gpu_memory_gib == 48
    assert by_name["8A100.176V"].gpu_memory_gib == 80
    assert by_name["BM.GPU.L40S.4"].gpu_memory_gib == 48


def test_a_part_of_a_card_is_not_the_card() -> None:
    parts = {offer.sku: offer for offer in offers("vultr") if offer.gpu_share == "vgpu"}
    assert {name: offer.gpu_memory_gib for name, offer in parts.items()} == {
        "vcg-a16-2c-8g-2vram": 2, "vcg-a100-6c-60g-40vram": 40,
    }  # fmt: skip
    half = resolve(parts["vcg-a100-6c-60g-40vram"])
    assert (half.card, half.share, half.compute_fraction) == ("a100-pcie-80gb", "vgpu", 0.5)
    mig = next(offer for offer in offers("runpod") if offer.gpu_share == "mig")
    assert (mig.share_profile, mig.gpu_memory_gib, mig.gpu_count) == ("1g.24gb", 24, 1)


def test_no_offer_costs_nothing() -> None:
    for name in ADAPTERS:
        for case in cases(ROOT / "fixtures" / name, name):
            if not case.drift:
                for offer in parse(ADAPTERS[name], case.raw).offers:
                    assert offer.price_per_hour is None or offer.price_per_hour > 0


@pytest.mark.parametrize("provider", ["runpod", "verda"])
def test_spot_is_not_dearer_than_on_demand(provider: str) -> None:
    for case in ("normal", "worst-price"):
        found = offers(provider, case)
        on_demand = {
            (offer.sku, offer.tier, offer.gpu_count): offer for offer in found if offer.purchase == "on-demand"
        }
        for offer in found:
            if offer.purchase == "spot":
                plain = on_demand[offer.sku, offer.tier, offer.gpu_count]
                assert (offer.price_per_hour or 0) <= (plain.price_per_hour or 0)


def test_storage_in_a_price_is_said() -> None:
    for offer in offers("vast-ai"):
        assert offer.included_storage_gib
        assert offer.storage_per_gib_month


def test_host_memory_is_in_the_range_of_a_host() -> None:
    for name in ADAPTERS:
        for offer in offers(name):
            assert offer.ram_gib is None or 1 <= offer.ram_gib <= 32768, (
                f"{offer.provider} {offer.sku}: {offer.ram_gib} GiB"
            )


def test_half_known_memory_of_a_machine_is_not_given_to_its_part() -> None:
    by_name = {offer.listing: offer for offer in offers("vast-ai") if offer.purchase == "on-demand"}
    assert by_name["1004"].ram_gib is None, "a quarter of the machine: its share is not documented"
    assert by_name["1005"].ram_gib is None, "0 is unknown"


def test_tables_beside_the_adapters_name_their_sources() -> None:
    known = {row["source"] for row in rows("sources")}
    for path in sorted((ROOT / "providers/gpurent_providers").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                assert row["source"], f"{path.name}: a row without a source"
                assert set(row["source"].split()) <= known, f"{path.name}: {row['source']}"
