"""How the tests of the quote check ask: against the embedded catalogue, on a fixed day."""

from __future__ import annotations

from datetime import UTC, datetime

from gpurent import catalogue, workloads
from gpurent.quotes.check import Checked, Question, check
from gpurent.quotes.stacks import read_stack

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def ask(
    text: str,
    workload: str | None = None,
    stack: str | None = None,
    lang: str | None = None,
    precision: str | None = None,
    **assume: object,
) -> list[Checked]:
    """Check a text as the command does."""
    question = Question(
        offers=catalogue.offers(),
        now=NOW,
        workload=workloads.load(workload) if workload else None,
        precision=precision,
        stack=read_stack(stack),
        assume=assume,
        lang=lang,
    )
    return check(text, question)


def one(text: str, workload: str | None = None, stack: str | None = None, **more: object) -> Checked:
    """The answer about a text that holds one quote."""
    [checked] = ask(text, workload, stack, **more)  # type: ignore[arg-type]
    return checked


def codes(checked: Checked) -> set[str]:
    """Codes of everything that was found."""
    return {finding.code for finding in checked.findings}


def numbers(checked: Checked, code: str) -> dict[str, object]:
    """The numbers of one finding."""
    return dict(next(finding.numbers for finding in checked.findings if finding.code == code))
