"""What a quote's price says, what it leaves open, and where it stands."""

from __future__ import annotations

from collections.abc import Iterator

from gpurent import fx, tables
from gpurent.messages import say
from gpurent.quotes.context import Context
from gpurent.quotes.findings import Finding, money, percent
from gpurent.quotes.market import INDEX, Market, usd_per_gpu_hour
from gpurent.quotes.price_words import bare_number, open_discount, word_findings

_ABOUT = 0.01  # so close to the median that saying which side is noise


def price_findings(context: Context) -> Iterator[Finding]:
    """Everything about the price."""
    if context.offer.price is None:
        code = "price-on-request" if context.facts.on_request else "price-missing"
        yield Finding(code, "warning", verdict="need-more-info")
        yield from bare_number(context)
        return
    first = [*_amount(context), *_basis(context)]
    yield from first
    yield from word_findings(context, {finding.code for finding in first})
    yield from _terms(context)
    yield from _standing(context)


def _flags(context: Context) -> frozenset[str]:
    return context.facts.prices[0].flags if context.facts.prices else frozenset()


def _amount(context: Context) -> Iterator[Finding]:
    flags, price = _flags(context), context.offer.price
    words = context.facts.prices[0].text if context.facts.prices else ""
    if "point-first" in flags:
        yield Finding("point-amount", "warning", {"words": words}, verdict="need-more-info")
    if context.settled.implausible:
        hourly = usd_per_gpu_hour(context.offer, context.on)
        lows = [card.usd_h_low for card in context.cards if card.usd_h_low]
        highs = [card.usd_h_high for card in context.cards if card.usd_h_high]
        if hourly is not None and lows and highs:
            numbers = {"usd_per_gpu_hour": hourly, "low_usd": min(lows), "high_usd": max(highs)}
            shown = {"price": money(hourly), "low": money(min(lows)), "high": money(max(highs))}
            yield Finding("price-implausible", "warning", numbers, shown, verdict="need-more-info")
    if price is not None and "range" in flags and context.facts.prices[0].high is not None:
        high = float(context.facts.prices[0].high)
        yield Finding("price-range", "info", {"low": float(price.amount), "high": high})
    if "from" in flags:
        yield Finding("price-from", "warning", {"words": words})
    if "discount" in flags:
        yield Finding("price-discount", "info", {"words": words})
    if context.facts.units:
        yield Finding("price-in-units", "warning", {"usd_per_hour": float(price.amount) if price else None})
    if context.facts.component_prices:
        words = "; ".join(context.facts.component_prices[:3])
        yield Finding("price-excludes", "warning", {"words": words})


def _basis(context: Context) -> Iterator[Finding]:
    offer, n = context.offer, context.found.gpu_count
    if offer.price is None:
        return
    if any(why.code == "machine-by-price" for why in context.settled.readings[0].why):
        yield Finding("count-by-price", "warning", {"n": n}, verdict="need-more-info")
    first = offer.price_per_hour
    other = context.settled.open_price
    if other is not None and first is not None and other.offer.price_per_hour is not None:
        a, b = float(first) / n, float(other.offer.price_per_hour) / other.offer.gpu_count
        shown = {
            "one": money(a, context.currency),
            "other": money(b, other.offer.price.currency if other.offer.price else "USD"),
        }
        numbers = {"one_per_gpu_hour": a, "other_per_gpu_hour": b, "n": n}
        code = "price-basis-open"
        if other.offer.price and offer.price.currency != other.offer.price.currency:
            code = "price-currency-open"
        elif other.offer.price and offer.price.unit != other.offer.price.unit:
            code = "price-period-open"
        elif "for-all-machines" in (whys := {why.code for why in (*context.settled.readings[0].why, *other.why)}):
            code = "price-machines-open"
        elif "discount-to-take" in whys:
            code = "price-discount-open"
            shown |= open_discount(context.settled, shown["one"], shown["other"], context.settled.quote.lang)
        yield Finding(code, "warning", numbers, shown, verdict="need-more-info")
    if offer.price.per == "gpu" and n > 1 and first is not None:
        each, node = float(first) / n, float(first)
        shown = {"each": money(each, context.currency), "node": money(node, context.currency)}
        yield Finding("price-per-card", "info", {"per_gpu_hour": each, "node_per_hour": node, "n": n}, shown)


