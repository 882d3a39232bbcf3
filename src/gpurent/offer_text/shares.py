"""Words that say a card is cut, shared, or whole."""

from __future__ import annotations

import re
from fractions import Fraction

from gpurent.offer_text.cards import is_card
from gpurent.offer_text.facts import Facts
from gpurent.offer_text.scan import COUNT, Scan, compiled, count_of

_PART_OF = r"(?:\s*(?:of\s*)?(?:an?|the|one)?\s*)"
_CARD_WORD = r"(?:卡|张|块(?=\s?(?:显?卡|gpu|[a-z]))|显卡|cards?|v?-?gpus?)"
_OTHERS = r"(?:他人|别人|其[他它]人?|其他\S{0,4}|人|多人|朋友|室友)"
_TOGETHER = (  # others are on the same card
    rf"(?:{COUNT}|[几多\d])\s?人\s?(?:合用|共用|共享|拼用?|分用?|一起用)|[与和跟同]{_OTHERS}\s?(?:一起)?(?:共用|共享|合用|合租|拼)"
    r"|合租|拼卡|拼租|合用(?!计)|多租户|multi-?tenan\w*"
    r"|(?<!bandwidth )(?<!storage )(?<!network )(?<!disk )shared?\s(?:with|among|between|by)(?![a-z])"
    r"|gpu\.shared|(?<![a-z])(?:nvidia\s)?mps(?![a-z])(?:\s?:?\s?\d{1,2}\s?%)?"
)
_SHARE = compiled(
    # 1/4, 0.25 or 25 % of a card; read_share looks whether a card stands beside a bare fraction
    r"(?<![\d./$¥￥€])(?P<a>[123])/(?P<b>[2-8]|10|12|16|20|24)(?![\d.])(?:th)?"
    rf"|(?<![\d.,/$¥￥€])(?P<decimal>0?\.\d{{1,3}})(?=\s?(?:x\s|\*)?\s?{_CARD_WORD}(?![-\s]?h|/))"
    r"|(?<![\d.])(?P<percent>\d{1,2})\s?%"
    rf"(?=\s?of\s(?:an?|the|one)?\s?[a-z]{{0,6}}\s?\d|{_PART_OF}(?:{_CARD_WORD}(?!\s?(?:util|利用))|算力|显存))"
    rf"|(?P<half>(?<![a-z])half{_PART_OF}(?=[a-z]{{0,8}}\s?(?:{_CARD_WORD}|[a-z]{{0,3}}\d))|半{_CARD_WORD}|半个?(?:{_CARD_WORD})|二分之一|切(?:成|了)?一?半|一分为二|对半分)"
    rf"|(?P<third>(?<![a-z])(?:one\s)?third{_PART_OF}(?={_CARD_WORD}|[a-z]{{0,3}}\d)|三分之一)"
    rf"|(?P<quarter>(?<![a-z])(?:one\s|a\s)?quarter{_PART_OF}(?={_CARD_WORD}|[a-z]{{0,3}}\d)|四分之一)"
    rf"|(?P<eighth>(?<![a-z])(?:one\s|an\s)?eighth{_PART_OF}(?={_CARD_WORD}|[a-z]{{0,3}}\d)|八分之一)"
    rf"|(?:拆|切|分|划)(?:成|为|作)?了?\s?(?P<parts>{COUNT})\s?(?:等?份|片|块|个?实例)"
    rf"|(?P<time>{_TOGETHER}|time[\s-]?slic\w*|time[\s-]?shar\w*|shared\s*(?:gpus?|cards?)|(?:gpus?|cards?)\s*(?:is\s|are\s)?(?:shared|sharing)"
    r"|分时|共享\s*(?:gpu|显卡|卡)|(?:gpu|显卡|显存|卡)\s*共享(?!\s?(?:nvlink|带宽|存储|内存|网络|公网|ip))|\(\s*(?:共享|shared)\s*\)|多人共用)"
    r"|(?P<vgpu>v-?gpu|vcuda|[cq]gpu|hami|虚拟\s*gpu|虚拟显卡|(?:gpu|卡)?\s*(?:切分|切片|切割|分割|拆分|分片)|(?<![a-z])(?:fractional|partial|partition(?:ed)?|slices?|sliced)(?![a-z])"
    r"|(?<=[a-z\d])-\d{1,3}[qcab](?![a-z0-9]))"
    r"|(?P<mig>(?<![a-z])mig(?![a-z]))"
)
_PARTS = {"half": "1/2", "third": "1/3", "quarter": "1/4", "eighth": "1/8"}
_NOT_WHOLE = compiled(
    r"(?:不是|并?非|不算|没有|不|(?<![a-z])(?:isn't|aren't|not|never|no)(?![a-z])(?:\san?(?![a-z]))?)\s?"
    r"(?:(?P<whole>整[卡张]|整块|(?:whole|full|entire|complete)\s?(?:cards?|gpus?))|独[享占]|单独|(?:dedicated|exclusive)(?![a-z]))"
)
_WHOLE = compiled(
    rf"(?:不|非|无|没有?|禁止)(?:是|会|能|用)?(?:[与和跟同]{_OTHERS}?)?\s?(?:共用|共享|合租|合用|拼卡|拼租|多租户|mps)|single[\s-]tenant"
    r"|(?<![a-z])no\s(?:card|gpu)[\s-]sharing"
    r"|(?:no|not|without|non-?)\s*(?:a\s*)?(?:mig|v-?gpu|slic\w*|shar\w*)(?![a-z])|mig\s*(?:mode\s*)?(?:disabled|off)|非\s?(?:mig|v-?gpu|切分|共享)"
    r"|不切分|未切分|无切分|(?:whole|full|entire|dedicated)\s*(?:card|gpu)s?(?![a-z])|整卡|整张|(?:独占|独享)\s?(?:整卡|显卡|gpu|一?卡)|直通|pass-?through"
)


def read_share(scan: Scan, facts: Facts) -> None:
    """Words that say a card is cut or shared: "1/4 A100", MIG, vGPU, time slicing; or that it is not."""
    denied = scan.first(_NOT_WHOLE)
    if denied:
        facts.share = "vgpu" if denied["whole"] else "timeslice"
    elif scan.first(_WHOLE):
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
    if kind == "parts":
        number = count_of(match["parts"]) or 0
        return f"1/{number}" if number > 1 else None
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
