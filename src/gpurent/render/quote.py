"""A checked quote for a person: advice first, then how it was read, why, what it would cost, what to ask."""

from __future__ import annotations

from collections.abc import Iterator

from gpurent import tables
from gpurent.messages import say
from gpurent.offer import clean_line
from gpurent.offer_text.options import Why
from gpurent.quotes.check import Checked, why_text
from gpurent.quotes.findings import money, percent, shown
from gpurent.quotes.summary import offer_line
from gpurent.quotes.verdict import reasons

_SIGNS = {"fail": "x", "warning": "!", "info": "-"}
_MOST_READINGS = 3
_CHOICES = 200  # characters of a line that is another's text


def quote_text(one: Checked) -> str:
    """The whole answer about one quote as lines."""
    return "\n".join(_lines(one))


def _lines(one: Checked) -> Iterator[str]:
    lang = one.lang
    yield clean(one.headline)
    for place, reading in enumerate(one.settled.readings[:_MOST_READINGS]):
        head = say("quote.head-taken" if place == 0 else "quote.head-or", lang)
        yield f"  {head} ({percent(reading.confidence)}): {clean(offer_line(reading.offer, lang))}"
    for rejected in one.settled.rejected[:_MOST_READINGS]:
        head = say("quote.head-rejected", lang)
        yield f"  {head}: {clean(offer_line(rejected.offer, lang))}: {clean(_last(rejected.why, lang))}"
    most = int(tables.constants("quote")["most_reasons"])
    found = reasons(one.findings, most)
    if found:
        yield f"{say('quote.head-reasons', lang)}:"
    for finding in found:
        yield f"  {_SIGNS[finding.severity]} {clean(finding.text(lang))}"
    line = _estimate(one)
    if line:
        yield f"{say('quote.head-estimate', lang)}: {line}"
    if one.questions:
        yield f"{say('quote.head-questions', lang)}:"
    for number, question in enumerate(one.questions, 1):
        yield f"  {number}. {clean(question)}"


def clean(text: str) -> str:
    """One harmless line; long ones are not cut at the width of a name."""
    parts = [clean_line(text[start : start + _CHOICES]) for start in range(0, min(len(text), 4 * _CHOICES), _CHOICES)]
    return "".join(parts) if len(parts) == 1 else _joined(text)


def _joined(text: str) -> str:
    """A long sentence of ours with somebody's words in it: every word cleaned apart."""
    return " ".join(clean_line(word) for word in text[: 4 * _CHOICES].split(" "))


def _last(whys: tuple[Why, ...], lang: str) -> str:
    return why_text(whys[-1:], lang)


def _estimate(one: Checked) -> str:
    if one.estimate is None or one.estimate.reason:
        return ""
    row = one.estimate.row
    cost = row["cost_per_epoch_usd"]
    return say(
        "quote.estimate-line", one.lang, workload=one.workload, rate=shown(float(f"{row['samples_per_s']:.3g}")),
        low=shown(float(f"{row['samples_per_s_low']:.3g}")), high=shown(float(f"{row['samples_per_s_high']:.3g}")),
        busy=percent(row["gpu_busy"]), limit=row["limit"], cost=money(cost) if cost is not None else "–",
    )  # fmt: skip
