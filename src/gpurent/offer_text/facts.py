"""What a text says, before anybody decides what it means."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpurent.offer_text.cards import Mention
from gpurent.offer_text.hosts import HostFacts
from gpurent.price_text import PriceText


@dataclass
class Claim:
    """A rate the text promises: so many samples a second of a workload it names."""

    workload: str  # as written
    samples_per_s: float
    text: str


@dataclass
class Facts:
    """One quote's facts. None or empty: the text does not say."""

    text: str
    lang: str
    mentions: list[Mention] = field(default_factory=list)
    host: HostFacts = field(default_factory=HostFacts)
    prices: list[PriceText] = field(default_factory=list)
    spot_price: PriceText | None = None  # a second price a table's column calls spot
    # the offer's fields that were read outright (instance table, pasted blocks, labelled columns)
    known: dict[str, object] = field(default_factory=dict)
    joined: tuple[str, ...] = ()  # cards the text joins ("3090/4090", "1张A100+1张3090"): several, or one of them
    count: int | None = None
    count_words: str = ""
    smi_cards: tuple[str, ...] = ()  # every card `nvidia-smi` lists, in order
    smi_memory_mib: float | None = None
    smi_power_w: float | None = None
    mig_enabled: bool | None = None
    profile: str | None = None  # MIG profile anywhere in the text
    form: str | None = None  # "PCIe" or "SXM" that stands apart from the name
    share_words: str | None = None  # "1/4 card", "时分", "共享GPU"
    share: str | None = None
    torch: str | None = None
    image_cuda: str | None = None
    arch: str | None = None
    machines: int | None = None  # "32 台"
    claims: list[Claim] = field(default_factory=list)
    stop_billed: str | None = None  # the words that say so
    deposit: str | None = None
    setup_fee: str | None = None
    component_prices: tuple[str, ...] = ()  # CPU, RAM or storage billed apart
    impossible: dict[str, object] = field(default_factory=dict)  # fields no offer can have, and the value
    cut: int = 0  # characters of the quote that are beyond what is looked at
    on_request: bool = False  # "call us", 面议
    fabric_named: bool = False
    point_amount: bool = False
    one_job: bool = False  # the text offers its slices for one parallel job
    instance: bool = False  # the text names an instance type of the table: its price is the machine's
    units: bool = False  # the price was worked out of compute units
    unread: str = ""
