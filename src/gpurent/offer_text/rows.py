"""Rows other tools print: Vast's search table, SkyPilot's and dstack's lists. Columns by position, header or not."""

from __future__ import annotations

import re

from gpurent.offer_text.facts import Facts
from gpurent.offer_text.instances import fill_instance
from gpurent.offer_text.scan import Scan
from gpurent.price_text import find_prices

_VAST_COLUMNS = [
    "ID", "CUDA", "N", "Model", "PCIE", "cpu_ghz", "vCPUs", "RAM", "VRAM", "Disk", "$/hr", "DLP", "DLP/$", "score",
    "NV_Driver", "Net_up", "Net_down", "R", "Max_Days", "mach_id", "status", "host_id", "ports", "country",
]  # fmt: skip
_VAST_HEAD = re.compile(r"^\s*#?\s*ID\s+CUDA\s+N(?:um)?\s+Model\s[^\n]*\$/hr[^\n]*$", re.MULTILINE)
_VAST_ROW = re.compile(r"^\s*\d{4,10}\s+\d{1,2}\.\d\s+\d{1,2}x?\s+[A-Z]\w{1,30}\s[^\n]*$", re.MULTILINE)
_SKY_HEAD = re.compile(r"^\s*(?:GPU|ACCELERATOR)\S*\s+QTY\s+CLOUD\s[^\n]*$", re.MULTILINE | re.IGNORECASE)
_SKY = re.compile(
    r"^\s*(?P<gpu>[A-Za-z][\w.-]{1,30})\s+(?P<n>\d{1,3})\s+(?P<cloud>[A-Za-z][A-Za-z0-9-]{1,20})\s+(?P<sku>\S{2,60})\s+"
    r"(?P<mem>-|\d{1,4}(?:\.\d)?(?:GB|GiB)?)\s+(?P<v>-|\d{1,4}(?:\.\d)?)\s+(?P<ram>-|\d{1,5}(?:\.\d)?(?:GB|GiB)?)\s+"
    r"(?P<p>-|\$\s?\d{1,6}(?:\.\d{1,6})?)(?:\s+(?P<s>-|\$\s?\d{1,6}(?:\.\d{1,6})?))?(?:\s+(?P<region>[a-z]\S{2,30}))?\s*$",
    re.MULTILINE,
)
_DSTACK = re.compile(
    r"(?P<backend>[a-z][a-z-]{1,20})\s+\((?P<region>[\w-]{2,30})\)\s+cpu=(?P<v>\d{1,4})\s+mem=(?P<ram>\d{1,6})GB"
    r"(?:\s+disk=(?P<disk>\d{1,6})GB)?\s+(?P<gpu>[A-Za-z][\w-]{1,30})(?::(?P<mem>\d{1,4})GB)?(?::(?P<n>\d{1,3}))?"
    r"(?:\s+(?P<spot>\(?spot\)?))?(?:\s+(?P<sku>[\w.-]{3,60}))?\s+(?P<p>\$\s?\d{1,6}(?:\.\d{1,6})?)(?:\s+\(?(?P<spot2>spot)\)?)?",
    re.IGNORECASE,
)


def heads(text: str) -> list[re.Match[str]]:
    """The header lines of known tables in a text."""
    return [match for pattern in (_VAST_HEAD, _SKY_HEAD) for match in pattern.finditer(text)]


def read_row(scan: Scan, facts: Facts) -> bool:
    """One row of a known table: its columns go to the facts. False: there is none."""
    return _vast(scan, facts) or _sky(scan, facts) or _dstack(scan, facts)


def _number(cell: str) -> float | None:
    match = re.match(r"\d{1,9}(?:\.\d{1,6})?", cell)
    return float(match.group()) if match else None


