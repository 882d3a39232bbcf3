"""CPU names and the index J: measured beats derived, exact beats family, and the family says so."""

from __future__ import annotations

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent import tables
from gpurent.hardware.cpu_names import read_name
from gpurent.hardware.cpus import families, family_index, read_cpu, rules

# What the catalogue says about a CPU that names neither a model nor a family.
UNNAMED = {"AMD EPYC", "Intel Xeon Platinum"}


@pytest.mark.parametrize(
    ("text", "model", "family"),
    [
        ("Intel(R) Xeon(R) Platinum 8352V CPU @ 2.10GHz", "xeon-8352v", "ice-lake"),
        ("Xeon Platinum 8259CL", "xeon-8259cl", "cascade-lake"),
        ("AMD EPYC 7763 64-Core Processor", "epyc-7763", "zen3"),
        ("16 vCPU AMD EPYC 9654 96-Core Processor", "epyc-9654", "zen4"),
        ("EPYC 7B13", "epyc-7b13", "zen3"),
        ("AMD EPYC 74F3V", "epyc-74f3v", "zen3"),
        ("AMD 7K62", "epyc-7k62", "zen2"),
        ("AMD Ryzen 9 5950X 16-Core Processor", "ryzen-5950x", "zen3-desktop"),
        ("R9 7950X3D", "ryzen-7950x3d", "zen4-desktop"),
        ("Threadripper PRO 5975WX", "threadripper-5975", "zen3-desktop"),
        ("3970X", "threadripper-3970", "zen2-desktop"),
        ("AMD EPYC 4345P", "epyc-4345p", "zen5-desktop"),
        ("Ampere Altra", "neoverse-n1", "neoverse-n1"),
        ("Graviton3 / Neoverse-V1", "neoverse-v1", "neoverse-v1"),
        ("NVIDIA Grace", None, "neoverse-v2"),
        ("Intel Xeon (Sapphire Rapids)", None, "sapphire-rapids"),
        ("Cascade Lake", None, "cascade-lake"),
        ("AMD Milan", None, "zen3"),
        ("Gold 6430", "xeon-6430", "sapphire-rapids"),
        ("8358P @2.60GHz", "xeon-8358p", "ice-lake"),
        ("Xeon Platinum 8470Q", "xeon-8470q", "sapphire-rapids"),
        ("Intel Xeon 6776P", "xeon-6776p", "granite-rapids"),
        ("Intel Xeon Gold 6530", "xeon-6530", "emerald-rapids"),
        ("Platinum 8369HB", "xeon-8369hb", "cooper-lake"),
        ("E5-2680v4", "xeon-e5-2680-v4", "broadwell"),
        ("Xeon(R) CPU E5-2678 v3 @ 2.50GHz", "xeon-e5-2678-v3", "haswell"),
        ("Intel Xeon E5-2665 0", "xeon-e5-2665", "sandy-bridge"),
        ("Xeon E-2388G", "xeon-e-2388g", "rocket-lake"),
        ("Xeon w9-3495X", "xeon-w-3495x", "sapphire-rapids"),
        ("i9-13900K", "core-i9-13900k", "raptor-lake"),
        ("Intel(R) Core(TM) i7-6850K CPU @ 3.60GHz", "core-i7-6850k", "broadwell"),
        ("Intel Core i9-10980XE", "core-i9-10980xe", "cascade-lake"),
        ("至强铂金 8358P", "xeon-8358p", "ice-lake"),
        ("霄龙 7763", "epyc-7763", "zen3"),
        ("Intel(R) Xeon(R) CPU @ 2.20GHz", "xeon @ 2.20", "xeon-hidden"),
    ],
)
def test_names(text: str, model: str | None, family: str) -> None:
    name = read_name(text)
    assert name is not None
    assert (name.model, name.family) == (model, family)


