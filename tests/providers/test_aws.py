"""AWS: price map, spot file and table of types read together; on our fixtures, as the samples hold one GPU price."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from gpurent.adapters.contract import ShapeChanged, TransportFailed
from gpurent.adapters.testing import parse
from gpurent_providers import aws, aws_types
from tests.faults.replay import Replay, Reply, hurried, replaying
from tests.providers.answers import answer, card_of, cost, fixture, one, reasons, sample, told

MAP = ("b0.p.awsstatic.com", "/pricing/2.0/meteredUnitMaps/ec2/USD/current/ec2.json")
SPOT = ("website.spot.ec2.aws.a2z.com", "/spot.json")
TYPES = ("docs.aws.amazon.com", "/ec2/latest/instancetypes/ac.md")
VIRGINIA = "US East (N. Virginia)"


@pytest.fixture
def server() -> Iterator[Replay]:
    with replaying() as running:
        yield running


def price_map(**prices: object) -> dict[str, object]:
    entries = {aws.ENTRY + kind.replace("_", "."): {"price": price} for kind, price in prices.items()}
    return {"manifest": {"currencyCode": "USD"}, "regions": {VIRGINIA: entries}}


def test_the_spot_price_of_the_sample_by_hand() -> None:
    got = sample(aws, "samples/aws_spot_price_history_excerpt.json")
    [offer] = got.offers
    assert told(offer, "sku region country purchase gpu_count gpu_memory_gib") == (
        "p6-b300.48xlarge", "us-east-1d", "US", "spot", 8, 270,
    )  # fmt: skip
    assert card_of(offer) == "b300"
    assert offer.observed_at is not None
    assert offer.observed_at < datetime(2026, 11, 30, tzinfo=UTC), "the moment the source says, not the one of reading"


def test_samples_without_gpus_give_no_offer_and_say_so() -> None:
    for name in ("aws_bulk_ec2_excerpt.csv", "aws_ec2_compact_price_shape.json"):
        got = sample(aws, f"samples/{name}")
        assert (len(got.offers), len(got.faults), len(got.rejects)) == (0, 0, 2)


@pytest.mark.parametrize(
    ("sku", "purchase", "price", "card", "facts"),
    [
        ("p5.48xlarge", "on-demand", 55.04, "h100-sxm-80gb", (8, "whole", None, 80, 192, 2048)),
        ("p4d.24xlarge", "on-demand", 27.4, "a100-sxm-40gb", (8, "whole", None, 40, 96, 1152)),
        ("p4de.24xlarge", "on-demand", 34.3, "a100-sxm-80gb", (8, "whole", None, 80, 96, 1152)),
        ("g6f.xlarge", "on-demand", 0.2375, "l4", (1, "vgpu", "1/8", 3, 4, 16)),
        ("g6.xlarge", "spot", 0.35, "l4", (1, "whole", None, 24, 4, 16)),
    ],
)
def test_the_rows_of_our_fixture_by_hand(
    sku: str, purchase: str, price: float, card: str, facts: tuple[object, ...]
) -> None:
    offer = one(fixture(aws, "normal"), sku=sku, purchase=purchase)
    assert (cost(offer), card_of(offer)) == (price, card)
    assert told(offer, "gpu_count gpu_share share_profile gpu_memory_gib vcpus ram_gib") == facts


def test_a_type_newer_than_the_table_is_completed_from_the_documentation() -> None:
    """Total and per-card memory are apart: "96 GB (2 x 48 GB)" is 48 a card. Whether whole stays unsaid."""
    offer = one(fixture(aws, "normal"), sku="g8x.2xlarge")
    assert told(offer, "gpu gpu_count gpu_memory_gib gpu_share ram_gib") == ("NVIDIA Q9000", 2, 48, None, 1024)


@pytest.mark.parametrize(
    ("memory", "gib"), [("96 GB (2 x 48 GB)", "48"), ("96 GB", "48"), ("2 x 48 GB", "48"), ("", None), ("much", None)]
)
def test_memory_of_the_documentation_is_one_cards(memory: str, gib: str | None) -> None:
    table = (
        "<table><tr><th>Instance type</th><th>Processor</th><th>Accelerators</th><th>Accelerator memory</th></tr>"
        f"<tr><td>g9x.large</td><td>AMD</td><td>2 x NVIDIA Q9000</td><td>{memory}</td></tr></table>"
    )
    offer = one(answer(aws, price_map(g9x_large="2"), table), sku="g9x.large")
    assert offer.gpu_memory_gib == (None if gib is None else int(gib))


def test_what_the_table_knows_is_not_overwritten_by_the_documentation() -> None:
    """The documentation calls the share of a g6f a GPU."""
    table = (
        "<table><tr><th>Instance type</th><th>Processor</th><th>Accelerators</th><th>Accelerator memory</th></tr>"
        "<tr><td>g6f.large</td><td>AMD EPYC</td><td>1 x NVIDIA L4</td><td>24 GB</td></tr></table>"
    )
    offer = one(answer(aws, table, price_map(g6f_large="0.2")), sku="g6f.large")
    assert told(offer, "gpu_share share_profile gpu_memory_gib") == ("vgpu", "1/8", 3)
    assert "g9x.large" not in aws_types.known(), "what one answer taught is forgotten"


def test_a_gpu_type_nobody_describes_is_no_guess() -> None:
    got = answer(aws, price_map(p9_48xlarge="300", g6_xlarge="0.8", m7g_large="0.08"))
    assert [offer.sku for offer in got.offers] == ["g6.xlarge"]
    assert [reject.value for reject in got.faults] == ["p9.48xlarge"]


def test_capacity_blocks_are_not_on_demand() -> None:
    """They are tagged OnDemand at 0 dollars in the price list."""
    got = fixture(aws, "price-list")
    assert [(offer.sku, cost(offer)) for offer in got.offers] == [("p5.4xlarge", 6.88)]
    assert not got.faults
    assert "out of scope: a Capacity Block, rented for fixed days" in [reason for _, reason in reasons(got)]


@pytest.mark.parametrize("price", ["0.0000000000", "0", "", "-1", "N/A", "1e999"])
def test_nothing_is_free(price: str) -> None:
    got = answer(aws, price_map(g6_xlarge=price))
    assert (len(got.offers), len(got.faults)) == (0, 1)


def test_a_price_map_without_its_entries_has_changed() -> None:
    with pytest.raises(ShapeChanged, match=r"answer\.regions"):
        answer(aws, {"regions": {VIRGINIA: {"g6.xlarge": {"price": "0.8"}}}})


def test_three_files_are_had(server: Replay) -> None:
    server.json(*MAP, price_map(g6_xlarge="0.8"))
    server.json(*SPOT, {"config": {"regions": []}})
    server.answer(*TYPES, Reply(b"# types\n<table><tr><th>Instance type</th></tr></table>"))
    raw = aws.fetch(server.client(hurried(aws).META))
    assert [part.name for part in raw.parts] == ["ondemand", "spot", "types"]
    assert raw.complete is True


def test_without_the_spot_file_the_rest_counts_and_the_trouble_is_said(server: Replay) -> None:
    server.json(*MAP, price_map(g6_xlarge="0.8"))
    raw = aws.fetch(server.client(hurried(aws).META))
    assert raw.complete is False
    assert [trouble.partition(":")[0] for trouble in raw.troubles] == ["spot", "types"]
    assert len(parse(aws, raw).offers) == 1


def test_without_the_price_map_there_is_nothing(server: Replay) -> None:
    with pytest.raises(TransportFailed):
        aws.fetch(server.client(hurried(aws).META))
