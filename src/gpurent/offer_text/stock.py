"""How many are to be had ("库存 12 张", "3/8 available"): a number that counts nothing in the offer."""

from __future__ import annotations

from gpurent.offer_text.scan import Scan, compiled

_N = r"\d{1,5}"
_NOT_A_SIZE = r"(?![\d.,]|\s?(?:[gt]i?b?|m|h|hours?|天|小?时|月|核|卡|v?cpus?|cores?|元|￥|¥|\$)(?![a-z]))"
_UNITS = r"(?:张|台|块|个|units?|pcs|pieces|cards?|gpus?|nodes?|machines?)"
_TO_BE_HAD = r"(?:available|free|idle|left|in\s?stock|remaining)(?![a-z])"
_FEW = r"\d{1,3}"  # a bare number of four digits may be a card's: "RTX 4090 available"
_BEFORE = r"(?<![\w.,$¥￥€/-])"
_AVAILABLE = compiled(
    r"(?:空闲|剩余?|余量|可租|可用|库存|(?<![a-z])(?:idle|free|available|availability|(?:in\s)?stock|left)(?![a-z]))"
    r"(?:\s?/\s?(?:总量|总数|全部|total|all))?(?:\s?(?:gpu|显卡|卡|数量?|卡数|量))*\s?\s?[:=]?\s?\s?"
    rf"(?:{_N}\s?/\s?{_N}(?![\d.])(?:\s?(?:{_UNITS}|卡)(?![a-z]))?|{_N}\s?{_UNITS}(?![a-z])|{_FEW}{_NOT_A_SIZE})"
    rf"|{_BEFORE}{_N}\s?/\s?{_N}\s?(?:(?:gpus?|cards?|units?|张|卡)\s)?(?:are\s)?(?:{_TO_BE_HAD}|空闲|可租|可用)"
    rf"|{_BEFORE}(?:{_N}\s?(?:units?|pcs|pieces|台|张)|{_FEW})\s?(?:{_TO_BE_HAD}|库存)"
)


def take_availability(scan: Scan) -> None:
    """Blank every number that says how many are to be had."""
    for _ in scan.take(_AVAILABLE):
        pass
