"""Build tables/catalogue.csv from a list of published offers.

    python tools/make_catalogue.py PATH/baseline_offers.csv

The input has one published price a row; the output has the offers-file keys that are known, the price exactly as it was
published, and a source that can be opened. Rows that cannot be defended are left out
and counted by reason on stderr; DATA_SOURCES.md repeats the counts.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

TABLES = Path(__file__).resolve().parents[1] / "src" / "gpurent" / "tables"

KEPT = (
    "provider", "via", "sku", "region", "country", "tier", "purchase", "gpu", "gpu_count", "gpu_share", "share_profile",
    "gpu_memory_gib", "gpu_link", "vcpus", "cpu_model", "ram_gib", "disk_class", "disk_gib", "disk_read_mbyte_s",
    "term_months", "currency", "billing_increment_s", "minimum_billed_s", "stock", "observed_at", "cpu_basis",
    "disk_basis", "link_basis",
)  # fmt: skip
COLUMNS = (
    "provider", "via", "sku", "region", "country", "tier", "purchase", "gpu", "gpu_count", "gpu_share", "share_profile",
    "gpu_memory_gib", "gpu_link", "host_to_gpu_gbyte_s", "vcpus", "cpu_model", "ram_gib", "disk_class", "disk_gib",
    "disk_read_mbyte_s", "price", "price_unit", "price_per", "currency", "term_months", "tax_included",
    "billing_increment_s", "minimum_billed_s", "storage_per_gib_month", "storage_stopped_per_gib_month",
    "egress_per_gib", "ingress_per_gib", "stock", "observed_at", "source", "page", "source_path", "hardware_source",
    "measured_source", "cpu_basis", "disk_basis", "link_basis", "note",
)  # fmt: skip

# what a provider charges in the same way for all its own machines: from providers.csv where the row does not say
TERMS = (
    "billing_increment_s", "minimum_billed_s", "storage_per_gib_month", "storage_stopped_per_gib_month",
    "egress_per_gib", "ingress_per_gib",
)  # fmt: skip

# repository@commit (as far as the list gives the commit) -> key of sources.csv
REPOSITORIES = {
    "getcomputable/gpu-index@055204adf5e64e62595f97c49b7eb65400149871": "gpu-index-055204ad",
    "getcomputable/gpu-index@38e515c00ad4c186cddb1ca004f18168cfd0d223": "gpu-index-38e515c0",
    "getcomputable/gpu-index@5cf4f70300c2b36edc450ddba39c6dbb98b00a3f": "gpu-index-5cf4f703",
    "getcomputable/gpu-index@1ef852daee274695588cfdcb199703da8aa9db2a": "gpu-index-1ef852da",
    "getcomputable/gpu-index@f78dffff2c169d009392ba355f5d5d7901e55826": "gpu-index-f78dffff",
    "getcomputable/gpu-index@d05766b3e644c397de0f6f87b02720278bfa9ee8": "gpu-index-d05766b3",
    "getcomputable/gpu-index@8672335c3fd13551a8e310dbd26540aa2a9d771f": "gpu-index-8672335c",
    "getcomputable/gpu-index@ccf4ba8c12de8350a1aca12b3b83cdcf8f029057": "gpu-index-ccf4ba8c",
    "aws/karpenter-provider-aws@6fc13b5236fd04fd16ff3f9dc7490d0813994099": "karpenter-aws-6fc13b52",
    "aws/karpenter-provider-aws@1d927085dd81a9df9301e613f371dac5b4d16bfe": "karpenter-aws-1d927085",
    "cloudpilot-ai/karpenter-provider-gcp@373e2baa9665c864d29ae686dfadbc0dd97d8bb8": "karpenter-gcp-373e2baa",
    "Azure/karpenter-provider-azure@2b431da153a6a92b705c18046512c60b1631b682": "karpenter-azure-2b431da1",
    "yottalabsai/skypilot@8908dde06c855442e1aa3795b0f211823bb82007": "skypilot-8908dde0",
    "tardellirs/gpu-pricing@8f09a68030967f5c269c304493abf0911dd19858": "gpu-pricing-8f09a680",
    "skypilot-org/skypilot-catalog@000c1d0bf24621f4ac37cfa585f0897c1aa1d9cf": "skypilot-catalog-000c1d0b",
    "skypilot-org/skypilot-catalog@0082b0435f3912ae4c566856b272455cc78f4f61": "skypilot-catalog-0082b043",
    "the-full-stack/website@2bddc6d52544dc258e7e34396c6958377f72816b": "full-stack-2bddc6d5",
    "PrimeIntellect-ai/prime-cli@6744759987beeea7183e98798d1a29fce3a0740a": "prime-cli-67447599",
    "linode/linodego@a2241c8": "linodego-a2241c8",
    "munkhbayarbr/gpu-radar@2ab570f4549e3e67803a8cec9d4ea67035c1df2a": "gpu-radar-2ab570f4",
    "scaleway/scaleway-cli@eaa6547": "scaleway-cli-eaa6547",
    "acaracappa/cloud-gpu-shopper@e3220c5": "cloud-gpu-shopper-e3220c5",
}
# pages read without a repository in between -> key of sources.csv
PAGES = {
    "https://www.autodl.com/home": "autodl-home-2026-09-24",
    "https://www.ovhcloud.com/fr/public-cloud/prices/": "ovhcloud-prices",
    "https://fal.ai/pricing": "fal-pricing",
    "https://www.gongjiyun.com/pricing": "gongji-pricing",
    "https://docs.runpod.io/serverless/pricing": "runpod-serverless-pricing",
    "https://www.runpod.io/pricing": "runpod-pricing",
    "https://matpool.com/api/machines": "matpool-machines",
    "https://www.compshare.cn/price-list": "compshare-prices",
    "https://modal.com/pricing": "modal-pricing",
    "https://lium.io/api/public/v1/nodes": "gpuhunt-0.1.34",
}
REPOSITORY = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+@[0-9a-f]{7,40}):(?P<path>[^\s)]+)")
PAGE = re.compile(r"https://[^\s();]+")
# words of a note -> key of the source that the sizes (vCPUs, RAM, disk) come from
HARDWARE = (
    ("google-cloud-pricing-cost-calculator@08440e74", "gcp-calculator-08440e74"),
    ("MicrosoftDocs/azure-compute-docs", "azure-compute-docs"),
    ("FSDL list gives", "full-stack-2bddc6d5"),
    ("SkyPilot documentation", "skypilot-docs"),
    ("GPU droplet page of 2026-05-24", "gpu-pricing-8f09a680"),
)
MEASURED = "sparecores-inspector-804d3c71"

AMOUNT = re.compile(
    r"(?:compute |from )?(?P<amount>\d+(?:\.\d+)?)(?: \+ storage (?P<storage>\d+(?:\.\d+)?))? ?(?P<unit>.*)"
)
HOST_TO_GPU = re.compile(r"host-to-GPU (?P<one>[\d.]+) GB/s per GPU(?:, (?P<all>[\d.]+) GB/s over all)?")
MARKET_PCIE = re.compile(r"PCIe (?P<one>[\d.]+) GB/s measured")

# what stays of a note, in our words; the first pattern that is found speaks, several may
NOTES = (
    (r"^partial price: vCPU 0.004", "partial price: 0.004 USD a vCPU-hour and 0.001 USD a GiB-hour of RAM come on top"),
    (r"^partial price: vCPU and RAM billed apart", "partial price: vCPU and RAM are billed apart"),
    (r"^partial price: CPU and RAM billed apart", "partial price: CPU and RAM are billed apart"),
    (r"^partial price: GPU only", "partial price: vCPU, RAM and storage are billed apart"),
    (r"interruptible", "interruptible"),
    (r"seldom obtainable", "spot seldom obtainable"),
    (r"resold by", "resold"),
    (r"storage billed apart|disk billed apart|excludes VAT and storage", "storage is billed apart"),
    (r"cheapest live host", "cheapest live host of that day"),
    (r"lowest live offer", "cheapest live offer of that day"),
    (r"lowest pay-as-you-go|floor price|^from ", "lowest price shown"),
    (r"per-GPU figures times the count", "vCPUs and RAM are per-GPU figures times the count"),
    (r"most CPU", "vCPUs and RAM are the page's figures for one GPU"),
    (r"CPU varies by host", "CPU varies by host"),
    (r"members pay", "members pay about 5 % less"),
    (r"counted as an 8-GPU node|full 8-GPU node|clusters start at 8", "priced per GPU, rented as a node of 8"),
    (r"unverified host", "unverified host"),
    (r"(?<!un)verified host", "verified host"),
    (r"5-8 GB default storage", "price includes 5-8 GB of disk"),
    (r"RAM share of the host unclear", "RAM share unclear, left unknown"),
    (r"Classic cloud", "Classic cloud"),
    (r"whole node; CPU count is the host", "whole node"),
    (r"smallest rentable count (\d+) of (\d+)", "rented from {0} of {1} GPUs up"),
    (r"default 120 GB disk", "price includes 120 GB of disk"),
    (r"sum of component SKUs", "sum of the machine's component prices"),
    (r"N1 host with attached GPU", "N1 host and attached GPU together, rounded to cents"),
    (r"undated", "catalogue commit undated; dated by the provider's page that shows the same per-GPU price"),
    (r"no local disk", "no local disk"),
    (r"NVLink mesh", "NVLink mesh without NVSwitch"),
    (r"guest profile ([\w-]+)$", "guest sees {0}"),
    (r"slicing method taken as vGPU", "fraction of a card, taken as a vGPU"),
    (r"GPU reached over the network", "GPU reached over the network, shared"),
    (r"serverless worker|own-model hosting", "serverless: cold starts are billed"),
    (r"start-up time not billed", "start-up time is not billed"),
    (r"multi-node cluster", "multi-node cluster; gpu_link is inside a node"),
    (r"enlarged memory", "card with enlarged memory"),
    (r"secure cloud only", "secure cloud only"),
    (r"preset VM; compute and its storage", "compute and its storage together"),
    (r"family \(SpareCores\)|CPU of the family", "CPU model measured on a smaller size of the family"),
    (r"one of eight GPUs rentable", "one of eight GPUs"),
    (r"seen again in 2026-07", "same price seen again in 2026-07"),
    (r"2 CPUs, 64 cores", "two sockets, 64 cores"),
    (r"no longer|older list row", "old list row"),
)  # fmt: skip


def left_out(row: dict[str, str]) -> str:
    """Why a row is not shipped, or "". The order is the order in which DATA_SOURCES.md counts."""
    note = row["note"]
    if "whose size was not recorded" in note:
        return "price of one GPU of a machine that is rented whole, size unknown"
    if "not verified by it" in note:
        return "an aggregator's row that it calls unverified"
    if "suffix es not explained" in note:
        return "type name with a suffix nobody explains"
    return ""


def price_of(row: dict[str, str]) -> dict[str, str]:
    """The published price as typed columns; checked against the list's own price of the whole offer an hour."""
    published = row["price_as_published"]
    match = AMOUNT.fullmatch(published)
    if not match:
        raise SystemExit(f"unreadable price: {published!r}")
    amount, text = Decimal(match["amount"]), match["unit"].lower()
    amount += Decimal(match["storage"] or 0)
    if "cents" in text:
        amount /= 100
    count = int(row["gpu_count"])
    per = "gpu" if re.search(r"per (gpu|slice)-hour", text) else "offer"
    unit = "second" if "per second" in text else "hour"
    hourly = amount * (3600 if unit == "second" else 1) * (count if per == "gpu" else 1)
    listed = Decimal(row["price_per_hour"])
    if abs(hourly - listed) > Decimal("0.000001") or row["currency"] not in text.upper().replace("US CENTS", "USD"):
        raise SystemExit(f"{row['provider']} {row['sku']}: {published!r} is not {listed} {row['currency']} an hour")
    return {"price": format(amount.normalize(), "f"), "price_unit": unit, "price_per": per}


