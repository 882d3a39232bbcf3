"""The model against measurements: how far to trust the numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["score"]


def score(measurements: Path | None = None) -> dict[str, Any]:
    """The document of `gpurent validate`, without its envelope.

    Args:
        measurements: a csv of measured rates; None: the rates and points in the package.

    Raises:
        Problem: the file cannot be read, or a line of it is not what its header says.
    """
    from gpurent.validation import report

    return report.of_package() if measurements is None else report.of_file(measurements)
