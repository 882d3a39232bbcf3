"""One row of an answer nobody promised: fields with paths, offers or rejections.

A row that cannot become an offer is one Reject; a bad fact that an offer can do without is a Reject of its own, and the
offer goes on without it. Adapters import this through `gpurent.adapters.reading`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any

from pydantic import ValidationError

from gpurent.adapters.contract import OUT_OF_SCOPE, Part, ShapeChanged
from gpurent.money import MAX_CHARACTERS, MAX_EXPONENT, InvalidNumber, Price, bounded_decimal
from gpurent.offer import MAX_LINE, Offer, Reject, clean_line

MAX_SHOWN = 80
MAX_ROWS = 1_000_000  # of one list; the largest catalogue has a tenth of it
MAX_BYTES_EXPONENT = 16  # a size in bytes may be larger than any amount of money
MAX_READ = 8 * MAX_LINE  # of a text field; clean_line reads no more, and remembers what it was given

NO_GPU = OUT_OF_SCOPE + "no GPU"
NOT_ABOVE_ZERO = "not above zero"
NOTHING = "neither a price nor a reason why there is none"
DUPLICATE = "the same offer stands there twice; the first is kept"

# Facts without which an offer would be another offer: a bad one rejects the row.
_ESSENTIAL = frozenset(
    {"provider", "via", "gpu", "gpu_count", "gpu_share", "gpu_memory_gib", "price", "purchase", "sku", "listing"}
)


class Bad(Exception):
    """A row that cannot become an offer: where, which value, why."""

    def __init__(self, path: str, value: object, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.value = value
        self.reason = reason


def shown(value: object) -> str:
    """A value from outside as a short harmless text; of lists and objects only what they are.

    >>> shown([1, 2]), shown({"a": 1}), shown(None)
    ('a list of 2', 'an object with a', 'None')
    """
    if isinstance(value, list):
        text = f"a list of {len(value)}"
    elif isinstance(value, Mapping):
        text = f"an object with {', '.join(str(key) for key in islice(value, 8)) or 'nothing'}"
    else:
        text = value if isinstance(value, str) else str(value)
    return clean_line(text[: 4 * MAX_SHOWN])[:MAX_SHOWN].rstrip()


class Row:
    """One row of an answer: reads fields with their paths, remembers what was wrong with them.

    The plain readers give None for a missing, null or empty field, and for a bad one, which is noted as a rejection of
    the field. The `need_*` readers raise `Bad`, which rejects the row.
    """

    def __init__(self, part: Part, path: str, values: object, faults: list[Reject] | None = None) -> None:
        if not isinstance(values, Mapping):
            raise Bad(path, values, "not an object")
        self.part = part
        self.path = clean_line(path)
        self.values: Mapping[str, Any] = values
        self.faults: list[Reject] = [] if faults is None else faults

    def where(self, key: str) -> str:
        return clean_line(f"{self.path}.{key}")

    def fault(self, key: str, value: object, reason: str) -> None:
        """Note a bad field the offer can do without."""
        self.faults.append(Reject(self.part.name, self.where(key), shown(value), reason))

    def bad(self, key: str, reason: str) -> Bad:
        """The rejection of this row because of a field; raise it."""
        return Bad(self.where(key), self.values.get(key), reason)

    def get(self, key: str) -> Any:
        """The value, None when missing, null or blank text."""
        value = self.values.get(key)
        return None if isinstance(value, str) and not value.strip() else value

    def text(self, key: str) -> str | None:
        value = self.get(key)
        if value is None:
            return None
        if not isinstance(value, str):
            self.fault(key, value, "not text")
            return None
        return clean_line(value[:MAX_READ]) or None

    def need_text(self, key: str) -> str:
        value = self.get(key)
        line = clean_line(value[:MAX_READ]) if isinstance(value, str) else ""
        if not line:
            raise self.bad(key, "missing" if value is None else "not text")
        return line

    def label(self, key: str) -> str | None:
        """An identifier, which may be written as a number."""
        value = self.get(key)
        if isinstance(value, Decimal | int) and not isinstance(value, bool):
            return str(value)[:MAX_CHARACTERS]
        return self.text(key)

    def need_label(self, key: str) -> str:
        """An identifier without which an offer would have no name of its own."""
        label = self.label(key)
        if not label:
            raise self.bad(key, "missing")
        return label

    def number(self, key: str, *, max_exponent: int = MAX_EXPONENT) -> Decimal | None:
        """A finite, bounded number, written as a number or as text. 0 and below are for the caller to judge."""
        value = self.get(key)
        if value is None:
            return None
        try:
            return bounded_decimal(value, max_exponent=max_exponent)
        except InvalidNumber as error:
            self.fault(key, value, str(error))
            return None

    def positive(self, key: str, *, max_exponent: int = MAX_EXPONENT) -> Decimal | None:
        """A number above zero. 0 is how many sources write unknown, so it is None; below 0 is a fault."""
        number = self.number(key, max_exponent=max_exponent)
        if number is not None and number < 0:
            self.fault(key, number, "below zero")
        return number if number is not None and number > 0 else None

    def gib_of_bytes(self, key: str) -> Decimal | None:
        """A size written in bytes, in GiB; 0 is unknown."""
        size = self.positive(key, max_exponent=MAX_BYTES_EXPONENT)
        return round(size / 2**30, 9) if size else None

    def need_number(self, key: str) -> Decimal:
        value = self.get(key)
        if value is None:
            raise self.bad(key, "missing")
        try:
            return bounded_decimal(value)
        except InvalidNumber as error:
            raise self.bad(key, str(error)) from None

    def need_positive(self, key: str) -> Decimal:
        """A number above zero: a price, a memory size."""
        number = self.need_number(key)
        if number <= 0:
            raise self.bad(key, NOT_ABOVE_ZERO)
        return number

    def need_count(self, key: str) -> int:
        """A whole number of cards, at least one."""
        number = self.need_positive(key)
        if number != number.to_integral_value() or number > 1024:
            raise self.bad(key, "not a count of cards")
        return int(number)

    def flag(self, key: str) -> bool | None:
        value = self.get(key)
        if value is None or isinstance(value, bool):
            return value
        self.fault(key, value, "not true or false")
        return None

    def list(self, key: str) -> Sequence[Any]:
        value = self.get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.fault(key, value, "not a list")
            return ()
        return value

    def need_row(self, key: str) -> Row:
        """The object under `key`, sharing this row's memory of faults."""
        value = self.values.get(key)
        if not isinstance(value, Mapping):
            raise self.bad(key, "missing" if value is None else "not an object")
        return Row(self.part, self.where(key), value, self.faults)

    def row(self, key: str) -> Row:
        """The object under `key`; an empty one when it is missing or null."""
        value = self.get(key)
        if value is not None and not isinstance(value, Mapping):
            self.fault(key, value, "not an object")
        return Row(self.part, self.where(key), value if isinstance(value, Mapping) else {}, self.faults)

    def rows(self, key: str) -> Sequence[Row]:
        """The objects of the list under `key`; what is no object is noted and left out."""
        rows: list[Row] = []
        for number, value in enumerate(self.list(key)):
            if isinstance(value, Mapping):
                rows.append(Row(self.part, f"{self.where(key)}[{number}]", value, self.faults))
            else:
                self.fault(f"{key}[{number}]", value, "not an object")
        return rows

    def price(self, key: str, **facts: Any) -> Price:
        """The amount under `key` as a Price.

        Args:
            key: field of the amount.
            facts: the other fields of `Price`; `amount` overrides the field (for cents and the like).
        """
        amount = facts.pop("amount", None)
        if amount is None:
            amount = self.need_positive(key)
        try:
            return Price(amount=amount, **facts)
        except ValidationError as error:
            field = str(error.errors(include_url=False, include_context=False)[0]["loc"][0])
            if field == "currency":
                raise Bad(self.where(key), facts[field], "not a currency's code of three letters") from None
            raise self.bad(key, _why(error)) from None

    def offer(self, **facts: Any) -> Offer:
        """An Offer observed with this part. Bad facts it can do without are left out and noted."""
        facts.setdefault("observed_at", self.part.observed_at)
        facts.setdefault("source", self.part.url)
        facts = {name: value for name, value in facts.items() if value is not None}
        for _ in range(len(facts)):
            try:
                return Offer(**facts)
            except ValidationError as error:
                field = str(error.errors(include_url=False, include_context=False)[0]["loc"][0])
                if field in _ESSENTIAL or field not in facts:
                    raise Bad(self.where(field), facts.get(field), _why(error)) from None
                self.fault(field, facts.pop(field), _why(error))
        return Offer(**facts)


