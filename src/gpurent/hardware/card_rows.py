"""Cards as rows for people and programs: each rate with its evidence and source."""

from __future__ import annotations

from typing import Any

from gpurent import tables
from gpurent.hardware import cards
from gpurent.hardware.cards import Card
from gpurent.hardware.name_choice import SAID_OF_OFFERS


def card_row(card: Card) -> dict[str, Any]:
    """The facts of a card that a list shows. A measured rate goes before a documented one; none: null."""
    half, fp32 = card.half_measured_tflops, card.fp32_measured_tflops
    return {
        "card": card.card,
        "vendor": card.vendor,
        "name": card.name,
        "memory_gb": card.memory_gb,
        "form": card.form,
        "class": card.class_,
        "bandwidth_gbyte_s": card.bandwidth_gbyte_s,
        "half_tflops": half if half is not None else card.half_tflops,
        "half_evidence": _evidence(half, card.half_tflops),
        "half_source": _source(card, half, card.half_tflops),
        "fp32_tflops": fp32 if fp32 is not None else card.fp32_tflops,
        "fp32_evidence": _evidence(fp32, card.fp32_tflops),
        "fp32_source": _source(card, fp32, card.fp32_tflops),
        "link_class": card.link_class,
        "platform": card.platform,
        "status": card.status,
        "note": card.note or None,
    }


def _evidence(measured: float | None, documented: float | None) -> str | None:
    if measured is not None:
        return "measured"
    return "documented" if documented is not None else None


def _source(card: Card, measured: float | None, documented: float | None) -> str | None:
    if measured is not None:
        return card.measured_source
    return card.source if documented is not None else None


_PLAIN = ("memory_reading_mib",)  # columns that are no field of a card


def card_facts(card_id: str) -> dict[str, Any]:
    """Every column of one card, its slices, the candidate sets it belongs to, and its sources in full."""
    row = next(row for row in tables.rows("cards") if row["card"] == card_id)
    card = cards.by_id()[card_id]
    facts: dict[str, Any] = {}
    for key, cell in row.items():
        value = getattr(card, "class_" if key == "class" else key, tables.number(cell) if key in _PLAIN else cell)
        facts[key] = None if value == "" else value
    facts["labels"] = [label for label, names in cards.labels().items() if card_id in names]
    facts["slices"] = [
        {
            "share": part["share"],
            "profile": part["profile"],
            "sm_count": tables.number(part["sm_count"]),
            "compute_fraction": float(part["compute_fraction"]),
            "compute_fraction_high": float(part["compute_fraction_high"]),
            "bandwidth_fraction": float(part["bandwidth_fraction"]),
            "memory_gib": float(part["memory_mib"]) / 1024,
            "source": part["source"],
        }
        for part in tables.rows("slices")
        if part["card"] == card_id
    ]
    keys = {card.source, card.measured_source, *(part["source"] for part in facts["slices"])}
    facts["sources"] = [
        {key: source[key] or None for key in ("source", "what", "address", "commit_or_version", "date", "licence")}
        for source in tables.rows("sources")
        if source["source"] in keys
    ]
    return facts


def note_code(note: str) -> str:
    """The code of messages.toml that says a note of a reading in words."""
    return f"warning.{note}" if note in SAID_OF_OFFERS else f"gpus.note-{note}"
