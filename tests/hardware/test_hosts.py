"""Filling unknowns: low end, said, wider; hiding a field never pays; more never makes a host worse."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent import catalogue, tables
from gpurent.hardware.cpus import rules
from gpurent.hardware.disks import capped, classes, instance_caps, volume
from gpurent.hardware.hosts import Host, fill
from gpurent.hardware.resolve import resolve
from gpurent.hardware.usual_hosts import provider_id, provider_kind
from gpurent.offer import Offer
from tests.shared import ROOT

HIDDEN = ("vcpus", "cpu_model", "ram_gib", "disk_class", "disk_read_mbyte_s", "gpu_link")


@dataclass(frozen=True)
class Found:
    """A card that is already resolved."""

    card: str | None = "a100-sxm-80gb"
    candidates: tuple[str, ...] = ()
    share: str = "whole"
    gpu_count: int = 1


def host(found: Found | None = None, **fields: Any) -> Host:
    return fill(Offer(**{"provider": "somebody", "gpu": "A100", **fields}), found or Found())


def rates(host: Host, outstanding: int = 7) -> dict[str, float]:
    """What a host can do, larger is better: many cores, one core, RAM, large and small reads, the way to the GPU."""
    return {
        "vcpus": host.vcpus,
        "all_cores": host.vcpus * host.cpu_efficiency * host.cpu_index,
        "one_core": host.cpu_index,
        "ram": host.ram_bytes,
        "large": host.disk_bytes_per_s,
        "small": min(
            host.disk_bytes_per_s * host.small_file_factor,
            host.disk_iops * 110_000,
            outstanding * 110_000 / host.disk_latency_s if host.disk_latency_s else float("inf"),
        ),
        "host_to_gpu": host.host_to_gpu_bytes_per_s,
    }


def never_better(hidden: Host, stated: Host) -> None:
    before, after = rates(stated), rates(hidden)
    assert {name: rate for name, rate in after.items() if rate > before[name] * (1 + 1e-9)} == {}


@pytest.mark.parametrize("fields", [(name,) for name in HIDDEN] + [HIDDEN, ("vcpus", "cpu_model"), HIDDEN[3:5]])
def test_hiding_a_field_of_a_catalogue_offer_never_makes_its_host_better(fields: tuple[str, ...]) -> None:
    for offer in catalogue.offers():
        less = Offer.assemble({**offer.__dict__, **dict.fromkeys(fields)})
        never_better(fill(less, resolve(less)), fill(offer, resolve(offer)))


def test_a_hidden_link_takes_the_slowest_measured_one() -> None:
    for offer in catalogue.offers():
        if offer.host_to_gpu_gbyte_s is not None:
            less = Offer.assemble({**offer.__dict__, "host_to_gpu_gbyte_s": None})
            # two runs of the same machine differ by a per cent
            assert fill(less, resolve(less)).host_to_gpu_bytes_per_s <= offer.host_to_gpu_gbyte_s * 1.02e9


def test_hiding_widens_and_is_said() -> None:
    stated = host(vcpus=16, cpu_model="EPYC 7763", ram_gib=120, disk_class="local-nvme", disk_read_mbyte_s=3000)
    hidden = host()
    assert hidden.cpu_spread == rules()["spread_class"] > stated.cpu_spread
    assert hidden.disk_spread > stated.disk_spread
    assert not hidden.cpu_known
    assert set(hidden.assumed) >= {"vcpus", "cpu_model", "ram_gib", "disk_class", "threads_per_core"}
    assert not set(stated.assumed) & {"vcpus", "cpu_model", "ram_gib", "disk_class", "disk_read_mbyte_s"}


def test_filled_values_are_what_assumed_says() -> None:
    filled = host()
    assert filled.assumed["vcpus"] == filled.vcpus
    assert filled.assumed["ram_gib"] == filled.ram_bytes / 2**30
    assert filled.assumed["disk_class"] == filled.disk_class
    assert filled.assumed["disk_read_mbyte_s"] == filled.disk_bytes_per_s / 1e6


def test_unknown_scales_with_the_gpus() -> None:
    one, eight = host(Found(gpu_count=1)), host(Found(gpu_count=8), gpu_count=8)
    assert eight.vcpus == 8 * one.vcpus
    assert eight.ram_bytes == 8 * one.ram_bytes


@given(
    vcpus=st.floats(1, 256),
    ram=st.floats(4, 4096),
    rate=st.floats(10, 30_000),
    factor=st.floats(1, 8),
    card=st.sampled_from(["a100-sxm-80gb", "rtx-4090", "l4"]),
    disk_class=st.sampled_from([None, *classes()]),
)
def test_more_is_never_worse(
    vcpus: float, ram: float, rate: float, factor: float, card: str, disk_class: str | None
) -> None:
    base: dict[str, Any] = {"vcpus": vcpus, "ram_gib": ram, "disk_read_mbyte_s": rate, "disk_class": disk_class}
    for name in ("vcpus", "ram_gib", "disk_read_mbyte_s"):
        never_better(host(Found(card), **base), host(Found(card), **{**base, name: base[name] * factor}))


def test_own_hosts_are_closer_than_peers() -> None:
    known = host(Found("l4"), provider="gcp", tier="datacenter")
    peers = host(Found("l4"), provider="somebody")
    assert known.cpu_index == 509.6  # the CPU that Google's L4 machines were seen with
    assert known.vcpus == 4
    assert peers.vcpus > known.vcpus


def test_few_that_speak_of_a_disk_are_no_witness() -> None:
    """Half of Google's A100 machines state local NVMe, the others have none: silence gets the network disk."""
    assert host(Found("a100-sxm-40gb"), provider="gcp", tier="datacenter").disk_class == "network-ssd"


