"""What to ask the seller before paying: only what is open, the most valuable first, ready to send."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpurent import tables
from gpurent.messages import say
from gpurent.quotes.card_findings import honest
from gpurent.quotes.context import Context
from gpurent.quotes.findings import Finding


def questions(context: Context, findings: Sequence[Finding], lang: str) -> list[str]:
    """The open questions as sentences, at most as many as the table allows."""
    codes = list(dict.fromkeys(_codes(context, {finding.code for finding in findings})))
    most = int(tables.constants("quote")["most_questions"])
    values = {"n": context.found.gpu_count, "gpu": context.offer.gpu, "cards": context.names}
    return [say(f"question.{code}", lang, **values) for code in codes[:most]]


def _codes(context: Context, said: set[str]) -> Iterator[str]:
    """Codes of what is open, most valuable first."""
    offer, facts, found = context.offer, context.facts, context.found
    price = offer.price
    if not context.cards:
        yield "which-card"
    if said & {"claim-impossible", "claim-architecture", "claim-memory", "claim-nvlink", "memory-above-card"}:
        yield "prove-claim"
    if said & {
        "modded-card",
        "modded-card-unmeasured",
        "said-modded",
        "maybe-mining-card",
        "said-mined",
        "mining-card",
    }:
        yield "modded"
    if price is None:
        yield "price"
    elif said & {
        "point-amount",
        "price-implausible",
        "price-discount-open",
        "price-period-unread",
        "period-assumed",
        "no-exchange-rate",
    }:
        yield "price-again"
    if said & {"form-factor-unknown"}:
        yield "form-factor"
    elif said & {"edition-unknown", "memory-unknown"}:
        yield "which-edition"
    if found.share not in ("whole", "unknown") and honest(context):
        yield "slice-neighbours"
    elif not facts.smi_cards and not facts.instance:
        yield "whole-card"
    if "count-by-price" in said:
        yield "count"
    elif price is not None and found.gpu_count > 1 and ("price-basis-open" in said or _basis_open(context)):
        yield "basis"
    if price is not None and price.unit == "month":
        yield "month-and-tax" if price.tax_included is None else "month"
    elif price is not None and price.tax_included is None and price.currency != "USD":
        yield "tax"
    if "currency-sign" in said or (price is not None and "currency-assumed" in said and price.currency != "CNY"):
        yield "currency"
    if found.gpu_count > 1 and offer.gpu_link is None and found.share == "whole":
        yield "links" if not facts.machines else "links-and-fabric"
    if offer.vcpus is None and offer.ram_gib is None:
        yield "cpu-and-ram"
    elif offer.vcpus is None or offer.cpu_model is None:
        yield "vcpus"
    elif offer.ram_gib is None:
        yield "ram"
    if offer.disk_read_mbyte_s is None and not (facts.instance and offer.disk_class):
        yield "disk"
    if offer.purchase == "spot":
        yield "spot"
    elif offer.minimum_billed_s is None and not (price and price.term_months and price.term_months > 1):
        yield "minimum"
    if offer.cuda_max is None and offer.driver is None and not facts.instance:
        yield "driver"
    if offer.download_mbit_s is None or offer.egress_per_gib is None:
        yield "network"
    if found.gpu_count == 1 and not facts.instance:
        yield "neighbours"


def _basis_open(context: Context) -> bool:
    """Whether the words leave open what one payment buys, even if only one answer can be."""
    facts = context.facts
    return not facts.instance and bool(facts.prices) and "per-missing" in facts.prices[0].flags
