"""`gpurent gpus`: the cards we know, one card in full, and what a text means."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from gpurent.cli import asked, state
from gpurent.cli.output import Output

app = typer.Typer(help="Cards: what we know of them, and which one a text means.", no_args_is_help=True)

_MAX_INPUT = 1_000_000
_LISTED = ("card", "memory", "form", "bandwidth", "half", "fp32", "evidence", "source", "status")
_RESOLVED = ("text", "card", "memory", "gpus", "share", "notes")


@app.command("list")
def list_(
    vendor: Annotated[str | None, typer.Option(help="Only of this vendor: nvidia, amd, intel, ...")] = None,
    output: asked.OutputOption = Output.TABLE,
) -> None:
    """Show every card: memory, form factor, rates with their evidence and source.

    \b
    gpurent gpus list
    gpurent gpus list --vendor amd
    gpurent gpus list -o csv > cards.csv
    """
    from gpurent.cli.output import document, emit
    from gpurent.errors import UNKNOWN, Problem
    from gpurent.hardware import cards
    from gpurent.hardware.card_rows import card_row
    from gpurent.messages import say
    from gpurent.render.grid import MISSING, Column, grid, significant

    chosen = [card for card in cards.table() if vendor is None or card.vendor == vendor.lower()]
    if not chosen:
        known = ", ".join(sorted({card.vendor for card in cards.table()}))
        raise Problem("no card of this vendor", vendor, f"known: {known}", UNKNOWN)
    rows = [card_row(card) for card in chosen]

    def table() -> str:
        lang = state.lang()
        right = ("memory", "bandwidth", "half", "fp32")
        heads = [Column(say(f"gpus.{key}", lang), right=key in right, shrinks=key == "source") for key in _LISTED]
        cells = [
            [
                row["card"], f"{row['memory_gb']:g}", row["form"], significant(row["bandwidth_gbyte_s"], 4),
                significant(row["half_tflops"]), significant(row["fp32_tflops"]),
                say(f"gpus.{row['half_evidence'] or row['fp32_evidence'] or 'no-rate'}", lang),
                row["half_source"] or row["fp32_source"] or MISSING, say(f"gpus.{row['status']}", lang),
            ]
            for row in rows
        ]  # fmt: skip
        return grid(heads, cells)

    emit(document("gpus", gpus=rows), rows, output, table)


@app.command()
def show(
    card: Annotated[str, typer.Argument(metavar="CARD", help="A card's id, or a spelling only one card has.")],
    output: asked.OutputOption = Output.TABLE,
) -> None:
    """Show everything known of one card, with its slices and sources.

    \b
    gpurent gpus show a100-sxm-80gb
    gpurent gpus show "RTX 4090"
    gpurent gpus show h100-nvl-94gb -o json
    """
    from gpurent.cli.output import document, emit
    from gpurent.hardware.card_rows import card_facts
    from gpurent.messages import say
    from gpurent.render.grid import Column, grid

    facts = card_facts(_one(card))

    def table() -> str:
        lang = state.lang()
        single = [
            [key, _cell(value)] for key, value in facts.items() if not isinstance(value, list) and value is not None
        ]
        text = grid([Column(say("gpus.key", lang)), Column(say("gpus.value", lang))], single)
        if facts["slices"]:
            heads = ("profile", "share", "compute", "bandwidth-share", "memory")
            cells = [
                [
                    part["profile"], part["share"], _cell(part["compute_fraction"]), _cell(part["bandwidth_fraction"]),
                    f"{part['memory_gib']:.4g} GiB",
                ]
                for part in facts["slices"]
            ]  # fmt: skip
            text += f"\n\n{grid([Column(say(f'gpus.{head}', lang), right=head != 'profile') for head in heads], cells)}"
        sources = [f"{source['source']}: {source['what']}, {source['address']}" for source in facts["sources"]]
        return text + "\n\n" + "\n".join(sources)

    emit(document("gpus", gpu=facts), [facts], output, table)


def _one(text: str) -> str:
    from gpurent.errors import UNKNOWN, USAGE, Problem
    from gpurent.hardware import cards
    from gpurent.hardware.names import near_names, read_name

    word = text.strip().lower()
    if word in cards.by_id():
        return word
    if word in cards.labels():
        raise Problem("this names several cards", text, f"show one of: {', '.join(cards.labels()[word])}", UNKNOWN)
    reading = read_name(text)
    if reading.gpu:
        return reading.gpu
    if reading.candidates:
        raise Problem("this names several cards", text, f"show one of: {', '.join(reading.candidates)}", UNKNOWN)
    near = ", ".join(near_names(text)) or "see `gpurent gpus list`"
    raise Problem("unknown card", text, f"near: {near}", USAGE)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


@app.command()
def resolve(
    texts: Annotated[list[str], typer.Argument(metavar="TEXT...", help="Names, `nvidia-smi -L` lines; - reads stdin.")],
    provider: Annotated[str | None, typer.Option(help="Who wrote it: some names mean something only there.")] = None,
    memory: Annotated[float | None, typer.Option(metavar="GIB", help="GPU memory of one card or slice.")] = None,
    output: asked.OutputOption = Output.TABLE,
) -> int:
    """Say which card a text means, with its memory, share and count; what is not sure stays open.

    \b
    gpurent gpus resolve "8x A100 80GB" "A10-4Q" "RTX 3080x2(20GB)"
    gpurent gpus resolve "RTX 6000" --provider digitalocean --memory 48
    nvidia-smi -L | gpurent gpus resolve -
    """
    from gpurent.cli.output import document, emit, note
    from gpurent.errors import UNKNOWN, Problem
    from gpurent.hardware.resolve_text import resolve_texts

    if memory is not None and not 0 < memory <= _MAX_INPUT:
        raise Problem("--memory must be above 0", memory, "give GiB of one card or slice, such as --memory 24")
    read = [sys.stdin.read(_MAX_INPUT) if text == "-" else text for text in texts]
    rows = resolve_texts(read, provider, memory)
    emit(document("gpus", resolved=rows), rows, output, lambda: _resolved_table(rows, state.lang()))
    if any(row["gpu"] or row["candidates"] for row in rows):
        return 0
    for row in rows:
        near = ", ".join(row["near"]) or "see `gpurent gpus list`"
        note(f"no known card: {row['text']}; near: {near}")
    return UNKNOWN


def _resolved_table(rows: list[dict[str, Any]], lang: str) -> str:
    from gpurent.hardware.card_rows import note_code
    from gpurent.messages import say
    from gpurent.render.grid import MISSING, Column, grid

    cells = []
    for row in rows:
        card = row["gpu"] or " | ".join(row["candidates"]) or MISSING
        notes = [say(note_code(code), lang) for code in row["notes"]]
        if row["near"]:
            notes.append(say("gpus.near", lang, names=", ".join(row["near"])))
        elif card == MISSING and not notes:
            notes.append(say("gpus.not-known", lang))
        share = f"{row['gpu_share'] or MISSING} {row['share_profile'] or ''}".rstrip()
        memory = MISSING if row["gpu_memory_gib"] is None else f"{row['gpu_memory_gib']:.4g}"
        cells.append([row["text"], card, memory, str(row["gpu_count"] or MISSING), share, " ".join(notes)])
    heads = [Column(say(f"gpus.{key}", lang), right=key in ("memory", "gpus")) for key in _RESOLVED]
    return grid(heads, cells)
