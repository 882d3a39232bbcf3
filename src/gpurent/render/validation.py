"""The validation for people: bars, errors by workload and by card, the naive rankings, what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpurent.messages import say
from gpurent.render.grid import MISSING, Column, grid

Row = Mapping[str, Any]

_SHARES = ("pair_order", "coverage")
_RATIOS = ("median_ratio", "over_no_penalty", "mean_over_usd_per_gpu_hour", "mean_over_flops_per_usd")
_MOST = 12  # lines of a part


def bar_rows(bars: Sequence[Row], lang: str) -> list[dict[str, str]]:
    """One line a bar, in words: score, statistic, n, value, bound, reference, holds."""
    return [
        {
            "score": score_name(bar["score"], lang),
            "statistic": say(f"validate.statistic-{bar['statistic'].replace('_', '-')}", lang),
            "n": str(bar["n"]),
            "value": _value(bar["value"], bar["statistic"]),
            "ask": ("≤ " if bar["bound"] == "max" else "≥ ") + _value(bar["limit"], bar["statistic"]),
            "reference": _value(bar["reference"], bar["statistic"]),
            "holds": say(f"validate.holds-{ {True: 'yes', False: 'no', None: 'unknown'}[bar['holds']] }", lang),
        }
        for bar in bars
    ]


def score_name(score: str, lang: str) -> str:
    """A score in words; a class of cards after it."""
    name, _, kind = score.partition(".")
    text = say(f"validate.score-{name.replace('_', '-')}", lang)
    return f"{text}, {say(f'validate.class-{kind}', lang)}" if kind else text


def text(answer: Row, lang: str) -> str:
    """The whole validation as text."""
    parts = [_bars(answer["bars"], lang), _errors(answer["by_workload"], "workload", lang)]
    parts.append(_errors(answer["by_gpu"], "card", lang))
    parts.append(_errors(answer["by_n_gpus"], "gpus", lang))
    parts.append(_errors(answer["baselines"], "naive", lang))
    ways = answer["scores"].get("regret", {}).get("ways")
    if ways:
        parts.append(_regret(ways, lang))
    if answer["skipped"]:
        parts.append(_skipped(answer, lang))
    return "\n\n".join(parts)


def _bars(bars: Sequence[Row], lang: str) -> str:
    names = ("score", "statistic", "n", "value", "ask", "reference", "holds")
    right = ("n", "value", "ask", "reference")
    columns = [Column(say(f"validate.{name}", lang), right=name in right, shrinks=name == "score") for name in names]
    return grid(columns, [[row[name] for name in names] for row in bar_rows(bars, lang)])


def _errors(by: Mapping[str, Row], name: str, lang: str) -> str:
    columns = [Column(say(f"validate.by-{name}", lang), shrinks=True)]
    columns += [Column(say(f"validate.{each}", lang), right=True) for each in ("n", "median", "mean", "p90")]
    rows = [
        [key, str(row["n"]), *(_value(row[each], each) for each in ("median_ape", "mean_ape", "p90_ape"))]
        for key, row in by.items()
    ]
    return grid(columns, rows)


def _regret(ways: Mapping[str, Row], lang: str) -> str:
    columns = [Column(say("validate.by-choice", lang), shrinks=True)]
    columns += [Column(say(f"validate.{each}", lang), right=True) for each in ("n", "median", "mean", "p90")]
    rows = [
        [
            say(f"validate.choice-{way.replace('_', '-')}", lang), str(row["n"]),
            *(_value(row[each], each) for each in ("median", "mean", "p90")),
        ]
        for way, row in ways.items()
    ]  # fmt: skip
    return grid(columns, rows)


def _skipped(answer: Row, lang: str) -> str:
    lines = [say("validate.skipped", lang, n=sum(answer["skipped"].values()))]
    for reason, count in answer["skipped"].items():
        examples = answer.get("skipped_examples", {}).get(reason, [])
        more = f" ... ({len(examples)})" if len(examples) > _MOST else ""
        named = f": {', '.join(examples[:_MOST])}{more}" if examples else ""
        lines.append(f"  {count:>6}  {say(f'validate.skip-{reason}', lang)} [{reason}]{named}")
    return "\n".join(lines)


def _value(value: float | None, statistic: str) -> str:
    """Shares and errors in per cent, ratios as they are."""
    if value is None:
        return MISSING
    return f"{value:.2f}" if statistic in _RATIOS else f"{100 * value:.{0 if statistic in _SHARES else 1}f} %"