def source_of(text: str) -> dict[str, str]:
    """Key of sources.csv, the provider's page, and the path inside the repository that recorded it."""
    page = PAGE.search(text)
    found = REPOSITORY.search(text)
    if found:
        key, path = REPOSITORIES[found["repository"]], found["path"]
    elif page:
        key, path = PAGES[page[0]], ""
        if "PyPI gpuhunt" in text:
            path = "tests/providers/test_lium.py"
    else:
        raise SystemExit(f"no public address: {text!r}")
    return {"source": key, "page": page[0] if page else "", "source_path": path}


def host_to_gpu(row: dict[str, str]) -> str:
    """Measured host-to-GPU GB/s of one GPU while all of the offer's GPUs load: min(alone, all / count)."""
    found = HOST_TO_GPU.search(row["note"]) or MARKET_PCIE.search(row["note"])
    if not found:
        return ""
    alone = Decimal(found["one"])
    together = found.groupdict().get("all")
    value = min(alone, Decimal(together) / int(row["gpu_count"])) if together else alone
    return format(round(value, 2).normalize(), "f")


def hardware_sources(row: dict[str, str]) -> dict[str, str]:
    """Keys of sources.csv for the sizes, and for the CPU model or link, where they are not the price's own source."""
    sizes = next(
        (key for word, key in HARDWARE if word in row["note"]), "moto-5.2.5" if row["provider"] == "aws" else ""
    )
    return {"hardware_source": sizes, "measured_source": MEASURED if "SpareCores" in row["note"] else ""}


