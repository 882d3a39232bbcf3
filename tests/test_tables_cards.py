"""The tables of cards and their names: vocabularies, physics, foreign keys, and the facts others got wrong."""

from __future__ import annotations

import csv
import re
from datetime import date

import pytest

from gpurent import tables
from gpurent.hardware import cards
from gpurent.hardware.name_tokens import tokens
from tests.shared import shared

TABLES = ("cards", "slices", "instance_types", "name_hints", "naming", "aliases")
SOURCES = {row["source"] for row in tables.rows("sources")}


@pytest.mark.parametrize("name", TABLES)
def test_every_row_has_a_source_and_a_date(name: str) -> None:
    for row in tables.rows(name):
        assert row["source"] in SOURCES, row
        if "as_of" in row:
            assert date(2010, 1, 1) <= date.fromisoformat(row["as_of"]) <= date(2026, 11, 30), row


@pytest.mark.parametrize("card", cards.table(), ids=lambda card: card.card)
def test_card(card: cards.Card) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", card.card)
    assert card.vendor in ("nvidia", "amd", "intel", "huawei", "mthreads", "alibaba")
    assert card.form in ("sxm", "pcie", "oam", "superchip", "mobile")
    assert card.class_ in ("data-centre", "professional", "geforce", "amd", "other")
    assert card.status in ("stock", "export", "modded", "mining")
    assert card.listed in ("yes", "memory", "named")
    assert card.edition in ("", "nvl", "sxm3", "se", "ws", "max-q")
    assert card.link_class in ("none", "bridge", "sxm", "sxm-mesh", "xgmi", "unknown")
    assert card.platform in ("cuda", "rocm", "habana", "cann", "musa", "ppu")
    assert card.measured_source is None or card.measured_source in SOURCES
    assert (card.vendor == "nvidia") == (card.compute_capability is not None)
    assert 0.9 * card.memory_gb * 1024 < card.memory_mib_min <= card.memory_mib <= card.memory_mib_max
    assert card.memory_mib_max < 1.1 * card.memory_gb * 1024
    if card.memory_basis == "assumed":
        assert card.memory_mib_min == round(0.93 * card.memory_gb * 1024)
    if card.tensor_cores and card.vendor == "nvidia":
        assert (card.compute_capability or 0) >= 7
        assert card.half_tflops is not None or card.half_measured_tflops is not None
    if not card.tensor_cores:
        assert card.half_measured_tflops is None
    assert card.usd_h_low is None or card.usd_h_low < (card.usd_h_high or 0)
    assert card.bandwidth_gbyte_s is not None or "no rate" in card.note


@pytest.mark.parametrize("card", cards.table(), ids=lambda card: card.card)
def test_measured_rates_lie_near_the_peaks(card: cards.Card) -> None:
    pairs = ((card.half_measured_tflops, card.half_tflops), (card.fp32_measured_tflops, card.fp32_tflops))
    for measured, peak in pairs:
        if measured is not None and peak is not None:
            highest = 1.6 if card.form == "mobile" else 1.2  # laptops boost above the clock their peak is counted at
            assert 0.3 * peak < measured < highest * peak
    if card.tf32_tflops is not None and card.half_tflops is not None and (card.compute_capability or 0) >= 8:
        assert card.tf32_tflops == pytest.approx(card.half_tflops / 2, rel=0.02)


def test_card_ids_are_those_of_the_fact_file() -> None:
    with shared("data/gpu_ids.tsv").open(encoding="utf-8") as file:
        lines = [line.split("\t") for line in file if not line.startswith("#")]
    for name, vendor, form, memory, *_ in lines:
        if name in cards.labels():
            assert all(cards.by_id()[each].memory_gb == float(memory) for each in cards.labels()[name])
            continue
        card = cards.by_id()[name]
        assert (card.vendor, card.memory_gb) == (vendor, float(memory))
        assert form in (card.form, "unknown")


def test_cards_of_the_fact_file_are_there() -> None:
    with shared("data/gpu_specs.csv").open(encoding="utf-8", newline="") as file:
        specs = [(row["gpu"], float(row["mem_gb"] or 0), float(row["mem_bw_gbs"] or 0)) for row in csv.DictReader(file)]
    known = {(card.memory_gb, card.bandwidth_gbyte_s) for card in cards.table()}
    missing = [spec for spec in specs if spec[2] and (spec[1], spec[2]) not in known]
    assert not missing


