"""The comparison as a person reads it: the table, what was left out, and how old the data is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpurent.messages import has, say
from gpurent.render.grid import MISSING, Column, counted, grid, plain_grid, seconds, significant

if TYPE_CHECKING:
    from datetime import datetime

    from gpurent.offer import Offer
    from gpurent.ranker.explain import Advice, Explanation
    from gpurent.workloads.workload import Workload

Row = Mapping[str, Any]

_BADGES = {"mig": "MIG", "vgpu": "vGPU", "timeslice": "1/n", "unknown": "?"}


def card_text(row: Row, lang: str) -> str:
    """A card with its badge: a slice's profile, or how many cards the seller's words can mean."""
    share = row["gpu_share"]
    name = row["gpu"] or ""
    if not name and row["gpu_candidates"]:
        shared = _common(row["gpu_candidates"])
        name = f"{shared or row['gpu_text']}{say('compare.one-of', lang, n=len(row['gpu_candidates']))}"
    name = name or row["gpu_text"]
    if share in _BADGES:
        detail = row["share_profile"] or (f"{significant(row['gpu_memory_gib'])} GiB" if row["gpu_memory_gib"] else "")
        name += f" [{_BADGES[share]} {detail}".rstrip() + "]"
    return name


def _common(names: Sequence[str]) -> str:
    parts = [name.split("-") for name in names]
    shared: list[str] = []
    for words in zip(*parts, strict=False):
        if len(set(words)) > 1:
            break
        shared.append(words[0])
    return "-".join(shared)


def _cost(row: Row) -> str:
    low, high = row["cost_per_epoch_usd_low"], row["cost_per_epoch_usd_high"]
    if low is None:
        return MISSING
    return f"{significant(low)}–{significant(high)}"


def compare_columns(lang: str, currency: str = "USD") -> list[Column]:
    """Headings of the comparison."""

    def head(name: str) -> str:
        return say(f"heading.{name}", lang, currency=currency)

    return [
        Column(head("rank"), right=True), Column(head("id"), drop=3), Column(head("provider"), shrinks=True),
        Column(head("sku"), shrinks=True, drop=5), Column(head("card"), shrinks=True),
        Column(head("gpus"), right=True), Column(head("vcpu"), right=True, drop=2), Column(head("limit")),
        Column(head("evidence"), drop=6), Column(head("samples-per-s"), right=True), Column(head("epoch"), right=True),
        Column(head("per-epoch"), right=True), Column(head("interval"), right=True, drop=4),
        Column(head("per-gpu-hour"), right=True, drop=1), Column(head("age"), right=True),
    ]  # fmt: skip


def compare_cells(row: Row, lang: str, rate: float = 1.0, tied: bool = True) -> list[str]:
    """One row's cells; `rate` turns US dollars into the view's currency, `tied` marks what is tied with the first."""

    def money(key: str) -> float | None:
        return None if row[key] is None else row[key] * rate

    view = {**row, **{key: money(key) for key in row if key.startswith("cost_per_epoch")}}
    assumed = "~" if "vcpus" in row["assumed"] else ""
    limit = row["limit"] or MISSING
    return [
        ("=" if row["tied_with_best"] and tied else "") + (str(row["rank"]) if row["rank"] else MISSING),
        row["offer_id"][:6], row["provider"] + (f" ({row['via']})" if row["via"] else ""),
        row["sku"] or row["listing"] or MISSING, card_text(row, lang), str(row["gpu_count"]),
        assumed + significant(row["vcpus"]), limit + (f"+{row['limit_also']}" if row["limit_also"] else ""),
        say(f"evidence.{row['rate_evidence']}", lang) if row["rate_evidence"] else MISSING,
        significant(row["samples_per_s"]), seconds(row["steady_epoch_s"]), significant(money("cost_per_epoch_usd")),
        _cost(view), significant(money("usd_per_gpu_hour")),
        MISSING if row["age_days"] is None else f"{row['age_days']:.0f} d",
    ]  # fmt: skip


def compare_table(
    rows: Iterable[Row], lang: str, *, mine: Row | None = None, currency: str = "USD", rate: float = 1.0
) -> str:
    """The ranked rows as columns; the user's own machine, unranked, last."""
    shown = list(rows)
    tied = sum(bool(row["tied_with_best"]) for row in shown) > 1
    cells = [compare_cells(row, lang, rate, tied) for row in shown]
    if mine is not None:
        cells.append(["", say("compare.mine-badge", lang), *compare_cells(mine, lang, rate)[2:]])
    return grid(compare_columns(lang, currency), cells)


