"""`gpurent history`, `diff`, `cheapest`: what it cost before, what changed, when it was cheapest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpurent.cli import asked, state
from gpurent.cli.output import Output, note
from gpurent.errors import UNKNOWN, USAGE, Problem

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

    from gpurent.snapshots.series import By, Group, Prices

SINCE = "90d"  # of history and cheapest, unless --since says otherwise
BY = ("card", "share", "provider", "region", "purchase", "count", "tier", "offer")

Since = Annotated[str | None, typer.Option(metavar="AGE|DAY", help=f"From when: 7d, 3m, 2026-09-01. Default {SINCE}.")]
Until = Annotated[str | None, typer.Option(metavar="AGE|DAY", help="Until when; default now.")]
ByOption = Annotated[str, typer.Option(metavar="KEY,...", help=f"Groups by: {', '.join(BY)}.")]


@contextmanager
def opened() -> Iterator[sqlite3.Connection]:
    """The history, open to read.

    Raises:
        Problem: nothing was collected yet (exit 3).
    """
    from gpurent.cli import paths
    from gpurent.snapshots import store

    path = paths.history()
    db = store.open_to_read(path)
    if db is None:
        raise Problem("there is no history yet", path, "collect once with `gpurent snapshot`", UNKNOWN)
    with closing(db), store.told(path, USAGE):
        yield db


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
    by: ByOption = "card",
    since: Since = None,
    until: Until = None,
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
    from gpurent.cli.output import document, emit
    from gpurent.messages import say
    from gpurent.render.history import series_table

    with opened() as db:
        if offer is not None:
            return _one_offer(db, offer, output)
        keys = _by(by, purchase)
        found = _prices(db, _wanted(gpu, provider, region, tier, purchase, share, count, include_via), since, until, on)
        values, unit = found.usd_per_gpu_hour, "usd_per_gpu_hour"
        if workload is not None:
            values, unit = _costs(db, found, workload, precision), "cost_per_epoch_usd"
    groups = _groups(found, values, keys)
    rows = list(_rows(groups, found, keys, unit))
    lang = state.lang()
    words = say("history.unit-epoch" if workload else "history.unit-price", lang)
    span = (found.days[0].isoformat(), found.days[-1].isoformat())
    answer = document("history", unit=unit, by=list(keys), since=span[0], until=span[1], workload=workload, rows=rows)
    title = say("history.title", lang, unit=words, since=span[0], until=span[1], n=len(found.pairs))
    emit(answer, rows, output, lambda: f"{title}\n\n{series_table(map(_summary, groups), keys, words, lang)}")
    return 0


def _one_offer(db: sqlite3.Connection, prefix: str, output: Output) -> int:
    from gpurent.cli.output import document, emit
    from gpurent.offer_file import to_row
    from gpurent.render.history import spells_table
    from gpurent.snapshots.changes import spells

    found = spells(db, prefix)
    rows = [
        {
            "first_seen": spell.first_seen.isoformat(), "last_seen": spell.last_seen.isoformat(),
            "ended": spell.ended.isoformat() if spell.ended else None, "price": spell.amount,
            "price_per_hour": spell.offer.price_per_hour,
            "currency": spell.offer.price.currency if spell.offer.price else None, "stock": spell.stock,
            "gpu": spell.offer.gpu,
        }
        for spell in found
    ]  # fmt: skip
    last = found[-1].offer
    answer = document("history", offer_id=last.offer_id, offer=to_row(last), rows=rows)
    head = f"{last.offer_id}  {last.provider}  {last.sku or last.listing or ''}  {last.gpu_count} x {last.gpu}"
    emit(answer, rows, output, lambda: f"{head}\n\n{spells_table(rows, state.lang())}")
    return 0


def _wanted(
    gpu: str | None, provider: str | None, region: str | None, tier: str | None, purchase: str, share: str,
    count: str | None, via: bool,
) -> Any:  # fmt: skip
    return asked.wanted(gpu, provider, region, tier, purchase, share, None, None, None, count, True, via)


def _by(text: str, purchase: str) -> tuple[By, ...]:
    keys = [asked.choice(word, BY, "--by") for word in asked.words(text)] or ["card"]
    if purchase == "any" and "purchase" not in keys:
        keys.append("purchase")  # spot and on-demand have no common median
    return tuple(dict.fromkeys(keys))


def _prices(db: sqlite3.Connection, wanted: Any, since: str | None, until: str | None, on: str | None = None) -> Prices:
    """The price matrix of the wanted offers over the asked days.

    Raises:
        Problem: nothing in the history matches (exit 3).
    """
    from datetime import UTC, datetime

    from gpurent.hardware.resolve import resolve
    from gpurent.selection import Selector, check_providers
    from gpurent.snapshots import series
    from gpurent.snapshots.current import known_rates
    from gpurent.snapshots.moments import moment, point

    now = datetime.now(UTC)
    (first,) = db.execute("SELECT min(observed_at) FROM collection WHERE status = 'kept' AND offers > 0").fetchone()
    if first is None:
        raise Problem("nothing was kept yet", "0 collections", "collect once with `gpurent snapshot`", UNKNOWN)
    names = db.execute("SELECT DISTINCT provider FROM offer UNION SELECT DISTINCT via FROM offer").fetchall()
    check_providers(wanted, {name for (name,) in names if name})
    last = on or until
    end = point(last, now) if last else now
    start = end if on else max(point(since or SINCE, now), moment(first))
    selector = Selector(wanted)
    direct = {name for (name,) in db.execute("SELECT DISTINCT provider FROM offer WHERE via IS NULL")}

    def chosen(offer: Any, found: Any) -> bool:
        resold = offer.via is not None and offer.provider in direct and not wanted.include_via
        return not resold and not selector.reason(offer, found)

    days = series.days_between(start, end)
    found = series.prices(db, days, resolve, chosen, known_rates(db))
    if not found.pairs:
        raise Problem("nothing in the history matches", f"{days[0]} to {days[-1]}", "loosen the filters", UNKNOWN)
    return found


def _costs(db: sqlite3.Connection, found: Prices, workload: str, precision: str | None) -> Any:
    from datetime import UTC, datetime

    from gpurent import workloads
    from gpurent.comparison import Options
    from gpurent.snapshots import epochs
    from gpurent.snapshots.current import known_rates

    job = workloads.load(workload)
    return epochs.costs(found, job, Options(precision=precision or job.precision), datetime.now(UTC), known_rates(db))


def _groups(found: Prices, values: Any, keys: Sequence[By]) -> list[Group]:
    from gpurent.snapshots import series

    groups = series.group(found, values, keys)
    if not groups:
        raise Problem("nothing had a price then", f"{found.days[0]} to {found.days[-1]}", "ask for other days", UNKNOWN)
    return groups


def _rows(groups: Sequence[Group], found: Prices, keys: Sequence[By], unit: str) -> Iterator[dict[str, Any]]:
    """A row a group and day."""
    for group in groups:
        label: dict[str, str] = dict(zip(keys, group.key, strict=True))
        for place, day in enumerate(group.days):
            if group.n[place]:
                offer = found.pairs[group.cheapest[place]].offer
                yield {
                    "day": day.isoformat(), **label, "n": int(group.n[place]), f"lowest_{unit}": group.lowest[place],
                    f"median_{unit}": group.median[place], "cheapest_offer_id": offer.offer_id,
                    "cheapest_provider": offer.provider,
                }  # fmt: skip


def _summary(group: Group) -> dict[str, Any]:
    """What a line of the table says of a group."""
    import numpy as np

    known = np.flatnonzero(group.n)
    lowest = known[np.argmin(group.lowest[known])]
    first, now = float(group.lowest[known[0]]), float(group.lowest[known[-1]])
    return {
        "key": group.key, "n": int(group.n[known[-1]]), "first": first, "now": now,
        "lowest": float(group.lowest[lowest]), "lowest_on": group.days[lowest].isoformat(),
        "median": float(group.median[known[-1]]), "change": (now / first - 1) * 100 if first else None,
        "values": group.lowest.tolist(),
    }  # fmt: skip


def diff(
    before: Annotated[
        str | None, typer.Argument(metavar="[A]", help="A day, an age, or #RUN; default the run before.")
    ] = None,
    after: Annotated[str | None, typer.Argument(metavar="[B]", help="The same; default the last run.")] = None,
    gpu: asked.Gpu = None,
    provider: asked.Provider = None,
    region: asked.Region = None,
    purchase: asked.Purchase = "any",
    share: asked.Share = "any",
    include_via: asked.Via = False,
    output: asked.OutputOption = Output.TABLE,
) -> int:
    """Show what is new, gone, cheaper and dearer between two moments.

    \b
    gpurent diff
    gpurent diff 7d --gpu 'rtx-4090*'
    gpurent diff 2026-11-01 2026-11-30 -o csv
    """
    from gpurent.cli.output import document, emit
    from gpurent.hardware.resolve import resolve
    from gpurent.messages import say
    from gpurent.render.history import changes_table
    from gpurent.selection import Selector
    from gpurent.snapshots import changes, gate

    selector = Selector(_wanted(gpu, provider, region, None, purchase, share, None, include_via))
    with opened() as db:
        start, end = _moments(db, before, after)
        found = [one for one in changes.diff(db, start, end) if not selector.reason(one.offer, resolve(one.offer))]
    rows = [
        {
            "change": one.kind, **_place(one.offer, gate.card_label(resolve(one.offer), one.offer)),
            "before": one.before, "after": one.after,
            "currency": one.offer.price.currency if one.offer.price else None, "percent": one.percent,
        }
        for one in found
    ]  # fmt: skip
    lang = state.lang()
    span = (start.isoformat(timespec="seconds"), end.isoformat(timespec="seconds"))
    counts = {kind: sum(row["change"] == kind for row in rows) for kind in changes.KINDS}
    answer = document("diff", before=span[0], after=span[1], counts=counts, rows=rows)
    if rows:
        told = ", ".join(f"{say(f'history.kind-{kind}', lang)} {n}" for kind, n in counts.items() if n)
        note(say("history.changes", lang, before=span[0], after=span[1], counts=told))
    else:
        note(say("history.no-change", lang, before=span[0], after=span[1]))
    emit(answer, rows, output, lambda: changes_table(rows, lang) if rows else "")
    return 0


def _place(offer: Any, card: str) -> dict[str, Any]:
    return {
        "offer_id": offer.offer_id, "provider": offer.provider, "via": offer.via, "sku": offer.sku,
        "listing": offer.listing, "card": card, "gpu_count": offer.gpu_count, "region": offer.region,
        "purchase": offer.purchase,
    }  # fmt: skip


def _moments(db: sqlite3.Connection, before: str | None, after: str | None) -> tuple[datetime, datetime]:
    from datetime import UTC, datetime

    from gpurent.snapshots import changes
    from gpurent.snapshots.moments import point

    now = datetime.now(UTC)

    def read(text: str) -> datetime:
        word = text.strip()
        return changes.run_moment(db, int(word[1:])) if word[:1] == "#" and word[1:6].isdigit() else point(word, now)

    if before is None:
        return changes.last_moments(db)
    start, end = read(before), read(after) if after is not None else now
    if start > end:
        raise Problem("A is after B", f"{before} {after}", "give the earlier moment first")
    return start, end


def cheapest(
    since: Since = None,
    below: Annotated[float | None, typer.Option(metavar="USD", help="Only prices below this, per GPU-hour.")] = None,
    gpu: asked.Gpu = None,
    provider: asked.Provider = None,
    region: asked.Region = None,
    tier: asked.Tier = None,
    purchase: asked.Purchase = "on-demand",
    share: asked.Share = "any",
    count: asked.Count = None,
    by: ByOption = "card",
    include_via: asked.Via = False,
    output: asked.OutputOption = Output.TABLE,
) -> int:
    """Show when each card was cheapest, and what it costs now. For scripts: --below exits 0 when found, 3 when not.

    \b
    gpurent cheapest --gpu 'rtx-4090*,h100*'
    gpurent cheapest --since 7d --below 1.50 --gpu h100-sxm-80gb && notify-send "H100 below 1.50"
    gpurent cheapest --purchase spot --by card,provider -o csv
    """
    from gpurent.cli.output import document, emit
    from gpurent.render.history import cheapest_table

    asked.positive(below, "--below")
    keys = _by(by, purchase)
    with opened() as db:
        found = _prices(db, _wanted(gpu, provider, region, tier, purchase, share, count, include_via), since, None)
    groups = _groups(found, found.usd_per_gpu_hour, keys)
    rows = sorted((_lowest(group, found) for group in groups), key=lambda row: row["usd_per_gpu_hour"])
    dearest = rows[0]["usd_per_gpu_hour"]
    rows = [row for row in rows if below is None or row["usd_per_gpu_hour"] < below]
    if not rows:
        raise Problem(
            f"nothing below {below:g} USD/GPU-h since {found.days[0]}",
            f"lowest {dearest:.4g}",
            "wait, or raise --below",
            UNKNOWN,
        )
    answer = document("cheapest", since=found.days[0], until=found.days[-1], below=below, by=list(keys), rows=rows)
    emit(answer, rows, output, lambda: cheapest_table(rows, state.lang()))
    return 0


def _lowest(group: Group, found: Prices) -> dict[str, Any]:
    """When a group was cheapest, which offer that was, and the cheapest now."""
    import numpy as np

    known = np.flatnonzero(group.n)
    place = known[np.argmin(group.lowest[known])]
    pair = found.pairs[group.cheapest[place]]
    lowest = float(group.lowest[place])
    now = float(group.lowest[-1]) if group.n[-1] else None
    return {
        **_place(pair.offer, pair.card), "usd_per_gpu_hour": lowest, "day": group.days[place].isoformat(),
        "usd_per_gpu_hour_now": now, "percent_above": None if now is None else (now / lowest - 1) * 100,
    }  # fmt: skip
