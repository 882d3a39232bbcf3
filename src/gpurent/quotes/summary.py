"""The first line: whether to rent, in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from gpurent.messages import say
from gpurent.offer import Offer
from gpurent.quotes.context import Context
from gpurent.quotes.findings import Finding, money
from gpurent.quotes.verdict import reasons

_PRICE = (
    "overpriced",
    "above-few",
    "suspiciously-cheap",
    "above-median",
    "below-median",
    "at-median",
    "among-few",
    "below-few",
)
_SHORT = {"form-factor-unknown", "memory-unknown", "edition-unknown", "price-missing", "price-on-request", "no-card"}


def headline(
    context: Context | None, verdict: str, findings: Sequence[Finding], questions: Sequence[str], lang: str
) -> str:
    """One line: the advice, the price of a GPU-hour and where it stands, the reason, how many questions are open."""
    parts = [say(f"quote.verdict-{verdict}", lang)]
    main = [finding for finding in reasons(findings, 3) if finding.verdict == verdict and verdict != "ok"]
    price = _price(context, findings, lang)
    if price:
        parts.append(price)
    for finding in main[:2]:
        if finding.code in _PRICE:
            continue
        code = f"quote.short-{finding.code}"
        parts.append(say(code, lang) if finding.code in _SHORT else finding.text(lang))
    if questions:
        code = "questions" if len(questions) > 1 else "one-question"
        parts.append(say(f"quote.short-{code}", lang, n=len(questions)))
    return say(
        "quote.short-line",
        lang,
        advice=parts[0],
        rest=say("quote.short-join", lang).join(part.rstrip("。.") for part in parts[1:]),
    )


def _price(context: Context | None, findings: Sequence[Finding], lang: str) -> str:
    if context is None or context.offer.price is None or context.offer.price_per_hour is None:
        return ""
    each = float(context.offer.price_per_hour) / context.found.gpu_count
    code = "quote.short-price" if context.found.share == "whole" else "quote.short-price-slice"
    text = say(code, lang, price=money(each, context.currency))
    standing = next((finding for finding in findings if finding.code in _PRICE), None)
    if standing is None:
        return text
    words = say(f"quote.short-{standing.code}", lang, **standing.shown)
    return say("quote.short-joined-price", lang, price=text, standing=words)


def offer_line(offer: Offer, lang: str) -> str:
    """An offer in a few words: card, count, vCPUs, RAM, price."""
    parts = [f"{offer.gpu_count} x {offer.gpu}"]
    if offer.share_profile:
        parts.append(offer.share_profile)
    if offer.vcpus:
        code = "cores" if offer.threads_per_core == 1 else "vcpus"
        parts.append(say(f"quote.short-{code}", lang, n=f"{offer.vcpus:g}"))
    if offer.ram_gib:
        parts.append(say("quote.short-ram", lang, n=f"{offer.ram_gib:g}"))
    if offer.disk_class:
        parts.append(offer.disk_class)
    if offer.price is not None:
        per = say(f"quote.short-per-{offer.price.per}", lang)
        unit = say(f"quote.short-unit-{offer.price.unit}", lang)
        parts.append(f"{money(float(offer.price.amount), offer.price.currency)}/{per}/{unit}")
        if offer.price.unit == "month":
            parts.append(say("quote.short-month", lang, n=f"{offer.price.hours_per_month:g}"))
    return ", ".join(parts)
