"""Where a text names its card, and how many of it: the words only, never which card they mean."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from gpurent import tables
from gpurent.offer_text.scan import COUNT, Scan, compiled, count_of

_PREFIX = (
    r"(?:(?:nvidia|英伟达|geforce|tesla|quadro|grid|amd|instinct|radeon|intel|habana|huawei|华为|ascend|昇腾|"
    r"moore[\s_-]?threads|摩尔线程|mtt|hgx|dgx|寒武纪|cambricon|海光|天数智芯?|iluvatar)[\s_-]*)"
)
_SIZE = r"(?:\d{1,3}(?:\.\d)?\s?g(?:i?b)?(?![a-z0-9/]))"
_NOT_CARD_SIZE = (  # a size that belongs to the host, not to the card
    r"(?!\s{0,2}(?:(?:ram|内存|memory|mem)(?![a-z]|[:=]|\s?[:=]|\d)|ddr|主存|运存|disk|ssd|nvme|hdd|硬盘|数据盘|系统盘|storage|volume|ecc\s|/s|bps))"
)
# Bare numbers of GeForce cards; an amount of money or a size has its currency, period or unit behind it.
_BARE = (
    r"(?<![\d.,$¥￥€£#:@-])(?<!usd )(?<!eur )(?<!rmb )(?<!cny )(?<!gbp )(?<!jpy )"
    r"(?:20[678]0|30[5-9]0|40[5-9]0|50[5-9]0|10[678]0(?=\s?ti))"
    r"(?!\d|[.,]\d|\s{0,2}(?:元|块|圆|rmb|cny|yuan|usd|dollars|eur|€|gib|gb\b|mb|tb|ghz|mhz|w\b|ms\b|img|images?|samples?|"
    r"tokens?|条|张图|每|per\s|一?个?月|/\s?(?:h|hr|hour|小?时|d|day|天|日|w|wk|week|周|m|mo|mon|month|个?月|y|yr|year|年|s|gpu|card|卡|张|台"
    r"|node|server|整机)\b))"
)
_CORE = (
    r"(?:(?:rtx|gtx)[\s_-]*(?:pro[\s_-]*)?(?:a[\s_-]?)?\d{3,4}(?!\d)"
    r"|(?:gtx[\s_-]*)?titan(?:[\s_-]*(?:rtx|xp|x|v))?\b"
    r"|(?<![a-z0-9])pro[\s_-]*(?:[2-6][05]00)(?!\d)"
    r"|(?<![a-z0-9.])(?:a(?:100x?|800|10[gm]?|16|2(?!-)|30x?|40|[2456][05]00)|[bh][123]00|h800|h20|g[bh][23]00|l20n?|l40s?|l4|l2|t4g?|t10|"
    r"p40?|p100|p[456]000|v100s?|g[vp]100|k80|m[146]0|mi[-\s]?\d{2,3}[axh]?)(?:s(?=[\s,.;)]|$))?(?![a-z0-9.]*\d?[a-z]{3})(?!\d)"
    r"|p10[246][\s-]?(?:090|100)(?!\d)|radeon[\s_-]*pro[\s_-]*vii\b|(?:ascend|昇腾)[\s_-]*910(?![a-z0-9])"
    r"|gaudi(?:[\s_-]*\d)?(?![a-z0-9])|(?<![a-z0-9])910\s?[abc][1-4]?(?![a-z0-9])|(?<![a-z0-9])310p\d?\b|(?<![a-z0-9])s[345]000\b"
    r"|(?<![a-z0-9])v(?:520|620|710)\b|cmp[\s_-]*\d{2,3}\s?hx|(?<![a-z0-9])\d{2,3}\s?hx\b|v-?gpu[\s_-]*\d{1,3}\s?g?b?(?![a-z0-9])"
    r"|天垓\s?\d{2,3}|bw\s?1000|ppu[\s_-]?\d{3}|mlu[\s_-]?\d{3}|(?<![a-z0-9])k100(?:[\s_-]?ai)?\b"
    r"|(?:rx[\s_-]?)?(?<!\d)[679]\d00[\s_-]?xtx?\b|(?<![a-z0-9])w[67][5-9]00x?\b"
    r"|(?<![\d.,$¥￥€£])(?:2000|3500|4000|4500|5000|5880|6000)[\s_-]?ada\b|" + _BARE + r")"
)
_SUFFIX = (
    r"(?:[\s_/+-]*(?:\(\s*)?(?:ti|super|ada(?:[\s_-]*(?:generation|gen|lovelace))?|blackwell|ampere|hopper|sxm(?:[2-6](?!\d|[.,]\d|卡|张|块)|\s[2-6](?!\d|[.,]\d|\s?(?:卡|张|块|x|\*|gpu|card)))?|pci-?e?|"
    r"nvl\d{0,2}|nv-?link|hgx|dgx|hbm\d?e?|gddr\dx?|oam|max-?q|server(?:[\s_-]*edition)?|workstation(?:[\s_-]*edition)?|bse|se|ws|wk|we|"
    r"sff|laptop|mobile|pascal|mega|plus|sli|ac|cc|pc|tensor[\s_-]*core(?:[\s_-]*gpu)?|accelerator|oc|"
    r"d(?:[\s_-]?v2)?|s|魔改版?|改版?|显卡|modded|mod|full|整卡|"
    + _SIZE
    + _NOT_CARD_SIZE
    + r"|显存(?!\s?(?:限|配额|上限|额度))|vram|v2"
    r"|mig(?:[\s_:-]*\d(?:c\.\d)?g\.\d{1,3}gb(?:\+(?:me|gfx)(?:\.all)?)?)?|\d(?:c\.\d)?g\.\d{1,3}gb(?:\+(?:me|gfx)(?:\.all)?)?"
    r"|(?<=[\da-z])-\d{1,3}[qcab])(?![a-z0-9])(?:\s*\))?)"
)
_MENTION = compiled(_PREFIX + "{0,4}" + _CORE + _SUFFIX + "{0,8}")
_PROFILE = r"\d(?:c\.\d)?g\.\d{1,3}gb(?:\+(?:me|gfx)(?:\.all)?)?"
_SLICE_WORD = compiled(
    rf"(?:(?<![\d.,a-z])(?P<n>{COUNT})\s?[x*]\s?)?(?<![a-z0-9])(?P<profile>{_PROFILE})(?![a-z0-9])(?:\s?(?:[x*]\s?|:)(?P<n2>\d{{1,2}})(?![\d.]))?"
)
_UNIT = r"(?:张|块(?!\s?(?:/|每|一|钱))|片|颗|枚|卡|路|pcs|pieces?|cards?|gpus?|个)"
_NEXT_ITEM = re.compile(r"\s{0,3}[,;|]")
_TIMES = r"[x*]"
# "H100 SXM 8x, ...", "A100 8x 80GB", but not the disks of "A100 8x 3.84TB"
_TIMES_BEHIND = (
    r"x(?=\s?(?:[,;|)$¥￥€@]|\Z"
    r"|(?:24|40|48|80|94|96|141|180|192|256|288)\s?g(?:i?b)?(?![a-z]|\s?(?:ssd|nvme|hdd|disk))))"
)
_BEFORE = compiled(
    rf"(?<![\d.,a-z$¥￥€£])(?P<n>{COUNT})\s{{0,2}}(?:{_TIMES}_?|{_UNIT}\s?{_TIMES}?|(?:of|units?\s+of)\s)?\s{{0,2}}(?:的|of\s)?\s?\Z",
)
_CPU_NAMED = (  # "4090 x2 CPU 7950X": the CPU is named behind its label, the number before is the card's
    r"\s?(?:\x00|intel|amd|xeon|epyc|ryzen|至强|i[3579]|\d{1,3}\s?(?:核|c(?![a-z])|v?cores?|v-?cpus?|v核|线程|threads?))"
)
_AFTER = compiled(
    r"^\s{0,3}(?:(?P<sky>:\s?(?=\d{1,2}(?:[\s,;}\])\"']|\Z)))|[,;:|()\]]\s{0,2})?"  # SkyPilot's A100:8
    rf"(?:(?P<times>{_TIMES})\s{{0,2}})?(?P<n>{COUNT})\s{{0,2}}-?\s?(?P<unit>{_UNIT}(?![a-z])|{_TIMES_BEHIND})?"
    rf"(?![\d.]|\s?(?:g\b|gb|gib|tb|核|线程|v?cpus?(?!\s?[:=]|{_CPU_NAMED})|cores?|ghz|vcores?|[a-z]?元|万|/(?![\s/])|(?:usd|\$|cny|rmb|eur|€)(?!\s?\d)|块|美|per\s))",
)
_ANYWHERE = compiled(
    rf"(?<![\d.,a-z$¥￥€£/])(?P<n>{COUNT})\s{{0,2}}-?\s?(?:[x*]\s{{0,2}})?(?P<unit>卡|张卡|块卡|张|路|gpus?\b|cards?\b|way\b)(?!时|/?小时|-?h\b|-?hour)",
)
_TIMES_PRICE = compiled(
    rf"(?<![\d.,a-z$¥￥€£/])(?P<n>{COUNT})\s?x(?=\s{{0,2}}(?:[\x00$¥￥€,;|]|\Z))"
)  # "B300 SXM, 8x $7.89/GPU-h"
_LABEL = compiled(
    r"(?:gpus?|cards?|显卡|卡数|数量|count|num_?gpus?|gpu[\s_]*(?:count|qty|num(?:ber)?|数量?|卡数)|qty|quantity)\s{0,2}[:=]\s{0,2}"
    rf"(?P<n>{COUNT})(?![\d.]|\s?(?:g\b|gb|gib|tb))"
    rf"|(?:(?:gpu|显卡|卡)\s?数量?|卡数)\s{{1,2}}(?P<n2>{COUNT})(?![\d.]|\s?(?:g\b|gb|gib|tb))",
)
_ATTACHED = compiled(r"^x(?P<n>\d{1,2})(?=[\s(,*]|\Z)")
_PLURAL = re.compile(r"(?<=\d)s$")
_S_IN_NAME = re.compile(r"(?:l40|4070|4080|2060|2070|2080|1660|v100)s$", re.IGNORECASE)
_SIZE_BEHIND = compiled(rf"\s?\(?\s?{_SIZE}\s?\)?")
_HOST_MEMORY = compiled(r"(?:内存|ram|mem(?:ory)?|硬盘|系统盘|数据盘)\s?[:=]?\s?\Z")
_SIZE_BEFORE = compiled(r"(?<![\d.a-z])(\d{1,3})\s?g(?:i?b)?\s?(?:的|版)?\s?\Z")


@dataclass(frozen=True)
class Mention:
    """A piece of text that names a card: the words, where they stand, and how many they say there are."""

    text: str
    start: int
    end: int
    count: int | None = None
    attached: int | None = None  # "3080x2": the number that may be name or count
    count_words: str = ""


def find_cards(scan: Scan) -> list[Mention]:
    """Every place where a card is named, with the count beside it; both are blanked in the scan."""
    mentions = []
    for match in list(_MENTION.finditer(scan.left)):
        text = " ".join(re.sub(r"[()/+]", " ", match.group()).split()).strip("-_ ")
        start, end = match.span()
        before = _SIZE_BEFORE.search(scan.left[max(0, start - 10) : start])
        own = before and not _HOST_MEMORY.search(scan.left[max(0, start - 20) : start - len(before.group())])
        if before and own and int(before.group(1)) in memory_sizes(text):  # "141GB H20"
            text += f" {before.group(1)}GB"
            start -= len(before.group())
        attached = _ATTACHED.match(scan.left[end : end + 4])
        if attached:  # RTX 3080x2(20GB): the size belongs to the name
            end += attached.end()
            size = _SIZE_BEHIND.match(scan.left[end : end + 12])
            if size:
                text += " " + size.group().strip(" ()")
                end += size.end()
        scan.blank(start, end)
        count, words = _count_beside(scan, start, end)
        number = int(attached["n"]) if attached else None
        mentions.append(Mention(text, start, end, count, number, words))
    return mentions


@cache
def memory_sizes(name: str) -> frozenset[int]:
    """The memory sizes (GB) of the cards of a name, by the digits and letters that make it."""
    bare = re.sub(r"(?<![a-z0-9])(?:sxm\s?\d?|pci-?e|nvl\d{0,2}|nv-?link|oam|hgx|dgx)(?![a-z0-9])", " ", name.lower())
    key = re.sub(r"[^a-z0-9]|nvidia|geforce|tesla|rtx|gtx|\d{1,3}gb?$", "", bare)
    rows = tables.rows("cards")
    return frozenset(
        int(float(row["memory_gb"])) for row in rows if re.sub(r"[^a-z0-9]|rtx|gtx", "", row["family"]) == key
    )


def has_card(text: str) -> bool:
    """Whether a text names a card or an instance type's hardware anywhere."""
    from gpurent.offer_text.instances import names_instance

    return _MENTION.search(text) is not None or names_instance(text)


