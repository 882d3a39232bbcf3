"""Pages for the tests: offers made by hand, hostile ones among them, and a reader of a page's data."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from gpurent import workloads
from gpurent.cli.output import document
from gpurent.comparison import Comparison, Options, compare
from gpurent.money import Price
from gpurent.offer import Offer
from gpurent.render.page import page_text
from gpurent.render.page_data import CardHistory
from gpurent.selection import Wanted

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SEEN = NOW - timedelta(days=3)
SCRIPT = "<script>alert(1)</script>"
ODD_SKU = """it's "quoted" & <b>bold</b> 🚀 ${x} \u2028"""

MACHINES = (
    ("RTX 4090", 1, 16, "0.42"), ("RTX 3090", 1, 8, "0.21"), ("RTX 3090", 8, 64, "1.7"),
    ("NVIDIA A100-SXM4-80GB", 1, 24, "1.39"), ("NVIDIA A100-SXM4-80GB", 8, 128, "11"), ("H100 SXM 80GB", 1, 26, "2.4"),
    ("H100 SXM 80GB", 8, 208, "19.5"), ("L4", 1, 4, "0.71"), ("Tesla T4", 1, 4, "0.33"), ("RTX A6000", 2, 16, "0.98"),
    ("A100 MIG 3g.40gb", 1, 12, "0.7"), ("Tesla V100", 1, 8, "0.55"),
)  # fmt: skip


def offer(provider: str, gpu: str, count: int, vcpus: float | None, usd: str, **more: Any) -> Offer:
    """One offer with an observed price."""
    fields: dict[str, Any] = {
        "sku": f"{gpu.lower().replace(' ', '-')}-x{count}", "observed_at": SEEN,
        "source": "https://prices.example/list", "price": Price(amount=usd),
    }  # fmt: skip
    return Offer(provider=provider, gpu=gpu, gpu_count=count, vcpus=vcpus, **{**fields, **more})


def offers(copies: int = 1) -> list[Offer]:
    """A small market; every copy a little dearer, the last offers hostile in every text."""
    made = [
        offer(f"cloud-{number % 5}", gpu, count, vcpus, f"{float(usd) * (1 + number / 50):.4f}", region=f"r{number}")
        for number in range(copies)
        for gpu, count, vcpus, usd in MACHINES
    ]
    made.append(offer("euro", "RTX 4090", 1, 16, "0.50", price=Price(amount="0.50", currency="EUR")))
    made.append(
        offer(SCRIPT, "RTX 4090", 1, None, "0.61", sku=ODD_SKU, region="</td></table>", source="javascript:alert(2)")
    )
    made.append(offer("nobody", "Voodoo 9000", 1, 8, "0.1"))
    made.append(offer("soldout", "RTX 4090", 1, 8, "0.1", stock="sold-out"))
    return made


def compared(
    market: Sequence[Offer], workload: str = "resnet50", mine: Offer | None = None, **wanted: Any
) -> Comparison:
    """The comparison of a market."""
    options = Options(wanted=Wanted(**wanted))
    return compare(market, workloads.load(workload), options, now=NOW, mine=mine)


def answer_of(found: Comparison, **view: Any) -> dict[str, Any]:
    """What the command hands the page beside the comparison."""
    names = sorted({offer.provider for offer in found.offers})
    providers = [{"provider": name, "collected_at": "2026-11-27", "complete": name != "euro"} for name in names]
    return document(
        "compare", options={**found.asked(), "currency": "USD", "fx_date": None, **view},
        data={"source": "catalogue", "providers": providers},
    )  # fmt: skip


def history(cards: Sequence[str] = ("rtx-4090", "rtx-3090"), nights: int = 40) -> list[CardHistory]:
    """Prices that wander a little up to the day of the tests, with three nights missing."""
    days = [(date(2026, 11, 30) - timedelta(days=nights - 1 - night)).isoformat() for night in range(nights)]
    made = []
    for place, card in enumerate(cards):
        prices = [None if night in (7, 8, 20) else _price(place, night) for night in range(nights)]
        costs = [None if price is None else price / 4 for price in prices]
        made.append(CardHistory(card, days, prices, costs))
    return made


def _price(place: int, night: int) -> float:
    """A wandering price: two slow waves and a step."""
    wave = math.sin(night / (7 + place)) + 0.4 * math.sin(night / 2.3 + place)
    return round(0.3 + 0.13 * place + 0.015 * wave - (0.04 if night > 30 + 9 * place else 0), 3)


def mine(usd: str | None = "0.12") -> Offer:
    """A machine of one's own."""
    return offer(
        "mine", "RTX 3090", 1, 32, "1", price=None if usd is None else Price(amount=usd), sku=None, source=None
    )


def text_of(found: Comparison, lang: str = "en", **more: Any) -> str:
    """A page."""
    return page_text(found, answer_of(found), lang=lang, **more)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


class _Elements(HTMLParser):
    """Elements with their attributes, and the text of scripts and styles, as a browser reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, dict[str, str | None], str]] = []
        self._raw: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._raw = [] if tag in ("script", "style") else None

    def handle_data(self, data: str) -> None:
        if self._raw is not None:
            self._raw.append(data)

    def handle_endtag(self, tag: str) -> None:
        if self._raw is not None and tag in ("script", "style"):
            self.texts.append((tag, self.elements[-1][1], "".join(self._raw)))
            self._raw = None


def elements(text: str) -> _Elements:
    """The page as its elements."""
    parser = _Elements()
    parser.feed(text)
    parser.close()
    return parser


def data_of(text: str) -> dict[str, Any]:
    """The data of a page."""
    block = next(body for tag, attributes, body in elements(text).texts if attributes.get("type") == "application/json")
    found: dict[str, Any] = json.loads(block)
    return found


def column(data: dict[str, Any], number: int, rows: int) -> list[Any]:
    """A packed column as plain values."""
    packed = data["columns"][number]
    if "all" in packed:
        return [packed["all"]] * rows
    return [packed["of"][place] for place in packed["at"]] if "of" in packed else list(packed["is"])
