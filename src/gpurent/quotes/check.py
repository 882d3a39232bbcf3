"""Checking what somebody offers: text in; readings, findings, verdict, market, estimate and questions out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from gpurent import tables
from gpurent.hardware.names import read_name
from gpurent.hardware.resolve import resolve
from gpurent.messages import say
from gpurent.offer import Offer
from gpurent.offer_file import to_row
from gpurent.offer_text import read_offers
from gpurent.offer_text.facts import Claim
from gpurent.offer_text.options import Why
from gpurent.offer_text.readings import Quote
from gpurent.quotes import summary
from gpurent.quotes.billing_findings import billing_findings
from gpurent.quotes.card_findings import card_findings
from gpurent.quotes.claims import Interval, claim_findings, plain_cards
from gpurent.quotes.context import Context, Estimate
from gpurent.quotes.findings import Finding, money, shown
from gpurent.quotes.host_findings import host_findings
from gpurent.quotes.market import Market, Peers, usd_per_gpu_hour
from gpurent.quotes.price_findings import price_findings
from gpurent.quotes.questions import questions
from gpurent.quotes.settle import Settled, settle
from gpurent.quotes.stacks import Stack, stack_findings, version
from gpurent.quotes.verdict import verdict
from gpurent.workloads.workload import Workload

if TYPE_CHECKING:
    from gpurent.comparison import Comparison

NO_STACK = Stack()
_TRIED_VCPUS = (2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
GIB = 2.0**30


@dataclass(frozen=True)
class Question:
    """What is asked about all quotes: workload, stack, what the user assumes, the market to hold them against."""

    offers: Sequence[Offer]
    now: datetime
    workload: Workload | None = None
    precision: str | None = None
    stack: Stack = NO_STACK
    assume: Mapping[str, Any] | None = None
    lang: str | None = None  # None: each quote's own


@dataclass(frozen=True)
class Checked:
    """One quote with everything the check has to say, in one language."""

    quote: Quote
    lang: str
    settled: Settled
    verdict: str
    findings: tuple[Finding, ...]
    market: Market | None
    estimate: Estimate | None
    questions: tuple[str, ...]
    headline: str
    usd_per_gpu_hour: float | None = None
    workload: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As an entry of `gpurent.quote/1`."""
        readings = [
            {"offer": to_row(reading.offer), "confidence": reading.confidence, "why": why_text(reading.why, self.lang)}
            for reading in self.settled.readings
        ]
        return {
            "text": self.quote.text,
            "readings": readings,
            "chosen": 0 if readings else None,
            "rejected": [
                {"offer": to_row(one.offer), "why": why_text(one.why[-1:], self.lang)} for one in self.settled.rejected
            ],
            "verdict": self.verdict,
            "findings": [finding.to_dict(self.lang) for finding in self.findings],
            "market": _market(self.market, self.estimate),
            "estimate": dict(self.estimate.row) if self.estimate else None,
            "questions": list(self.questions),
        }


def check(text: str, asked: Question) -> list[Checked]:
    """Check every quote of a paste.

    Args:
        text: anything; see `gpurent.offer_text`.
        asked: workload, stack, assumptions, market, language.
    """
    peers = Peers(asked.offers, asked.now)
    return [_check(quote, asked, peers) for quote in read_offers(text, asked.lang)]


def _check(quote: Quote, asked: Question, peers: Peers) -> Checked:
    settled = settle(quote, peers, asked.now.date())
    if settled.chosen is None:
        finding = Finding("no-card", "warning", verdict="need-more-info")
        findings_ = (finding, *_cut(quote))
        asks: tuple[str, ...] = (say("question.which-card", quote.lang), say("question.price", quote.lang))
        line = summary.headline(None, "need-more-info", (finding,), (), quote.lang)
        return Checked(quote, quote.lang, settled, "need-more-info", findings_, None, None, asks, line)
    offer = _assumed(settled.chosen.offer, asked.assume or {})
    found = resolve(offer)
    market = peers.of(offer, found)
    stack = _stack(asked.stack, quote)
    context = Context(settled, offer, found, market, stack, asked.now.date(), asked.workload, asked.precision)
    if asked.workload is not None:
        context = replace(context, estimate=_estimate(context, asked))
    findings = tuple(_findings(context, asked))
    word = verdict(findings)
    asks = tuple(questions(context, findings, quote.lang))
    line = summary.headline(context, word, findings, asks, quote.lang)
    price = usd_per_gpu_hour(offer, asked.now.date())
    job = asked.workload.name if asked.workload else ""
    return Checked(quote, quote.lang, settled, word, findings, market, context.estimate, asks, line, price, job)


def _assumed(offer: Offer, assume: Mapping[str, Any]) -> Offer:
    """The offer with what the user assumes where the quote is silent; a card's name only narrows what it may be."""
    said = {key: value for key, value in assume.items() if getattr(offer, key) is None}
    name = assume.get("gpu")
    if name:
        open_cards = set(resolve(offer).candidates)
        wanted = read_name(str(name), memory_gib=said.get("gpu_memory_gib", offer.gpu_memory_gib))
        cards = {wanted.gpu} if wanted.gpu else set(wanted.candidates)
        if cards and cards < open_cards:
            said["gpu"] = name
    return Offer.model_validate({**offer.__dict__, **said}) if said else offer


def _stack(stack: Stack, quote: Quote) -> Stack:
    """The stack asked for, else the one the quote's image names."""
    if stack.said:
        return stack
    facts = quote.facts
    return Stack(
        version(facts.torch) if facts.torch else None, version(facts.image_cuda) if facts.image_cuda else None
    )  # fmt: skip


