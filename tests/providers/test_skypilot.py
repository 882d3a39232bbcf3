"""SkyPilot's catalogue: what its files have wrong becomes no offer, or a right one, and is said."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import pytest

from gpurent.adapters.contract import ShapeChanged, TransportFailed
from gpurent.adapters.testing import Parsed, parse
from gpurent_providers import skypilot
from tests.faults.replay import Replay, Reply, hurried, replaying
from tests.providers.answers import answer, card_of, cost, fixture, one, reasons, sample, told

NEBIUS, RUNPOD = "catalogs/skypilot_v8_nebius.csv", "catalogs/skypilot_v8_runpod_head48.csv"
SHADEFORM = "catalogs/skypilot_shadeform_2025-10.csv"
COLUMNS = ("InstanceType", "AcceleratorName", "AcceleratorCount", "vCPUs", "MemoryGiB", "Price", "SpotPrice", "Region",
           "GpuInfo")  # fmt: skip


@pytest.fixture
def server() -> Iterator[Replay]:
    with replaying() as running:
        yield running


def vms(*rows: dict[str, object]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def vm(kind: str, card: str = "H100", count: object = 1, price: object = 2.0, **others: object) -> dict[str, object]:
    return {
        "InstanceType": kind, "AcceleratorName": card, "AcceleratorCount": count, "vCPUs": 16, "MemoryGiB": 200,
        "Price": price, "Region": "eu-north1", **others,
    }  # fmt: skip


def info(card: str, mib: int, count: int = 1, total: int | None = None) -> str:
    gpu = {"Name": card, "Manufacturer": "NVIDIA", "Count": count, "MemoryInfo": {"SizeInMiB": mib}}
    return str({"Gpus": [gpu], "TotalGpuMemoryInMiB": total or mib})


def imported(cloud: str, *rows: dict[str, object]) -> Parsed:
    return answer(skypilot, vms(*rows), name=f"vms-{cloud}")


@pytest.mark.parametrize(
    ("catalogue", "named", "price", "card"),
    [
        (NEBIUS, ("gpu-h100-sxm_1gpu-16vcpu-200gb", "on-demand", "eu-north1"), 2.95, "h100-sxm-80gb"),
        (NEBIUS, ("gpu-h100-sxm_8gpu-128vcpu-1600gb", "spot", "eu-north1"), 10.00, "h100-sxm-80gb"),
        (NEBIUS, ("gpu-h200-sxm_8gpu-128vcpu-1600gb", "on-demand", "eu-north1"), 28.00, "h200-sxm-141gb"),
        (RUNPOD, ("1x_A100-80GB_SECURE", "on-demand", "AP-IN-1"), 1.39, "a100-pcie-80gb"),
        (SHADEFORM, ("H200-sxm5x8-NVLINK", "on-demand", "kansascity-usa-4"), 19.6, "h200-sxm-141gb"),
        (SHADEFORM, ("A6000", "on-demand", "kansascity-usa-2"), 0.49, "rtx-a6000"),
    ],
)
def test_rows_of_real_files_by_hand(catalogue: str, named: tuple[str, str, str], price: float, card: str) -> None:
    """Six rows of three catalogues: per machine and hour, memory of one card."""
    sku, purchase, region = named
    offer = one(sample(skypilot, catalogue), sku=sku, purchase=purchase, region=region)
    assert (cost(offer), card_of(offer), offer.via) == (price, card, "skypilot")


def test_memory_is_one_cards_in_the_real_files() -> None:
    nebius = one(sample(skypilot, NEBIUS), sku="gpu-h100-sxm_8gpu-128vcpu-1600gb", purchase="spot", region="eu-north1")
    assert told(nebius, "provider gpu_count gpu_memory_gib vcpus ram_gib") == ("nebius", 8, 80, 128, 1600)
    runpod = one(sample(skypilot, RUNPOD), sku="1x_A100-80GB_SECURE", region="AP-IN-1")
    assert told(runpod, "provider gpu_count gpu_memory_gib") == ("runpod", 1, 80)


def test_a_resold_row_belongs_to_the_cloud_and_says_who_sells() -> None:
    offer = one(sample(skypilot, SHADEFORM), sku="H200-sxm5x8-NVLINK", region="kansascity-usa-4")
    assert told(offer, "provider via note gpu_count") == (
        "shadeform-excess-supply", "skypilot", "resold by Shadeform", 8,
    )  # fmt: skip


def test_the_same_price_as_on_demand_is_no_spot_price() -> None:
    """RunPod's file repeats the price in SpotPrice."""
    got = sample(skypilot, RUNPOD)
    assert {offer.purchase for offer in got.offers} == {"on-demand"}
    assert not got.faults