def test_labels_name_cards_that_differ_only_in_form_or_edition() -> None:
    for label, names in cards.labels().items():
        found = [cards.by_id()[name] for name in names]
        assert label not in cards.by_id()
        assert len(found) > 1
        assert len({card.family for card in found}) == 1
        assert len({card.memory_gb for card in found}) == 1


@pytest.mark.parametrize(
    ("name", "fact", "value"),
    [
        ("a100-pcie-40gb", "bandwidth_gbyte_s", 1555),
        ("a100-pcie-80gb", "bandwidth_gbyte_s", 1940),
        ("a100-sxm-80gb", "half_tflops", 311.9),  # not 624, which is with sparsity
        ("h100-sxm-80gb", "half_tflops", 989),
        ("h100-pcie-80gb", "half_tflops", 756),
        ("h100-pcie-80gb", "half_measured_tflops", 495.9),
        ("l4", "half_measured_tflops", 70.9),
        ("rtx-4090", "half_tflops", 165.2),  # not 330, which accumulates in half precision
        ("rtx-3090", "half_measured_tflops", 76.6),
        ("rtx-5090", "memory_gb", 32),
        ("rtx-5090", "bandwidth_gbyte_s", 1792),
        ("rtx-5090", "tdp_w", 575),
        ("rtx-5090", "chip", "GB202"),
        ("h200-sxm-141gb", "memory_gb", 141),
        ("b200", "memory_mib", 183359),
        ("b300", "compute_capability", 10.3),
        ("mi325x", "memory_gb", 256),
        ("v100-sxm-16gb", "bf16_measured_tflops", 10.34),
        ("t4", "bf16_measured_tflops", 2.27),
        ("rtx-2080-ti", "bf16_measured_tflops", 7.28),
        ("a100-sxm-80gb", "fp32_measured_tflops", 19.18),
        ("t4", "memory_mib", 15360),
        ("k80", "memory_gb", 12),
    ],
)
def test_facts_that_others_got_wrong(name: str, fact: str, value: object) -> None:
    assert getattr(cards.by_id()[name], fact) == value


def test_slices_are_parts_of_known_cards() -> None:
    seen = set()
    for row in tables.rows("slices"):
        card = cards.by_id()[row["card"]]
        key = (row["card"], row["share"], row["profile"])
        assert key not in seen
        seen.add(key)
        compute, high, bandwidth = (
            float(row[key]) for key in ("compute_fraction", "compute_fraction_high", "bandwidth_fraction")
        )
        assert 0 < compute <= high <= 1
        assert 0 < bandwidth <= 1
        assert float(row["memory_mib"]) <= card.memory_mib_max
        assert row["share"] in ("mig", "vgpu")
        if row["sm_count"] and card.sm_count:
            assert compute == pytest.approx(int(row["sm_count"]) / card.sm_count, abs=1e-5)


def test_machine_sizes_and_hints_name_known_cards() -> None:
    for row in tables.rows("instance_types"):
        assert set(row["cards"].split(";")) <= set(cards.by_id()), row
        assert row["gpu_share"] in ("", "vgpu", "mig", "timeslice", "unknown")
        assert (row["gpu_share"] in ("", "unknown")) == (row["share_profile"] == "")
    for row in tables.rows("name_hints"):
        assert set(filter(None, row["cards"].split(";"))) <= set(cards.by_id()), row
        assert row["cards"] or row["share"]
    for table in ("instance_types", "name_hints"):
        keys = [tuple(list(row.values())[:2]) for row in tables.rows(table)]
        assert len(keys) == len(set(keys))


def test_aliases_lead_somewhere() -> None:
    for row in tables.rows("aliases"):
        if row["cards"]:
            assert set(row["cards"].split(";")) <= set(cards.by_id()), row
        for token in tokens(row["reading"]):
            assert token.kind != "unknown", row


def test_words_have_one_meaning() -> None:
    words = [row["word"] for row in tables.rows("name_words")]
    assert len(words) == len(set(words))
