"""Hardware of AWS's GPU types: aws_instances.csv, completed by the table of the documentation.

The answers with prices hold no hardware. The table beside this file knows shares and card forms, which the
documentation does not say; the documentation knows types newer than the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from gpurent.adapters.contract import OUT_OF_SCOPE, Part, ShapeChanged
from gpurent.adapters.reading import NO_GPU, Row, table
from gpurent.offer import Reject

GPU_TYPE = re.compile(r"(?:p|gr?)\d")  # families p and g are the ones with GPUs
FACTS = (
    "gpu", "gpu_count", "gpu_share", "share_profile", "gpu_memory_gib", "gpu_link", "vcpus", "threads_per_core",
    "cpu_model", "ram_gib", "disk_class", "disk_gib", "fabric", "fabric_gbit_s",
)  # fmt: skip
FACTS_ONLY = OUT_OF_SCOPE + "facts of a type, no price"

Sizes = dict[str, dict[str, str]]  # type -> facts as Offer fields


@cache
def known() -> Sizes:
    """Facts of the types of aws_instances.csv."""
    sizes: Sizes = {}
    for row in table(__package__, "aws_instances"):
        sizes[row["instance"]] = {key: row[key] for key in FACTS if row[key]}
        if row["disk_class"] == "network-ssd" and row["ebs_baseline_mbyte_s"]:  # no other disk: the EBS cap is its rate
            sizes[row["instance"]] |= {
                "disk_read_mbyte_s": row["ebs_baseline_mbyte_s"], "disk_iops": row["ebs_baseline_iops"],
            }  # fmt: skip
    return sizes


def documented(part: Part) -> Iterator[tuple[str, object]]:
    """Rows of the documentation's tables that have processor and accelerators, by column name."""
    from bs4 import BeautifulSoup

    found, page = False, part.body.decode("utf-8", "replace")
    for number, one in enumerate(BeautifulSoup(page, "html.parser").find_all("table")):
        head = [cell.get_text(" ", strip=True) for cell in one.find_all("th")]
        if {"Instance type", "Processor", "Accelerators"} <= set(head):
            found = True
            for index, line in enumerate(one.find_all("tr")):
                if cells := [cell.get_text(" ", strip=True) for cell in line.find_all("td")]:
                    yield f"table[{number}].tr[{index}]", dict(zip(head, cells, strict=False))
    if not found:
        raise ShapeChanged(f"{part.name}.table", "none with Instance type, Processor, Accelerators")


def learn(row: Row, sizes: Sizes) -> Iterator[Reject]:
    """Complete what is known of a type; the row itself is no offer."""
    name = row.need_text("Instance type")
    card = re.fullmatch(r"(\d{1,2}) x ((?:NVIDIA|AMD) .+)", row.text("Accelerators") or "")
    if not GPU_TYPE.match(name) or not card or card[1] == "0":
        raise row.bad("Accelerators", NO_GPU)
    memory = row.text("Accelerator memory") or ""  # "24 GB", "320 GB" of eight, "8 x 40 GB"
    gb, total = re.search(r"\d x (\d{1,5}) GB", memory), re.match(r"(\d{1,6}) GB", memory)
    told = {
        "gpu": card[2], "gpu_count": card[1], "vcpus": row.text("vCPUs"), "cpu_model": row.text("Processor"),
        "threads_per_core": row.text("Threads per core"), "ram_gib": (row.text("Memory (GiB)") or "").replace(",", ""),
        "gpu_memory_gib": gb[1] if gb else f"{int(total[1]) / int(card[1]):g}" if total else None,
    }  # fmt: skip
    sizes[name] = {key: value for key, value in told.items() if value} | sizes.get(name, {})
    raise row.bad("Instance type", FACTS_ONLY)
