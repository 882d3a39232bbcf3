"""`gpurent validate`: the model against measurements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpurent.cli import asked, state
from gpurent.cli.output import Output
from gpurent.errors import NO, UNKNOWN

Measurements = Annotated[
    Path | None,
    typer.Option(
        "--measurements", metavar="FILE", help="A csv of measured rates, each predicted without its own cell."
    ),
]


def validate(
    measurements: Measurements = None,
    bar: Annotated[bool, typer.Option("--bar", help="End with 1 when a score misses its bar.")] = False,
    output: asked.OutputOption = Output.TABLE,
) -> None:
    """Show how far to trust the numbers: predictions against measured rates that they did not use.

    \b
    gpurent validate
    gpurent validate --measurements my-rates.csv -o json
    gpurent validate --bar
    """
    from gpurent import validation
    from gpurent.cli.output import document, emit, note
    from gpurent.messages import say
    from gpurent.render import validation as words

    lang = state.lang()
    found = document("validate", **validation.score(measurements))
    rows = words.bar_rows(found["bars"], lang) if output is Output.MARKDOWN else found["rows"]
    emit(found, rows, output, lambda: words.text(found, lang))
    if not found["n"]:
        note(say("validate.nothing-scored", lang))
        raise typer.Exit(UNKNOWN)
    missed = [each for each in found["bars"] if each["holds"] is False]
    if missed:
        names = ", ".join(f"{words.score_name(each['score'], lang)} ({each['statistic']})" for each in missed)
        note(say("validate.missed", lang, n=len(missed), scores=names))
    if bar and missed:
        raise typer.Exit(NO)
