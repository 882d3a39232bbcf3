"""From findings to one word, and the word to an exit code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpurent.errors import NO, UNKNOWN
from gpurent.quotes.findings import Finding

# Worst first.
ORDER = (
    "incompatible", "does-not-fit", "not-a-whole-card", "starved", "overpriced", "need-more-info", "ok",
)  # fmt: skip
_SEVERITIES = ("fail", "warning", "info")


def verdict(findings: Iterable[Finding]) -> str:
    """The worst verdict any finding leads to; "ok" where none does."""
    return min((finding.verdict for finding in findings if finding.verdict), key=ORDER.index, default="ok")


def exit_code(verdicts: Iterable[str]) -> int:
    """0 for ok, 3 while something has to be known first, 1 for a reasoned no; of several quotes the worst."""
    worst = min(verdicts, key=ORDER.index, default="need-more-info")
    return {"ok": 0, "need-more-info": UNKNOWN}.get(worst, NO)


def reasons(findings: Sequence[Finding], most: int) -> list[Finding]:
    """The findings that matter most: those behind the verdict, then by severity, in the order they were made."""
    chosen = verdict(findings)

    def weight(finding: Finding) -> tuple[int, int]:
        return (0 if finding.verdict == chosen and chosen != "ok" else 1, _SEVERITIES.index(finding.severity))

    return sorted(findings, key=weight)[:most]