def test_a_machine_of_ones_own_has_its_whole_processor() -> None:
    mine = host(Found("rtx-3090"), provider="mine", cpu_model="Ryzen 9 5950X")
    assert (mine.vcpus, mine.threads_per_core) == (32, 2)
    rented = host(Found("rtx-3090"), provider="vast-ai", cpu_model="Ryzen 9 5950X")
    assert rented.vcpus < 32


def test_threads_per_core() -> None:
    assert host(cpu_model="EPYC 7763").threads_per_core == 2
    assert host(cpu_model="Neoverse-N1").threads_per_core == 1
    assert host(cpu_model="EPYC 7763", threads_per_core=1).cpu_efficiency == 0.97
    arm = host(Found("t4g"), provider="aws", sku="g5g.xlarge")
    assert arm.threads_per_core == 1


def test_an_unread_cpu_is_unknown_and_warned() -> None:
    unread, silent = host(cpu_model="AMD EPYC"), host()
    assert unread.warnings == ("unread-cpu",)
    assert silent.warnings == ()
    assert (unread.cpu_index, unread.cpu_spread) == (silent.cpu_index, silent.cpu_spread)


def test_instance_limits_hold_network_disks_and_no_others() -> None:
    small = host(Found("a10g"), provider="aws", sku="g5.xlarge", disk_class="network-ssd", disk_read_mbyte_s=1000)
    assert small.disk_bytes_per_s == 87.5e6
    local = host(Found("a10g"), provider="aws", sku="g5.xlarge", disk_class="local-nvme", disk_read_mbyte_s=1000)
    assert local.disk_bytes_per_s == 1000e6


def test_volumes_follow_their_formula() -> None:
    large = volume("alicloud", "network-ssd", 320)
    assert large is not None
    assert large.bytes_per_s == (120 + 0.5 * 320) * 1e6
    huge = volume("alicloud", "network-ssd", 10_000)
    assert huge is not None
    assert huge.bytes_per_s == 350e6
    assert volume("somebody", "network-ssd", 320) is None
    assert capped(classes()["local-nvme"], instance_caps()["aws", "g5.xlarge"]) == classes()["local-nvme"]


def test_six_classes_have_one_default() -> None:
    assert set(classes()) == {"local-nvme", "local-ssd", "network-ssd", "network-hdd", "network-fs", "object"}


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("vast.ai", "vast-ai"),
        ("OVH", "ovhcloud"),
        ("hcloud", "hetzner"),
        ("hetzner cloud", "hetzner"),
        ("共绩", "gongji"),
    ],
)
def test_providers_by_any_spelling(name: str, provider: str) -> None:
    assert provider_id(name) == provider
    assert provider_kind(name) == provider_kind(provider) != ""


def test_a_host_is_shared_by_what_shares_its_key() -> None:
    assert host(cpu_model="EPYC 7763").cpu_key == host(Found("l4"), cpu_model="AMD EPYC 7763 64-Core Processor").cpu_key
    assert host(provider="runpod").cpu_key != host(provider="lambda").cpu_key
    listed = {"disk_class": "local-nvme", "disk_read_mbyte_s": 3000}
    assert host(machine="1", **listed).disk_key != host(machine="2", **listed).disk_key


def test_boot_times() -> None:
    assert host(boot_s=5).boot_s == 5
    assert host(provider="gcp").boot_s == 53
    assert host().assumed["boot_s"] == 60


def test_the_tool_makes_this_table() -> None:
    spec = importlib.util.spec_from_file_location("make_hosts", ROOT / "tools" / "make_hosts.py")
    assert spec
    assert spec.loader
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    made = [{name: str(cell) for name, cell in row.items()} for row in tool.hosts(catalogue.offers())]
    assert made == list(tables.rows("hosts"))
