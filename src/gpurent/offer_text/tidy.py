"""Somebody's words made safe to read: harmless characters, HTML taken off, several quotes apart."""

from __future__ import annotations

import re
import unicodedata

MAX_TEXT = 200_000  # characters of a paste that are looked at
MAX_QUOTE = 6_000  # characters of one quote
MAX_QUOTES = 50

_FULL_WIDTH: dict[int, int | str | None] = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
# The yen sign keeps its width: full-width ￥ is how Chinese keyboards write yuan, narrow ¥ may be yen.
_SIGNS: dict[int, int | str | None] = {
    ord(sign): plain
    for signs, plain in (
        ("，、", ", "), ("。", ". "), ("；", ";"), ("：", ":"), ("（【「『〔", "("), ("）】」』〕", ")"),
        ("×✕✖╳＊∗·", "*"),
        ("–—−‐‑‒―─", "-"), ("～∼〜", "~"), ("“”„", '"'), ("‘’", "'"), ("≈", "~"), ("│┃｜", "|"), ("®™", " "),
        ("　\u00a0\u2002\u2003\u2009\u202f", " "),
    )
    for sign in signs
}  # fmt: skip
_MAP: dict[int, int | str | None] = {**_FULL_WIDTH, **_SIGNS}
_MAP[ord("•")] = "* "
# In ４５，０００ the comma parts thousands, in "８，５１２Ｇ" the items of a list.
_WIDE_THOUSANDS = re.compile("(?<![０-９．Ａ-Ｚａ-ｚA-Za-z])([０-９]{1,3})，(?=[０-９]{3}(?![０-９ＧＴｇｔ核卡]))")
_GLUED = re.compile(  # 8xH100 and 8H100, not g5.2xlarge; H100MIG
    r"(?<![A-Za-z0-9.])(\d{1,3}[xX])(?=[A-Za-z])(?!large|metal)"
    r"|(?<![A-Za-z0-9.])([1-8])(?=(?:[HAB][12]00|[AH]800|L40S?|V100|RTX)(?![A-Za-z0-9.]))|(?<=\d)()(?=MIG(?![a-z]))"
)
_ANSI = re.compile("\x1b(?:\\[[0-?]{0,32}[ -/]{0,8}[@-~]|\\][^\x07\x1b]{0,256}(?:\x07|\x1b\\\\)?|.)")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]{0,15}(?:\s[^<>]{0,500})?/?>")
_HTML = re.compile(r"</[A-Za-z][A-Za-z0-9]{0,15}\s*>|<(?:br|td|tr|li|p|div|span|table)\b", re.IGNORECASE)


def tidy(text: str) -> str:
    """Outside text as harmless lines: NFC, no control, format or bidi characters, full-width forms narrowed.

    Line ends stay, other white space becomes blanks. Nothing is folded that carries a value: no NFKC, which would turn
    a footnote mark into a digit.

    >>> tidy("Ａ１００　８０Ｇ，８卡\\x1b[31m\\u202e")
    'A100 80G, 8卡'
    """
    text = _WIDE_THOUSANDS.sub(r"\1,", text[:MAX_TEXT])
    text = _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    text = unicodedata.normalize("NFC", text).translate(_MAP)
    kept = [
        character if character == "\n" else " " if character.isspace() else character
        for character in text
        if character.isspace() or unicodedata.category(character)[0] != "C"
    ]
    lines = (re.sub(" {2,}", "  ", line).rstrip() for line in _GLUED.sub(r"\1\2 ", "".join(kept)).split("\n"))
    return "\n".join(lines).strip("\n ")


def plain(text: str) -> str:
    """The text of pasted HTML: footnotes and struck-out prices gone, one line a row or paragraph; other text as it is.

    >>> plain("<tr><td>H100</td><td>$2.99<sup>1</sup>/hr <del>$3.49</del></td></tr>")
    'H100 | $2.99/hr'
    """
    if not _HTML.search(text[:MAX_TEXT]):
        return text
    if text.count("<", 0, MAX_TEXT) > 20_000:  # too deep for a tree: tags off, nothing else
        return _TAG.sub(" ", text[:MAX_TEXT])
    from bs4 import BeautifulSoup

    try:
        soup = BeautifulSoup(text[:MAX_TEXT], "html.parser")
        for tag in soup(["sup", "s", "del", "strike", "script", "style", "head", "template", "noscript"]):
            tag.decompose()
        for tag in soup(["td", "th"]):
            tag.insert_after(" | ")
        for tag in soup(["tr", "li", "p", "div", "br", "h1", "h2", "h3", "h4", "table", "dt", "dd"]):
            tag.insert_after("\n")
        body = soup.get_text("")
    except RecursionError:
        return _TAG.sub(" ", text[:MAX_TEXT])
    rows = (" ".join(line.split()).strip("| ") for line in body.split("\n"))
    return "\n".join(row for row in rows if row)
