"""Which tokens belong to one price: the amount, and what stands right before and behind it."""

from __future__ import annotations

import re
from typing import NamedTuple

from gpurent.price_text.words import NOT_MONEY, TOKEN

_GAP = re.compile(r"^[\s:=,(){}\[\]|_;*]*$")
_MAX_GAP = 4
_COUNTED = re.compile(r"(?:cpus?|cores?|threads?|gpus?|cards?|核心?数?|卡数|数量|线程数?)\s?[:=]\s?\Z", re.IGNORECASE)
_BEFORE_AMOUNT = {"$", "¥", "￥", "£", "US$", "us$", "HK$", "S$", "A$", "C$", "NT$", "₹"}
_MONEY = {"cur", "cents", "unit", "adverb", "gpuhour", "nodehour"}
_UNITS = {"unit", "adverb", "gpuhour", "nodehour"}
_LEFT = {
    "cur",
    "unit",
    "adverb",
    "gpu",
    "node",
    "whole",
    "start",
    "about",
    "off",
    "untaxed",
    "taxed",
    "shell",
    "gpuhour",
}
_RIGHT = _LEFT | {"cents", "nodehour", "hours"}


class Token(NamedTuple):
    """One piece of the price grammar where it stands in the text."""

    kind: str
    match: re.Match[str]

    @property
    def start(self) -> int:
        return self.match.start()

    @property
    def end(self) -> int:
        return self.match.end()


def clusters(text: str) -> list[list[Token]]:
    """The tokens of every price in a text, price by price. A number is money only beside a currency or a period."""
    tokens = [Token(match.lastgroup or "", match) for match in TOKEN.finditer(text)]
    found: list[list[Token]] = []
    used = 0  # tokens before this index belong to an earlier price
    for index, token in enumerate(tokens):
        if token.kind != "num" or index < used or NOT_MONEY.match(text, token.end) or _counts(text, token):
            continue
        first, last = _left(text, tokens, index, used), _right(text, tokens, index)
        cluster = tokens[first : last + 1]
        if any(one.kind in _MONEY for one in cluster) or _ten_thousands(text, cluster):
            found.append(cluster)
            used = last + 1
    return found


def _counts(text: str, token: Token) -> bool:
    """Whether a label before a number says that it counts something else ("vCPU: 48 - 1.4 EUR")."""
    return _COUNTED.search(text, max(0, token.start - 12), token.start) is not None


def _ten_thousands(text: str, cluster: list[Token]) -> bool:
    """ "1.2 万" with nothing countable behind it is money in a Chinese offer."""
    numbers = [token for token in cluster if token.kind == "num"]
    based = any(token.kind in ("node", "gpu", "whole") for token in cluster)
    words = ("万", "萬", "w", "W") if based else ("万", "萬")
    behind = re.match(r"\s*(?:$|[\s,.;()|])", text[cluster[-1].end :])
    return numbers[-1].match["mult"] in words and behind is not None


def _near(text: str, left: Token, right: Token) -> bool:
    gap = text[left.end : right.start]
    return len(gap) <= _MAX_GAP and "\n" not in gap and _GAP.match(gap) is not None


def _left(text: str, tokens: list[Token], index: int, used: int) -> int:
    seen: set[str] = set()
    while index > used and tokens[index - 1].kind in _LEFT and _near(text, tokens[index - 1], tokens[index]):
        kind = tokens[index - 1].kind
        if kind == "unit" and not _label(text, tokens[index - 1], tokens[index]):
            break
        if kind == "cur" and _parted(text, tokens[index - 1], tokens[index]):
            break
        if kind in seen or (kind in _UNITS and seen & _UNITS):
            break
        seen.add(kind)
        index -= 1
    return index


def _parted(text: str, left: Token, right: Token) -> bool:
    """A comma between two tokens: a currency does not reach over it."""
    return re.search("[,;|]", text[left.end : right.start]) is not None


def _label(text: str, unit: Token, amount: Token) -> bool:
    """Whether a period stands before its amount: "每小时 1.98", "Price/hr: $2.99", but not "400 Gb/s, $32.77"."""
    if not unit.match.group().startswith("/"):
        return True
    return unit.match["period"].lower() != "s" and not re.search("[,;]", text[unit.end : amount.start])


def _right(text: str, tokens: list[Token], index: int) -> int:
    kinds: list[str] = []
    first = index
    while index + 1 < len(tokens) and _near(text, tokens[index], tokens[index + 1]):
        token = tokens[index + 1]
        if token.kind == "dash":
            signed = any(one.kind == "cur" for one in tokens[_left(text, tokens, first, 0) : index + 1])
            after = _range_end(text, tokens, index + 1, signed)
            if after is None or "num" in kinds:
                break
            kinds.append("num")
            index = after
            continue
        if token.kind not in _RIGHT or (token.kind == "cur" and "cur" in kinds):
            break
        if token.kind == "cur" and _parted(text, tokens[index], token):
            break
        if token.kind in _UNITS and any(kind in _UNITS for kind in kinds):
            break
        following = tokens[index + 2] if index + 2 < len(tokens) else None
        next_amount = following is not None and following.kind == "num" and _near(text, token, following)
        if token.kind == "cur" and next_amount and following is not None and not NOT_MONEY.match(text, following.end):
            signed = first > 0 and tokens[first - 1].kind == "cur" and _near(text, tokens[first - 1], tokens[first])
            if signed or (token.match["cur"] in _BEFORE_AMOUNT and token.start > tokens[index].end):
                break  # the sign of the next price
        amount_behind = following and following.kind in ("num", "cur") and _near(text, token, following)
        if token.kind == "adverb" and amount_behind:  # "时租1.98 月租1052": the word belongs to the amount behind it
            break
        kinds.append(token.kind)
        index += 1
    return index


def _range_end(text: str, tokens: list[Token], dash: int, signed: bool) -> int | None:
    """The token of the second amount of a range whose dash is at a place; None: it is no range.

    A currency before the second amount alone ("vCPU: 58 - USD 2900") begins a price of its own.
    """
    end = dash + 1
    if end < len(tokens) and tokens[end].kind == "cur" and _near(text, tokens[dash], tokens[end]):
        if not signed:
            return None
        end += 1
    if end < len(tokens) and tokens[end].kind == "num" and _near(text, tokens[end - 1], tokens[end]):
        return None if NOT_MONEY.match(text, tokens[end].end) else end
    return None
