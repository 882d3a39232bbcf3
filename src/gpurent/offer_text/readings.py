"""Facts to readings: every way one quote can be meant, as offers with a confidence and the choices each took."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from pydantic import ValidationError

from gpurent.offer import Offer
from gpurent.offer_text.cards import memory_sizes, singular
from gpurent.offer_text.facts import Facts
from gpurent.offer_text.gather import main_mention
from gpurent.offer_text.hosts import chosen_disk
from gpurent.offer_text.options import Option, Why, price_options, several_machines

UNNAMED = "quoted"  # the provider of an offer whose text names none
MAX_READINGS = 12
CARDS_OF_A_MACHINE = 8
_MOST_IMPOSSIBLE = 4
_ROUNDING = 1.1  # memory sizes are written with and without what the card keeps for itself
_MAY_BE_LEFT_OUT = {
    "gpu_count", "vcpus", "ram_gib", "disk_gib", "disk_read_mbyte_s", "disk_iops", "download_mbit_s", "fabric_gbit_s",
    "power_limit_w",
}  # fmt: skip
_SUPERCHIP = re.compile(r"(?<![a-z0-9])g[bh][23]00(?![a-z0-9])", re.IGNORECASE)

_SIZE_IN_NAME = re.compile(r"(?<![\d.a-z])(\d{1,3}(?:\.\d)?)\s?g(?:i?b)?(?![a-z0-9.])", re.IGNORECASE)
_FORM_IN_NAME = re.compile(r"sxm|pci-?e|nvl|oam|hbm", re.IGNORECASE)
_NEUTRAL = re.compile(r"^v-?gpu[\s_-]*(\d{1,3})", re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """One way to read a quote."""

    offer: Offer
    confidence: float
    why: tuple[Why, ...] = ()


@dataclass(frozen=True)
class Rejected:
    """A reading that cannot be, and the number that rules it out."""

    offer: Offer
    why: tuple[Why, ...]


@dataclass(frozen=True)
class Quote:
    """One quote of a paste: its text, its readings (most likely first), and the facts they were made of."""

    text: str
    lang: str
    readings: tuple[Reading, ...]
    facts: Facts
    rejected: tuple[Rejected, ...] = ()
    faults: tuple[str, ...] = field(default_factory=tuple)  # why there is no reading: no-card, impossible values


def readings_of(facts: Facts) -> Quote:
    """Every way to read the facts of one quote, at most a dozen, confidences adding up to one."""
    base = _base(facts)
    if "gpu" not in base:
        return Quote(facts.text, facts.lang, (), facts, faults=("no-card",))
    dimensions = [
        _cards(facts, base),
        _memories(facts, base),
        _counts(facts, base),
        _cpus(facts, base),
        _rams(facts, base),
        price_options(facts, base),
    ]
    readings: list[Reading] = []
    faults: list[str] = []
    for options in product(*dimensions):
        confidence = prod(weight for _, weight, _ in options)
        fields = dict(base)
        for changes, _, _ in options:
            fields.update(changes)
        offer = _possible(fields, facts, faults)
        if offer is None:
            continue
        readings.append(Reading(offer, confidence, tuple(why for _, _, whys in options for why in whys)))
    readings.sort(key=lambda reading: -reading.confidence)
    kept = readings[:MAX_READINGS]
    total = sum(reading.confidence for reading in kept) or 1.0
    scaled = tuple(Reading(r.offer, round(r.confidence / total, 3), r.why) for r in kept)
    return Quote(facts.text, facts.lang, scaled, facts, faults=tuple(faults) if not scaled else ())


def _possible(fields: dict[str, Any], facts: Facts, faults: list[str]) -> Offer | None:
    """The offer of a reading; a value no machine has is taken out and noted, the rest stands."""
    for _ in range(_MOST_IMPOSSIBLE):
        try:
            return _assemble(dict(fields))
        except ValidationError as error:
            where = error.errors()[0]["loc"]
            key = str(where[0]) if where else ""
            faults.append(str(where))
            if key not in _MAY_BE_LEFT_OUT or key not in fields:
                return None
            facts.impossible[key] = fields.pop(key)
    return None


def _assemble(fields: dict[str, Any]) -> Offer:
    """Scale what was said per card, then check everything as any offer is checked."""
    count = fields.get("gpu_count", 1)
    for key in ("vcpus", "ram_gib"):
        if fields.pop(f"{key}_per_gpu", False) and fields.get(key):
            fields[key] *= count
    memory = fields.get("gpu_memory_gib")
    if memory and count > 1 and memory > 300 and memory % count == 0:  # the total of all cards
        fields["gpu_memory_gib"] = memory / count
    return Offer.model_validate({key: value for key, value in fields.items() if value is not None})


def _base(facts: Facts) -> dict[str, Any]:
    """What every reading shares."""
    host = facts.host
    disk_class, disk_gib = chosen_disk(host)
    fields: dict[str, Any] = {
        "cpu_model": host.cpu_model, "disk_class": disk_class, "disk_gib": disk_gib, "disk_iops": host.disk_iops,
        "disk_read_mbyte_s": host.disk_read_mbyte_s, "gpu_memory_gib": host.vram_gib,
    }  # fmt: skip
    known = {key: value for key, value in facts.known.items() if value is not None and key != "term_months"}
    fields.update(known)
    mention = main_mention(facts)
    if "gpu" not in fields and facts.smi_cards:
        fields["gpu"] = facts.smi_cards[0].rstrip(". ")
    elif "gpu" not in fields and mention is not None:
        fields["gpu"] = singular(mention.text)
    if "gpu" not in fields:
        return fields
    if facts.form and not _FORM_IN_NAME.search(str(fields["gpu"])) and not facts.instance:
        fields["gpu"] = f"{fields['gpu']} {facts.form}"
    if facts.smi_memory_mib:
        fields["gpu_memory_gib"] = facts.smi_memory_mib / 1024
    if facts.smi_power_w:
        fields["power_limit_w"] = facts.smi_power_w
    _share(facts, fields)
    size = _SIZE_IN_NAME.search(str(fields["gpu"]))
    if size and fields.get("gpu_memory_gib") is None and not _NEUTRAL.match(str(fields["gpu"])):
        fields["gpu_memory_gib"] = float(size.group(1))
    _memory_of_the_cpu(fields)
    fields.setdefault("provider", UNNAMED)
    fields["provider"] = fields["provider"] or UNNAMED
    return fields


def _memory_of_the_cpu(fields: dict[str, Any]) -> None:
    """ "GH200 480GB": more than such a card has is the memory of the CPU beside it."""
    name, size = str(fields["gpu"]), fields.get("gpu_memory_gib")
    sizes = memory_sizes(_SIZE_IN_NAME.sub(" ", name).strip())
    if not _SUPERCHIP.search(name) or not size or not sizes or size <= max(sizes) * _ROUNDING:
        return
    fields["gpu"] = _SIZE_IN_NAME.sub(" ", name).strip()
    fields["gpu_memory_gib"] = None
    fields.setdefault("ram_gib", size)


def _share(facts: Facts, fields: dict[str, Any]) -> None:
    neutral = _NEUTRAL.match(str(fields["gpu"]))
    if neutral:  # AutoDL's "vGPU-32GB": memory and nothing else is said
        fields.update(gpu_share="unknown", gpu_memory_gib=float(neutral.group(1)))
        return
    if facts.profile:
        fields.update(gpu_share="mig", share_profile=facts.profile)
        memory = re.search(r"\.(\d{1,3})gb", facts.profile)
        if memory:
            fields["gpu_memory_gib"] = float(memory.group(1))
    elif facts.share and "gpu_share" not in fields:
        fields["gpu_share"] = facts.share
        if facts.share_words:
            fields.setdefault("share_profile", facts.share_words)


def _cards(facts: Facts, base: dict[str, Any]) -> list[Option]:
    """The name itself: "3080x2(20GB)" is a memory-modded card, or two of them."""
    mention = main_mention(facts)
    if mention is None or mention.attached is None or facts.known.get("gpu"):
        return [({}, 1.0, ())]
    why = {"words": f"x{mention.attached}"}
    named: Option = ({}, 0.9 if mention.count else 0.55, (Why("x-is-name", why),))
    if mention.count is not None:
        return [named]
    size = _SIZE_IN_NAME.search(mention.text)
    text = _SIZE_IN_NAME.sub("", mention.text).strip(" ()")
    counted: dict[str, Any] = {"gpu": text, "gpu_count": mention.attached}
    if size:
        counted["gpu_memory_gib"] = float(size.group(1)) / mention.attached
    if not size:
        return [(counted, 1.0, ())]
    return [named, (counted, 0.45, (Why("x-is-count", why),))]


def _memories(facts: Facts, base: dict[str, Any]) -> list[Option]:
    """ "Half an A100, 40 GB": the slice's memory or the card's. A size no such card has can only be the slice's."""
    size, part = base.get("gpu_memory_gib"), facts.share_words
    if facts.instance or not isinstance(size, float) or part is None or "/" not in part:
        return [({}, 1.0, ())]
    share, sizes = float(Fraction(part)), memory_sizes(str(base["gpu"]))
    named = _SIZE_IN_NAME.search(str(base["gpu"]))
    if size not in sizes or (named and float(named.group(1)) != size):
        return [({}, 1.0, ())]
    name, n = _SIZE_IN_NAME.sub(" ", str(base["gpu"])).strip(), {"n": f"{size:g}"}
    of_card = {"gpu": f"{name} {size:g}GB", "gpu_memory_gib": size * share}
    if size / share not in sizes or named:
        return [(of_card, 1.0, (Why("size-of-card", n),))]
    of_slice = {"gpu": f"{name} {size / share:g}GB", "gpu_memory_gib": size}
    return [(of_slice, 0.5, (Why("size-of-slice", n),)), (of_card, 0.5, (Why("size-of-card", n),))]


