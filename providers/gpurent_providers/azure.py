"""Microsoft Azure: the Retail Prices list, joined with the sizes of GPU machines.

Endpoint   GET https://prices.azure.com/api/retail/prices, OData $filter, 1,000 items a page, `NextPageLink`
Auth       none
Basis      per machine; `retailPrice` an hour, but the TOTAL of the term in Reservation rows, whose unit is "1 Hour" too
Currency   USD (what `currencyCode` of the row says)
Purchases  on-demand; spot by the word "Spot" in the meter's name; reserved 1, 3 and 5 years
Stock      none: a price is evidence of a price
Hardware   none in the answer: azure_skus.csv, by `armSkuName`. A fraction of a card (NV6ads = 1/6 A10) stands there
Gaps       sizes that are not in azure_skus.csv are rejected: how many cards and which share is not known. Windows,
           low-priority, dedicated-host, Cloud Services and DevTest rows are out of scope. Disks are billed apart
Checked    2026-11-30, against the documented shape and public test fixtures; not against the live service
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import cache

from gpurent.adapters.contract import OUT_OF_SCOPE, AdapterMeta, Client, Part, Raw
from gpurent.adapters.reading import NO_GPU, Row, carried, each, listed, numbered, read_json, table, terms, unique
from gpurent.offer import Offer, Reject

URL = "https://prices.azure.com/api/retail/prices"
FILTER = "serviceName eq 'Virtual Machines' and startswith(armSkuName, 'Standard_N')"  # every GPU machine is N-series
MAX_PAGES = 60
TERM_MONTHS = {"1 Year": 12, "3 Years": 36, "5 Years": 60}

META = AdapterMeta(
    name="azure",
    title="Microsoft Azure",
    covers="on-demand, spot and reserved Linux GPU machines of every region; whole cards and fractions; no stock",
    hosts=("prices.azure.com",),
    min_interval_s=6.0,  # projects that read it space pages like this
    deadline_s=480.0,
    card_pages="https://learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices (2026-11-30)",
)

# Words in productName, skuName or meterName that make a row no offer of ours.
OTHERS = (
    ("windows", "a Windows licence is in the price"),
    ("low priority", "low-priority machines are no longer rented"),
    ("dedicated", "a dedicated host"),
    ("cloudservices", "Cloud Services"),
    ("cloud services", "Cloud Services"),
)


@cache
def _sizes() -> dict[str, dict[str, str]]:
    kept = (
        "gpu", "gpu_count", "gpu_share", "share_profile", "gpu_memory_gib", "gpu_link", "vcpus", "threads_per_core",
        "cpu_model", "ram_gib", "disk_class", "disk_gib",
    )  # fmt: skip
    return {row["sku"].lower(): {key: row[key] for key in kept if row[key]} for row in table(__package__, "azure_skus")}


def fetch(client: Client) -> Raw:
    """All pages of the N-series. The next page is taken from the answer only when it is the same service."""
    parts: list[Part] = []
    response = client.get(URL, params={"$filter": FILTER, "currencyCode": "USD"})
    while True:
        parts.append(client.part(f"page-{len(parts) + 1}", response))
        body = read_json(response.body, "page")
        link = body.get("NextPageLink") if isinstance(body, dict) else None
        if not isinstance(link, str) or not link:
            return Raw(META.name, tuple(parts), complete=True)
        if len(parts) == MAX_PAGES:
            return Raw(META.name, tuple(parts), complete=False, troubles=(f"stopped after {MAX_PAGES} pages",))
        response = client.get(link.replace("https://prices.azure.com:443/", "https://prices.azure.com/", 1))


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    """Offers of every page; a price that two pages repeat is kept once."""
    seen: set[str] = set()
    for part in raw.parts:
        items = listed(read_json(part.body, part.name), "Items", part.name)
        for key in ("armSkuName", "type", "retailPrice"):
            carried(items, key, "Items")
        yield from unique(each(part, numbered(items, "Items"), _offers), part, seen)


def _offers(row: Row) -> Iterator[Offer]:
    sku = row.need_text("armSkuName")
    if not sku.startswith("Standard_N") or sku.startswith("Standard_NP"):  # NP: FPGA
        raise row.bad("armSkuName", NO_GPU)
    kind, words = row.need_text("type"), {}
    for key in ("productName", "skuName", "meterName"):
        words[key] = (row.text(key) or "").lower()
        for word, reason in OTHERS:
            if word in words[key]:
                raise row.bad(key, OUT_OF_SCOPE + reason)
    if kind == "DevTestConsumption":
        raise row.bad("type", OUT_OF_SCOPE + "for subscribers of development tools only")
    if row.text("unitOfMeasure") != "1 Hour":
        raise row.bad("unitOfMeasure", "not 1 Hour")
    size = _sizes().get(sku.lower())
    if size is None:
        raise row.bad("armSkuName", "a size azure_skus.csv does not know: its cards and its share are unknown")
    currency = row.need_text("currencyCode")
    facts = {"provider": META.name, "sku": sku, "region": row.text("armRegionName"), "tier": "datacenter"}
    facts |= {"stock_grade": "price"} | size | terms(META.name)
    if kind == "Reservation":
        months = TERM_MONTHS.get(row.text("reservationTerm") or "")
        if months is None:
            raise row.bad("reservationTerm", "a reservation without its term: the total cannot be spread over it")
        total = row.need_positive("retailPrice")
        price = row.price(
            "retailPrice", amount=_a_year(total, months), currency=currency, unit="year", term_months=months
        )
        facts |= {"purchase": "reserved", "note": f"{total} {currency} for {months} months"}
    elif kind == "Consumption":
        spot = "spot" in f"{words['meterName']} {words['skuName']}".split()
        facts |= {"purchase": "spot" if spot else "on-demand"}
        price = row.price("retailPrice", currency=currency)
    else:
        raise row.bad("type", "neither Consumption nor Reservation")
    yield row.offer(price=price, **facts)


def _a_year(total: Decimal, months: int) -> Decimal:
    """The total of a term as an amount a year, to a hundredth of a cent.

    >>> _a_year(Decimal("42066.0"), 12), _a_year(Decimal("100"), 36)
    (Decimal('42066.0'), Decimal('33.3333'))
    """
    years = Decimal(months) / 12
    return total if years == 1 else (total / years).quantize(Decimal("0.0001"))
