"""`gpurent quote`: check what somebody offers before renting it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpurent.cli import asked, state
from gpurent.cli.output import Output, document, emit, note
from gpurent.errors import USAGE, Problem

if TYPE_CHECKING:
    from gpurent.quotes.check import Checked

MAX_BYTES = 4 * 2**20
COLUMNS = (
    "verdict", "headline", "provider", "sku", "gpu", "gpu_count", "gpu_share", "share_profile", "gpu_memory_gib",
    "vcpus", "cpu_model", "ram_gib", "disk_class", "price_per_hour", "currency", "usd_per_gpu_hour", "market_n",
    "percentile", "cost_per_epoch_usd", "findings", "questions",
)  # fmt: skip


def quote(
    text: Annotated[str | None, typer.Argument(metavar="TEXT|-", help="The quote, or - for standard input.")] = None,
    file: Annotated[
        str | None, typer.Option("--file", "-f", metavar="FILE", help="Read the quotes from a file.")
    ] = None,
    workload: Annotated[
        str | None, typer.Option("--workload", "-w", metavar="NAME|FILE", help="What is trained.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Overrides a workload key.")
    ] = None,
    precision: Annotated[str | None, typer.Option("--precision", help="amp, fp32, tf32, fp16, bf16 or fp8.")] = None,
    stack: Annotated[str | None, typer.Option("--stack", help='Your software, e.g. "torch==2.0+cu118".')] = None,
    assume: Annotated[
        list[str] | None, typer.Option("--assume", metavar="KEY=VALUE", help="Fills what the quote does not say.")
    ] = None,
    offers: asked.Offers = None,
    output: asked.OutputOption = Output.TABLE,
) -> int:
    """Check what somebody offers: a whole card, starved, at which price, what to ask before paying.

    \b
    gpurent quote "A100 80G 8卡 月付 4.5万/月" -w resnet50
    pbpaste | gpurent quote - -w bert-large -o json
    gpurent quote --file offers.txt --stack "torch==2.7+cu128" --lang zh
    """
    from datetime import UTC, datetime

    from gpurent import workloads
    from gpurent.cli.current import current
    from gpurent.messages import say
    from gpurent.offer_text import quotes_left_out
    from gpurent.quotes import verdict
    from gpurent.quotes.check import Question, check
    from gpurent.quotes.stacks import read_stack

    words = _text(text, file)
    now = datetime.now(UTC)
    job = workloads.load(workload, set_ or ()) if workload else None
    have = current(offers, now)
    question = Question(
        offers=have.offers, now=now, workload=job, precision=precision, stack=read_stack(stack),
        assume=_assumed(assume or []), lang=state.lang_chosen(),
    )  # fmt: skip
    checked = check(words, question)
    unseen = quotes_left_out(words)
    if unseen:
        note(say("quote.left-out", checked[0].lang, n=unseen))
    answer = document("quote", quotes=[one.to_dict() for one in checked])
    emit(answer, [_row(one) for one in checked], output, lambda: _table(checked), COLUMNS)
    unsettled = ["need-more-info"] if unseen else []  # what was left out may be worse than what was looked at
    return verdict.exit_code([*(one.verdict for one in checked), *unsettled])


def _assumed(pairs: list[str]) -> dict[str, Any]:
    """`--assume` as fields of an offer; `gpu=NAME` says which of the cards the quote's may be it is.

    Raises:
        Problem: an unknown key, a value the field does not take, or no card of that name.
    """
    from gpurent.hardware.names import read_name

    names = [pair for pair in pairs if pair.partition("=")[0].strip().lower() == "gpu" and "=" in pair]
    assumed = asked.assumptions([pair for pair in pairs if pair not in names])
    for pair in names:
        name = pair.partition("=")[2].strip()
        found = read_name(name)
        if found.gpu is None and not found.candidates:
            raise Problem(
                "--assume gpu: no card of that name is known", name, 'e.g. --assume gpu="A100 SXM 80GB"', USAGE
            )
        assumed["gpu"] = name
    return assumed


def _text(text: str | None, file: str | None) -> str:
    """The words to check, from the command line, standard input or a file.

    Raises:
        Problem: none of them or two of them, or unreadable.
    """
    if (text is None) == (file is None):
        raise Problem(
            "give one quote", text or "", 'write gpurent quote "TEXT", gpurent quote -, or --file FILE', USAGE
        )
    if text is not None and text != "-":
        return text
    from gpurent.cli.current import read_bytes

    data = read_bytes(file or "-", MAX_BYTES)
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            decoded = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding != "utf-8-sig":
            note("not utf-8: read as gb18030")
        return decoded
    raise Problem("this is neither utf-8 nor gb18030 text", file or "-", "save it as utf-8", USAGE)


def _row(one: Checked) -> dict[str, Any]:
    offer = one.settled.chosen.offer if one.settled.chosen else None
    hourly = None if offer is None else offer.price_per_hour
    row: dict[str, Any] = {
        "verdict": one.verdict,
        "headline": one.headline,
        "price_per_hour": hourly,
        "currency": offer.price.currency if offer and offer.price else None,
        "usd_per_gpu_hour": one.usd_per_gpu_hour,
        "market_n": one.market.n if one.market else None,
        "percentile": one.market.percentile if one.market else None,
        "cost_per_epoch_usd": one.estimate.row["cost_per_epoch_usd"] if one.estimate else None,
        "findings": " ".join(finding.code for finding in one.findings),
        "questions": len(one.questions),
    }
    for key in COLUMNS:
        row.setdefault(key, getattr(offer, key, None))
    return row


def _table(checked: list[Checked]) -> str:
    from gpurent.render.quote import quote_text

    return "\n\n".join(quote_text(one) for one in checked) + "\n"
