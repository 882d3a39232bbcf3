"""Every table of the product: readable, clean cells, units in names, sources, dates, ranges, foreign keys.

The checks go by column names, so a new table is held to them without being listed here.
"""

from __future__ import annotations

import csv
import math
import unicodedata
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from functools import cache
from pathlib import Path

import pytest

from tests.shared import ROOT

FOLDER = ROOT / "src" / "gpurent" / "tables"
TABLES = sorted(str(path.relative_to(FOLDER).with_suffix("")) for path in FOLDER.rglob("*.csv"))
NEWEST = date(2026, 11, 30)
OLDEST = date(2010, 1, 1)

# Words and spellings: they hold no measured number, so they need no date of their own.
UNDATED = {"aliases", "card_labels", "name_words", "sources"}
UNSOURCED = {"card_labels", "name_words", "sources"}
ANY = "*"  # a hint that holds for every provider
SPACED = {"name_words"}  # what a word is replaced with may end in a space

UNITS = {
    "bytes", "kib", "mib", "gib", "gb", "gbyte", "mbyte", "gbit", "mbit", "tflops", "tflop", "flops", "w", "s", "ms",
    "iops", "hour", "h", "month", "months", "usd", "eur", "price", "ghz", "mhz",
}  # fmt: skip
# Names of counts, ratios and scores: what they count or compare says the unit.
UNITLESS = {
    "count", "gpus", "vcpus", "cores", "threads", "offers", "stated", "runs", "rows", "regions", "servers", "machines",
    "readings", "cards", "disks", "share", "fraction", "factor", "efficiency", "spread", "ratio", "median", "p90",
    "score", "year", "gen", "lanes", "capability", "instances", "batch", "size", "rate", "value", "n", "pass",
    "samples", "units", "accelerators", "index", "workers", "utilisation",
}  # fmt: skip
# Columns whose numbers are names.
NAMES = {
    "unit", "sku", "cpu", "spelling", "measured_size", "commit_or_version", "commit", "profile", "share_profile",
    "word", "page", "chip", "name", "note", "source_path", "container", "size", "task", "software_date",
}  # fmt: skip
PER_UNIT_ROW = {"value", "rate", "gpus_2", "gpus_4", "gpus_8", "measured"}  # the row's `unit` or `quantity` says it

RANGES = {
    "share": (0, 1), "fraction": (0, 1), "efficiency": (0, 1), "spread": (0, 2), "year": (2007, 2027),
    "threads_per_core": (1, 8), "gpu_count": (1, 1024), "n_gpus": (1, 100_000), "pcie_gen": (1, 7),
    "pcie_lanes": (1, 16), "ram_gib": (1, 131_072), "gpu_memory_gib": (0.2, 4096), "memory_mib": (256, 600_000),
    "vcpus": (0.1, 8192), "tdp_w": (20, 3000), "host_to_gpu_gbyte_s": (0.1, 1000), "disk_read_mbyte_s": (1, 1e6),
    "price": (1e-9, 1e6), "boot_s": (1, 86_400), "term_months": (0.01, 120), "interruptions_per_hour": (0, 1),
    "batch": (1, 1e7), "compute_capability": (2, 20),
}  # fmt: skip
UNIQUE = {"providers": "provider", "cards": "card", "links": "link", "disks": "disk", "sources": "source",
          "cpu_families": "family", "cpus": "cpu", "sparecores/cpu_scores": "cpu"}  # fmt: skip


@cache
def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, restkey="\0more", restval="\0missing"))


def cells(name: str) -> Iterator[tuple[int, str, str]]:
    """(line, column, cell) of every cell that is not empty."""
    for line, row in enumerate(rows(name), 2):
        for column, cell in row.items():
            if cell:
                yield line, column, cell


def is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


@cache
def numeric_columns(name: str) -> tuple[str, ...]:
    """Columns in which most cells are numbers; a column of 0 and 1 is a flag."""
    found = []
    for column in rows(name)[0]:
        filled = [row[column] for row in rows(name) if row[column]]
        flag = set(filled) <= {"0", "1"}
        if column not in NAMES and not flag and filled and sum(map(is_number, filled)) > 0.8 * len(filled):
            found.append(column)
    return tuple(found)


def keys(table: str, column: str) -> set[str]:
    return {row[column] for row in rows(table)}


@pytest.mark.parametrize("name", TABLES)
def test_form(name: str) -> None:
    assert rows(name), "no rows"
    header = list(rows(name)[0])
    assert all(column and column == column.lower() and column.replace("_", "").isalnum() for column in header)
    text = (FOLDER / f"{name}.csv").read_text(encoding="utf-8")
    assert not text.startswith("\ufeff")
    assert "\r" not in text
    for line, column, cell in cells(name):
        where = f"{name}.csv line {line}, {column}: {cell[:60]!r}"
        assert "\0" not in column + cell, f"ragged: {where}"
        assert cell == unicodedata.normalize("NFC", cell), where
        assert cell == cell.strip() or name in SPACED, where
        assert not any(unicodedata.category(character)[0] == "C" for character in cell), where
        assert len(cell) <= 400, where
        assert "/work/" not in cell, where
        assert "/tmp/" not in cell, where


@pytest.mark.parametrize("name", TABLES)
def test_numbers_are_numbers(name: str) -> None:
    numeric = set(numeric_columns(name))
    prose = [(line, column, cell) for line, column, cell in cells(name) if column in numeric and not is_number(cell)]
    assert prose == []


