"""The embedded catalogue: dated offers that serve when nothing was collected yet."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import cache
from importlib.resources import files

from gpurent import tables
from gpurent.offer import Offer, clean_line
from gpurent.offer_file import parse_offers

NAME = "catalogue"
UNDATED = datetime(2100, 1, 1, tzinfo=UTC)  # never used: every row has its date, before that


@cache
def offers() -> tuple[Offer, ...]:
    """All offers of tables/catalogue.csv, in its order; `source` is an address where the price can be looked up.

    Raises:
        ValueError: a row that is no valid offer, which is a fault of the table.
    """
    path = files(tables).joinpath(f"{NAME}.csv")
    read = parse_offers(path.read_bytes(), NAME, UNDATED, "csv")
    rows = tables.rows(NAME)
    if read.rejected or len(read.offers) != len(rows):
        raise ValueError(f"{NAME}: {read.rejected[:1]}")
    return tuple(
        Offer.assemble({**offer.__dict__, "source": address(row["source"], row["page"], row["source_path"])})
        for offer, row in zip(read.offers, rows, strict=True)
    )


@cache
def address(source: str, page: str, path: str) -> str:
    """Where a price was read: the recorded file in its repository, else the provider's page.

    Args:
        source: key of sources.csv.
        page: address of the provider's page, "" = none.
        path: path inside the source's repository, "" = none.
    """
    known = _sources()[source]
    place = known["address"]
    if path and place.startswith("https://github.com/"):
        place = f"{place}/blob/{known['commit_or_version']}/{path}"
    elif page:
        place = page
    return clean_line(place)


@cache
def _sources() -> dict[str, dict[str, str]]:
    return {row["source"]: row for row in tables.rows("sources")}


@cache
def as_of() -> date:
    """The day of the newest price in the catalogue."""
    return max(date.fromisoformat(row["observed_at"]) for row in tables.rows(NAME))
