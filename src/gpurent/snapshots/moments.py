"""Times as the history writes them, and ages and days as a person writes them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

from gpurent.errors import USAGE, Problem

_AGE = re.compile(r"(\d{1,5})([hdwmy])")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


def stamp(moment: datetime) -> str:
    """UTC text that sorts like the times it stands for.

    >>> stamp(datetime(2026, 11, 30, 3, 4, 5, tzinfo=UTC))
    '2026-11-30T03:04:05Z'
    """
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment(text: str) -> datetime:
    """The time a stamp stands for."""
    return datetime.fromisoformat(text)


def age(text: str) -> timedelta:
    """An age as a person writes it: 12h, 7d, 2w, 3m (30 days each), 1y.

    Raises:
        Problem: anything else.

    >>> age("2w").days
    14
    """
    found = _AGE.fullmatch(text.strip().lower())
    if not found:
        raise Problem("this is no age", text, "write 12h, 7d, 2w, 3m or 1y", USAGE)
    count, unit = int(found[1]), found[2]
    return timedelta(hours=count) if unit == "h" else timedelta(days=count * _DAYS[unit])


def point(text: str, now: datetime) -> datetime:
    """A point in time as a person writes it: a day (its end), a time, or an age before now.

    Raises:
        Problem: anything else.
    """
    word = text.strip()
    if _AGE.fullmatch(word.lower()):
        return now - age(word)
    try:
        if len(word) == len("2026-11-30"):
            return datetime.combine(date.fromisoformat(word), time.max, UTC)
        read = datetime.fromisoformat(word)
    except ValueError:
        raise Problem("this is no day or time", text, "write 2026-11-30, 2026-11-30T04:00, or an age like 7d") from None
    return read if read.tzinfo else read.replace(tzinfo=UTC)
