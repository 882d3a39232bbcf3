"""Instance types by name: what the big clouds' machines are, by table."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

from gpurent import tables
from gpurent.offer_text.facts import Facts
from gpurent.offer_text.scan import Scan

_NUMBERS = ("gpu_count", "gpu_memory_gib", "vcpus", "threads_per_core", "ram_gib", "disk_gib")
_AZURE_CARD = r"A100|H100|H200|A10|T4|MI300X|V620|V710|GB[23]00|RTXPRO6000BSE"
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9._-])(?:standard[_ ])?"
    rf"(?:N[CDGVP]\d{{1,3}}[a-z]{{0,6}}(?:[_ ](?:xl|NDR))?(?:[_ ](?:{_AZURE_CARD}))?[_ ]v\d"
    r"|[A-Za-z0-9][A-Za-z0-9_.-]{2,60}[A-Za-z0-9])(?![A-Za-z0-9])",
    re.IGNORECASE,
)
# A type's name by its form: Huawei's p2s.2xlarge.8, Tencent's GN10Xp.2XLARGE40, ecs.pni2.3xlarge.
_UNKNOWN = re.compile(
    r"(?<![A-Za-z0-9._-])(?:ecs\.)?[a-z][a-z0-9-]{1,24}\.(?:\d{1,2}x|x)?large(?:\.?\d{1,4})?(?![A-Za-z0-9._-])",
    re.IGNORECASE,
)
_VULTR = re.compile(
    r"(?<![a-z0-9])vcg-(?P<gpu>[a-z0-9]+)-(?P<c>\d{1,3})c-(?P<g>\d{1,4})g-(?P<v>\d{1,4})vram(?![a-z0-9])", re.IGNORECASE
)


@cache
def table() -> dict[str, dict[str, str]]:
    """Rows of tables/instances.csv by lower-case name, Azure's without its "Standard_" as well."""
    rows = {}
    for row in tables.rows("instances"):
        name = row["sku"].lower()
        rows[name] = row
        rows[name.removeprefix("standard_")] = row
    return rows


def names_instance(text: str) -> bool:
    """Whether a text names a known instance type."""
    if _VULTR.search(text):
        return True
    return any(match.group().lower().replace(" ", "_") in table() for match in _TOKEN.finditer(text))


def read_instance(scan: Scan, facts: Facts) -> None:
    """The first instance type a text names: its hardware goes to the facts, its name is blanked."""
    match: re.Match[str] | None
    for match in _TOKEN.finditer(scan.left):
        if fill_instance(match.group(), facts):
            scan.blank(*match.span())
            return
    match = _VULTR.search(scan.left)
    if match:
        scan.blank(*match.span())
        _vultr(match, facts)
        return
    match = _UNKNOWN.search(scan.left)
    if match:  # its hardware is not known, but its numbers count no cards
        scan.blank(*match.span())
        facts.known.setdefault("sku", match.group())


def fill_instance(name: str, facts: Facts) -> bool:
    """Put an instance type's hardware into the facts that are still open. False: no type of that name is known."""
    row = table().get(name.lower().replace(" ", "_"))
    if row is None:
        return False
    for key in ("sku", "provider", "gpu", "gpu_share", "share_profile", "gpu_link", "cpu_model", "disk_class"):
        if row[key]:
            facts.known.setdefault(key, row[key])
    for key in _NUMBERS:
        if row[key]:
            facts.known.setdefault(key, float(row[key]))
    facts.instance = True
    return True


def _vultr(match: re.Match[str], facts: Facts) -> None:
    """Vultr's plan names say card, vCPUs, RAM and card memory; less memory than the card has is a slice of it."""
    gpu, memory = match["gpu"].upper(), int(match["v"])
    facts.known.update(
        provider="vultr", sku=match.group().lower(), gpu=gpu, vcpus=float(match["c"]), ram_gib=float(match["g"])
    )
    sizes = [int(float(row["memory_gb"])) for row in tables.rows("cards") if row["family"] == match["gpu"].lower()]
    whole = max(sizes, default=0)
    if whole and memory < whole:  # the plans are cut from the largest card of the name
        facts.known.update(gpu_share="vgpu", share_profile=str(Fraction(memory, whole)), gpu_memory_gib=float(memory))
    elif whole and memory > whole and memory % whole == 0:
        facts.known.update(gpu_count=memory // whole, gpu_memory_gib=float(whole))
    else:
        facts.known.update(gpu_memory_gib=float(memory))
