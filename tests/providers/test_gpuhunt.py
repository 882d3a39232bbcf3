"""gpuhunt's catalogue: zipped csv of one cloud, corrected by what is known of the types; on our fixtures only."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from gpurent.adapters.contract import ShapeChanged, TransportFailed
from gpurent.adapters.testing import Parsed, parse
from gpurent_providers import gpuhunt
from tests.faults.replay import Replay, Reply, hurried, replaying
from tests.providers.answers import NOW, answer, card_of, cost, fixture, one, reasons, told

HOST = "dstack-gpu-pricing.s3.eu-west-1.amazonaws.com"
COLUMNS = ("instance_name", "location", "price", "cpu", "memory", "gpu_count", "gpu_name", "gpu_memory", "spot",
           "disk_size", "gpu_vendor")  # fmt: skip


@pytest.fixture
def server() -> Iterator[Replay]:
    with replaying() as running:
        yield running


def catalogue(*rows: dict[str, object]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def row(kind: str, card: str = "L4", price: object = 0.7, **others: object) -> dict[str, object]:
    return {
        "instance_name": kind, "location": "us-central1-a", "price": price, "cpu": 4, "memory": 16.0, "gpu_count": 1,
        "gpu_name": card, "gpu_memory": 24.0, "spot": "False", "gpu_vendor": "nvidia", **others,
    }  # fmt: skip


def imported(cloud: str, *rows: dict[str, object]) -> Parsed:
    return answer(gpuhunt, catalogue(*rows), name=f"{cloud}-20261129")


def zipped(**files: str) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.csv", text)
    return body.getvalue()


@pytest.mark.parametrize(
    ("sku", "price", "card", "facts"),
    [
        ("a2-highgpu-1g", 3.673385, "a100-sxm-40gb", (1, "whole", 40, "on-demand")),
        ("a2-ultragpu-8g", 40.5504, "a100-sxm-80gb", (8, "whole", 80, "on-demand")),
        ("a3-megagpu-8g", 26.0, "h100-sxm-80gb", (8, "whole", 80, "spot")),
        ("g2-standard-4", 0.706832, "l4", (1, None, 24, "on-demand")),
        ("g4-standard-6", 0.6, "rtx-pro-6000-se", (1, "vgpu", 12, "on-demand")),
    ],
)
def test_the_rows_of_our_fixture_by_hand(sku: str, price: float, card: str, facts: tuple[object, ...]) -> None:
    offer = one(fixture(gpuhunt, "normal"), sku=sku)
    assert (cost(offer), card_of(offer)) == (price, card)
    assert told(offer, "gpu_count gpu_share gpu_memory_gib purchase") == facts
    assert told(offer, "provider via") == ("gcp", "gpuhunt")


def test_two_cards_that_fit_one_host_are_two_offers() -> None:
    got = fixture(gpuhunt, "normal")
    assert {offer.sku for offer in got.offers if "n1" in str(offer.sku)} == {"n1-standard-8+T4", "n1-standard-8+V100"}


def test_an_eighth_that_stands_there_as_a_whole_card_is_an_eighth() -> None:
    offer = one(imported("gcp", row("g4-standard-6", "RTXPRO6000", gpu_memory=96.0)))
    assert told(offer, "gpu_share share_profile gpu_memory_gib") == ("vgpu", "1/8", 12)


def test_a_sixth_that_stands_there_as_a_whole_card_is_a_sixth() -> None:
    offer = one(fixture(gpuhunt, "azure"), sku="Standard_NV6ads_A10_v5")
    assert told(offer, "gpu_count gpu_share share_profile gpu_memory_gib") == (1, "vgpu", "1/6", 4)


def test_a_share_of_a_card_of_aws_is_known_by_its_type() -> None:
    offer = one(imported("aws", row("g6f.xlarge")))
    assert told(offer, "gpu_share share_profile gpu_memory_gib") == ("vgpu", "1/8", 3)


def test_memory_of_all_cards_is_not_the_cards() -> None:
    """gpu_memory is one card's: eight of 80 stay 80."""
    offer = one(imported("gcp", row("a3-highgpu-8g", "H100", gpu_count=8, gpu_memory=80.0)))
    assert told(offer, "gpu_count gpu_memory_gib") == (8, 80)


