"""Money: a bounded decimal, a currency, and a price that says what it buys."""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

MAX_CHARACTERS = 30
MIN_EXPONENT, MAX_EXPONENT = -12, 9

Unit = Literal["second", "hour", "day", "week", "month", "year"]
Per = Literal["offer", "gpu"]

HOURS_PER_MONTH = Decimal(720)
_HOURS: dict[str, Decimal] = {"hour": Decimal(1), "day": Decimal(24), "week": Decimal(168), "year": Decimal(8760)}


class InvalidNumber(ValueError):
    """A text or number from outside that is not a finite, sensibly sized decimal."""


def bounded_decimal(value: object, *, max_exponent: int = MAX_EXPONENT) -> Decimal:
    """Read a number from outside as an exact decimal.

    Accepts str, int, float, Decimal; at most 30 characters, adjusted exponent -12..9, finite.
    A float is read by its shortest text, so 0.1 is 0.1. Quantities counted in bytes or FLOPs pass a larger
    `max_exponent`; money never does.

    Raises:
        InvalidNumber: anything else, before any costly arithmetic.

    >>> bounded_decimal("1.49")
    Decimal('1.49')
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise InvalidNumber("not a number")
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidNumber("not finite")
    if isinstance(value, int) and value.bit_length() > 100:
        raise InvalidNumber("too large")
    text = repr(value) if isinstance(value, float) else str(value).strip()
    if not text or len(text) > MAX_CHARACTERS or "_" in text or not text.isascii():
        raise InvalidNumber("not a number")
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise InvalidNumber("not a number") from None
    if not number.is_finite():
        raise InvalidNumber("not finite")
    if number and not MIN_EXPONENT <= number.adjusted() <= max_exponent:
        raise InvalidNumber("out of range")
    return number


def bounded_float(value: object) -> float:
    """`bounded_decimal` as a float, for quantities that are not money."""
    return float(bounded_decimal(value))


Amount = Annotated[Decimal, BeforeValidator(bounded_decimal), Field(gt=0)]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]


class Price(BaseModel):
    """A native price and what it buys; nothing is converted here.

    `amount` of `currency` per `unit` for the whole offer or for each of its GPUs; `term_months` is the commitment and
    `upfront` what is paid at its start, in the same currency, for the whole offer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    amount: Amount
    currency: Currency = "USD"
    unit: Unit = "hour"
    per: Per = "offer"
    hours_per_month: Annotated[Decimal, BeforeValidator(bounded_decimal), Field(ge=600, le=744)] = HOURS_PER_MONTH
    term_months: Annotated[Decimal, BeforeValidator(bounded_decimal), Field(gt=0, le=120)] | None = None
    upfront: Annotated[Decimal, BeforeValidator(bounded_decimal), Field(ge=0)] | None = None
    tax_included: bool | None = None

    @model_validator(mode="after")
    def _upfront_has_a_term(self) -> Self:
        if self.upfront and self.term_months is None:
            raise ValueError("an up-front payment needs its term_months")
        return self

    def per_hour(self, gpu_count: int) -> Decimal:
        """Native price of the whole offer an hour of a fully used term, up-front payment spread over the term.

        >>> Price(amount="45000", currency="CNY", unit="month").per_hour(8)
        Decimal('62.5')
        """
        if self.unit == "second":
            hourly = self.amount * 3600
        elif self.unit == "month":
            hourly = self.amount / self.hours_per_month
        else:
            hourly = self.amount / _HOURS[self.unit]
        if self.per == "gpu":
            hourly *= gpu_count
        if self.upfront and self.term_months:
            hourly += self.upfront / (self.term_months * self.hours_per_month)
        return hourly
