"""`gpurent workloads`: the shipped workloads, one of them in full, and a template for one's own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpurent.cli import asked, state
from gpurent.cli.output import Output

if TYPE_CHECKING:
    from gpurent.workloads import Workload

app = typer.Typer(help="What can be trained: shipped workloads, and a template for your own.", no_args_is_help=True)

_LISTED = ("name", "title", "sample", "batch", "precision", "stack", "rates")


@app.command("list")
def list_(output: asked.OutputOption = Output.TABLE) -> None:
    """Show the shipped workloads.

    \b
    gpurent workloads list
    gpurent workloads list -o json
    gpurent workloads list --lang zh
    """
    from gpurent import workloads
    from gpurent.cli.output import document, emit
    from gpurent.messages import say
    from gpurent.render.grid import Column, grid

    lang = state.lang()
    others: dict[str, list[str]] = {}
    for alias, name in workloads.aliases().items():
        others.setdefault(name, []).append(alias)
    rows = [_row(workloads.load(name), others.get(name, []), lang) for name in workloads.names()]
    heads = [Column(say(f"workloads.{key}", lang), right=key == "batch", shrinks=key == "title") for key in _LISTED]

    def table() -> str:
        cells = [[str(row[key] if row[key] is not None else "–") for key in _LISTED[:-1]] for row in rows]
        rates = [say(f"workloads.rates-{row['rates']}", lang) for row in rows]
        return grid(heads, [[*line, rate] for line, rate in zip(cells, rates, strict=True)])

    emit(document("workloads", workloads=rows), rows, output, table)


@app.command()
def show(
    workload: Annotated[str, typer.Argument(metavar="NAME|FILE", help="A shipped workload, or a .toml file.")],
    set_: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Overrides a key.")] = None,
    output: asked.OutputOption = Output.TABLE,
) -> None:
    """Show every key of a workload as it is used, and which of them nobody stated.

    \b
    gpurent workloads show resnet50
    gpurent workloads show my-workload.toml -o json
    gpurent workloads show resnet50 --set pipeline=dali
    """
    from gpurent import workloads
    from gpurent.cli.output import document, emit
    from gpurent.messages import say
    from gpurent.render.grid import Column, grid
    from gpurent.workloads.files import has_measured_rates
    from gpurent.workloads.pipelines import table as pipelines

    lang = state.lang()
    found = workloads.load(workload, set_ or (), anchored=True)
    keys = _keys(found)
    keys["title"] = _title(found, lang)
    extra = {"rates": _rates(found), "assumed": found.assumed, "pipelines": list(pipelines())}

    def lines() -> str:
        notes = {key: say("workloads.assumed", lang) for key in found.assumed}
        stated = [
            [key, _text(value), notes.get(key, "")] for key, value in keys.items() if value is not None or key in notes
        ]
        stated.append([say("workloads.rates", lang), say(f"workloads.rates-{_rates(found)}", lang), ""])
        heads = [Column(say(f"workloads.{name}", lang)) for name in ("key", "value", "note")]
        tail = say("workloads.pipelines", lang, names=", ".join(pipelines()))
        if not has_measured_rates(found):
            tail += "\n" + say("workloads.wants-anchor", lang)
        return f"{grid(heads, stated)}\n\n{tail}"

    emit(document("workloads", workloads=[{**keys, **extra}]), [keys], output, lines)


@app.command()
def new() -> None:
    """Print a commented workload file that loads as it is.

    \b
    gpurent workloads new > my-workload.toml
    gpurent workloads show my-workload.toml
    gpurent compare -w my-workload.toml --anchor rtx-3090=905
    """
    from gpurent import workloads

    sys.stdout.write(workloads.template())


def _row(workload: Workload, others: list[str], lang: str) -> dict[str, Any]:
    row = _keys(workload)
    kept = ("name", "task", "stack", "sample", "samples_per_epoch", "epochs", "batch", "precision", "precisions")
    return {
        **{key: row[key] for key in kept},
        "title": _title(workload, lang),
        "pipeline": workload.pipeline,
        "rates": _rates(workload),
        "aliases": others,
        "source": workload.source,
    }


def _keys(workload: Workload) -> dict[str, Any]:
    """Every key; whole numbers as integers, which no rounding of derived figures touches."""
    keys: dict[str, Any] = workload.model_dump(mode="json")
    return {
        key: int(value) if isinstance(value, float) and value.is_integer() else value for key, value in keys.items()
    }


def _rates(workload: Workload) -> str:
    """ "measured": some card was measured in its stack; "assumed": FLOPs or the user's anchor alone."""
    from gpurent.workloads.files import has_measured_rates

    return "measured" if has_measured_rates(workload) else "assumed"


def _title(workload: Workload, lang: str) -> str | None:
    """The title in a language where there is one; the file's own otherwise."""
    from gpurent.messages import has, say

    code = f"workload.{workload.name}"
    return say(code, lang) if lang != "en" and has(code) else workload.title


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
