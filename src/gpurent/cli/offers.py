"""`gpurent offers`: the current offers as they are, filtered; its csv feeds `--offers` unchanged."""

from __future__ import annotations

from typing import Annotated

import typer

from gpurent.cli import asked, state
from gpurent.cli.output import Output
from gpurent.errors import UNKNOWN, Problem


def offers(
    offers: asked.Offers = None,
    gpu: asked.Gpu = None,
    provider: asked.Provider = None,
    region: asked.Region = None,
    tier: asked.Tier = None,
    purchase: asked.Purchase = "any",
    share: asked.Share = "any",
    min_vram: asked.MinVram = None,
    vcpus: asked.Vcpus = None,
    ram: asked.Ram = None,
    count: asked.Count = None,
    include_sold_out: asked.SoldOut = True,
    include_via: asked.Via = True,
    top: Annotated[int | None, typer.Option(help="Rows.")] = None,
    output: asked.OutputOption = Output.TABLE,
) -> int:
    """Show the current offers, as their providers wrote them.

    \b
    gpurent offers --gpu 'h100*' --provider lambda,verda
    gpurent offers --purchase spot -o csv > spot.csv
    gpurent offers --offers mine.json --min-vram 40
    """
    from datetime import UTC, datetime

    from gpurent.cli.current import current
    from gpurent.cli.output import document, emit
    from gpurent.hardware.resolve import resolve
    from gpurent.offer_file import KEYS, to_row
    from gpurent.render.table import offers_table
    from gpurent.selection import Selector, check_providers

    now = datetime.now(UTC)
    have = current(offers, now)
    wanted = asked.wanted(
        gpu, provider, region, tier, purchase, share, min_vram, vcpus, ram, count, include_sold_out, include_via
    )
    check_providers(wanted, {name for offer in have.offers for name in (offer.provider, offer.via) if name})
    selector = Selector(wanted)
    kept = [offer for offer in have.offers if not selector.reason(offer, resolve(offer))]
    if not kept:
        raise Problem("no offer matches", f"0 of {len(have.offers)}", "loosen the filters", UNKNOWN)
    if top is not None and top < 1:
        raise Problem("--top must be 1 or more", top, "give a number of rows")
    shown = kept[:top]
    rows = [{"offer_id": offer.offer_id, **to_row(offer)} for offer in shown]
    plain = rows if output is not Output.CSV else [{key: row[key] for key in KEYS} for row in rows]
    answer = document("offers", data=have.data(), total=len(have.offers), shown=len(shown), offers=rows)
    emit(answer, plain, output, lambda: offers_table(shown, now, state.lang()))
    return have.code
