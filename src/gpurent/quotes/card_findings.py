"""What a quote's card is and is not: slices, editions, variants, links, limits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpurent import tables
from gpurent.hardware.cards import Card, by_id, families
from gpurent.hardware.names import near_names
from gpurent.quotes.context import Context
from gpurent.quotes.findings import Finding, money, percent
from gpurent.quotes.instance_findings import instance_findings, several_families

_MODDED = re.compile(
    r"魔改|改[版装卡]|显存升级|改(?:台式|桌面|单槽|涡轮|水冷)|[转改]\s?(?:接卡|pci-?e)|拆芯片|刷(?:了|过)?\s?v?(?:bios|固件)"
    r"|改(?=\s*(?:[,;)￥¥$]|$|显存|单卡|\d))|7936\s?sp|核心降级|降级核心|工程[卡版样]|engineering\s+sample"
    r"|(?<![a-z])(?:es|qs)\s?(?:卡|版|card|sample)|(?<=[0-9gbe]\s)(?-i:ES)(?![A-Za-z0-9-])"
    r"|modded|modified\s(?:card|gpu|v?ram|memory|v?bios)|(?:card|gpu|v?ram|memory|v?bios)[\s-]modified|(?:re|cross)-?flashed|(?<![a-z])mod(?![a-z])",
    re.IGNORECASE | re.MULTILINE,
)
_MINED = re.compile(
    r"矿卡|挖矿|矿机|[退下]役?矿|拆机|锁算力|(?<![\w铁煤])矿(?![山泉业物石])|(?<=\s)矿(?=\s|$)|(?<![a-z])mined(?![a-z])"
    r"|mining|ex-?miner|(?<![a-z])lhr(?![a-z])",
    re.IGNORECASE,
)
_DENIED = re.compile(  # "非矿卡", "未魔改": said not to be so
    r"(?:非|未|没有?|不是|从未|无|(?<![a-z])(?:not|non-?|no|never|un))\s?(?:an?\s)?(?:经过?)?(?:used\s(?:for|in)\s)?"
    r"(?:魔改|改[版装卡]|矿卡?|挖过?矿|拆机|刷过?\s?v?bios|modded|modified|mod(?![a-z])|mining|mined|ex-?miner)",
    re.IGNORECASE,
)
_MINING_NAME = re.compile(r"(?<![a-z0-9])(?:cmp\s?-?\s?\d{2,3}|p10[246]-?\s?(?:090|100))", re.IGNORECASE)
_ODD_COUNT = re.compile(  # no card, or more than anybody has
    r"(?<![\w.,/$￥¥€-])(?:0|\d{5,})\s?(?:[x*]\s?(?=[a-z])|卡(?!时)|(?:gpus?|cards?)(?![a-z]))", re.IGNORECASE
)
SLOW_LINK_GBYTE_S = 6.0  # a card behind a narrow slot: PCIe 3.0 x8 and less


def card_findings(context: Context) -> Iterator[Finding]:
    """Everything about the card, before anything is run on it."""
    yield from _impossible(context)
    if not context.cards:
        yield from _unknown(context)
        yield from _said_variants(context)
        return
    yield from instance_findings(context)
    yield from _which(context)
    yield from _share(context)
    yield from _variant(context)
    yield from _said_variants(context)
    yield from _link(context)
    yield from _limits(context)


def _impossible(context: Context) -> Iterator[Finding]:
    """Values no offer can have: they were left out, or not read at all."""
    for key, value in context.facts.impossible.items():
        yield Finding("value-impossible", "warning", {"key": key, "value": str(value)[:24]}, verdict="need-more-info")
    count = _ODD_COUNT.search(context.facts.text)
    if count:
        words = count.group().strip()
        value = words if len(words) <= 24 else words[:20] + "..."
        yield Finding("value-impossible", "warning", {"key": "gpu_count", "value": value}, verdict="need-more-info")


def rate(card: Card) -> float | None:
    """The card's matrix rate in half precision as far as it is known, TFLOP/s."""
    return card.half_measured_tflops or card.half_tflops or card.fp32_tflops


def _unknown(context: Context) -> Iterator[Finding]:
    if "virtual-name" in context.found.warnings:
        yield Finding("neutral-name", "warning", {"name": context.offer.gpu}, verdict="need-more-info")
        return
    if _MINING_NAME.search(context.offer.gpu):
        source = next(card.source for card in by_id().values() if card.status == "mining")
        yield Finding("mining-card", "fail", {"card": context.offer.gpu, "source": source}, verdict="incompatible")
        return
    near = ", ".join(near_names(context.offer.gpu)[:3])
    code = "card-unknown-near" if near else "card-unknown"
    shown = {"near": near} if near else {}
    yield Finding(code, "warning", {"name": context.offer.gpu}, shown, verdict="need-more-info")


