"""The command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the `gpurent` command: an interrupt is no traceback, however early it comes."""
    try:
        from gpurent.cli import app
    except KeyboardInterrupt:
        sys.exit(130)
    app.main()
