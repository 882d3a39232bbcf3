"""`gpurent history`: what it cost before, by card or as --by says; the history of one offer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpurent.cli import asked, past, state
from gpurent.cli.output import Output

if TYPE_CHECKING:
    import sqlite3


def history(
    offer: Annotated[str | None, typer.Argument(metavar="[ID]", help="One offer's own history.")] = None,
    workload: Annotated[str | None, typer.Option("--workload", "-w", help="Cost per epoch of this over time.")] = None,
    precision: Annotated[str | None, typer.Option(help="With -w: amp, fp32, tf32, fp16, bf16 or fp8.")] = None,
    gpu: asked.Gpu = None,
    provider: asked.Provider = None,
    region: asked.Region = None,
    tier: asked.Tier = None,
    purchase: asked.Purchase = "on-demand",
    share: asked.Share = "any",
    count: asked.Count = None,
    by: past.ByOption = "card",
    since: past.Since = None,
    until: past.Until = None,
    on: Annotated[str | None, typer.Option(metavar="DAY", help="One day only, as it was known then.")] = None,
    include_via: asked.Via = False,
    output: asked.OutputOption = Output.TABLE,
) -> int:
    """Show prices over time: n, lowest and median a day, by card or as --by says.

    \b
    gpurent history --gpu 'h100*' --by card,provider --since 1y
    gpurent history -w bert-large --gpu 'a100*,rtx-4090*'
    gpurent history 3f2a91
    """
    from datetime import UTC, datetime

    from gpurent.cli.output import document, emit
    from gpurent.messages import say
    from gpurent.render.history import day_table, series_table
    from gpurent.snapshots import questions

    now = datetime.now(UTC)
    with past.opened() as db:
        if offer is not None:
            return _one_offer(db, offer, output)
        keys = past.groups_by(by, purchase)
        filters = past.wanted(gpu, provider, region, tier, purchase, share, count, include_via)
        found = questions.prices(db, filters, *past.days(since, until, on, now))
        values, unit = found.usd_per_gpu_hour, "usd_per_gpu_hour"
        if workload is not None:
            from gpurent import workloads

            job = workloads.load(workload)
            values, unit = questions.costs(db, found, job, _precision(precision), now), "cost_per_epoch_usd"
    groups = questions.groups(found, values, keys)
    one_day = len(found.days) == 1
    rows: list[dict[str, Any]] = []
    if one_day or output is not Output.TABLE:  # the table of many days draws them
        rows.extend(questions.day_rows(groups, found, keys, unit))
    lang = state.lang()
    words = say("history.unit-epoch" if workload else "history.unit-price", lang)
    span = (found.days[0].isoformat(), found.days[-1].isoformat())
    answer = document("history", unit=unit, by=list(keys), since=span[0], until=span[1], workload=workload, rows=rows)
    offers = len({pair.offer.offer_id for pair in found.pairs})
    title = say("history.title", lang, unit=words, since=span[0], until=span[1], n=offers)

    def table() -> str:
        if one_day:
            day = say("history.title-day", lang, day=span[0], n=offers)
            return f"{day}\n\n{day_table(rows, keys, unit, lang)}"
        return f"{title}\n\n{series_table(map(questions.summary, groups), keys, lang)}"

    emit(answer, rows, output, table)
    return 0


def _precision(text: str | None) -> Any:
    known = ("amp", "fp32", "tf32", "fp16", "bf16", "fp8")
    return None if text is None else asked.choice(text, known, "--precision")


def _one_offer(db: sqlite3.Connection, prefix: str, output: Output) -> int:
    from gpurent.cli.output import document, emit
    from gpurent.offer_file import to_row
    from gpurent.render.history import spells_table
    from gpurent.snapshots.changes import spells

    found = spells(db, prefix)
    rows = [spell.as_row() for spell in found]
    last = found[-1].offer
    answer = document("history", offer_id=last.offer_id, offer=to_row(last), rows=rows)
    head = f"{last.offer_id}  {last.provider}  {last.sku or last.listing or ''}  {last.gpu_count} x {last.gpu}"
    emit(answer, rows, output, lambda: f"{head}\n\n{spells_table(rows, state.lang())}")
    return 0
