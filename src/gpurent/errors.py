"""The one kind of error a person is told about: what happened, which value, what to do."""

from __future__ import annotations

NO = 1
USAGE = 2
UNKNOWN = 3
PARTIAL = 4
OUR_FAULT = 70


class Problem(Exception):
    """A failure with three short lines and the exit code the command ends with.

    Args:
        what: what happened, one line.
        value: the offending value as it was given (cleaned and shortened when shown).
        do: what to do about it, one line.
        code: exit code of CLI.md (`USAGE`, `UNKNOWN`, ...).
    """

    def __init__(self, what: str, value: object = "", do: str = "", code: int = USAGE) -> None:
        super().__init__(what)
        self.what = what
        self.value = value
        self.do = do
        self.code = code
