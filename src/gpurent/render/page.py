"""The comparison as one page: a single file that sends no request, for a browser, a mail or a purchase request."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpurent.errors import Problem
from gpurent.messages import LANGUAGES, say, templates
from gpurent.render.machine import plain
from gpurent.render.page_data import CardHistory, page_data
from gpurent.render.table import beside_mine, compare_cells, compare_columns, sample_word, workload_title

if TYPE_CHECKING:
    from gpurent.comparison import Comparison
    from gpurent.fx import Rates

# One function around all of them, in this order: each file may use what those before it made.
_SCRIPTS = ("words", "offers", "chart", "table", "why", "basis", "history", "start")
_AREAS = ("page", "explain", "reason", "warning", "evidence")  # sentences the page says, by area of messages.toml
_PLAIN_ROWS = 15  # of the table for readers without scripts

_LANG_TAGS = {"en": "en", "zh": "zh-CN"}


def write_page(
    path: str,
    found: Comparison,
    answer: Mapping[str, Any],
    *,
    lang: str,
    rate: float = 1.0,
    history: Sequence[CardHistory] = (),
    fx_rates: Rates | None = None,
) -> int:
    """Write a comparison as one self-contained page; the file is there whole or not at all.

    Args:
        path: where; an existing file is replaced.
        found: the comparison.
        answer: its JSON document.
        lang: the language the page starts in.
        rate: units of the currency of the view for one US dollar.
        history: prices over the nights, if any were collected.
        fx_rates: the rates prices were converted with; None: the embedded ones.

    Returns:
        The size, bytes.

    Raises:
        Problem: the file cannot be written (exit 2).
    """
    text = page_text(found, answer, lang=lang, rate=rate, history=history, fx_rates=fx_rates).encode()
    target = Path(path)
    if not target.name or target.is_dir():
        raise Problem("the page cannot be written", f"{path!r}: not a file", "name a file, such as page.html")
    part = target.with_name(f".{target.name[:100]}.{os.getpid()}.part")
    try:
        try:
            with part.open("xb") as file:
                file.write(text)
            part.replace(target)
        finally:
            with suppress(OSError):
                part.unlink()
    except OSError as error:
        raise Problem(
            "the page cannot be written", f"{path}: {error.strerror}", "name a file in a folder you may write to"
        ) from None
    return len(text)


def page_text(
    found: Comparison,
    answer: Mapping[str, Any],
    *,
    lang: str,
    rate: float = 1.0,
    history: Sequence[CardHistory] = (),
    fx_rates: Rates | None = None,
) -> str:
    """The page as text; arguments as of `write_page`."""
    data = page_data(found, answer, rate=rate, fx_rates=fx_rates)
    data |= {
        "lang": lang,
        "words": {name: _words(name) for name in LANGUAGES},
        "title": {name: workload_title(found.workload, name) for name in LANGUAGES},
        "notes": {name: _notes(found, name) for name in LANGUAGES},
        "history": [plain(asdict(each)) for each in history],
    }
    scripts, styles = _assets(with_charts=bool(history))
    text: str = _template().render(
        lang=lang, lang_tag=_LANG_TAGS[lang], title=data["title"][lang], setting=_setting(found, answer, lang),
        policy=_policy(scripts, styles), styles=styles, scripts=scripts, data=data, data_json=json_in_html(data),
        plain=_plain(found, answer, lang, rate), say=lambda code: say(f"page.{code}", lang),
    )  # fmt: skip
    return text


def _words(lang: str) -> dict[str, dict[str, str]]:
    return {area: dict(templates(area, lang)) for area in _AREAS}


def _notes(found: Comparison, lang: str) -> list[str]:
    """What the table says below it: ties, old rates of exchange, how one's own machine compares."""
    notes = [say(code, lang, **values) for code, values in found.notes]
    return [*notes, *beside_mine(list(found.rows(1)), found.mine, lang)]


def _setting(found: Comparison, answer: Mapping[str, Any], lang: str) -> str:
    """What was compared, in one line; the script says the same when the language changes."""
    options, workload = answer["options"], found.workload
    return say(
        "page.setting", lang, precision=say(f"page.precision-{options['precision']}", lang),
        batch=options["batch"], epochs=f"{options['epochs']:g}",
        samples=f"{workload.samples_per_epoch:,.0f}", sample=sample_word(workload.sample, lang),
        setup=say(f"page.setup-{options['setup']}", lang),
    )  # fmt: skip


def _plain(found: Comparison, answer: Mapping[str, Any], lang: str, rate: float) -> dict[str, Any]:
    """The first rows as cells, for readers that run no scripts (previews of mail)."""
    currency = answer["options"].get("currency") or "USD"
    return {
        "headings": [column.heading for column in compare_columns(lang, currency)],
        "rows": [compare_cells(row, lang, rate) for row in found.rows(_PLAIN_ROWS)],
    }


def json_in_html(value: Any) -> str:
    """JSON that can stand inside a script element: nothing in it can end the element or a line of script.

    >>> json_in_html({"a": "</script>&"})
    '{"a":"\\\\u003c/script\\\\u003e\\\\u0026"}'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath("static", name).read_text(encoding="utf-8")


@cache
def _assets(with_charts: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The page's scripts and style sheets; uPlot only where there is a history to draw."""
    own = "\n".join(_asset(f"{name}.js") for name in _SCRIPTS)
    scripts = [f'(function () {{\n"use strict";\n{own}}})();\n']
    styles = [_asset("page.css")]
    if with_charts:
        scripts.insert(0, _asset("uplot/uPlot.iife.min.js"))
        styles.insert(0, _asset("uplot/uPlot.min.css"))
    return tuple(scripts), tuple(styles)


def _policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """Nothing may be loaded or run but these very scripts and styles, and the icon inside the page."""

    def hashes(texts: Sequence[str]) -> str:
        return " ".join(
            f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in texts
        )

    return (
        f"default-src 'none'; script-src {hashes(scripts)}; style-src {hashes(styles)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=PackageLoader("gpurent.render", "."),
        keep_trailing_newline=True,
    )
    return environment.get_template("page.html")
