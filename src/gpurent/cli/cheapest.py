"""`gpurent cheapest`: when each card was cheapest, and whether it is below a price; for scripts by its exit code."""

from __future__ import annotations

from typing import Annotated

import typer

from gpurent.cli import asked, past, state
from gpurent.cli.output import Output


def cheapest(
    since: past.Since = None,
    below: Annotated[float | None, typer.Option(metavar="USD", help="Only prices below this, per GPU-hour.")] = None,
    gpu: asked.Gpu = None,
    provider: asked.Provider = None,
    region: asked.Region = None,
    tier: asked.Tier = None,
    purchase: asked.Purchase = "on-demand",
    share: asked.Share = "any",
    count: asked.Count = None,
    by: past.ByOption = "card",
    include_via: asked.Via = False,
    output: asked.OutputOption = Output.TABLE,
) -> int:
    """Show when each card was cheapest, and what it costs now. For scripts: --below exits 0 when found, 3 when not.

    \b
    gpurent cheapest --gpu 'rtx-4090*,h100*'
    gpurent cheapest --since 7d --below 1.50 --gpu h100-sxm-80gb && notify-send "H100 below 1.50"
    gpurent cheapest --purchase spot --by card,provider -o csv
    """
    from datetime import UTC, datetime

    from gpurent.cli.output import document, emit
    from gpurent.messages import say
    from gpurent.render.history import cheapest_table
    from gpurent.snapshots import questions

    limit = asked.positive(below, "--below")
    keys = past.groups_by(by, purchase)
    filters = past.wanted(gpu, provider, region, tier, purchase, share, count, include_via)
    with past.opened() as db:
        found = questions.prices(db, filters, *past.days(since, None, None, datetime.now(UTC)))
    rows = questions.cheapest_rows(questions.groups(found, found.usd_per_gpu_hour, keys), found, limit)
    answer = document("cheapest", since=found.days[0], until=found.days[-1], below=below, by=list(keys), rows=rows)
    lang = state.lang()
    title = say("history.title-cheapest", lang, since=found.days[0], until=found.days[-1])
    emit(answer, rows, output, lambda: f"{title}\n\n{cheapest_table(rows, lang)}")
    return 0
