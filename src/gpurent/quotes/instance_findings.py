"""An instance type's name against the rest of the text: both cannot be right."""

from __future__ import annotations

from collections.abc import Iterator

from gpurent.hardware.cards import by_id
from gpurent.hardware.names import read_name
from gpurent.offer_text.gather import main_mention
from gpurent.quotes.context import Context
from gpurent.quotes.findings import Finding

_CLOSE = 1.15  # sizes within this of the type's are the same size, in other units or rounded


def several_families(names: tuple[str, ...]) -> bool:
    """Whether names cannot all mean one kind of card."""
    known = [read_name(name) for name in names]
    families_ = [{by_id()[card].family for card in ((one.gpu,) if one.gpu else one.candidates)} for one in known]
    return any(not (left & right) for left in families_ for right in families_ if left and right)


def instance_findings(context: Context) -> Iterator[Finding]:
    """Every number and name of the text that contradicts the instance type it names."""
    facts = context.facts
    if not facts.instance:
        return
    sku = str(facts.known.get("sku", ""))
    for said, known in _contradictions(context):
        numbers = {"sku": sku, "said": said, "known": known}
        yield Finding("instance-conflict", "warning", numbers, verdict="need-more-info")


def _contradictions(context: Context) -> Iterator[tuple[str, str]]:
    facts, known = context.facts, context.facts.known
    mention, host = main_mention(facts), context.facts.host
    card = str(known.get("gpu", ""))
    if mention is not None and several_families((card, mention.text)):
        yield mention.text, card
    count = known.get("gpu_count")
    if facts.count and isinstance(count, float) and facts.count != count:
        yield f"{facts.count} GPU", f"{count:g} GPU"
    vcpus = known.get("vcpus")
    if host.vcpus and isinstance(vcpus, float) and not host.vcpus_per_gpu and host.vcpus not in (vcpus, vcpus / 2):
        yield f"{host.vcpus:g} vCPU", f"{vcpus:g} vCPU"
    for said, name in ((host.ram_gib, "ram_gib"), (host.vram_gib, "gpu_memory_gib")):
        size = known.get(name)
        per_gpu = host.ram_per_gpu and name == "ram_gib"
        if not said or not isinstance(size, float) or per_gpu:
            continue
        sizes = [size] if name == "ram_gib" or not isinstance(count, float) else [size, size * count]
        if all(max(said, one) / min(said, one) > _CLOSE for one in sizes):
            yield f"{said:g} GB", f"{size:g} GB"
