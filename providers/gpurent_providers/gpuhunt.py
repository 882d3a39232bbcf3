"""gpuhunt's catalogue (dstack): the csv of one cloud is imported as offers of that cloud, `via` gpuhunt.

Endpoints  GET https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3/{cloud}/version, then
           GET .../v3/{cloud}/{version}/catalog.zip, which holds {cloud}.csv; older layouts hold several
Auth       none
Columns    instance_name, location, price, cpu, memory, gpu_count, gpu_name, gpu_memory, spot, disk_size, ...
Basis      USD per machine and hour, host and GPUs (and forced local SSD) together; gpu_memory in GB of one card
Date       the version is the day of the catalogue: observed_at, where the part's name or address holds it
Stock      none (catalogue)
Corrected  shares of AWS, Azure and Google slices that stand there as whole cards, by the type's name; forms of Google's
           A100 and H100; memory of MI325X and MI308X (left out)
Rejected   rows of price 0, TPUs; a machine without its GPU has none here
Gaps       forms of the card where no name says them; CPU model and disk class
Checked    2026-11-30, against public code only; not against a catalogue
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import Any

from gpurent.adapters.contract import OUT_OF_SCOPE, AdapterMeta, Client, Part, Raw, ShapeChanged, TransportFailed
from gpurent.adapters.reading import NO_GPU, Row, each, read_csv, shown, table, unique
from gpurent.offer import Offer, Reject
from gpurent_providers import known_types

BASE = "https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3"
NEEDED = ("instance_name", "location", "price", "gpu_count", "gpu_name", "spot")
MAX_FILES, MAX_BYTES = 40, 64 * 2**20

META = AdapterMeta(
    name="gpuhunt",
    title="gpuhunt catalogue",
    covers="clouds without a source of their own here: Google Cloud, Nebius, CloudRift",
    hosts=("dstack-gpu-pricing.s3.eu-west-1.amazonaws.com",),
    card_pages="https://github.com/dstackai/gpuhunt (2026-11-30)",
)

VERSION = re.compile(r"(?<!\d)(20\d\d)([01]\d)([0-3]\d)(?!\d)")


@cache
def _clouds() -> dict[str, str]:
    return {row["cloud"]: row["provider"] for row in table(__package__, "gpuhunt_clouds")}


@cache
def _wrong_memory() -> set[tuple[str, Decimal]]:
    known = (row for row in table(__package__, "catalogue_wrong_memory") if row["catalogue"] == META.name)
    return {(row["accelerator"], Decimal(row["wrong_gib"])) for row in known}


def fetch(client: Client) -> Raw:
    """The newest version of each cloud; one that cannot be had is a trouble, the others count."""
    parts, troubles = [], []
    for cloud in (row["cloud"] for row in table(__package__, "gpuhunt_clouds") if row["fetched"]):
        try:
            version = client.get(f"{BASE}/{cloud}/version").body.decode("ascii", "replace").strip()
            if not re.fullmatch(r"[\w.-]{1,40}", version):
                raise ShapeChanged(f"{cloud}.version", shown(version))
            parts.append(client.part(f"{cloud}-{version}", client.get(f"{BASE}/{cloud}/{version}/catalog.zip")))
        except TransportFailed as failed:
            troubles.append(f"{cloud}: {failed}")
    if not parts:
        raise TransportFailed(BASE, f"no catalogue could be had: {troubles[0]}")
    return Raw(META.name, tuple(parts), complete=None, troubles=tuple(troubles))


def parse(raw: Raw) -> Iterator[Offer | Reject]:
    """Offers of each csv, also of those inside a zip."""
    seen: set[str] = set()
    for part in raw.parts:
        if part.body.startswith(b"PK"):
            for name, body in _unzipped(part):
                yield from unique(_file(part, name, body), part, seen)
        else:
            yield from unique(_file(part, f"{part.url} {part.name}", part.body), part, seen)


def _unzipped(part: Part) -> Iterator[tuple[str, bytes]]:
    left = MAX_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(part.body)) as archive:
            for entry in archive.infolist()[:MAX_FILES]:
                if entry.filename.endswith(".csv"):
                    with archive.open(entry) as file:
                        body = file.read(left + 1)
                    left -= len(body)
                    if left < 0:
                        raise ShapeChanged(f"{part.name}.{shown(entry.filename)}", "larger than 64 MiB")
                    yield entry.filename, body
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError) as error:
        raise ShapeChanged(part.name, f"not a zip that can be read: {shown(str(error))}") from None


def _file(part: Part, name: str, body: bytes) -> Iterator[Offer | Reject]:
    cloud = next((token for token in re.split(r"[^a-z0-9]+", name.lower()) if token in _clouds()), None)
    if cloud is None:
        raise ShapeChanged(part.name, "which cloud is not said: give the file its name")
    return each(part, read_csv(body, part.name, NEEDED), lambda row: _offers(row, cloud, _day(part)))


def _day(part: Part) -> datetime:
    """The day of the catalogue's version, else the time the part came."""
    found = VERSION.search(f"{part.name} {part.url}")
    try:
        day = datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC) if found else part.observed_at
    except ValueError:
        return part.observed_at
    return min(day, part.observed_at)


def _offers(row: Row, cloud: str, day: datetime) -> Iterator[Offer]:
    kind, card = row.need_text("instance_name"), row.text("gpu_name")
    if not card or not row.number("gpu_count"):
        raise row.bad("gpu_name", NO_GPU)
    if (row.text("gpu_vendor") or "").lower() == "google" or card.lower().startswith("tpu"):
        raise row.bad("gpu_vendor", OUT_OF_SCOPE + "a TPU")
    spot = (row.text("spot") or "").lower()
    if spot not in ("true", "false"):
        raise row.bad("spot", "neither True nor False")
    price = row.price("price")
    known = known_types.facts(cloud, kind)
    memory = row.positive("gpu_memory")
    if memory is not None and (card, memory) in _wrong_memory():
        row.fault("gpu_memory", memory, "not the memory of this card")
        memory = None
    facts: dict[str, Any] = {"gpu": known_types.with_form(card, kind), "gpu_memory_gib": memory, **known}
    facts["gpu_count"] = 1 if known.get("gpu_share") == "vgpu" else row.need_count("gpu_count")
    # a machine that takes several kinds of cards needs the card in its name, or two offers share a key
    sku = f"{kind}+{card}" if cloud == "gcp" and kind.startswith("n1-") else kind
    yield row.offer(
        provider=_clouds()[cloud], via=META.name, sku=sku, region=row.text("location"), price=price,
        purchase="spot" if spot == "true" else "on-demand", vcpus=row.positive("cpu"), ram_gib=row.positive("memory"),
        disk_gib=row.positive("disk_size"), stock_grade="catalogue", observed_at=day, **facts,
    )  # fmt: skip