def _which(context: Context) -> Iterator[Finding]:
    if len(set(context.facts.smi_cards)) > 1 or "several-cards" in context.found.warnings:
        names = ", ".join(dict.fromkeys(context.facts.smi_cards)) or context.offer.gpu
        yield Finding("mixed-cards", "warning", {"cards": names}, verdict="need-more-info")
    elif several_families(context.facts.joined):
        names = ", ".join(context.facts.joined)
        yield Finding("several-cards-named", "warning", {"cards": names}, verdict="need-more-info")
    if "memory-above-card" in context.found.warnings and context.offer.gpu_memory_gib:
        most = max(card.memory_gib for card in context.cards)
        numbers = {"said_gib": context.offer.gpu_memory_gib, "card_gib": most, "card": context.names}
        yield Finding("memory-above-card", "warning", numbers, verdict="need-more-info")
    if len(context.cards) < 2:
        return
    rates = [value for card in context.cards if (value := rate(card))]
    ratio = max(rates) / min(rates) if rates else 1.0
    sizes = {card.memory_gb for card in context.cards}
    open_card = ratio > tables.constants("quote")["unsettled_rate"] or len(sizes) > 1 or context.found.gpu_count > 1
    verdict = "need-more-info" if open_card else None
    numbers = {"cards": context.names, "ratio": ratio, "n": len(context.cards)}
    forms = {card.form for card in context.cards}
    if len(forms) > 1:
        yield Finding("form-factor-unknown", "warning", numbers, verdict=verdict)
    if len(sizes) > 1:
        said = " / ".join(f"{size:g}" for size in sorted(sizes))
        yield Finding("memory-unknown", "warning", {**numbers, "sizes": said}, verdict=verdict)
    if len(forms) == 1 and len(sizes) == 1:
        yield Finding("edition-unknown", "warning", numbers, verdict=verdict)


def honest(context: Context) -> bool:
    """Whether the quote itself says that it offers a part of a card."""
    facts = context.facts
    return bool(facts.profile or facts.share_words or facts.mig_enabled or facts.share in ("mig", "vgpu", "timeslice"))


def _share(context: Context) -> Iterator[Finding]:
    found = context.found
    if found.share == "whole":
        return
    if found.gpu_count > 1:
        numbers = {"n": found.gpu_count, "profile": found.share_profile or "", "source": "nvidia-mig-guide"}
        yield Finding("slices-in-parallel", "fail", numbers, verdict="incompatible")
    said = honest(context)
    severity, verdict = ("warning", "need-more-info") if said else ("fail", "not-a-whole-card")
    whole = context.cards[0].memory_gb
    size = min(context.offer.gpu_memory_gib or 1e9, whole) if context.offer.gpu_memory_gib else found.memory_gib
    numbers = {
        "card": context.names, "profile": found.share_profile or "?", "memory_gib": size,
        "compute_share": found.compute_fraction, "compute_share_high": found.compute_fraction_high,
        "memory_share": None if size is None else size / whole,
        "bandwidth_share": found.bandwidth_fraction, "card_memory_gib": whole,
    }  # fmt: skip
    if found.share == "timeslice":
        yield Finding("time-shared", severity, numbers, verdict=verdict)  # type: ignore[arg-type]
    elif found.compute_fraction is None or size is None:
        yield Finding("slice-unknown", severity, numbers, verdict=verdict)  # type: ignore[arg-type]
    else:
        shares = {
            "compute": percent(found.compute_fraction), "memory": percent(size / whole), "memory_gib": f"{size:.3g}",
        }  # fmt: skip
        code = "slice-said" if said else "not-a-whole-card"
        yield Finding(code, severity, numbers, shares, verdict)  # type: ignore[arg-type]


def _variant(context: Context) -> Iterator[Finding]:
    cards = context.cards
    status = {card.status for card in cards}
    if status == {"mining"}:
        yield Finding("mining-card", "fail", {"card": context.names, "source": cards[0].source}, verdict="incompatible")
    elif "mining" in status:
        yield Finding("maybe-mining-card", "warning", {"card": context.names}, verdict="need-more-info")
    if "modded" in status:
        yield from _modded(context)
    if "export" in status:
        card = next(card for card in cards if card.status == "export")
        yield from _export(context, card)


def _stock_of(card: Card) -> Card | None:
    """The ordinary card a variant was made from: same chip, as first sold."""
    names = {"rtx-4090d-48gb": "rtx-4090d", "a800": "a100", "h800": "h100"}
    for family in (names.get(card.card, ""), names.get(card.family, ""), card.family, card.family.rstrip("d")):
        for other in families().get(family, ()):
            if other.status == "stock" and other.form == card.form:
                return other
    return by_id().get(card.card.replace("d-v2", "").rstrip("d"))


