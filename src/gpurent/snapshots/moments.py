"""Times as the history writes them, and ages and days as a person writes them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

from gpurent.errors import USAGE, Problem

_AGE = re.compile(r"([0-9]{1,5})([hdwmy])")
_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})([T ].+)?")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


def stamp(moment: datetime) -> str:
    """UTC text that sorts like the times it stands for.

    >>> stamp(datetime(2026, 11, 30, 3, 4, 5, tzinfo=UTC))
    '2026-11-30T03:04:05Z'
    """
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


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
    try:
        if _AGE.fullmatch(word.lower()):
            return now - age(word)
        found = _DAY.fullmatch(word)
        if not found:
            raise ValueError(word)
        if not found[2]:
            return datetime.combine(date.fromisoformat(word), time.max, UTC)
        read = datetime.fromisoformat(word)
        return read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise Problem("this is no day or time", text, "write 2026-11-30, 2026-11-30T04:00, or an age like 7d") from None


def shown(moment: datetime) -> str:
    """A time for people.

    >>> shown(datetime(2026, 11, 30, 3, 4, 5, tzinfo=UTC))
    '2026-11-30 03:04 UTC'
    """
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
