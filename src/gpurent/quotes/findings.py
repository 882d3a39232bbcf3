"""What the check says about a quote: a code, how bad it is, a sentence, the numbers in it and where they come from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from gpurent.messages import say

Severity = Literal["info", "warning", "fail"]
_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "JPY ", "CNY": "￥"}


@dataclass(frozen=True)
class Finding:
    """One thing to know. `numbers` are the values of its sentence, plain and unrounded; `source` a key or a code."""

    code: str
    severity: Severity
    numbers: Mapping[str, Any] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)  # values that are shown otherwise than as a number
    verdict: str | None = None  # the verdict this finding alone leads to

    def text(self, lang: str) -> str:
        """Its sentence."""
        values = {key: shown(value) for key, value in self.numbers.items()} | dict(self.shown)
        return say(f"quote.{self.code}", lang, **values)

    def to_dict(self, lang: str) -> dict[str, Any]:
        """As the JSON answer has it."""
        numbers = {key: _plain(value) for key, value in self.numbers.items()}
        return {"code": self.code, "severity": self.severity, "text": self.text(lang), "numbers": numbers}


def shown(value: Any) -> str:
    """A number as a person reads it: three significant digits, whole numbers whole.

    >>> shown(0.38889), shown(1692.0), shown(12), shown("3g.20gb")
    ('0.389', '1,692', '12', '3g.20gb')
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    digits = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def money(amount: float, currency: str = "USD") -> str:
    """An amount with its currency: cents from one up, three significant digits below.

    >>> money(7.8125, "CNY"), money(0.2), money(0.0375)
    ('￥7.81', '$0.20', '$0.0375')
    """
    sign = _SIGNS.get(currency, f"{currency} ")
    if abs(amount) >= 1000:
        return f"{sign}{amount:,.0f}"
    if abs(amount) >= 1:
        return f"{sign}{amount:,.2f}"
    text = f"{float(f'{amount:.3g}'):.10f}".rstrip("0")
    return sign + text + "0" * max(0, 2 - len(text.partition(".")[2]))


def percent(share: float) -> str:
    """A share of one as a percentage.

    >>> percent(0.125)
    '12.5 %'
    """
    value = share * 100
    return f"{value:.0f} %" if abs(value) >= 20 or value == int(value) else f"{value:.3g} %"


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value