def test_spot_of_nothing_is_no_offer() -> None:
    """Vast's file has SpotPrice 0.00 in every row."""
    got = fixture(skypilot, "vast")
    assert {offer.purchase for offer in got.offers} == {"on-demand"}
    assert {reason for path, reason in reasons(got) if path.endswith("SpotPrice")} == {"not above zero"}


@pytest.mark.parametrize("price", [0, "0.00", -1, "1e999"])
def test_nothing_is_free(price: object) -> None:
    got = imported("nebius", vm("gpu-h100-sxm_1gpu", price=price))
    assert not got.offers
    assert len(got.faults) == 1


def test_memory_of_all_cards_is_divided_among_them() -> None:
    offer = one(fixture(skypilot, "vast"), sku="8x-H200-32-65536")
    assert told(offer, "gpu_count gpu_memory_gib") == (8, pytest.approx(140.4, abs=0.1))


def test_the_same_number_in_every_row_is_no_host() -> None:
    for offer in fixture(skypilot, "vast").offers:
        assert told(offer, "vcpus ram_gib") == (None, None)


def test_cards_the_catalogue_merged_are_apart_again() -> None:
    """A100 40 and 80 GB, 4090 of 24 and 48 GB, 3060 and 3060 Ti by type and memory."""
    got = {(offer.sku, offer.country): card_of(offer) for offer in fixture(skypilot, "vast").offers}
    assert got == {
        ("1x-A100_SXM4-32-65536", "US"): "a100-sxm-40gb",
        ("1x-A100_PCIE-32-65536", "US"): "a100-pcie-80gb",
        ("8x-H200-32-65536", "FR"): None,  # SXM or NVL
        ("1x-RTX_4090-32-65536", "DE"): "rtx-4090",
        ("1x-RTX_4090-32-65536", "HK"): "rtx-4090-48gb",
        ("2x-RTX_3060_Ti-32-65536", "US"): "rtx-3060-ti",
    }


@pytest.mark.parametrize(
    ("kind", "card", "mib", "read"),
    [
        ("gpu-h100-pcie_1gpu", "H100", 81920, "h100-pcie-80gb"),
        ("gpu-h100-sxm_1gpu", "H100", 81920, "h100-sxm-80gb"),
        ("gpu-h100-nvl_1gpu", "H100", 96256, "h100-nvl-94gb"),
        ("n1-A100x1", "A100-80GB", 81920, None),
        ("n1-A100-SXMx1", "A100", 40960, "a100-sxm-40gb"),
    ],
)
def test_forms_are_read_where_a_name_says_them(kind: str, card: str, mib: int, read: str | None) -> None:
    offer = one(imported("cudo", vm(kind, card, GpuInfo=info(card, mib))))
    assert card_of(offer) == read


@pytest.mark.parametrize(("card", "mib"), [("B200", 81920), ("GH200", 81920), ("H200", 81920), ("H100-NVL", 81920)])
def test_eighty_gigabytes_of_another_card_are_left_out(card: str, mib: int) -> None:
    got = imported("nebius", vm("gpu-x_1gpu", card, GpuInfo=info(card, mib)))
    assert [offer.gpu_memory_gib for offer in got.offers] == [None]
    assert [reject.reason for reject in got.faults] == ["80 GiB is not the memory of this card"]


def test_the_price_of_one_card_on_a_machine_of_two_is_no_price() -> None:
    rows = [vm(f"{count}x_A40_SECURE", "A40", count, price) for count, price in ((1, 0.44), (2, 0.44), (4, 1.76))]
    got = imported("runpod", *rows)
    assert {(offer.sku, cost(offer)) for offer in got.offers} == {("1x_A40_SECURE", 0.44), ("4x_A40_SECURE", 1.76)}
    assert [reject.reason for reject in got.faults] == ["the price of one card (0.44) on a machine of 2"]


def test_a_sixth_of_a_card_is_a_sixth() -> None:
    """Azure's NV6 stands there with 0.167 cards of 24 GB."""
    offer = one(fixture(skypilot, "slices"), sku="Standard_NV6ads_A10_v5", purchase="on-demand")
    assert told(offer, "gpu_count gpu_share share_profile gpu_memory_gib") == (1, "vgpu", "1/6", 4)
    assert card_of(offer) == "a10"


