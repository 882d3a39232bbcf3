"""One quote's text to its facts: every pattern in the order that keeps them out of each other's way."""

from __future__ import annotations

import re
from dataclasses import replace

from gpurent.offer_text.billing import read_billing, units_price
from gpurent.offer_text.cards import Mention, count_elsewhere, find_cards, memory_sizes, slice_profile, take_slices
from gpurent.offer_text.facts import Facts
from gpurent.offer_text.hosts import read_cpu_model, read_disks, read_sizes
from gpurent.offer_text.instances import read_instance
from gpurent.offer_text.links import read_links, take_traffic
from gpurent.offer_text.lone_sizes import read_lone_sizes
from gpurent.offer_text.objects import read_object
from gpurent.offer_text.pasted import read_pasted
from gpurent.offer_text.rows import read_row
from gpurent.offer_text.scan import TAKEN, Scan, compiled
from gpurent.offer_text.shares import read_share
from gpurent.offer_text.software import read_claims, read_software
from gpurent.offer_text.stock import take_availability
from gpurent.offer_text.terms import machines_of, provider_of, read_terms, settle_spot
from gpurent.price_text import PriceText, find_prices

SLICES_BEFORE_NAME = compiled(r"[x*]\s?\d(?:c\.\d)?g\.\d{1,3}gb")
_FORM = compiled(r"(?<![a-z0-9])(sxm\d?|pci-?e(?!\s?\d|\s?gen|\s?x\s?\d|\s?[:=]|\s?ssd)|nvl|oam)(?![a-z0-9])")
_CHINESE = re.compile(r"[\u3400-\u9fff]")


def language_of(text: str) -> str:
    """ "zh" when a text holds Chinese characters, else "en"."""
    return "zh" if _CHINESE.search(text) else "en"


def gather(text: str) -> Facts:
    """The facts of one tidied quote."""
    facts = Facts(text, language_of(text))
    scan = Scan(text)
    read_pasted(scan, facts)
    row = read_object(text, facts) or read_row(scan, facts)
    read_instance(scan, facts)
    if not row:
        _read_words(scan, facts)
    facts.known.setdefault("provider", provider_of(text))
    if facts.count is None and facts.smi_cards:
        facts.count, facts.count_words = len(facts.smi_cards), "nvidia-smi"
    facts.unread = " ".join(re.sub(rf"[{TAKEN}\s,;:|()*+/-]+", " ", scan.left).split())
    return facts


def _read_words(scan: Scan, facts: Facts) -> None:
    take_availability(scan)
    take_traffic(scan, facts)
    read_claims(scan, facts)
    read_cpu_model(scan, facts.host)
    read_software(scan, facts)
    read_share(scan, facts)
    facts.profile = facts.profile or slice_profile(scan.left)
    slices = SLICES_BEFORE_NAME.search(scan.left)
    if slices:  # "4 x 1g.10gb A100"
        facts.count = facts.count or take_slices(scan)[1]
    facts.mentions = find_cards(scan)
    facts.joined = _joined(facts)
    form = _FORM.search(scan.left)
    facts.form = form.group(1) if form else None
    if facts.profile and not slices:
        profile, number = take_slices(scan)
        facts.count = facts.count or (number if profile else None)
    units = units_price(scan)
    read_billing(scan, facts)
    read_terms(scan, facts)
    facts.units = units is not None
    facts.prices = find_prices(units) if units else _prices(scan)
    settle_spot(facts)
    facts.point_amount = any("point-first" in price.flags for price in facts.prices)
    read_links(scan, facts)
    named = main_mention(facts)
    read_sizes(scan, facts.host, memory_sizes(named.text) if named else frozenset())
    read_disks(scan, facts.host)
    _count(scan, facts)
    facts.machines = machines_of(scan)
    mention = main_mention(facts)
    read_lone_sizes(scan, facts, mention.text if mention else None)
    if not facts.prices and not facts.on_request:
        facts.prices = _bare_price(scan, facts.lang)


_JOINT = compiled(
    r"\s{0,2}(?:[x*]?\s?\d{1,2}\s?(?:张|卡|块|x|\*)?)?\s{0,2}(?:/|\+|&|和|或|与|跟|混|and(?:/or)?\s|or\s|plus\s)\s{0,2}"
    r"(?:[\d一两二三四六八]{1,2}\s?(?:张|卡|块|x|\*)?\s?)?"
)


def _joined(facts: Facts) -> tuple[str, ...]:
    """Cards whose names stand joined in the text, each by its words; none when no two are."""
    names: list[str] = []
    for left, right in zip(facts.mentions, facts.mentions[1:], strict=False):
        if _JOINT.fullmatch(facts.text[left.end : right.start]):
            names.extend((left.text, right.text))
    return tuple(dict.fromkeys(names))


def _prices(scan: Scan) -> list[PriceText]:
    prices = find_prices(scan.left)
    for price in prices:
        scan.blank(price.start, price.end)
    return prices


_BARE_AMOUNT = compiled(r"(?<![\w.,:/+-])(?P<n>\d{5,7}|\d{1,3},\d{3}|\d{1,3}(?:\.\d{1,2})?\s?[wk万])(?![\w.,%/+-])")


def _bare_price(scan: Scan, lang: str) -> list[PriceText]:
    """The one large number of a text that names no price ("A100 80G 8卡 45000"): most likely the price."""
    found = list(_BARE_AMOUNT.finditer(scan.left))
    if len(found) != 1:
        return []
    match = found[0]
    scan.blank(*match.span())
    return [
        replace(price, text=match["n"], start=match.start(), end=match.end(), flags=price.flags | {"bare"})
        for price in find_prices(f"{match['n']}元" if lang == "zh" else f"${match['n']}")
    ]


def _count(scan: Scan, facts: Facts) -> None:
    if facts.count is not None:
        return
    said = next((mention for mention in facts.mentions if mention.count), None)
    if said is not None:
        facts.count, facts.count_words = said.count, said.count_words
        return
    for price in facts.prices:
        if price.gpu_count:
            facts.count, facts.count_words = price.gpu_count, price.text
            return
    facts.count, facts.count_words = count_elsewhere(scan)


_VGPU_NAME = re.compile(r"([A-Za-z0-9]{2,8})-\d{1,3}[QCABqcab]$")


def main_mention(facts: Facts) -> Mention | None:
    """The card the quote is about: the first one named, the longest of its spellings."""
    if not facts.mentions:
        return None
    first = facts.mentions[0]
    for mention in facts.mentions:  # "T4 16GB, vGPU T4-8Q": the part is what is rented
        profile = _VGPU_NAME.search(mention.text)
        if profile and re.search(rf"(?<![a-z0-9]){re.escape(profile[1])}(?![a-z0-9])", first.text, re.IGNORECASE):
            return mention
    same = [mention for mention in facts.mentions if mention.text.lower().startswith(first.text.lower())]
    return max(same, key=lambda mention: len(mention.text)) if same else first
