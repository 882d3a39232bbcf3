"""Words that say a card is cut, shared, or whole."""

from __future__ import annotations

import re
from fractions import Fraction

from gpurent.offer_text.cards import is_card
from gpurent.offer_text.facts import Facts
from gpurent.offer_text.scan import Scan, compiled

_PART_OF = r"(?:\s*(?:of\s*)?(?:an?|the|one)?\s*)"
_CARD_WORD = r"(?:卡|张|块(?=\s?(?:显?卡|gpu|[a-z]))|显卡|cards?|v?-?gpus?)"
_SHARE = compiled(
    # 1/4, 0.25 or 25 % of a card; read_share looks whether a card stands beside a bare fraction
    r"(?<![\d./$¥￥€])(?P<a>[123])/(?P<b>[2-8]|10|12|16|20|24)(?![\d.])(?:th)?"
    rf"|(?<![\d.,/$¥￥€])(?P<decimal>0?\.\d{{1,3}})(?=\s?(?:x\s|\*)?\s?{_CARD_WORD}(?![-\s]?h|/))"
    r"|(?<![\d.])(?P<percent>\d{1,2})\s?%"
    rf"(?=\s?of\s(?:an?|the|one)?\s?[a-z]{{0,6}}\s?\d|{_PART_OF}(?:{_CARD_WORD}(?!\s?(?:util|利用))|算力|显存))"
    rf"|(?P<half>(?<![a-z])half{_PART_OF}(?=[a-z]{{0,8}}\s?(?:{_CARD_WORD}|[a-z]{{0,3}}\d))|半{_CARD_WORD}|半个?(?:{_CARD_WORD})|二分之一)"
    rf"|(?P<third>(?<![a-z])(?:one\s)?third{_PART_OF}(?={_CARD_WORD}|[a-z]{{0,3}}\d)|三分之一)"
    rf"|(?P<quarter>(?<![a-z])(?:one\s|a\s)?quarter{_PART_OF}(?={_CARD_WORD}|[a-z]{{0,3}}\d)|四分之一)"
    rf"|(?P<eighth>(?<![a-z])(?:one\s|an\s)?eighth{_PART_OF}(?={_CARD_WORD}|[a-z]{{0,3}}\d)|八分之一)"
    r"|(?P<time>time[\s-]?slic\w*|time[\s-]?shar\w*|shared\s*(?:gpus?|cards?)|(?:gpus?|cards?)\s*(?:is\s|are\s)?(?:shared|sharing)"
    r"|分时|共享\s*(?:gpu|显卡|卡)|(?:gpu|显卡|显存|卡)\s*共享|\(\s*(?:共享|shared)\s*\)|多人共用)"
    r"|(?P<vgpu>v-?gpu|vcuda|[cq]gpu|hami|虚拟\s*gpu|虚拟显卡|(?:gpu|卡)?\s*(?:切分|切片|切割|分割|拆分)|(?<![a-z])(?:fractional|partial|partition(?:ed)?|slices?|sliced)(?![a-z])"
    r"|(?<=[a-z\d])-\d{1,3}[qcab](?![a-z0-9]))"
    r"|(?P<mig>(?<![a-z])mig(?![a-z]))"
)
_PARTS = {"half": "1/2", "third": "1/3", "quarter": "1/4", "eighth": "1/8"}
_WHOLE = compiled(
    r"(?:no|not|without|non-?)\s*(?:a\s*)?(?:mig|v-?gpu|slic\w*|shar\w*)(?![a-z])|mig\s*(?:mode\s*)?(?:disabled|off)|非\s?(?:mig|v-?gpu|切分|共享)"
    r"|不切分|未切分|无切分|(?:whole|full|entire|dedicated)\s*(?:card|gpu)s?(?![a-z])|整卡|整张|(?:独占|独享)\s?(?:整卡|显卡|gpu|一?卡)|直通|pass-?through"
)


def read_share(scan: Scan, facts: Facts) -> None:
    """Words that say a card is cut or shared: "1/4 A100", MIG, vGPU, time slicing; or that it is not."""
    if scan.first(_WHOLE):
        facts.share = "whole"
        return
    for match in list(_SHARE.finditer(scan.left)):
        kind = match.lastgroup or ""
        if kind == "b" and not (int(match["a"]) < int(match["b"]) and _of_a_card(scan, match)):
            continue
        part = _part(match, kind)
        if part is not None:
            facts.share_words = facts.share_words or part
            scan.blank(*match.span())
        facts.share = "timeslice" if kind == "time" else facts.share or ("mig" if kind == "mig" else "vgpu")


def _part(match: re.Match[str], kind: str) -> str | None:
    """The fraction a phrase names, as a profile; None: it names none."""
    if kind == "b":
        return f"{match['a']}/{match['b']}"
    if kind in _PARTS:
        return _PARTS[kind]
    if kind in ("decimal", "percent"):
        share = Fraction(match["decimal"] or f"0.{int(match['percent']):02d}").limit_denominator(24)
        return str(share) if 0 < share < 1 else None
    return None


def _of_a_card(scan: Scan, match: re.Match[str]) -> bool:
    """A fraction counts as a share when a card stands right beside it."""
    if re.search(r"卡|card|gpu|张", match.group(), re.IGNORECASE):
        return True
    return is_card(scan.text[match.end() : match.end() + 24].lstrip(" *x:,")) or is_card(
        scan.text[max(0, match.start() - 24) : match.start()]
    )