def note_of(row: dict[str, str]) -> str:
    """The row's note in our words, at most one line."""
    parts = []
    for pattern, words in NOTES:
        found = re.search(pattern, row["note"])
        if found:
            parts.append(words.format(*found.groups()))
    return "; ".join(parts)


def table(name: str) -> list[dict[str, str]]:
    with (TABLES / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def catalogue(rows: list[dict[str, str]], dropped: Counter[str]) -> Iterator[dict[str, str]]:
    """The rows that are shipped, in the order of the list."""
    providers = {row["provider"]: row for row in table("providers")}
    for row in rows:
        reason = left_out(row)
        if reason:
            dropped[reason] += 1
            continue
        out = {column: row[column] for column in KEPT}
        out |= price_of(row) | source_of(row["source"])
        out["host_to_gpu_gbyte_s"] = host_to_gpu(row)
        out["note"] = note_of(row)
        out |= hardware_sources(row)
        own = {} if row["via"] or row["tier"] == "serverless" else providers[row["provider"]]
        out |= {term: out.get(term) or own.get(term, "") for term in TERMS}
        if re.search(r"before tax|without VAT|excludes VAT", row["note"]):
            out["tax_included"] = "false"
        if row["link_basis"] == "assumed":  # an assumption is made where offers are read, with its spread: not stored
            out["gpu_link"], out["link_basis"] = "", "unknown"
        yield {column: out.get(column, "") for column in COLUMNS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("offers", type=Path, help="csv of published offers")
    with parser.parse_args().offers.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    dropped: Counter[str] = Counter()
    kept = list(catalogue(rows, dropped))
    with (TABLES / "catalogue.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
    print(f"{len(kept)} of {len(rows)} rows", file=sys.stderr)
    for reason, count in dropped.items():
        print(f"left out {count}: {reason}", file=sys.stderr)


if __name__ == "__main__":
    main()