def is_card(text: str) -> bool:
    """Whether a short piece of text holds a card's name."""
    return _MENTION.search(text) is not None


def _count_beside(scan: Scan, start: int, end: int) -> tuple[int | None, str]:
    before = _BEFORE.search(scan.left[max(0, start - 16) : start])
    after = _AFTER.match(scan.left[end : end + 24])
    if after and before and (_NEXT_ITEM.match(after.group()) or after["n"] == "单"):
        after = None  # "4张L40S; 单卡￥11/天": the next item speaks of one card's price
    if after and (after["sky"] or after["times"] or after["unit"]):
        number = count_of(after["n"])
        scan.blank(end, end + after.end())
        if before and not number:
            number = count_of(before["n"])
        return number, after.group().strip()
    if before:
        offset = max(0, start - 16)
        scan.blank(offset + before.start(), start)
        return count_of(before["n"]), before.group().strip()
    return None, ""


def count_elsewhere(scan: Scan) -> tuple[int | None, str]:
    """A number of cards that stands apart from the name ("8卡整机", "GPUs: 4", "8-way")."""
    for pattern in (_LABEL, _ANYWHERE, _TIMES_PRICE):
        match = scan.first(pattern)
        if match:
            return count_of(match["n"] or match["n2"]), match.group().strip()
    return None, ""


def take_slices(scan: Scan) -> tuple[str | None, int | None]:
    """A MIG profile that stands apart from a card's name, and how many of it ("4 x 1g.10gb"); blanked."""
    match = scan.first(_SLICE_WORD)
    if not match:
        return None, None
    number = match["n"] or match["n2"]
    return match["profile"].lower(), count_of(number) if number else None


def slice_profile(text: str) -> str | None:
    """A MIG profile in a text, as it is written."""
    match = _SLICE_WORD.search(text)
    return match["profile"].lower() if match else None


def singular(text: str) -> str:
    """A plural taken off a card's name ("4090s"), kept where the letter is part of the name (L40s, 4080s, V100s)."""
    if _PLURAL.search(text) and not _S_IN_NAME.search(text):
        return text[:-1]
    return text