@pytest.mark.parametrize(("card", "gb"), [("MI325X", 288.0), ("MI308X", 128.0)])
def test_memory_that_is_not_the_cards_is_left_out(card: str, gb: float) -> None:
    got = imported("oci", row("x", card, gpu_memory=gb, gpu_vendor="amd"))
    assert [offer.gpu_memory_gib for offer in got.offers] == [None]
    assert [reason for _, reason in reasons(got)] == ["not the memory of this card"]


@pytest.mark.parametrize("price", [0, "0.0", -0.7, "", "1e999"])
def test_nothing_is_free(price: object) -> None:
    got = imported("nebius", row("x", price=price))
    assert (len(got.offers), len(got.faults)) == (0, 1)


@pytest.mark.parametrize("others", [{"gpu_vendor": "google"}, {"gpu_count": 0}, {"gpu_name": ""}])
def test_tpus_and_machines_without_gpus_are_no_faults(others: dict[str, object]) -> None:
    got = imported("gcp", row("x") | others)
    assert (len(got.offers), len(got.faults), len(got.rejects)) == (0, 0, 1)


def test_spot_is_true_or_false() -> None:
    got = imported("nebius", row("a", spot="True"), row("b", spot="FALSE"), row("c", spot="maybe"), row("d", spot=""))
    assert [(offer.sku, offer.purchase) for offer in got.offers] == [("a", "spot"), ("b", "on-demand")]
    assert len(got.faults) == 2


def test_the_version_is_the_day_of_the_prices() -> None:
    offer = one(imported("nebius", row("x")))
    assert offer.observed_at == datetime(2026, 11, 29, tzinfo=UTC)


@pytest.mark.parametrize("version", ["20271231", "20261399", "latest"])
def test_a_day_in_the_future_or_none_is_the_day_of_reading(version: str) -> None:
    offer = one(answer(gpuhunt, catalogue(row("x")), name=f"nebius-{version}"))
    assert offer.observed_at == NOW


def test_every_csv_of_a_zip_is_read() -> None:
    body = zipped(gcp=catalogue(row("g2-standard-4")), nebius=catalogue(row("x")), readme="nothing")
    with pytest.raises(ShapeChanged, match="which cloud"):
        answer(gpuhunt, body)
    got = answer(gpuhunt, zipped(gcp=catalogue(row("g2-standard-4")), nebius=catalogue(row("x"))))
    assert {offer.provider for offer in got.offers} == {"gcp", "nebius"}


def test_a_zip_that_swells_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpuhunt, "MAX_BYTES", 10_000)
    with pytest.raises(ShapeChanged, match="larger than"):
        answer(gpuhunt, zipped(gcp="a" * 50_000))
    with pytest.raises(ShapeChanged, match="larger than"):
        answer(gpuhunt, zipped(gcp=catalogue(row("x" * 3000)), nebius="a" * 9_000))


def test_a_zip_cut_short_has_changed() -> None:
    body = zipped(gcp=catalogue(row("g2-standard-4")))
    for length in range(2, len(body) - 1):
        with pytest.raises(ShapeChanged):
            answer(gpuhunt, body[:length])


def test_the_newest_version_of_each_cloud_is_had(server: Replay) -> None:
    server.answer(HOST, "/v3/gcp/version", Reply(b"20261129\n"))
    server.answer(HOST, "/v3/gcp/20261129/catalog.zip", Reply(zipped(gcp=catalogue(row("g2-standard-4")))))
    raw = gpuhunt.fetch(server.client(hurried(gpuhunt).META))
    assert [part.name for part in raw.parts] == ["gcp-20261129"]
    assert [trouble.partition(":")[0] for trouble in raw.troubles] == ["nebius", "cloudrift"]
    offer = one(parse(gpuhunt, raw))
    assert told(offer, "provider sku observed_at") == ("gcp", "g2-standard-4", datetime(2026, 11, 29, tzinfo=UTC))


@pytest.mark.parametrize("version", [b"../../secret", b"<html>", b"", b"1" * 41])
def test_a_version_that_is_none_is_not_asked_for(server: Replay, version: bytes) -> None:
    server.answer(HOST, "/v3/gcp/version", Reply(version))
    with pytest.raises(ShapeChanged, match=r"gcp\.version"):
        gpuhunt.fetch(server.client(hurried(gpuhunt).META))
    assert [request.path for request in server.requests] == ["/v3/gcp/version"]


def test_no_catalogue_at_all_is_a_failure(server: Replay) -> None:
    with pytest.raises(TransportFailed, match="no catalogue could be had"):
        gpuhunt.fetch(server.client(hurried(gpuhunt).META))
