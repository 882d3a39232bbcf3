"""The cards: one record a row of tables/cards.csv."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from gpurent import tables

Form = Literal["sxm", "pcie", "oam", "superchip", "mobile"]
Status = Literal["stock", "export", "modded", "mining"]


@dataclass(frozen=True)
class Card:
    """A GPU model as sold: model, edition, form factor and memory. Unknown is None.

    Rates are dense TFLOP/s with FP32 accumulation, per GPU (one die of a K80, one of the four GPUs of an A16).
    `*_tflops` are published or computed peaks, `*_measured_tflops` medians of square matrix products; which of them a
    workload is charged with is decided in `gpurent.normalizer.compute`.
    """

    card: str  # the id: written in the table, never composed
    vendor: str
    name: str
    family: str  # what the name grammar reads before edition, form and memory choose the row
    edition: str  # "" | nvl | sxm3 | se | ws | max-q
    listed: str  # yes | memory: only when the memory says so | named: only when the edition is named
    form: Form
    class_: str  # data-centre | professional | geforce | amd | other
    architecture: str
    chip: str
    year: int | None
    memory_gb: float  # as marketed
    memory_type: str
    memory_mib: int  # what a driver reports on the whole card, else marketed GB x 1024
    memory_mib_min: int  # below it: a slice. Smallest reading or the decimal GB; without a reading 0.93 x nominal
    memory_mib_max: int  # above it: modified or unknown
    memory_basis: Literal["reading", "assumed"]
    bandwidth_gbyte_s: float | None  # None: no rate can be given
    half_tflops: float | None
    tf32_tflops: float | None
    fp32_tflops: float | None
    fp8_tflops: float | None
    half_measured_tflops: float | None  # the faster of fp16 and bf16, as published by the measuring source
    fp16_measured_tflops: float | None
    bf16_measured_tflops: float | None
    tf32_measured_tflops: float | None
    fp32_measured_tflops: float | None
    l2_mib: float | None
    sm_count: int | None
    pcie_gen: int | None
    pcie_lanes: int | None
    link_class: str  # none | bridge | sxm | sxm-mesh | xgmi | unknown
    nvlink_gbyte_s: float | None  # both directions together
    tdp_w: float | None
    compute_capability: float | None
    tensor_cores: bool
    platform: str  # cuda | rocm | habana | cann | musa | ppu
    status: Status
    usd_h_low: float | None  # plausible USD an hour of one whole card, on demand
    usd_h_high: float | None
    source: str
    measured_source: str | None
    as_of: str
    note: str

    @property
    def memory_gib(self) -> float:
        """Memory of the whole card in GiB."""
        return self.memory_mib / 1024


def _whole(cell: str) -> int | None:
    return int(float(cell)) if cell else None


def _card(row: dict[str, str]) -> Card:
    number = tables.number
    return Card(
        card=row["card"],
        vendor=row["vendor"],
        name=row["name"],
        family=row["family"],
        edition=row["edition"],
        listed=row["listed"],
        form=row["form"],  # type: ignore[arg-type]  # the table test holds the vocabulary
        class_=row["class"],
        architecture=row["architecture"],
        chip=row["chip"],
        year=_whole(row["year"]),
        memory_gb=float(row["memory_gb"]),
        memory_type=row["memory_type"],
        memory_mib=int(row["memory_mib"]),
        memory_mib_min=int(row["memory_mib_min"]),
        memory_mib_max=int(row["memory_mib_max"]),
        memory_basis=row["memory_basis"],  # type: ignore[arg-type]
        bandwidth_gbyte_s=number(row["bandwidth_gbyte_s"]),
        half_tflops=number(row["half_tflops"]),
        tf32_tflops=number(row["tf32_tflops"]),
        fp32_tflops=number(row["fp32_tflops"]),
        fp8_tflops=number(row["fp8_tflops"]),
        half_measured_tflops=number(row["half_measured_tflops"]),
        fp16_measured_tflops=number(row["fp16_measured_tflops"]),
        bf16_measured_tflops=number(row["bf16_measured_tflops"]),
        tf32_measured_tflops=number(row["tf32_measured_tflops"]),
        fp32_measured_tflops=number(row["fp32_measured_tflops"]),
        l2_mib=number(row["l2_mib"]),
        sm_count=_whole(row["sm_count"]),
        pcie_gen=_whole(row["pcie_gen"]),
        pcie_lanes=_whole(row["pcie_lanes"]),
        link_class=row["link_class"],
        nvlink_gbyte_s=number(row["nvlink_gbyte_s"]),
        tdp_w=number(row["tdp_w"]),
        compute_capability=number(row["compute_capability"]),
        tensor_cores=row["tensor_cores"] == "yes",
        platform=row["platform"],
        status=row["status"],  # type: ignore[arg-type]
        usd_h_low=number(row["usd_h_low"]),
        usd_h_high=number(row["usd_h_high"]),
        source=row["source"],
        measured_source=row["measured_source"] or None,
        as_of=row["as_of"],
        note=row["note"],
    )


@cache
def table() -> tuple[Card, ...]:
    """Every card, in the order of the file.

    >>> table()[0].card
    'a100-pcie-40gb'
    """
    return tuple(_card(row) for row in tables.rows("cards"))


@cache
def by_id() -> dict[str, Card]:
    """Cards by their id.

    >>> by_id()["rtx-3090"].memory_gb
    24.0
    """
    return {card.card: card for card in table()}


@cache
def index() -> dict[str, int]:
    """Row number of a card id in `table()`."""
    return {card.card: position for position, card in enumerate(table())}


@cache
def families() -> dict[str, tuple[Card, ...]]:
    """Cards that share a name apart from edition, form factor and memory."""
    found: dict[str, list[Card]] = {}
    for card in table():
        found.setdefault(card.family, []).append(card)
    return {family: tuple(cards) for family, cards in found.items()}


@cache
def labels() -> dict[str, tuple[str, ...]]:
    """Names of candidate sets: what "A100 80GB" means while its form factor is not said.

    >>> labels()["a100-80gb"]
    ('a100-pcie-80gb', 'a100-sxm-80gb')
    """
    return {row["label"]: tuple(row["candidates"].split(";")) for row in tables.rows("card_labels")}