def warning_lines(rows: Sequence[Row], lang: str) -> list[str]:
    """Warnings of the rows shown, a line a code, with the ranks it is about."""
    about: dict[str, list[str]] = {}
    for row in rows:
        for code in row["warnings"]:
            about.setdefault(code, []).append(str(row["rank"]))
    return [
        f"! {', '.join(ranks[:_RANKS])}{' ...' if len(ranks) > _RANKS else ''}: {say(f'warning.{code}', lang)}"
        for code, ranks in about.items()
    ]


_RANKS = 8


def dropped_lines(dropped: Iterable[Mapping[str, Any]], lang: str) -> list[str]:
    """What was left out, a line a reason, with one example each."""
    lines: list[str] = []
    for entry in dropped:
        reason = entry["reason"]
        option = reason.partition(":")[2]
        words = say("reason.filtered", lang, option=option) if option else say(f"reason.{reason}", lang)
        lines.append(f"  {entry['count']:>5} {words} [{reason}]: {entry['example']}")
    return lines


def heading(answer: Mapping[str, Any], workload: Workload, lang: str) -> str:
    """What was compared, in one line."""
    setup = say("compare.setup-left-out" if answer["options"]["setup"] == "none" else "compare.setup-included", lang)
    return say(
        "compare.title", lang, title=workload_title(workload, lang), precision=answer["options"]["precision"],
        batch=workload.batch, epochs=counted(workload.epochs), samples=counted(workload.samples_per_epoch),
        sample=sample_word(workload.sample, lang), setup=setup,
    )  # fmt: skip


def sample_word(sample: str, lang: str) -> str:
    """What a sample is called, in many."""
    code = f"page.sample-{sample}"
    return say(code, lang) if has(code) else sample


def _source(source: str, lang: str) -> str:
    """Where the offers came from: in words, or the file's name."""
    code = f"compare.source-{source}"
    return say(code, lang) if has(code) else source


