"""A text of which every piece is read once: what a pattern took is blanked, so nothing is read twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TAKEN = "\x00"  # cannot occur in tidied text; no pattern matches across it

# Everyday numerals in words. "两" and "俩" are two when things are counted.
_WORDS = {
    "一": 1, "单": 1, "二": 2, "两": 2, "双": 2, "俩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
    "十": 10, "十六": 16, "三十二": 32, "a": 1, "an": 1, "one": 1, "single": 1, "dual": 2, "two": 2, "three": 3,
    "quad": 4, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "octo": 8, "ten": 10, "sixteen": 16,
}  # fmt: skip
COUNT = (
    r"(?:\d{1,4}|三十二|十六|[一单二两双俩三四五六七八九十]"
    r"|(?:one|single|dual|two|three|quad|four|five|six|seven|eight|octo|ten|sixteen)(?=[\s-]))"
)


def compiled(source: str) -> re.Pattern[str]:
    """A pattern for tidied text, case ignored; its white space never reaches over the end of a line."""
    return re.compile(source.replace(r"\s", " "), re.IGNORECASE | re.MULTILINE)


def count_of(word: str) -> int | None:
    """A small count in digits or words, Chinese or English."""
    return int(word) if word.isdigit() and word.isascii() else _WORDS.get(word.lower())


def clause(text: str, match: re.Match[str]) -> str:
    """The words around a match up to the next comma or line end on either side."""
    start = max(text.rfind(mark, 0, match.start()) for mark in ",;|\n")
    ends = [place for mark in ",;|\n" if (place := text.find(mark, match.end())) >= 0]
    return text[start + 1 : min(ends, default=len(text))]


@dataclass
class Scan:
    """The text and what of it is left to read. Positions stay, so neighbours can be asked for."""

    text: str
    left: str = ""

    def __post_init__(self) -> None:
        self.left = self.left or self.text

    def take(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Every match of a pattern in what is left, blanked as it is given out."""
        for match in list(pattern.finditer(self.left)):
            self.blank(*match.span())
            yield match

    def first(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first match of a pattern in what is left, blanked."""
        match = pattern.search(self.left)
        if match:
            self.blank(*match.span())
        return match

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern stands in what is left."""
        return pattern.search(self.left) is not None

    def blank(self, start: int, end: int) -> None:
        """Mark a piece as read; line ends stay."""
        piece = "".join("\n" if character == "\n" else TAKEN for character in self.left[start:end])
        self.left = self.left[:start] + piece + self.left[end:]