def test_a_slice_of_a_type_nobody_knows_is_no_guess() -> None:
    got = imported("azure", vm("Standard_NV1ads_A99_v9", "A10", 0.05))
    assert (len(got.offers), [reject.reason for reject in got.faults]) == (
        0, ["a slice of a card whose size is not known"],
    )  # fmt: skip


def test_gpu_and_host_of_google_are_two_rows_and_neither_is_an_offer() -> None:
    """A GPU to attach is not comparable with a machine, nor is an a2 without its A100."""
    got = fixture(skypilot, "gcp")
    assert (len(got.offers), len(got.faults)) == (0, 0)
    assert [reason.removeprefix("out of scope: ") for _, reason in reasons(got)] == [
        "the host of a GPU machine without its GPUs",
        "a GPU to attach, without its host: no price of a machine",
        "a GPU to attach, without its host: no price of a machine",
        "no GPU",
        "no GPU",
    ]


@pytest.mark.parametrize(
    ("cloud", "why"), [("mithril", "floor of a bid"), ("seeweb", "currency"), ("spheron", "seller")]
)
def test_prices_that_are_none_are_refused(cloud: str, why: str) -> None:
    got = imported(cloud, vm("h100-80gb.sxm.8x", count=8, price=8.0))
    assert not got.offers
    assert why in got.faults[0].reason


def test_gpu_info_is_read_and_never_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python or JSON text; anything else is a fault of the field and the offer goes on."""
    for name in ("eval", "exec", "compile"):
        monkeypatch.setattr(f"builtins.{name}", None)
    hostile = [
        "__import__('os').system('true')",
        "{'Gpus': [open('/etc/passwd')]}",
        "{'a': " * 900,
        "{'Gpus': 9" + "9" * 5000,
    ]
    rows = [vm(f"gpu-h100-sxm_1gpu-{number}", GpuInfo=text) for number, text in enumerate(hostile)]
    got = imported("nebius", *rows, vm("gpu-json", GpuInfo='{"Gpus": [{"MemoryInfo": {"SizeInMiB": 81920}}]}'))
    assert [offer.gpu_memory_gib for offer in got.offers] == [None] * 4 + [80]
    assert [reject.reason for reject in got.faults] == ["not readable"] * 4


def test_a_file_of_a_cloud_nobody_named_is_not_guessed() -> None:
    with pytest.raises(ShapeChanged, match="which cloud"):
        answer(skypilot, vms(vm("gpu-h100-sxm_1gpu")), name="vms")


def test_files_pasted_together_are_read_one_by_one() -> None:
    """The team's excerpt of five catalogues, one of which holds no machines."""
    got = sample(skypilot, "samples/skypilot_catalog_v8_heads.txt")
    assert {offer.provider for offer in got.offers} == {
        "runpod", "vast-ai", "nebius", "verda", "imwt", "shadeform-excess-supply",
    }  # fmt: skip
    changed = [reject for reject in got.faults if "metadata" in reject.path]
    assert len(changed) == 1
    assert not [offer for offer in got.offers if offer.purchase == "spot" and offer.provider == "vast-ai"]


def test_columns_stand_in_any_order() -> None:
    got = sample(skypilot, "samples/skypilot_catalog_v8_heads.txt")
    offer = one(got, sku="1B300.30V", purchase="on-demand")
    assert told(offer, "provider region gpu_count gpu_memory_gib vcpus") == ("verda", "FIN-03", 1, 262, 30)
    assert cost(offer) == 6.99


def test_a_cloud_that_fails_is_said_and_the_others_count(server: Replay) -> None:
    path = "/skypilot-org/skypilot-catalog/master/catalogs/v8/{}/vms.csv"
    server.answer("raw.githubusercontent.com", path.format("nebius"), Reply(vms(vm("gpu-h100-sxm_1gpu")).encode()))
    raw = skypilot.fetch(server.client(hurried(skypilot).META))
    assert [part.name for part in raw.parts] == ["vms-nebius"]
    assert raw.complete is not True
    assert [trouble.partition(":")[0] for trouble in raw.troubles][:2] == ["cudo", "hyperbolic"]
    assert one(parse(skypilot, raw)).provider == "nebius"


def test_no_file_at_all_is_a_failure(server: Replay) -> None:
    with pytest.raises(TransportFailed, match="no file could be had"):
        skypilot.fetch(server.client(hurried(skypilot).META))