def _modded(context: Context) -> Iterator[Finding]:
    card = next(card for card in context.cards if card.status == "modded")
    stock = _stock_of(card)
    numbers: dict[str, object] = {"card": card.card, "memory_gib": card.memory_gb, "source": card.source}
    own, plain = rate(card), rate(stock) if stock else None
    if own and plain:
        numbers["rate_ratio"] = own / plain
        numbers["stock"] = stock.card if stock else ""
    code = "modded-card" if own and plain else "modded-card-unmeasured"
    shown = {"rate_ratio": f"{own / plain:.2f}"} if own and plain else {}
    yield Finding(code, "warning", numbers, shown, "need-more-info")


def _export(context: Context, card: Card) -> Iterator[Finding]:
    stock = _stock_of(card)
    own, plain = rate(card), rate(stock) if stock else None
    if stock is None or not own or not plain:
        yield Finding("export-card", "warning", {"card": card.card, "source": card.source})
        return
    ratio = own / plain
    if card.card == "rtx-4090d":  # measured over many cards: steadier than two medians
        ratio = tables.constants("quote")["rate_d_suffix"]
    numbers: dict[str, object] = {
        "card": card.card, "stock": stock.card, "rate_ratio": ratio, "source": card.measured_source or card.source,
    }  # fmt: skip
    link = None
    if card.nvlink_gbyte_s and stock.nvlink_gbyte_s:
        link = card.nvlink_gbyte_s / stock.nvlink_gbyte_s
        numbers["link_ratio"] = link
    if ratio < 0.97:
        yield Finding("export-card-slower", "warning", numbers)
        yield from _same_price(context, stock, ratio)
    elif link is not None and link < 1:
        yield Finding("export-card-link", "warning", numbers)
    else:
        yield Finding("export-card", "warning", numbers)


def _same_price(context: Context, stock: Card, ratio: float) -> Iterator[Finding]:
    """What the price would be for the same work on the ordinary card."""
    hourly = context.offer.price_per_hour
    if hourly is not None and context.found.share == "whole":
        each = float(hourly) / context.found.gpu_count
        shown = {"price": money(each, context.currency), "equal": money(each / ratio, context.currency)}
        numbers = {"per_gpu_hour": each, "equal_per_gpu_hour": each / ratio, "stock": stock.card}
        yield Finding("same-as-stock-price", "info", numbers, shown)


def _said_variants(context: Context) -> Iterator[Finding]:
    """Words of the seller that no card id carries."""
    text = _DENIED.sub(" ", context.facts.text)
    status = {card.status for card in context.cards}
    if _MODDED.search(text) and "modded" not in status:
        yield Finding("said-modded", "warning", {"name": context.offer.gpu}, verdict="need-more-info")
    if _MINED.search(text) and "mining" not in status:
        yield Finding("said-mined", "warning", {"name": context.offer.gpu}, verdict="need-more-info")


def _link(context: Context) -> Iterator[Finding]:
    found, cards = context.found, context.cards
    if found.gpu_count < 2 or found.share != "whole":
        return
    n = {"n": found.gpu_count, "card": context.names}
    if all(card.link_class == "none" for card in cards):
        code = "no-nvlink-geforce" if all(card.class_ == "geforce" for card in cards) else "no-nvlink"
        yield Finding(code, "warning", n)
    elif found.link == "pcie" and not found.link_assumed:
        yield Finding("no-nvlink", "warning", n)
    elif found.link_assumed and len({card.link_class for card in cards}) == 1 and cards[0].link_class == "bridge":
        yield Finding("bridge-unknown", "warning", n)
    if context.facts.machines and context.facts.machines > 1 and not context.facts.fabric_named:
        yield Finding("fabric-unknown", "warning", {"machines": context.facts.machines})


def _limits(context: Context) -> Iterator[Finding]:
    offer, cards = context.offer, context.cards
    usual = min((card.tdp_w for card in cards if card.tdp_w), default=None)
    if offer.power_limit_w and usual and offer.power_limit_w < usual * tables.constants("quote")["power_share"]:
        numbers = {"limit_w": offer.power_limit_w, "usual_w": usual, "share": offer.power_limit_w / usual}
        yield Finding("power-limited", "warning", numbers, {"share": percent(offer.power_limit_w / usual)})
    most = max((card.tdp_w for card in cards if card.tdp_w), default=None)
    if offer.power_limit_w and most and offer.power_limit_w > most * tables.constants("quote")["power_above"]:
        numbers = {"said_w": offer.power_limit_w, "usual_w": most}
        yield Finding("claim-power", "warning", numbers, {"card": context.names}, verdict="need-more-info")
    if offer.host_to_gpu_gbyte_s and offer.host_to_gpu_gbyte_s < SLOW_LINK_GBYTE_S:
        yield Finding("slot-slow", "warning", {"gbyte_s": offer.host_to_gpu_gbyte_s, "usual": SLOW_LINK_GBYTE_S})
    if not any(card.tensor_cores for card in cards):
        yield Finding("no-tensor-cores", "warning", {"card": context.names, "source": cards[0].source})
    if all(card.platform != "cuda" for card in cards):
        where = {"card": context.names, "platform": cards[0].platform, "source": cards[0].source}
        yield Finding("other-platform", "warning", where)