def footer(answer: Mapping[str, Any], lang: str) -> list[str]:
    """Under the table: how much was shown, what was left out and why, how old the prices are, what marks mean."""
    ranked = [row for row in answer["rows"] if row["rank"]]
    ages = sorted(row["age_days"] for row in ranked if row["age_days"] is not None)
    lines = [
        say(
            "compare.shown", lang, shown=answer["shown"], total=answer["total"], ranked=answer["ranked"],
            source=_source(answer["data"]["source"], lang),
        )
    ]  # fmt: skip
    if ages:
        newest, median, oldest = (f"{age:.0f}" for age in (ages[0], ages[len(ages) // 2], ages[-1]))
        code = "compare.age" if newest == oldest else "compare.ages"
        lines.append(say(code, lang, newest=newest, median=median, oldest=oldest))
    lines += warning_lines(ranked, lang)
    lines += beside_mine(ranked, answer["mine"], lang)
    lines += answer["notes"]
    if answer["dropped"]:
        lines += [say("compare.left-out", lang), *dropped_lines(answer["dropped"], lang)]
    return [*lines, say("compare.marks", lang)]


def beside_mine(ranked: Sequence[Row], mine: Row | None, lang: str) -> list[str]:
    """How the first offer stands against the user's own machine."""
    if mine is None or not mine["samples_per_s"] or not ranked:
        return []
    best = ranked[0]
    ratio = significant(best["samples_per_s"] / mine["samples_per_s"])
    cost, own = best["cost_per_epoch_usd"], mine["cost_per_epoch_usd"]
    if own is None:
        return [say("compare.mine-unpriced", lang, ratio=ratio, cost=f"${significant(cost)}")]
    difference = f"${significant(abs(cost - own))} ({abs(cost / own - 1):.0%})"
    code = "compare.mine-faster" if cost >= own else "compare.mine-cheaper"
    return [say(code, lang, ratio=ratio, dearer=difference, cheaper=difference)]


def _shown(value: Any) -> str:
    if value is None:
        return MISSING
    return value if isinstance(value, str) else counted(float(value))


def explain_text(chain: Explanation, lang: str) -> str:
    """The chain of one row or two, stage by stage, the guilty line marked, then what to try."""
    two = len(chain.rows) > 1
    lines: list[str] = []
    for letter, row in zip("AB", chain.rows, strict=False):
        what = " ".join(filter(None, (row["provider"], row["sku"], f"{row['gpu_count']} x {card_text(row, lang)}")))
        lines.append(say("explain.title", lang, id=(f"{letter} = " if two else "") + row["offer_id"], what=what))
    heads = [Column(""), *(Column(letter, right=True) for letter in ("AB" if two else " ")[: len(chain.rows)])]
    if two:
        heads.append(Column("A/B", right=True))
    heads += [Column(say("explain.source", lang)), Column("")]
    stage = ""
    cells: list[list[str]] = []
    for line in chain.lines:
        if line.stage != stage:
            stage = line.stage
            cells.append([say(f"explain.stage-{stage}", lang), *[""] * (len(heads) - 1)])
        ratio = [] if not two else ["" if line.ratio is None else f"{line.ratio:.2f}"]
        mark = say("explain.guilty", lang) if chain.marks(line) else ""
        name = "  " + say(f"explain.line-{line.name}", lang)
        cells.append([name, *(_shown(value) for value in line.values), *ratio, line.source, mark])
    shortened, listed = _sources(cells, len(heads) - 2)
    lines += ["", plain_grid(heads, shortened), "", say("explain.try", lang)]
    lines += [f"  - {advice_text(chain, each, lang)}" for each in chain.advice]
    if not chain.advice:
        lines.append(f"  - {say('explain.nothing-to-try', lang)}")
    return "\n".join([*lines, "", say("explain.sources", lang), *listed])


_LONG_SOURCE = 44


def _sources(cells: list[list[str]], column: int) -> tuple[list[list[str]], list[str]]:
    """Long sources become a number under the table; keys of sources.csv get their address there."""
    from gpurent import tables

    known = {
        row["source"]: f"{row['what']}, {row['address']} {row['commit_or_version']}" for row in tables.rows("sources")
    }
    listed: dict[str, str] = {}
    shortened: list[list[str]] = []
    for row in cells:
        source = row[column]
        if len(source) > _LONG_SOURCE:
            listed.setdefault(source, f"[{len(listed) + 1}]")
            source = listed[source]
        shortened.append([*row[:column], source, *row[column + 1 :]])
    lines = [f"  {mark} {text}" for text, mark in listed.items()]
    words = {word for row in cells for word in re.split(r"[^A-Za-z0-9.-]+", row[column])}
    return shortened, [*lines, *(f"  {key}: {known[key].strip()}" for key in sorted(words & known.keys()))]


def advice_text(chain: Explanation, advice: Advice, lang: str) -> str:
    """One thing to try as a sentence, with what it would give."""
    values = dict(advice.values)
    if advice.row is not None:
        before = min(chain.rows, key=lambda row: row["samples_per_s"] or 0.0)["cost_per_epoch_usd"]
        cost = advice.row["cost_per_epoch_usd"]
        change = f"{cost / before - 1:+.0%}" if cost and before else MISSING
        values |= {"rate": significant(advice.row["samples_per_s"]), "usd": f"${significant(cost)}", "change": change}
    return say(f"explain.{advice.code}", lang, **values)


def workload_title(workload: Workload, lang: str) -> str:
    """A workload's title, in Chinese where we have one."""
    if lang == "zh" and has(f"workload.{workload.name}"):
        return say(f"workload.{workload.name}", lang)
    return workload.title or workload.name


def offers_table(offers: Sequence[Offer], now: datetime, lang: str) -> str:
    """Offers as their providers wrote them; native prices."""
    names = ("id", "provider", "sku", "card", "gpus", "vcpu", "ram", "disk", "region", "purchase", "price", "age")
    right = {"gpus", "vcpu", "ram", "price", "age"}
    heads = [Column(say(f"heading.{name}", lang), name in right, name in ("sku", "provider")) for name in names]
    cells = [
        [
            offer.offer_id[:6], offer.provider + (f" ({offer.via})" if offer.via else ""),
            offer.sku or offer.listing or MISSING, offer.gpu, str(offer.gpu_count), significant(offer.vcpus),
            significant(offer.ram_gib), offer.disk_class or MISSING, offer.region or offer.country or MISSING,
            offer.purchase, _native(offer),
            MISSING if offer.observed_at is None else f"{(now - offer.observed_at).days} d",
        ]
        for offer in offers
    ]  # fmt: skip
    return grid(heads, cells)


def _native(offer: Offer) -> str:
    hourly = offer.price_per_hour
    return MISSING if hourly is None or offer.price is None else f"{hourly:.6g} {offer.price.currency}"
