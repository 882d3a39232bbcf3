"""The one record: something that can be rented, as its provider wrote it."""

from __future__ import annotations

import hashlib
import unicodedata
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

from gpurent.money import Price, bounded_float

MAX_LINE = 200

Purchase = Literal["on-demand", "spot", "reserved"]
Share = Literal["whole", "mig", "vgpu", "timeslice", "unknown"]
Link = Literal["nvswitch", "nvlink", "nvlink-bridge", "pcie"]
DiskClass = Literal["local-nvme", "local-ssd", "network-ssd", "network-hdd", "network-fs", "object"]
Stock = Literal["available", "sold-out", "unknown"]
StockGrade = Literal["realtime", "catalogue", "price"]


@lru_cache(maxsize=65536)
def clean_line(text: str) -> str:
    """One harmless line of outside text: NFC, no control, format or bidi characters, <= 200 characters.

    Runs of white space become one space; a longer text is cut. Normalising twice is normalising once.

    >>> clean_line(" RTX\\t4090\\x1b[31m ")
    'RTX 4090[31m'
    """
    text = text[: 8 * MAX_LINE]
    if text.isascii() and text.isprintable():
        return " ".join(text.split())[:MAX_LINE].rstrip()  # most texts: nothing to normalise or to leave out
    text = unicodedata.normalize("NFC", text)
    kept = "".join(
        " " if character.isspace() else character
        for character in text
        if character.isspace() or unicodedata.category(character)[0] != "C"
    )
    line = unicodedata.normalize("NFC", " ".join(kept.split()))
    return line[:MAX_LINE].rstrip()


def _line(value: object) -> object:
    return clean_line(value) if isinstance(value, str) else value


Line = Annotated[str, BeforeValidator(_line), Field(min_length=1, max_length=MAX_LINE)]
Quantity = Annotated[float, BeforeValidator(bounded_float), Field(ge=0)]
Positive = Annotated[float, BeforeValidator(bounded_float), Field(gt=0)]


_YEARS = range(2000, 2101)


def _dated(value: object) -> object:
    """A number is no date: 20261101 would be read as seconds since 1970."""
    if isinstance(value, int | float) or (isinstance(value, str) and "-" not in value.strip()[1:]):
        raise ValueError("not a date, write 2026-11-30 or 2026-11-30T08:00Z")
    return value


def _in_utc(value: datetime) -> datetime:
    if value.year not in _YEARS:
        raise ValueError("not a date of this century")
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# A moment without a zone is taken as UTC.
Moment = Annotated[datetime, BeforeValidator(_dated), AfterValidator(_in_utc)]


def _whole(value: object) -> object:
    number = bounded_float(value)
    return int(number) if number == int(number) else value


class Offer(BaseModel):
    """One thing that can be rented: an instance type or listing, in a place, under one purchase kind.

    Unknown is None, never 0. Field names carry their units and are the keys of the offers file. The card stays text:
    `gpurent.hardware.resolve` is the only reader of it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: Line
    gpu: Line
    via: Line | None = None
    sku: Line | None = None
    listing: Line | None = None
    machine: Line | None = None
    region: Line | None = None
    country: Line | None = None
    tier: Line | None = None
    purchase: Purchase = "on-demand"
    gpu_count: Annotated[int, BeforeValidator(_whole), Field(ge=1, le=1024)] = 1
    gpu_share: Share | None = None
    share_profile: Line | None = None
    gpu_memory_gib: Annotated[Positive, Field(le=4096)] | None = None  # of one card or slice
    gpu_link: Link | None = None
    fabric: Line | None = None
    fabric_gbit_s: Positive | None = None
    host_to_gpu_gbyte_s: Positive | None = None
    power_limit_w: Positive | None = None
    vcpus: Annotated[Positive, Field(le=8192)] | None = None
    threads_per_core: Annotated[int, BeforeValidator(_whole), Field(ge=1, le=8)] | None = None
    cpu_model: Line | None = None
    ram_gib: Annotated[Positive, Field(le=131072)] | None = None
    disk_class: DiskClass | None = None
    disk_gib: Positive | None = None
    disk_read_mbyte_s: Positive | None = None
    disk_iops: Positive | None = None
    download_mbit_s: Positive | None = None
    driver: Line | None = None
    cuda_max: Line | None = None
    price: Price | None = None  # None: no price known; such an offer is kept and never ranked
    billing_increment_s: Positive | None = None
    minimum_billed_s: Quantity | None = None
    included_storage_gib: Quantity | None = None
    storage_per_gib_month: Quantity | None = None
    storage_stopped_per_gib_month: Quantity | None = None
    egress_per_gib: Quantity | None = None
    ingress_per_gib: Quantity | None = None
    interruptions_per_hour: Quantity | None = None
    boot_s: Quantity | None = None
    reliability: Annotated[Quantity, Field(le=1)] | None = None
    max_hours: Positive | None = None
    stock: Stock = "unknown"
    stock_grade: StockGrade | None = None
    observed_at: Moment | None = None
    source: Line | None = None
    note: Line | None = None

    @classmethod
    def assemble(cls, fields: dict[str, Any]) -> Offer:
        """An offer from fields that each passed this model's own validators already (bulk reading).

        `fields` holds every field of the model; it becomes the offer's own and must not be used afterwards.
        Validating a column's few distinct texts once and assembling rows is ten times as fast as validating rows.
        """
        offer = cls.__new__(cls)
        object.__setattr__(offer, "__dict__", fields)
        object.__setattr__(offer, "__pydantic_fields_set__", _ALL_FIELDS)
        object.__setattr__(offer, "__pydantic_extra__", None)
        object.__setattr__(offer, "__pydantic_private__", None)
        return offer

    @property
    def price_per_hour(self) -> Decimal | None:
        """Native price of the whole offer an hour, or None."""
        return None if self.price is None else self.price.per_hour(self.gpu_count)

    @property
    def partial_price(self) -> bool:
        """Whether parts of the machine are billed apart (its note begins "partial price"): such a price never ranks."""
        return self.note is not None and self.note.lower().startswith("partial price")

    @property
    def offer_id(self) -> str:
        """First 10 hex digits of sha256 over what makes the offer this offer (CLI.md)."""
        unit = self.price.unit if self.price else ""
        term = self.price.term_months if self.price else None
        parts: list[Any] = [
            self.provider, self.via, self.listing or self.sku, self.region, self.purchase, self.tier, self.gpu_count,
            unit, None if term is None else term.normalize(),
        ]  # fmt: skip
        text = "\x1f".join("" if part is None else str(part) for part in parts)
        return hashlib.sha256(text.encode()).hexdigest()[:10]


_ALL_FIELDS = set(Offer.model_fields)
DEFAULTS: dict[str, Any] = {
    name: field.default for name, field in Offer.model_fields.items() if not field.is_required()
}


@lru_cache(maxsize=1)
def field_types() -> dict[str, TypeAdapter[Any]]:
    """The validator of each field of `Offer`, for readers that validate a column at a time."""
    fields = Offer.model_fields.items()
    # pydantic takes any annotated form; its stubs know only named types.
    return {name: TypeAdapter(Annotated[field.annotation, field]) for name, field in fields}  # type: ignore[arg-type]


class Reject(NamedTuple):
    """A row or field that could not become an offer: data, not a log line."""

    part: str  # which file or answer
    path: str  # line, or path inside the answer, with the field
    value: str  # the offending value, cleaned
    reason: str