def _counts(facts: Facts, base: dict[str, Any]) -> list[Option]:
    if "gpu_count" in base:
        return [({}, 1.0, ())]
    if facts.count is not None:
        return [({"gpu_count": facts.count}, 1.0, ())]
    mention = main_mention(facts)
    if mention is not None and mention.attached is not None:
        return [({}, 1.0, ())]
    if several_machines(facts):
        eight = {"n": CARDS_OF_A_MACHINE}
        return [
            ({"gpu_count": CARDS_OF_A_MACHINE}, 0.75, (Why("machine-of-eight", eight),)),
            ({"gpu_count": 1}, 0.25, (Why("one-card-assumed", {}),)),
        ]
    one: Option = ({"gpu_count": 1}, 0.95, (Why("one-card-assumed", {}),))
    if not facts.prices or facts.profile or facts.share or facts.known.get("sku"):
        return [one]
    # a price that no single card has may be a machine's; the market decides
    return [one, ({"gpu_count": CARDS_OF_A_MACHINE}, 0.05, (Why("machine-by-price", {"n": CARDS_OF_A_MACHINE}),))]


def _cpus(facts: Facts, base: dict[str, Any]) -> list[Option]:
    host, printed = facts.host, base.get("vcpus")
    if printed is not None and host.vcpus is not None and host.vcpus < printed and not facts.instance:
        why = Why("quota", {"n": f"{host.vcpus:g}", "all": f"{printed:g}"})
        return [({"vcpus": host.vcpus}, 1.0, (why,))]
    if printed is not None or host.vcpus is None:
        return [({}, 1.0, ())]
    fields: dict[str, Any] = {"vcpus": host.vcpus, "vcpus_per_gpu": host.vcpus_per_gpu}
    if host.threads_per_core:
        return [({**fields, "threads_per_core": host.threads_per_core}, 1.0, ())]
    if host.vcpu_unit == "ocpu":
        return [({**fields, "vcpus": host.vcpus * 2, "threads_per_core": 2}, 1.0, (Why("ocpu", {"n": host.vcpus}),))]
    if host.vcpu_unit == "physical":
        return [({**fields, "threads_per_core": 1}, 1.0, ())]
    if host.vcpu_unit == "core":
        n = {"n": f"{host.vcpus:g}"}
        return [
            (fields, 0.8, (Why("cores-as-vcpus", n),)),
            ({**fields, "threads_per_core": 1}, 0.2, (Why("cores-as-cores", n),)),
        ]
    return [(fields, 1.0, ())]


def _rams(facts: Facts, base: dict[str, Any]) -> list[Option]:
    host = facts.host
    if base.get("ram_gib") is not None or host.ram_gib is None:
        return [({}, 1.0, ())]
    fields: dict[str, Any] = {"ram_gib": host.ram_gib, "ram_gib_per_gpu": host.ram_per_gpu}
    if host.ram_high_gib is None:
        return [(fields, 1.0, ())]
    two = {"low": f"{host.ram_gib:g}", "high": f"{host.ram_high_gib:g}"}
    return [
        (fields, 0.6, (Why("ram-lower", two),)),
        ({**fields, "ram_gib": host.ram_high_gib}, 0.4, (Why("ram-higher", two),)),
    ]
