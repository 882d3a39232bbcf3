"""Names of cards: made-up spellings, real ones, and what must never become another card."""

from __future__ import annotations

import csv
import re
from typing import Any

import pytest

from gpurent.hardware import cards
from gpurent.hardware.names import near_names, provider_key, read_name
from tests.hardware.spellings import SPELLINGS, WILD, Meant
from tests.shared import shared


@pytest.mark.parametrize(("text", "meant", "also"), SPELLINGS, ids=[text[:60] for text, _, _ in SPELLINGS])
def test_spelling(text: str, meant: Meant, also: dict[str, Any]) -> None:
    reading = read_name(text)
    if isinstance(meant, str):
        assert (reading.gpu, reading.candidates) == (meant, ())
    else:
        assert reading.gpu is None
        assert set(reading.candidates) == set(meant or ())
    found = {
        "n": reading.gpu_count,
        "share": reading.gpu_share,
        "profile": reading.share_profile,
        "mem": reading.gpu_memory_gib,
    }
    assert {key: found[key] for key in also} == also


def test_spellings_in_the_wild() -> None:
    missed = []
    for row in WILD:
        one = read_name(row["text"], provider=row["provider"] or None)
        found = {
            "gpu": one.gpu or "", "candidates": ";".join(one.candidates), "gpu_count": one.gpu_count,
            "gpu_share": one.gpu_share, "share_profile": one.share_profile, "gpu_memory_gib": one.gpu_memory_gib,
        }  # fmt: skip
        meant = {key: value for key, value in row.items() if value or key in ("gpu", "candidates")}
        del meant["text"]
        meant.pop("provider", None)
        said = {key: f"{value:g}" if isinstance(value, int | float) else value for key, value in found.items()}
        if {key: said[key] for key in meant} != meant:
            missed.append((row["text"], said, meant))
    assert not missed
    assert len(WILD) > 1200


def test_every_made_up_card_exists() -> None:
    named = {name for _, meant, _ in SPELLINGS for name in ((meant,) if isinstance(meant, str) else meant or ())}
    assert named <= set(cards.by_id())


@pytest.mark.parametrize(
    ("text", "keywords", "gpu", "share", "profile"),
    [
        ("A100", {"memory_gib": 39.5}, None, "whole", None),
        ("RTX 6000", {"provider": "DigitalOcean"}, "rtx-6000-ada", "whole", None),
        ("RTX6000", {"provider": "linode"}, "quadro-rtx-6000", "whole", None),
        ("RTX 6000", {"memory_gib": 48}, "rtx-6000-ada", "whole", None),
        ("RTX 4090", {"memory_gib": 22.5}, "rtx-4090", "whole", None),
        ("RTX 4090", {"memory_gib": 48}, "rtx-4090-48gb", "whole", None),
        ("RTX 4080S", {"memory_gib": 31.99}, "rtx-4080-super-32gb", "whole", None),
        ("RTX 3080", {"memory_gib": 20}, "rtx-3080-20gb", "whole", None),
        ("RTX 2080 Ti", {"memory_gib": 22}, "rtx-2080-ti-22gb", "whole", None),
        ("CMP 170HX", {"memory_gib": 64}, "cmp-170hx-64gb", "whole", None),
        ("B300", {"memory_gib": 275040 / 1024}, "b300", "whole", None),
        ("H200 NVL", {"memory_gib": 143}, "h200-nvl-141gb", "whole", None),
        ("H100 PCIe", {"memory_gib": 94}, "h100-nvl-94gb", "whole", None),
        ("A10", {"memory_gib": 4}, "a10", "unknown", None),
        ("A10", {"memory_gib": 12, "provider": "azure"}, "a10", "unknown", None),
        ("A100-SXM4-80GB", {"memory_gib": 10}, "a100-sxm-80gb", "mig", "1g.10gb"),
        ("A100-SXM4-80GB", {"memory_gib": 20}, "a100-sxm-80gb", "mig", None),
        ("NVIDIA A100", {"memory_gib": 40, "provider": "vultr"}, "a100-pcie-80gb", "vgpu", None),
        ("NVIDIA A100", {"memory_gib": 80, "provider": "Vultr"}, "a100-pcie-80gb", "whole", None),
        ("V100 (32 GB)", {"provider": "OVH"}, "v100s-pcie-32gb", "whole", None),
        ("H100T", {}, "h100-sxm-80gb", "whole", None),
        ("RTX 4090 x4", {"memory_gib": 24}, "rtx-4090", "whole", None),
        ("RTX 5090", {"memory_gib": 64}, None, None, None),
        ("L4", {"memory_gib": 300}, None, None, None),
    ],
)
def test_what_is_known_apart_decides(
    text: str, keywords: dict[str, Any], gpu: str | None, share: str | None, profile: str | None
) -> None:
    reading = read_name(text, **keywords)
    assert (reading.gpu, reading.gpu_share, reading.share_profile) == (gpu, share, profile)


def test_memory_above_the_card_is_no_card_at_all() -> None:
    reading = read_name("RTX 4090", memory_gib=80)
    assert (reading.gpu, reading.candidates) == (None, ())
    assert "memory-above-card" in reading.notes