def _cut(quote: Quote) -> Iterator[Finding]:
    """What stands beyond the part of a quote that is looked at may change everything."""
    if quote.facts.cut:
        yield Finding("text-cut", "warning", {"characters": quote.facts.cut}, verdict="need-more-info")


def _findings(context: Context, asked: Question) -> list[Finding]:
    offer = context.offer
    return [
        *_cut(context.settled.quote),
        *stack_findings(context.cards, context.stack, offer.cuda_max, offer.driver, context.facts.arch),
        *card_findings(context),
        *host_findings(context),
        *price_findings(context),
        *claim_findings(context, lambda claim: _own_rate(claim, context, asked)),
        *billing_findings(context),
    ]


def _compare(offers: Sequence[Offer], workload: Workload, asked: Question, mine: Offer) -> Comparison:
    """The one road, imported only where a workload asks for it: it brings numpy along."""
    from gpurent.comparison import Options, compare
    from gpurent.selection import Wanted

    options = Options(wanted=Wanted(purchase="any"), precision=asked.precision)
    return compare(offers, workload, options, now=asked.now, mine=mine)


def _estimate(context: Context, asked: Question) -> Estimate:
    """`compare` for this one offer, beside its peers and beside itself with other numbers of vCPUs."""
    workload = context.workload
    if workload is None:
        raise ValueError("an estimate needs a workload")
    votes = context.market.votes if context.market else ()
    others = [vote.offer for vote in votes]
    tried = [
        context.offer.model_copy(update={"vcpus": float(n), "listing": f"{n} vCPUs", "price": None})
        for n in _TRIED_VCPUS
    ]
    found = _compare((*others, *tried), workload, asked, context.offer)
    row = dict(found.mine or {})
    columns, place = found.columns, len(found.offers) - 1
    at = int(columns.hardware_of[place])
    model = columns.model
    needed = float(model.needed_bytes[at]) / GIB
    best = float(model.gpu_busy_high[at])
    return Estimate(
        row=row,
        reason=model.reason[at],
        gpu_busy_high=best if best == best else None,
        needed_gib=needed if needed == needed else None,
        vcpus_enough=_enough(found, len(others)),
        median_cost_per_epoch_usd=_median_cost(found, len(others)),
    )


def _enough(found: Comparison, first: int) -> int | None:
    """The fewest tried vCPUs that keep the GPU busy; None where none does."""
    model, least = found.columns.model, tables.constants("quote")["enough_busy"]
    for step, vcpus in enumerate(_TRIED_VCPUS):
        at = int(found.columns.hardware_of[first + step])
        if not model.reason[at] and float(model.gpu_busy[at]) >= least:
            return vcpus
    return None


def _median_cost(found: Comparison, peers: int) -> float | None:
    costs = [float(found.columns.cost.cost_per_epoch_usd[place]) for place in range(peers)]
    known = sorted(cost for cost in costs if cost == cost and cost != float("inf"))
    if len(known) < tables.constants("quote")["least_peers"]:
        return None
    middle = len(known) // 2
    return known[middle] if len(known) % 2 else (known[middle - 1] + known[middle]) / 2


def _own_rate(claim: Claim, context: Context, asked: Question) -> Interval | None:
    """Our interval for a promised rate, data always ready: the workload it names, on the quote's cards."""
    from gpurent import workloads

    words = claim.workload.lower().replace(" ", "-").strip("-")
    known = {*workloads.names(), *workloads.aliases()}
    name = next((one for one in sorted(known, key=len, reverse=True) if words.startswith(one)), None)
    name = name or next(
        (one for one in ("bert-large", "bert-base", "resnet50") if one.replace("-", "") in words.replace("-", "")), None
    )
    workload = workloads.load(name) if name else context.workload if not words else None
    cards = plain_cards(context)
    if workload is None or not cards:
        return None
    offer = context.offer
    if not context.cards:  # the claim is about the card of that name as it really is
        offer = offer.model_copy(update={"gpu": cards[0].name, "gpu_memory_gib": None})
    found = _compare((), workload, asked, offer)
    model, at = found.columns.model, int(found.columns.hardware_of[0])
    if model.reason[at] or not float(model.gpu[at]) > 0:
        return None
    spread = float(model.high[at]) / float(model.samples_per_s[at])
    rate = float(model.gpu[at])
    return Interval(workload.name, rate / spread, rate * spread)


def _market(market: Market | None, estimate: Estimate | None) -> dict[str, Any] | None:
    if market is None:
        return None
    return {
        "peers": market.peers,
        "n": market.n,
        "median_usd_per_gpu_hour": market.median,
        "percentile": market.percentile,
        "median_cost_per_epoch_usd": estimate.median_cost_per_epoch_usd if estimate else None,
        "observed_from": market.observed_from.isoformat() if market.observed_from else None,
    }


def why_text(whys: Sequence[Why], lang: str) -> str:
    """Why a reading is what it is, in one line."""
    return " ".join(say(f"quote.why-{why.code}", lang, **_values(why)) for why in whys)


def _values(why: Why) -> dict[str, str]:
    currency = why.values.get("currency")
    values = {key: shown(value) for key, value in why.values.items()}
    if currency:
        values |= {key: money(why.values[key], currency) for key in ("price", "low", "high") if key in why.values}
        values["range"] = values["low"] if values["low"] == values["high"] else f"{values['low']}–{values['high']}"
        least, most = (shown(float(f"{why.values[key]:.3g}")) for key in ("times_low", "times_high"))
        values["times"] = least if least == most else f"{least}–{most}"
    return values