def _vast(scan: Scan, facts: Facts) -> bool:
    head = scan.first(_VAST_HEAD)
    row = scan.first(_VAST_ROW)
    if not row:
        return False
    cells = row.group().split()
    columns = head.group().replace("#", " ").split() if head else _VAST_COLUMNS
    if not head and len(cells) == len(columns) - 1:
        columns = [column for column in columns if column != "VRAM"]
    if len(cells) < len(columns) - 4:
        return False
    cell = dict(zip(columns, cells, strict=False))
    known = facts.known
    known.update(
        provider="vast-ai",
        gpu=cell["Model"].replace("_", " "),
        gpu_count=int(_number(cell["N"]) or 1),
        listing=cell["ID"],
    )
    for column, key, scale in (
        ("PCIE", "host_to_gpu_gbyte_s", 1.0), ("vCPUs", "vcpus", 1.0), ("RAM", "ram_gib", 1.0),
        ("VRAM", "gpu_memory_gib", 1.0), ("Disk", "disk_gib", 1.0), ("Net_down", "download_mbit_s", 1.0),
        ("R", "reliability", 0.01),
    ):  # fmt: skip
        value = _number(cell.get(column, ""))
        if value:
            known[key] = value * scale
    memory = known.get("gpu_memory_gib")
    if isinstance(memory, float) and memory > 1000:  # some clients print MB
        known["gpu_memory_gib"] = memory / 1024
    if "R" in cell and (_number(cell["R"]) or 0) <= 1:
        known["reliability"] = _number(cell["R"])
    known["cuda_max"] = cell["CUDA"]
    if re.match(r"\d{3}", cell.get("NV_Driver", "")):
        known["driver"] = cell["NV_Driver"]
    days = _number(cell.get("Max_Days", ""))
    if days:
        known["max_hours"] = days * 24
    if cell.get("country", "")[-2:].isalpha() and len(cell.get("country", "")) >= 2:
        known["country"] = cell["country"][-2:].upper()
    if cell.get("status"):
        known["tier"] = cell["status"]
    amount = _number(cell.get("$/hr", ""))
    if amount:
        facts.prices = find_prices(f"${cell['$/hr']}/node/h")
    return True


def _sky(scan: Scan, facts: Facts) -> bool:
    row = scan.first(_SKY)
    if not row or (row["p"] == "-" and (row["s"] or "-") == "-"):
        return False
    scan.first(_SKY_HEAD)
    known = facts.known
    fill_instance(row["sku"], facts)
    known.setdefault("gpu", row["gpu"])
    known.setdefault("gpu_count", int(row["n"]))
    known.setdefault("provider", row["cloud"].lower())
    known.setdefault("sku", row["sku"].strip("()"))
    if row["region"]:
        known.setdefault("region", row["region"])
    for name, key in (("mem", "gpu_memory_gib"), ("v", "vcpus"), ("ram", "ram_gib")):
        value = _number(row[name])
        if value:
            known.setdefault(key, value)
    if row["mem"] != "-" and int(row["n"]) > 1:  # the column is the total on some clouds, per card on others
        facts.host.vram_gib = None
    if row["p"] != "-":
        facts.prices = find_prices(f"{row['p']}/node/h")
    if row["s"] and row["s"] != "-":
        spot = find_prices(f"{row['s']}/node/h")
        if facts.prices:
            facts.spot_price = spot[0] if spot else None
        else:
            facts.prices, known["purchase"] = spot, "spot"
    if "attachable" in row["sku"]:
        facts.component_prices = ("(attachable)",)
    return True


def _dstack(scan: Scan, facts: Facts) -> bool:
    row = scan.first(_DSTACK)
    if not row:
        return False
    known = facts.known
    fill_instance(row["sku"] or "", facts)
    known.setdefault("gpu", row["gpu"])
    known.setdefault("gpu_count", int(row["n"] or 1))
    known.setdefault("provider", row["backend"].lower())
    known.setdefault("region", row["region"])
    known.setdefault("vcpus", float(row["v"]))
    known.setdefault("ram_gib", float(row["ram"]))
    if row["mem"]:
        known.setdefault("gpu_memory_gib", float(row["mem"]))
    if row["sku"]:
        known.setdefault("sku", row["sku"])
    if row["spot"] or row["spot2"]:
        known["purchase"] = "spot"
    facts.prices = find_prices(f"{row['p']}/node/h")
    return True
