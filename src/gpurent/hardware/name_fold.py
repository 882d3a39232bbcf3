"""Outside text as plain words: full-width letters, Chinese words, odd signs and written phrases folded.

Every step is linear in the text: single passes, no pattern with nested repetition, texts cut at 240 characters.
"""

from __future__ import annotations

import re
from functools import cache

from gpurent import tables

MAX_TEXT = 240
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_ODD = str.maketrans("　×✕✖∗·、。¥²³¹–—‑−", " **** ,,￥   ----", "™®©")
_CHINESE_DIGITS = dict(zip("一单两双二三四五六七八九十", (1, 1, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10), strict=True))
_COUNT = re.compile(
    r"(?<!^\d/)(?<![^0-9]\d/)((?<![a-z0-9.])\d{1,3}|[一单两双二三四五六七八九十])\s?(?:[张块个颗枚片]\s?卡|卡(?!片)|张|颗|枚|路|块(?!\s?[钱/每一人]))"
)
_IDS = re.compile(r"\(?\buuid:[^)]{0,80}\)?|(?:gpu-|mig-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SMI_LINE = re.compile(r"^\s*gpu\s\d{1,3}\s?:|\bdevice\s{1,4}\d{1,3}\s?:")
_REWRITES = tuple(
    (needle, re.compile(f"(?<![a-z0-9])(?:{pattern})(?![a-z0-9])"), plain)
    for needle, pattern, plain in (  # the needle: what a text must hold to be worth the pattern
        ("max", r"max[\s_-]?q", "maxq"),
        ("pci", r"pci[\s_-]?(?:e|express)", "pcie"),
        ("edition", r"server[\s_-]edition", "se"),
        ("edition", r"workstation[\s_-]edition", "ws"),
        ("blackwell", r"blackwell[\s_-]server", "blackwell se"),
        ("blackwell", r"blackwell[\s_-]workstation", "blackwell ws"),
        ("slic", r"time[\s_-]slic(?:e|ed|ing)", "timeslice"),
        ("00", r"(?<!-)(a|h|v|b|gb|gh)-(100|200|300|800)(s?)", r"\1\2\3"),
        ("00", r"(nvidia[\s_])([ahv])[\s_](100|200|800)", r"\1\2\3"),
        ("00", r"^(a|h|v)\s(100|200|800)(?=$|\s?[(x*]|\s(?:sxm|pcie|\d\d\s?g))", r"\1\2"),
        ("mi", r"mi[\s_-](\d{2,3}[ax]?)", r"mi\1"),
        ("titan", r"titan(v|x)", r"titan \1"),
        ("cmp", r"cmp[\s_-]?(\d{2,3})[\s_-]?hx", r"cmp \1hx"),
        (",", r"(\d{1,3}),(\d{3})(?=\s?mi?b)", r"\1\2"),
        ("%", r"(\d\d)\s?%(?=\sof\s)", r"0.\1"),
        ("g-", r"(?<=-)([1-7])g-(\d{1,3})gb", r"mig \1g.\2gb"),
        ("fraction", r"fraction(?:\s(?:of\s)?|=|:\s?)(0\.\d{1,4}|\d{1,2}/\d{1,2})", r"(\1 card)"),
        ("share", r"share(?:\s(?:of\s)?|=|:\s?)(0\.\d{1,4}|\d{1,2}/\d{1,2})", r"(\1 card)"),
        ("gb/", r"(\d{2,3}gb)/(\d)$", r"\1 (1/\2)"),
        ("way", r"(\d{1,2})[\s-]way", r"\1 x"),
        ("way", r"(two|four|eight)-way", r"\1"),
        ("half", r"half\s(?:of\s)?(?:an?|the)|half(?=\s[a-z]{1,2}\d)", "1/2"),
        ("third", r"(?:an?\s|one\s)?third\s(?:of\s)?(?:an?|the)", "1/3"),
        ("quarter", r"(?:an?\s|one\s)?quarter\s(?:of\s)?(?:an?|the)", "1/4"),
        ("p10", r"p(10[246])[\s_-](100|090)", r"p\1\2"),
        ("core", r"core\si([3579])", r"i\1"),
    )
)
_MIG_VGPU = re.compile(r"(?<=[a-z0-9])-(\d)-(\d{1,3})c(?:me|gfx)?(?![a-z0-9])")  # A100-3-20C: a vGPU in a MIG slice


@cache
def _chinese() -> tuple[tuple[str, str], ...]:
    found = [(row["word"], row["value"]) for row in tables.rows("name_words") if row["kind"] == "zh"]
    return tuple(sorted(found, key=lambda pair: -len(pair[0])))


@cache
def _phrases() -> tuple[tuple[str, re.Pattern[str], str, str], ...]:
    found = []
    for row in tables.rows("aliases"):
        if row["scope"] == "phrase":
            words = r"[\s_-]?".join(re.escape(word) for word in row["spelling"].split())
            pattern = re.compile(rf"(?<![a-z0-9]){words}(?![a-z0-9])")
            found.append((row["spelling"].split()[0], pattern, f" {row['reading']} ", row["provider"]))
    return tuple(found)


def narrow(text: str) -> str:
    """Full-width letters and digits as plain ones, at most 240 characters."""
    return text[:MAX_TEXT].translate(_WIDE)


def fold(text: str, provider: str = "") -> str:
    """Lower-case ASCII text with Chinese words, odd signs and written phrases put into plain words.

    >>> fold("ＲＴＸ４０９０ ×２卡")
    'rtx4090 * 2 cards'
    """
    text = narrow(text).translate(_ODD).lower()
    if "-" in text or ":" in text:
        text = _MIG_VGPU.sub(r" mig \1g.\2gb", _SMI_LINE.sub(" ", _IDS.sub(" ", text)))
    if not text.isascii():
        text = _COUNT.sub(lambda found: f" {_CHINESE_DIGITS.get(found[1], found[1])} cards ", text)
        for word, plain in _chinese():
            text = text.replace(word, plain)
    for needle, pattern, plain in _REWRITES:
        if needle in text:
            text = pattern.sub(plain, text)
    for needle, pattern, plain, only in _phrases():
        if needle in text and (not only or only == provider):
            text = pattern.sub(plain, text)
    return " ".join(text.split())
