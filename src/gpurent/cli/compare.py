"""`gpurent compare`: offers ranked by what an epoch of a workload costs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpurent.cli import asked, state
from gpurent.cli.output import Output, note
from gpurent.errors import PARTIAL, UNKNOWN, Problem

if TYPE_CHECKING:
    from datetime import datetime

    from gpurent.comparison import Comparison
    from gpurent.fx import Rates
    from gpurent.offer import Offer
    from gpurent.workloads.workload import Workload

TOP = 15  # rows of a table unless --top says otherwise

WorkloadOption = Annotated[str, typer.Option("--workload", "-w", metavar="NAME|FILE", help="What is trained.")]
SetOption = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Overrides a workload key.")]
PrecisionOption = Annotated[str | None, typer.Option("--precision", help="amp, fp32, tf32, fp16, bf16 or fp8.")]
AnchorOption = Annotated[
    list[str] | None, typer.Option("--anchor", metavar="CARD=RATE", help="Samples/s you measured on one card.")
]
AssumeOption = Annotated[
    list[str] | None, typer.Option("--assume", metavar="KEY=VALUE", help="Fills what an offer does not say.")
]


def compare(
    workload: WorkloadOption,
    set_: SetOption = None,
    offers: asked.Offers = None,
    gpu: asked.Gpu = None,
    provider: asked.Provider = None,
    region: asked.Region = None,
    tier: asked.Tier = None,
    purchase: asked.Purchase = "on-demand",
    share: asked.Share = "any",
    min_vram: asked.MinVram = None,
    vcpus: asked.Vcpus = None,
    ram: asked.Ram = None,
    count: asked.Count = None,
    max_usd_per_hour: Annotated[float | None, typer.Option(help="Of the whole offer.")] = None,
    max_cost_per_epoch: Annotated[float | None, typer.Option(help="US dollars.")] = None,
    max_epoch_hours: Annotated[float | None, typer.Option(help="Of a steady epoch.")] = None,
    max_age: Annotated[float | None, typer.Option(metavar="DAYS", help="Older prices are left out.")] = None,
    precision: PrecisionOption = None,
    batch: Annotated[int | None, typer.Option(help="Per GPU.")] = None,
    epochs: Annotated[float | None, typer.Option(help="Of the run; set-up is spread over them.")] = None,
    pipeline: Annotated[str | None, typer.Option(help="How samples are prepared: see `workloads show`.")] = None,
    setup: Annotated[str, typer.Option(help="auto or none: whether boot, image and data set count.")] = "auto",
    nodes: Annotated[int, typer.Option(help="How many of each offer work together.")] = 1,
    anchor: AnchorOption = None,
    mine: Annotated[str | None, typer.Option(metavar="TEXT|FILE", help="Your machine, as a reference line.")] = None,
    mine_usd_per_hour: Annotated[float | None, typer.Option(help="What your machine costs an hour.")] = None,
    assume: AssumeOption = None,
    currency: Annotated[str, typer.Option(help="Of the table; JSON keeps native and USD.")] = "USD",
    fx_date: Annotated[str | None, typer.Option(metavar="DAY", help="Day of the exchange rate, 2026-11-30.")] = None,
    sort: Annotated[str, typer.Option(help="cost, time, price or throughput.")] = "cost",
    top: Annotated[int | None, typer.Option(help=f"Rows; a table shows {TOP}.")] = None,
    include_sold_out: asked.SoldOut = False,
    include_via: asked.Via = False,
    include_dropped: Annotated[bool, typer.Option(help="Rows that are not ranked too, rank null.")] = False,
    explain: Annotated[str | None, typer.Option(metavar="ID|RANK", help="The whole chain of one row.")] = None,
    against: Annotated[str | None, typer.Option(metavar="ID|RANK|mine", help="A second row beside it.")] = None,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Write the comparison as one page.")] = None,
    output: asked.OutputOption = Output.TABLE,
) -> int:
    """Rank offers by what an epoch of a workload costs on each.

    \b
    gpurent compare --workload bert-large
    gpurent compare -w resnet50 --gpu 'rtx-*,a100*' --precision fp32 --epochs 90 --top 20
    gpurent compare -w resnet50 --explain 1 --mine "RTX 3090, Ryzen 9 5950X, 64GB, NVMe 7GB/s" --against mine
    """
    from datetime import UTC, datetime

    from gpurent import workloads
    from gpurent.cli.current import current
    from gpurent.comparison import Options
    from gpurent.comparison import compare as compare_offers
    from gpurent.normalizer import anchor as anchors_of

    now = datetime.now(UTC)
    anchors = tuple(anchors_of.read(text) for text in anchor or ())
    overrides = [*(set_ or ()), *_overrides(batch=batch, epochs=epochs, pipeline=pipeline)]
    job = workloads.load(workload, overrides, anchored=bool(anchors))
    wanted = asked.wanted(
        gpu, provider, region, tier, purchase, share, min_vram, vcpus, ram, count, include_sold_out, include_via
    )
    options = Options(
        wanted=wanted, precision=_precision(precision, job), nodes=nodes,
        setup=asked.choice(setup, ("auto", "none"), "--setup"), anchors=anchors,
        assume=asked.assumptions(assume or []),
        max_usd_per_hour=asked.positive(max_usd_per_hour, "--max-usd-per-hour"),
        max_cost_per_epoch=asked.positive(max_cost_per_epoch, "--max-cost-per-epoch"),
        max_epoch_hours=asked.positive(max_epoch_hours, "--max-epoch-hours"),
        max_age_days=asked.positive(max_age, "--max-age"),
        sort=asked.choice(sort, ("cost", "time", "price", "throughput"), "--sort"),
    )  # fmt: skip
    if top is not None and not 1 <= top <= 10_000_000:
        raise Problem("--top must be 1 or more", top, "give a number of rows")
    have = current(offers, now)
    view = _view(currency, fx_date, now)
    found = compare_offers(
        have.offers,
        job,
        options,
        now=now,
        mine=_mine(mine, mine_usd_per_hour, now),
        fx_rates=view.rates,
        fx_day=view.day,
    )
    shown = _shown(found, top, output, include_dropped)
    answer = _answer(found, shown, have.data(), view.options)
    if html is not None:
        from gpurent.cli.page import write

        size = write(html, found, answer, view.rate, view.rates)
        note(f"page: {html}, {size / 1e6:.2f} MB")
    _write(found, shown, answer, output, view, explain, against)
    if not len(found):
        raise Problem(*_nothing(found), UNKNOWN)
    aged = any(entry.reason == "too-old" for entry in found.dropped)
    return have.code or (PARTIAL if aged else 0)


def _overrides(**given: Any) -> list[str]:
    return [f"{key}={value}" for key, value in given.items() if value is not None]


def _precision(text: str | None, job: Workload) -> str:
    if text is None:
        return job.precision
    from typing import get_args

    from gpurent.workloads.workload import Precision

    word = str(asked.choice(text, get_args(Precision), "--precision"))
    if job.precisions and word not in job.precisions:
        known = ", ".join(job.precisions)
        raise Problem(
            f"{job.name} is not set up for this precision", text, f"it knows {known}; --set precisions= adds one"
        )
    return word


class _View:
    """The currency a person reads and the day it is converted for."""

    def __init__(self, currency: str, rate: float, day: datetime | None, rates: Rates, options: dict[str, Any]) -> None:
        self.currency, self.rate, self.day, self.rates, self.options = currency, rate, day, rates, options


def _view(currency: str, fx_date: str | None, now: datetime) -> _View:
    from datetime import UTC, datetime

    from gpurent import fx
    from gpurent.cli.current import rates

    code = currency.strip().upper()
    try:
        day = None if fx_date is None else datetime.fromisoformat(fx_date).replace(tzinfo=UTC)
    except ValueError:
        raise Problem("--fx-date is not a day", fx_date, "write it as 2026-11-30") from None
    known = rates()
    rate = fx.rates([code], (day or now).date(), known).get(code)
    if rate is None:
        listed = ", ".join(known.currencies)
        raise Problem("no rate of exchange for this currency", currency, f"known on that day: {listed}")
    options = {"currency": code, "fx_date": None if day is None else day.date().isoformat()}
    return _View(code, 1 / rate, day, known, options)


def _mine(text: str | None, usd_per_hour: float | None, now: datetime) -> Offer | None:
    from pathlib import Path

    from gpurent.money import Price
    from gpurent.offer import Offer

    if text is None:
        if usd_per_hour is not None:
            raise Problem("--mine-usd-per-hour needs --mine", usd_per_hour, 'say e.g. --mine "RTX 3090, 16 cores"')
        return None
    if not text.strip():
        raise Problem("--mine is empty", text, 'name your machine, e.g. "RTX 3090, Ryzen 9 5950X, 64GB, NVMe 7GB/s"')
    if text.lower().endswith((".csv", ".json", ".ndjson")) and not Path(text).is_file():
        raise Problem(
            "there is no such file", text, "give an offers file of one row, or describe your machine in words"
        )
    if len(text) < 4096 and Path(text).is_file():
        from gpurent.cli.current import read_bytes
        from gpurent.hardware.names import count_of
        from gpurent.offer_file import parse_offers

        offer = parse_offers(read_bytes(text), text, now, count_in=count_of).offers[0]
    else:
        from gpurent.offer_text import read_machine

        offer = read_machine(text)
    fields = {**offer.__dict__, "provider": "mine", "observed_at": offer.observed_at or now}
    if usd_per_hour is not None:
        fields["price"] = Price(amount=asked.positive(usd_per_hour, "--mine-usd-per-hour"))
    return Offer.assemble(fields)


def _shown(found: Comparison, top: int | None, output: Output, dropped: bool) -> list[dict[str, Any]]:
    limit = TOP if top is None and output is Output.TABLE and sys.stdout.isatty() else top
    return list(found.rows(limit, dropped))


def _answer(
    found: Comparison, shown: list[dict[str, Any]], data: dict[str, Any], view: dict[str, Any]
) -> dict[str, Any]:
    from gpurent.cli.output import document
    from gpurent.messages import say

    lang = state.lang()
    return document(
        "compare",
        workload=found.workload.name,
        options={**found.asked(), **view},
        data=data,
        total=found.total,
        ranked=len(found),
        shown=len(shown),
        rows=shown,
        mine=found.mine,
        dropped=[{"reason": each.reason, "count": each.count, "example": each.example} for each in found.dropped],
        notes=[say(code, lang, **values) for code, values in found.notes],
    )


def _write(
    found: Comparison, shown: list[dict[str, Any]], answer: dict[str, Any], output: Output, view: _View,
    explain: str | None, against: str | None,
) -> None:  # fmt: skip
    from gpurent.cli.output import emit
    from gpurent.render import table

    lang = state.lang()
    if explain is not None:
        chain = found.explain(explain, against)
        told = chain.document()
        emit({**answer, "explain": told}, told["lines"], output, lambda: table.explain_text(chain, lang))
        return
    if against is not None:
        raise Problem("--against needs --explain", against, "e.g. --explain 1 --against mine")

    def text() -> str:
        head = table.heading(answer, found.workload, lang)
        body = table.compare_table(shown, lang, mine=found.mine, currency=view.currency, rate=view.rate)
        return "\n".join([head, "", body, "", *table.footer(answer, lang)])

    emit(answer, shown, output, text)


def _nothing(found: Comparison) -> tuple[str, str, str]:
    """Why a comparison is empty: which filter or reason removed what."""
    told = "; ".join(f"{each.count} {each.reason}" for each in found.dropped[:6]) or "no offers were given"
    do = "loosen the filter, or look with --include-dropped"
    if found.dropped:
        do += f"; for one: {found.dropped[0].example}"
    return f"nothing to rank: {told}", f"0 of {found.total} offers", do
