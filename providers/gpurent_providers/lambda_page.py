"""The tables of Lambda's price page, row by row.

Selected by `data-plan` and `data-label`, as class names change with each build of the site; the copy of the tables in a
script is no element and is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import pairwise

from gpurent.adapters.contract import Part, ShapeChanged

MAX_TAB, MAX_TABS = 2**16, 50  # bytes of one tab's tables, tabs
ON_DEMAND = ("VRAM/GPU", "VCPUS", "RAM", "STORAGE", "PRICE/GPU/HR")
CLUSTER = ("DURATION", "GPU COUNT", "PRICE/GPU/HR")


def _tabs(part: Part) -> Iterator[bytes]:
    """The tabs of the page, each from its tag to its last table's end: a parser's time grows faster than a page."""
    starts = [found.start() for found in re.finditer(rb'<[a-z]{1,20} [^<>]{0,500}\brole="tabpanel"', part.body)]
    for start, end in pairwise([*starts, len(part.body)]):
        tab = part.body[start : part.body.rfind(b"</table>", start, end)]
        if len(tab) > MAX_TAB or len(starts) > MAX_TABS:
            raise ShapeChanged(f"{part.name}: tabpanel", f"{len(starts)} of them, one of {len(tab)} bytes")
        yield tab


def cells(part: Part) -> Iterator[tuple[str, Mapping[str, str]]]:
    """(path, cells by label) of every table row of the page."""
    from bs4 import BeautifulSoup
    from bs4.exceptions import ParserRejectedMarkup

    for fragment in _tabs(part):
        try:
            tab = BeautifulSoup(fragment.decode("utf-8", "replace"), "html.parser")
        except ParserRejectedMarkup:
            raise ShapeChanged(f"{part.name}: tabpanel", "not HTML") from None
        panel = tab.select_one('[role="tabpanel"]')
        label = " ".join(str(panel.get("aria-label", "")).split()) if panel else ""
        for number, line in enumerate(tab.select("tr[data-plan]")):
            for struck in line.select("sup, s, del"):
                struck.decompose()
            told = {
                " ".join(str(cell["data-label"]).upper().strip("* ").split()): " ".join(cell.get_text(" ").split())
                for cell in line.select("td[data-label]")
            }
            wanted = ON_DEMAND if re.fullmatch(r"\d+x", label) else CLUSTER
            missing = [name for name in wanted if name not in told]
            if missing:
                raise ShapeChanged(f"{part.name}: {label}: td[data-label={missing[0]!r}]", ", ".join(told)[:80])
            yield f"{label}[{number}]", {"PLAN": str(line["data-plan"]), "TAB": label, **told}


def size_gib(text: str, unit: str = "GiB") -> Decimal | None:
    """A size in GiB of text in `unit` or TiB; None when it is none.

    >>> size_gib("2.75 TiB SSD"), size_gib("1,800 GiB"), size_gib("180 GB", "GB")
    (Decimal('2816.00'), Decimal('1800'), Decimal('180'))
    """
    size = re.match(rf"(\d{{1,3}}(?:,\d{{3}}){{1,2}}|\d{{1,6}}(?:\.\d{{1,3}})?) ({unit}|TiB)\b", text)
    return Decimal(size[1].replace(",", "")) * (1024 if size[2] == "TiB" else 1) if size else None