@pytest.mark.parametrize("name", TABLES)
def test_units_stand_in_names(name: str) -> None:
    known = UNITS | UNITLESS
    bare = [
        column
        for column in numeric_columns(name)
        if not set(column.split("_")) & known
        and not ({"unit", "quantity"} & set(rows(name)[0]) and column in PER_UNIT_ROW)
    ]
    assert bare == []


@pytest.mark.parametrize("name", [name for name in TABLES if "key" in rows(name)[0] and "value" in rows(name)[0]])
def test_single_numbers(name: str) -> None:
    assert [key for key, count in Counter(row["key"] for row in rows(name)).items() if count > 1] == []
    for row in rows(name):
        assert row["unit"], row["key"]
        assert is_number(row["value"]), row["key"]


@pytest.mark.parametrize("name", [name for name in TABLES if name not in UNSOURCED])
def test_sources(name: str) -> None:
    known = keys("sources", "source")
    header = rows(name)[0]
    assert "source" in header
    assert [line for line, row in enumerate(rows(name), 2) if not row["source"]] == []
    columns = [column for column in header if column == "source" or column.endswith("_source")]
    unknown = {(column, cell) for _, column, cell in cells(name) if column in columns and cell not in known}
    assert unknown == set()


def test_sources_can_be_opened() -> None:
    for row in rows("sources"):
        place = row["address"]
        assert place.startswith("https://") or (ROOT / place).exists(), row
        assert row["licence"], row
        assert row["what"], row


@pytest.mark.parametrize("name", TABLES)
def test_dates(name: str) -> None:
    header = rows(name)[0]
    assert name in UNDATED or "as_of" in header or "observed_at" in header
    for line, row in enumerate(rows(name), 2):
        for column in ("as_of", "observed_at", "date"):
            if column not in header or (column == "date" and not row[column]):
                continue
            day = datetime.fromisoformat(row[column]).date()
            assert OLDEST <= day <= NEWEST, f"{name}.csv line {line}: {row[column]}"


@pytest.mark.parametrize("name", TABLES)
def test_ranges(name: str) -> None:
    numeric = set(numeric_columns(name))
    for line, column, cell in cells(name):
        if column not in numeric or column.endswith("_stated"):
            continue
        value, where = float(cell), f"{name}.csv line {line}, {column}: {cell}"
        assert value >= 0, where
        for word, (low, high) in RANGES.items():
            base = column.removesuffix("_low").removesuffix("_high").removesuffix("_min").removesuffix("_max")
            if base == word or (word in ("share", "fraction", "efficiency", "spread") and word in column.split("_")):
                assert low <= value <= high, where


@pytest.mark.parametrize("name", TABLES)
def test_low_is_not_above_high(name: str) -> None:
    for line, row in enumerate(rows(name), 2):
        for column in row:
            other = column.removesuffix("_low") + "_high"
            if column.endswith("_low") and is_number(row[column]) and is_number(row.get(other, "")):
                assert float(row[column]) <= float(row[other]), f"{name}.csv line {line}, {column}"


@pytest.mark.parametrize("name", TABLES)
def test_foreign_keys(name: str) -> None:
    known = {
        "card": keys("cards", "card"),
        "provider": keys("providers", "provider"),
        "via": keys("providers", "provider"),
        "gpu_link": keys("links", "link"),
        "disk_class": keys("disks", "disk_class"),
        "disk_class_low": keys("disks", "disk_class"),
        "disk_class_high": keys("disks", "disk_class"),
        "task": keys("tasks", "task"),
        "currency": {column[:3].upper() for column in rows("fx")[0] if column.endswith("_per_eur")} | {"EUR"},
    }
    many = {"cards": keys("cards", "card"), "candidates": keys("cards", "card")}
    for line, column, cell in cells(name):
        where = f"{name}.csv line {line}, {column}: {cell!r}"
        if column in known:
            assert cell in known[column] or (column == "provider" and cell == ANY), where
        elif column in many and not is_number(cell):
            assert set(cell.replace("|", ";").split(";")) - {""} <= many[column], where


@pytest.mark.parametrize(("name", "column"), UNIQUE.items())
def test_unique_keys(name: str, column: str) -> None:
    assert [key for key, count in Counter(row[column] for row in rows(name)).items() if count > 1 or not key] == []


def test_provider_spellings_are_unambiguous() -> None:
    spelled: Counter[str] = Counter()
    for row in rows("providers"):
        spelled.update({row["provider"], row["title"].lower(), *row["aliases"].lower().split("|")} - {""})
    assert [name for name, count in spelled.items() if count > 1] == []


def test_share_alike_tables_stand_apart_with_their_notice() -> None:
    """Tables of many SpareCores rows stand in their folder; elsewhere its key marks single facts and fitted numbers."""
    notice = (FOLDER / "sparecores" / "NOTICE").read_text(encoding="utf-8")
    assert "Creative Commons Attribution-ShareAlike 4.0" in " ".join(notice.split())
    for path in (FOLDER / "sparecores").glob("*.csv"):
        assert path.name in notice
        assert {row["source"] for row in rows(f"sparecores/{path.stem}")} == {"sparecores-inspector-804d3c71"}


def test_every_table_is_described() -> None:
    text = (ROOT / "DATA_SOURCES.md").read_text(encoding="utf-8")
    assert [name for name in TABLES if f"{Path(name).name}.csv" not in text] == []