def _terms(context: Context) -> Iterator[Finding]:
    flags, price = _flags(context), context.offer.price
    if price is None:
        return
    if "bare" in flags:
        words = {"words": context.facts.prices[0].text, "currency": price.currency}
        yield Finding("price-bare", "warning", words, verdict="need-more-info")
    elif "currency-missing" in flags:
        yield Finding("currency-assumed", "info", {"currency": price.currency})
    sign = {why.code for why in context.settled.readings[0].why} & {"yuan-sign", "yen-sign"}
    if sign:
        yield Finding("currency-sign", "info", {"currency": price.currency})
    if "unit-missing" in flags:
        yield Finding("period-assumed", "warning", {"unit": price.unit})
    if price.unit == "month":
        per_gpu = float(price.amount) / (context.found.gpu_count if price.per == "offer" else 1)
        long, short = per_gpu / 720, per_gpu / 730
        shown = {"long": money(long, price.currency), "short": money(short, price.currency)}
        yield Finding("month-hours", "info", {"per_gpu_hour_720": long, "per_gpu_hour_730": short}, shown)
    if price.tax_included is None and price.currency != "USD":
        yield Finding("tax-unsaid", "info", {"currency": price.currency})
    elif price.tax_included is False:
        yield Finding("tax-excluded", "info", {"currency": price.currency})


def _standing(context: Context) -> Iterator[Finding]:
    market, hourly = context.market, usd_per_gpu_hour(context.offer, context.on)
    if hourly is None:
        if context.offer.price is not None:
            yield Finding("no-exchange-rate", "warning", {"currency": context.currency}, verdict="need-more-info")
        return
    if market is None or not market.n:
        yield Finding("no-market", "info", {"n": 0, "least": int(tables.constants("quote")["least_peers"])})
        return
    native = fx.rates([context.currency], context.on).get(context.currency, 1.0)
    if market.enough:
        yield from _against_many(context, market, hourly, native)
    else:
        yield from _against_few(context, market, hourly, native)


def _shown(context: Context, market: Market, hourly: float, native: float) -> dict[str, str]:
    currency = context.currency
    values = {"price": hourly, "low": market.low, "median": market.median, "high": market.high}
    shown = {key: money((value or 0.0) / native, currency) for key, value in values.items()}
    low, high = shown["low"], shown["high"]
    return {
        **shown,
        "among": say(f"quote.peers-{market.peers}", context.settled.quote.lang),
        "range": low if low == high else f"{low}–{high}",
        "since": market.observed_from.isoformat() if market.observed_from else "?",
    }


def _numbers(market: Market, hourly: float) -> dict[str, object]:
    return {
        "usd_per_gpu_hour": hourly, "n": market.n, "median_usd": market.median, "low_usd": market.low,
        "high_usd": market.high, "percentile": market.percentile, "peers": market.peers,
        "source": INDEX if any(vote.offer.provider == INDEX for vote in market.votes) else "catalogue",
    }  # fmt: skip


def _against_many(context: Context, market: Market, hourly: float, native: float) -> Iterator[Finding]:
    rules = tables.constants("quote")
    median, share = market.median or hourly, market.percentile or 0.0
    numbers = {**_numbers(market, hourly), "above_median": hourly / median - 1}
    shown = {
        **_shown(context, market, hourly, native),
        "above": percent(abs(hourly / median - 1)),
        "percentile": f"{share:.0f}",
    }
    if hourly > rules["overpriced_ratio"] * median and share > rules["overpriced_percentile"]:
        yield Finding("overpriced", "fail", numbers, shown, verdict="overpriced")
    elif hourly < rules["cheap_ratio"] * median:
        yield Finding("suspiciously-cheap", "warning", numbers, shown)
    else:
        code = "above-median" if hourly > median else "below-median"
        if abs(hourly / median - 1) < _ABOUT:
            code = "at-median"
        yield Finding(code, "info", numbers, shown)


def _against_few(context: Context, market: Market, hourly: float, native: float) -> Iterator[Finding]:
    low, high = market.low or hourly, market.high or hourly
    numbers = _numbers(market, hourly)
    shown = _shown(context, market, hourly, native)
    if hourly > high:
        numbers |= {"above_high": hourly / high - 1, "above_low": hourly / low - 1}
        least, most = f"{(hourly / high - 1) * 100:.0f}", f"{(hourly / low - 1) * 100:.0f}"
        span = least if least == most else f"{least}–{most}"
        clearly = hourly > tables.constants("quote")["overpriced_ratio"] * high
        yield Finding("above-few", "warning", numbers, {**shown, "span": span}, "need-more-info" if clearly else None)
    elif hourly < low:
        yield Finding("below-few", "info", numbers, {**shown, "span": f"{(1 - hourly / low) * 100:.0f}"})
    else:
        yield Finding("among-few", "info", numbers, shown)
