"""Laws of names: nothing raises, nothing is sure and open at once, noise and spelling never make another card."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpurent.hardware import cards, slices
from gpurent.hardware.names import read_name
from gpurent.hardware.resolve import resolve
from gpurent.hardware.resolve_text import resolve_texts
from gpurent.offer import Offer
from tests.hardware.spellings import SPELLINGS, WILD

SURE = [(text, meant) for text, meant, _ in SPELLINGS if isinstance(meant, str)]
SURE += [(row["text"], row["gpu"]) for row in WILD if row["gpu"] and not row["provider"]]
NOISE = [
    "instance", "server", "node", "cluster", "available now", "Frankfurt", "spot", "on-demand", "NVMe", "EPYC 7763",
    "Xeon Platinum 8352V", "Ryzen 9 5950X", "128GB RAM", "2TB", "500GB", "10Gbps", "Gen5", "InfiniBand", "new", "AI",
    "#3", "(2024)", "rev a1", "eu-west-4", "us-east-1a", "zone-a2", "us-p4", "P2P", "T3", "x16", "8 vCPU", "SSD",
    "租赁",
    "算力", "高性能", "高配", "整机出租", "裸金属", "包月", "$1.99", "￥2.18/时", "0.35/hr", "CUDA 12.4", "driver 570",
    "Ubuntu 22.04", "24 cores", "60 GiB RAM", "内存 120GB", "系统盘30GB", "E5-2680", "docker", "bare metal", "1080p",
    "secure", "community", "5070 USD", "4090 元", "host", "ready", "🚀", "\u202e", "\x1b[31m", "--", "|", "{n}", "%s",
]  # fmt: skip
PIECES = [
    "a100", "rtx", "4090", "ti", "super", "s", "d", "80gb", "x8", " ", "-", "_", "/", ":", "*", "(", ")", "sxm4",
    "pcie",
    "1g.10gb", "mig", "h100", "显存", "卡", "8卡", "ada", "pro", "6000", "0.5", "1/2", "x", "max-q", "gb", "24", "g",
    "910b2", "\x1b[31m", "\u202e", "\ufffd", "９０", "nvl", "hbm3", "-4q", "gpu", "vram", "ram", "$", "￥", "元", ".",
    "g5.xlarge", "{n}", "titan", "quadro", "v100", "laptop", "p106-100",
]  # fmt: skip
PROVIDERS = [None, "aws", "vultr", "vast-ai", "somebody"]
texts = st.one_of(st.text(max_size=400), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
sizes = st.one_of(st.none(), st.floats(0.1, 4096))


@given(texts, st.sampled_from(PROVIDERS), sizes, st.one_of(st.none(), st.integers(1, 1024)))
@settings(max_examples=400, deadline=None)
def test_every_text_has_a_reading(text: str, provider: str | None, memory: float | None, count: int | None) -> None:
    reading = read_name(text, provider=provider, memory_gib=memory, gpu_count=count)
    assert reading.gpu is None or not reading.candidates
    assert {*reading.candidates, *([reading.gpu] if reading.gpu else [])} <= set(cards.by_id())
    assert reading.gpu_count is None or 1 <= reading.gpu_count <= 1024
    assert reading == read_name(text, provider=provider, memory_gib=memory, gpu_count=count)


@given(texts)
@settings(max_examples=100, deadline=None)
def test_pasted_texts_have_a_row(text: str) -> None:
    rows = resolve_texts([text])
    assert all(row["gpu"] is None or not row["candidates"] for row in rows)


@given(st.sampled_from(SURE), st.sampled_from(NOISE), st.sampled_from([" ", ", ", " | ", " - "]), st.booleans())
@settings(max_examples=600, deadline=None)
def test_noise_never_makes_another_card(spelling: tuple[str, str], noise: str, gap: str, before: bool) -> None:
    text, card = spelling
    reading = read_name(f"{noise}{gap}{text}" if before else f"{text}{gap}{noise}")
    assert reading.gpu in (card, None)


@pytest.mark.parametrize("text", ["RTX 4090", "A100-SXM4-80GB", "L40S", "RTX PRO 6000 Server Edition", "MI300X", "T4"])
@pytest.mark.parametrize("noise", NOISE)
def test_noise_behind_a_full_name_changes_nothing(text: str, noise: str) -> None:
    assert read_name(f"{text}, {noise}").gpu == read_name(text).gpu


@given(st.sampled_from(SURE), st.sampled_from(["upper", "lower", "wide", "padded", "bracketed", "underscores"]))
@settings(max_examples=400, deadline=None)
def test_the_way_it_is_typed_never_makes_another_card(spelling: tuple[str, str], way: str) -> None:
    text, card = spelling
    typed = {
        "upper": text.upper(),
        "lower": text.lower(),
        "wide": "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text),
        "padded": f"  {text}\t",
        "bracketed": f"[{text}]",
        "underscores": text.replace(" ", "_"),
    }[way]
    reading = read_name(typed)
    assert reading.gpu == card or (way == "underscores" and reading.gpu is None)


@given(st.sampled_from(cards.table()), st.floats(0.05, 1.6))
@settings(max_examples=300, deadline=None)
def test_memory_is_never_more_than_the_card_has(card: cards.Card, part: float) -> None:
    offer = Offer(provider="p", gpu=card.name, gpu_memory_gib=round(card.memory_gb * part, 3))
    found = resolve(offer)
    names = (found.card,) if found.card else found.candidates
    if found.share == "whole" or not names:
        return
    largest = max(cards.by_id()[name].memory_mib_max for name in names)
    assert found.memory_gib is not None
    assert found.memory_gib * 1024 <= largest
    assert found.compute_fraction is None or 0 < found.compute_fraction <= (found.compute_fraction_high or 0) <= 1


@given(st.sampled_from(cards.table()), st.sampled_from(["mig", "vgpu", "timeslice", "unknown"]), sizes)
@settings(max_examples=200, deadline=None)
def test_a_slice_is_a_part(card: cards.Card, share: str, memory: float | None) -> None:
    part = slices.fractions(card.card, share, None, memory)
    if part is not None:
        assert 0 < part.compute <= part.compute_high <= 1
        assert 0 < part.bandwidth <= 1
        assert 0 < part.memory_mib <= card.memory_gb * 1024


@pytest.mark.parametrize("card", cards.table(), ids=lambda card: card.card)
def test_a_card_is_found_by_its_own_name(card: cards.Card) -> None:
    reading = read_name(card.name, memory_gib=card.memory_gb)
    assert reading.gpu == card.card
