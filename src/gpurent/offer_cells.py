"""Cells of an offers file to the fields of an offer: every reasonable spelling, one price per row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from gpurent.money import InvalidNumber, Price, bounded_decimal
from gpurent.offer import DEFAULTS, Offer, clean_line, field_types

MAX_CELL = 20_000
_MAX_KNOWN = 100_000  # distinct cells of a column that are remembered

PRICE_KEYS = (
    "price_per_hour", "price", "price_unit", "price_per", "hours_per_month", "currency", "term_months", "upfront",
    "tax_included",
)  # fmt: skip
KEYS: tuple[str, ...] = tuple(
    key for name in Offer.model_fields for key in (PRICE_KEYS if name == "price" else (name,))
)
_CHOICES = {"purchase", "gpu_share", "gpu_link", "disk_class", "stock", "stock_grade", "price_unit", "price_per"}
_SPELLINGS = {
    "ondemand": "on-demand", "on-demand": "on-demand", "interruptible": "spot", "preemptible": "spot", "bid": "spot",
    "full": "whole", "nvme": "local-nvme", "vs": "vgpu", "soldout": "sold-out", "hr": "hour", "hourly": "hour",
    "h": "hour", "monthly": "month", "instance": "offer", "node": "offer", "machine": "offer", "card": "gpu",
}  # fmt: skip
_YES, _NO = {"true", "yes", "1", "incl"}, {"false", "no", "0", "excl"}


CountIn = Callable[[str, str], int | None]  # how many GPUs a card's text says, of (text, provider)


class BadCell(Exception):
    """A cell that no offer can have: which field, which value, why."""

    def __init__(self, field: str, value: object, reason: str) -> None:
        super().__init__(reason)
        self.field, self.value, self.reason = field, value, reason


def _blank(value: object) -> bool:
    if not isinstance(value, str):
        return value is None
    word = value.strip().lower()
    return word in ("", "unknown", "null", "none", "n/a", "-", "–") or not (word.isprintable() or clean_line(word))


def _spelled(key: str, value: object) -> object:
    if key not in _CHOICES or not isinstance(value, str):
        return value
    word = value.strip().lower().replace("_", "-").replace(" ", "-")
    return _SPELLINGS.get(word, word)


class Columns:
    """Validates each distinct cell of a column once."""

    def __init__(self, count_in: CountIn | None = None) -> None:
        self.count_in = count_in
        self._types = field_types()
        self._seen: dict[str, dict[Any, Any]] = {}

    def value(self, key: str, cell: Any) -> Any:
        """The value of a cell, None where it says nothing."""
        known = self._seen.setdefault(key, {})
        try:
            if cell in known:
                return known[cell]
        except TypeError:
            raise BadCell(key, cell, "not a single value") from None
        if len(known) > _MAX_KNOWN:
            known.clear()
        value = known[cell] = None if _blank(cell) else self._read(key, cell)
        return value

    def _read(self, key: str, cell: Any) -> Any:
        if isinstance(cell, str) and len(cell) > MAX_CELL:
            raise BadCell(key, cell, f"longer than {MAX_CELL} characters")
        try:
            return self._types[key].validate_python(_spelled(key, cell))
        except ValidationError as error:
            raise BadCell(key, cell, _reason(error)) from None

    def price(self, cells: tuple[Any, ...], gpu_count: int) -> Price | None:
        known = self._seen.setdefault("price", {})
        key = (*cells, gpu_count)
        try:
            if key in known:
                return known[key]  # type: ignore[no-any-return]
        except TypeError:
            raise BadCell("price", cells, "not a single value") from None
        if len(known) > _MAX_KNOWN:
            known.clear()
        price = known[key] = _price(dict(zip(PRICE_KEYS, cells, strict=True)), gpu_count)
        return price


def _reason(error: ValidationError) -> str:
    message = error.errors(include_url=False, include_context=False)[0]["msg"]
    return clean_line(message.removeprefix("Value error, "))


def _flag(value: object) -> bool:
    word = str(value).strip().lower()
    if word in _YES or word in _NO:
        return word in _YES
    raise BadCell("tax_included", value, "say true or false")


def _price(cells: dict[str, Any], gpu_count: int) -> Price | None:
    given = {key: None if _blank(value) else value for key, value in cells.items()}
    hourly, amount = given["price_per_hour"], given["price"]
    if hourly is None and amount is None:
        return None
    key = "price_per_hour" if amount is None else "price"
    fields: dict[str, Any] = {"amount": hourly if amount is None else amount}
    if amount is not None:
        if given["price_unit"] is None:
            raise BadCell("price_unit", "", "a `price` needs its unit: second, hour, day, week, month or year")
        fields |= {
            "unit": _spelled("price_unit", given["price_unit"]),
            "per": _spelled("price_per", given["price_per"] or "offer"),
        }
    for name in ("hours_per_month", "term_months", "upfront"):
        if given[name] is not None:
            fields[name] = given[name]
    if given["currency"] is not None:
        fields["currency"] = str(given["currency"]).strip().upper()
    if given["tax_included"] is not None:
        fields["tax_included"] = _flag(given["tax_included"])
    try:
        price = Price(**fields)
    except ValidationError as error:
        name = str((error.errors()[0]["loc"] or ("upfront",))[0])
        name = {"amount": key, "unit": "price_unit", "per": "price_per"}.get(name, name)
        raise BadCell(name, given.get(name, fields["amount"]), _reason(error)) from None
    if hourly is not None and amount is not None:
        _agree(price, hourly, gpu_count)
    return price


def _agree(price: Price, hourly: object, gpu_count: int) -> None:
    """A row that states both prices must mean one thing: per GPU against per node is where money is lost."""
    try:
        stated = bounded_decimal(hourly)
    except InvalidNumber as error:
        raise BadCell("price_per_hour", hourly, str(error)) from None
    derived = price.per_hour(gpu_count)
    if abs(stated - derived) > derived * Decimal("0.005"):
        raise BadCell("price_per_hour", hourly, f"does not agree with `price`, which makes {derived:.6g} an hour")


def offer_of(row: Mapping[str, Any], columns: Columns) -> Offer:
    """The offer of one row.

    Raises:
        BadCell: a cell that no offer can have, or a required one that is missing.
    """
    fields = dict(DEFAULTS)
    for key, cell in row.items():
        if cell is None or cell == "":  # most cells of a wide file
            continue
        if key in DEFAULTS or key in ("provider", "gpu"):
            if key != "price" and (value := columns.value(key, cell)) is not None:
                fields[key] = value
        elif key == "":
            raise BadCell("", cell, "not an offer, or more cells than the header has")
    for key in ("provider", "gpu"):
        if key not in fields:
            raise BadCell(key, "", "is required")
    if columns.count_in is not None and _blank(row.get("gpu_count")):
        fields["gpu_count"] = columns.count_in(fields["gpu"], fields["provider"]) or 1
    fields["price"] = columns.price(tuple(row.get(key) for key in PRICE_KEYS), fields["gpu_count"])
    return Offer.assemble(fields)