def _why(error: ValidationError) -> str:
    message = error.errors(include_url=False, include_context=False)[0]["msg"]
    return clean_line(message.removeprefix("Value error, "))


def each(
    part: Part, rows: Iterable[tuple[str, object]], build: Callable[[Row], Iterable[Offer | Reject]]
) -> Iterator[Offer | Reject]:
    """Run `build` over rows, each on its own: a bad row is one rejection and the next one is read.

    Args:
        part: where the rows come from.
        rows: (path, value) of each row.
        build: gives the offers of one row; may raise `Bad`. A row it says nothing about is a rejection: none vanishes.
    """
    for number, (path, values) in enumerate(rows):
        if number >= MAX_ROWS:
            raise ShapeChanged(f"{part.name}: {clean_line(path)}", f"more than {MAX_ROWS} rows")
        faults: list[Reject] = []
        silent = True
        try:
            for one in build(Row(part, path, values, faults)):
                silent = False
                yield one
        except Bad as bad:
            silent = False
            yield Reject(part.name, clean_line(bad.path), shown(bad.value), bad.reason)
        yield from faults
        if silent and not faults:
            yield Reject(part.name, clean_line(path), shown(values), NOTHING)


def numbered(items: Iterable[object], path: str) -> Iterator[tuple[str, object]]:
    """Rows of a list with their paths: `path[0]`, `path[1]`, ..."""
    return ((f"{path}[{number}]", item) for number, item in enumerate(items))


def unique(made: Iterable[Offer | Reject], part: Part, seen: set[str]) -> Iterator[Offer | Reject]:
    """The first offer of each key; a later one with the same key is a rejection that names it.

    Args:
        made: offers and rejections of one part.
        part: that part.
        seen: keys met so far, shared by the parts of one parse.
    """
    for one in made:
        if isinstance(one, Offer):
            if one.offer_id in seen:
                named = " ".join(filter(None, (one.listing or one.sku, one.region, one.purchase)))
                yield Reject(part.name, f"offer {one.offer_id}", clean_line(named), DUPLICATE)
                continue
            seen.add(one.offer_id)
        yield one