def test_memory_of_all_cards_is_divided() -> None:
    reading = read_name("H200", memory_gib=8 * 141, gpu_count=8)
    assert reading.gpu_memory_gib == 141
    assert set(reading.candidates) == {"h200-sxm-141gb", "h200-nvl-141gb"}


def test_a_name_that_hides_its_card() -> None:
    reading = read_name("vGPU-32GB * 1卡")
    assert (reading.gpu, reading.candidates, reading.gpu_share, reading.gpu_memory_gib) == (None, (), "unknown", 32)
    assert reading.notes == ("virtual-name",)


def test_providers_by_any_name() -> None:
    assert provider_key("Vast.ai") == provider_key("vast") == "vast-ai"
    assert provider_key("Vultr (plan id)") == "vultr"
    assert provider_key("somebody new") == "somebody new"
    assert provider_key(None) == ""


def test_near_names_are_no_reading() -> None:
    assert read_name("RTX 4009").gpu is None
    assert "rtx-4090" in near_names("RTX 4009")
    assert near_names("zzzzzzzz") == ()


# --- real spellings ------------------------------------------------------------------------------------------------

_SAME = {
    "RTX 4080 SUPER 32GB (modded)": "rtx-4080-super-32gb",
    "RTX 4090 48GB (modded)": "rtx-4090-48gb",
    "RTX 3090 48GB (modded)": "rtx-3090-48gb",
    "V520": "radeon-pro-v520-8gb",
    "V620": "radeon-pro-v620-32gb",
    "M60": "m60-8gb",
    "Ascend 910B": "ascend-910b2",
    "GTX TITAN X": "gtx-titan-x",
    "H100 (Mega)": "h100-sxm-80gb",
    "RTX PRO 6000 SE": "rtx-pro-6000-se",
    "RTX PRO 6000 WS": "rtx-pro-6000-ws",
    "RTX PRO 6000 Max-Q": "rtx-pro-6000-max-q",
    "RTX 4000 SFF Ada": "rtx-4000-sff-ada",
}


def _meant(row: dict[str, str]) -> set[str]:
    """Our cards that a canonical reading of the alias table (name, memory, form) can be."""
    name = row["canonical"]
    if name in _SAME:
        return {_SAME[name]}
    if "undisclosed" in name or name == "vGPU8 slice":
        return set()
    if name == "A100/H100":
        return {card.card for card in cards.table() if card.family in ("a100", "h100")}
    family = name.lower().replace(" ", "-").replace("h100-nvl", "h100").replace("h200-nvl", "h200")
    found = list(cards.families()[family])
    if "NVL" in name:
        found = [card for card in found if card.edition == "nvl"]
    elif name in ("H100", "H200"):
        found = [card for card in found if card.edition != "nvl"]
    form = row["form_factor"]
    if form.startswith("SXM"):
        found = [card for card in found if card.form in ("sxm", "superchip")] or found
    elif form in ("PCIe", "PCIe+NVLink"):
        found = [card for card in found if card.form == "pcie"] or found
    memory = re.match(r"\d+", row["memory_gb"])
    if memory and not re.search(r"MIG|/\d|fraction|total", row["share_of_card"]):
        near = min(abs(card.memory_gb - int(memory.group())) for card in found)
        found = [card for card in found if abs(card.memory_gb - int(memory.group())) <= near + 0.6]
    return {card.card for card in found if card.listed != "named"}


@pytest.mark.parametrize("told", ["text", "provider", "memory"])
def test_real_spellings_are_never_sure_and_wrong(told: str) -> None:
    with shared("data/gpu_aliases.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    right, open_, wrong, unread = 0, 0, [], []
    for row in rows:
        known: dict[str, Any] = {} if told == "text" else {"provider": row["provider"]}
        if told == "memory" and row["memory_gb"].replace(".", "").isdigit():
            known["memory_gib"] = float(row["memory_gb"])
        reading, meant = read_name(row["raw"], **known), _meant(row)
        if reading.gpu is not None and reading.gpu not in meant:
            wrong.append((row["raw"], row["provider"], reading.gpu))
        elif reading.gpu is not None or not meant:
            right += 1
        elif meant & set(reading.candidates):
            open_ += 1
        else:
            unread.append((row["raw"], row["memory_gb"]))
    assert len(rows) == 492
    assert not wrong
    assert len(unread) <= (1 if told == "memory" else 0), unread  # a laptop card with twice its memory
    assert right >= {"text": 390, "provider": 405, "memory": 438}[told]
    assert right + open_ + len(unread) == len(rows)


def test_real_offers_read_as_expected() -> None:
    with shared("data/baseline_offers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        memory = float(row["gpu_memory_gib"])
        reading = read_name(row["gpu"], provider=row["provider"], memory_gib=memory)
        expected = row["expected_card"]
        if expected in cards.labels():
            assert (reading.gpu, set(reading.candidates)) == (None, set(cards.labels()[expected])), row
        else:
            assert reading.gpu == expected, row
    assert len(rows) == 883
