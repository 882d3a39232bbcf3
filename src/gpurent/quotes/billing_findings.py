"""What else is billed, and when the meter stops."""

from __future__ import annotations

from collections.abc import Iterator

from gpurent import tables
from gpurent.quotes.context import Context
from gpurent.quotes.findings import Finding, money

HOUR_S, DAY_S = 3600.0, 86_400.0


def billing_findings(context: Context) -> Iterator[Finding]:
    """Everything about the bill beside the price itself."""
    yield from _when_stopped(context)
    yield from _storage(context)
    yield from _least(context)
    yield from _purchase(context)
    if context.facts.deposit:
        yield Finding("deposit", "info", {"words": context.facts.deposit})
    if context.facts.setup_fee:
        yield Finding("setup-fee", "info", {"words": context.facts.setup_fee})
    if context.offer.egress_per_gib:
        shown = {"price": money(context.offer.egress_per_gib, context.currency)}
        yield Finding("egress", "info", {"per_gib": context.offer.egress_per_gib}, shown)


def _provider(context: Context) -> dict[str, str]:
    rows = (row for row in tables.rows("providers") if row["provider"] == context.offer.provider)
    return next(rows, {})


def _when_stopped(context: Context) -> Iterator[Finding]:
    if context.facts.stop_billed:
        yield Finding("stop-is-not-stop-said", "warning", {"words": context.facts.stop_billed})
        return
    row = _provider(context)
    codes = {
        "yes": "stop-is-not-stop",
        "no stop state": "no-stop",
        "depends": "stop-depends",
        "disk": "stop-keeps-disk",
    }
    code = codes.get(row.get("billed_when_stopped", ""))
    if code:
        severity = "info" if code in ("stop-keeps-disk", "stop-depends") else "warning"
        yield Finding(code, severity, {"provider": row["title"], "source": row["source"]})  # type: ignore[arg-type]


def _storage(context: Context) -> Iterator[Finding]:
    """What the disk costs a month, running and stopped, as far as its size and rate are known."""
    offer, row = context.offer, _provider(context)
    own = offer.storage_per_gib_month or offer.storage_stopped_per_gib_month
    running = offer.storage_per_gib_month or _cell(row, "storage_per_gib_month")
    stopped = offer.storage_stopped_per_gib_month or _cell(row, "storage_stopped_per_gib_month")
    currency = context.currency if own else row.get("currency", "USD")
    source = "quote" if own else row.get("source", "")
    if not offer.disk_gib:
        return
    if stopped:
        month = offer.disk_gib * stopped
        numbers = {"gib": offer.disk_gib, "per_gib_month": stopped, "per_month": round(month, 6), "source": source}
        yield Finding("storage-stopped", "warning", numbers, {"month": money(month, currency)})
    elif running:
        month = offer.disk_gib * running
        numbers = {"gib": offer.disk_gib, "per_gib_month": running, "per_month": round(month, 6), "source": source}
        yield Finding("storage-billed", "info", numbers, {"month": money(month, currency)})


def _cell(row: dict[str, str], key: str) -> float | None:
    return float(row[key]) if row.get(key) else None


def _least(context: Context) -> Iterator[Finding]:
    row = _provider(context)
    least = context.offer.minimum_billed_s or _cell(row, "minimum_billed_s")
    step = context.offer.billing_increment_s or _cell(row, "billing_increment_s")
    if least and least >= HOUR_S:
        shown = {"hours": f"{least / HOUR_S:g}", "days": f"{least / DAY_S:g}"}
        yield Finding("minimum-days" if least >= DAY_S else "minimum-hours", "info", {"seconds": least}, shown)
    if step and step >= HOUR_S:
        yield Finding("billed-by-the-hour", "info", {"seconds": step})
    price = context.offer.price
    if price is not None and price.term_months and price.term_months > 1:
        yield Finding("term", "info", {"months": float(price.term_months)})


def _purchase(context: Context) -> Iterator[Finding]:
    if context.offer.purchase != "spot":
        return
    warnings = context.estimate.row.get("warnings", ()) if context.estimate else ()
    code = "spot-without-checkpoints" if "spot-without-checkpoints" in warnings else "spot"
    yield Finding(code, "warning")