@pytest.mark.parametrize(
    "text", ["", "?", "AMD EPYC", "Intel Xeon Platinum", "Xeon Phi 7210", "Kunpeng 920", "8 cores"]
)
def test_no_name_is_no_cpu(text: str) -> None:
    assert read_cpu(text) is None


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(text: str) -> None:
    cpu = read_cpu(text)
    assert cpu is None or cpu.index > 0


def test_every_cpu_of_the_catalogue_resolves_or_is_listed() -> None:
    texts = {row["cpu_model"] for row in tables.rows("catalogue")} - {""}
    assert {text for text in texts if read_cpu(text) is None} == UNNAMED


def test_every_scored_cpu_resolves_except_masked_ones() -> None:
    rows = (*tables.rows("cpus"), *tables.rows("sparecores/cpu_scores"))
    unread = {row["cpu"] for row in rows if read_name(row["cpu"]) is None}
    assert unread == {"AMD EPYC Processor", "Intel(R) Xeon(R) Platinum", "GENUINE INTEL(R) 0000"}


def test_measured_beats_derived() -> None:
    cpu = read_cpu("Intel Xeon Platinum 8259CL")  # measured, and in the PassMark chart as well
    assert cpu is not None
    assert (cpu.index, cpu.basis, cpu.spread) == (547.7, "measured", 0.10)


def test_passmark_beats_geekbench() -> None:
    cpu = read_cpu("Ryzen 9 5950X")
    assert cpu is not None
    assert cpu.basis == "passmark"
    assert cpu.index == pytest.approx(0.301 * 3467)
    assert (cpu.cores, cpu.threads, cpu.desktop) == (16, 32, True)


def test_a_derived_index_is_capped_by_its_family() -> None:
    measured = [
        float(row["jpeg_score"])
        for row in tables.rows("sparecores/cpu_scores")
        if row["jpeg_score"] and (name := read_name(row["cpu"])) and name.family == "zen5"
    ]
    assert family_index("zen5") == median(measured)
    for text in ("AMD EPYC 9R05", "AMD EPYC 7643", "Intel Xeon Platinum 8375C"):
        cpu = read_cpu(text)
        assert cpu is not None
        top = family_index(cpu.family)
        assert top is not None
        assert cpu.basis == "measured" or cpu.index <= rules()["family_cap"] * top * (1 + 1e-9)


def test_an_unlisted_model_takes_its_family_and_a_wider_spread() -> None:
    cpu = read_cpu("Platinum 8470Q")
    assert cpu is not None
    assert cpu.index == family_index("sapphire-rapids")
    assert not cpu.known
    assert rules()["spread_model"] < cpu.spread < rules()["spread_class"]
    other = read_cpu("Platinum 8458P")
    assert other is not None
    assert other.key == cpu.key  # they share their draws


@pytest.mark.parametrize(
    ("text", "threads", "efficiency"),
    [
        ("Xeon Platinum 8259CL", 2, 0.60),
        ("Xeon Platinum 8375C", 2, 0.65),
        ("EPYC 7763", 2, 0.69),
        ("EPYC 7551", 2, 0.53),
        ("EPYC 7763", 1, 0.97),
        ("Neoverse-N1", 1, 0.97),
    ],
)
def test_efficiency_of_a_vcpu(text: str, threads: int, efficiency: float) -> None:
    cpu = read_cpu(text)
    assert cpu is not None
    assert cpu.efficiency(threads) == efficiency


def test_a_desktop_feeds_a_3090() -> None:
    """16 cores of a Ryzen 9 5950X decode far more ImageNet files with Pillow than the 870 images/s the card takes."""
    cpu = read_cpu("Ryzen 9 5950X")
    assert cpu is not None
    assert cpu.threads is not None
    images_per_s = cpu.threads * cpu.efficiency(2) * (cpu.index / 500) / 0.0067
    assert images_per_s > 5 * 870


def test_families_have_an_index() -> None:
    assert [family for family in families() if family_index(family) is None] == []
