"""What is billed beside the rent: storage, traffic, minimum, increments, fees; money apart from the price."""

from __future__ import annotations

import re
from decimal import Decimal

from gpurent.offer_text.facts import Facts
from gpurent.offer_text.scan import Scan, clause, compiled

_PER_SIZE = compiled(  # money for storage, traffic, RAM or vCPUs apart from the machine
    r"(?:(?P<label>egress|ingress|traffic|流量|storage|存储|volume|disk|硬盘|数据盘|ram|memory|内存|vcpu|cpu)\D{0,24}?)?"
    r"(?:[$¥￥€£]|usd\s?|rmb\s?)?\s?(?P<n>\d{1,6}(?:\.\d{1,8})?|\.\d{1,8})\s?(?:元|usd|cny|rmb|€|eur|cents?|¢)?\s?(?:/|per|每|a)\s?(?P<u>gib|gb|g|tb|tib|vcpus?|cpu|core|核)(?![a-z]|\s?[:=])"
    r"(?:\s?(?P<what>ram|memory|内存|storage|存储|egress|traffic|流量))?"
    r"(?:\s?[-/·*]?\s?(?:per\s|每)?(?P<per>months?|mon?|mth|月|hours?|hrs?|h|小?时|days?|天|d)(?![a-z]))?",
)
_STOPPED = compiled(r"stopp?(?:ed)?|停止|停机|关机|idle|powered?\s*off")
_STOP_BILLED = compiled(
    r"[^.\n;,]{0,24}(?:停止|停机|关机)[^.\n;,]{0,8}(?:仍|继续|照常|也)[^.\n;,]{0,6}(?:计费|收费|扣费)[^.\n;,]{0,12}"
    r"|[^.\n;,]{0,40}(?:billed|charged|billing|charges)[^.\n;,]{0,20}(?:while|when|even\s*(?:if|when)|after)[^.\n;,]{0,12}(?:stopp|shut|powered|off|idle)[^.\n;,]{0,20}"
    r"|[^.\n;,]{0,40}(?:stopped|powered[\s-]off)\s*(?:instances?|pods?|machines?|vms?|servers?)?[^.\n;,]{0,16}(?:billed|charged|still)[^.\n;,]{0,20}",
)
_SPAN = r"s(?:ec(?:ond)?s?)?|min(?:ute)?s?|h(?:ou)?rs?|h|days?|weeks?|秒|分钟|小?时|天|周"
_MINIMUM = compiled(
    r"(?:min(?:imum)?(?:\s*(?:bill(?:ing|ed)?|charge|rental))?|最低(?:消费|计费)?|起租|起订)\s*(?:of\s*|is\s*)?[:=]?\s*"
    rf"(?P<n>\d{{1,4}})\s?-?(?P<u>{_SPAN})(?![a-z])|(?P<n2>\d{{1,4}})\s?-?\s?(?P<u2>{_SPAN})\s?-?(?:min(?:imum)?(?![a-z])|起租|起订)"
)
_INCREMENT = compiled(
    r"(?:charged|billed|billing)\s*(?:in|per|every|by\s*the)\s*(?P<n>\d{1,4}\s?-?)?\s?(?P<u>s(?:ec(?:ond)?s?)?|min(?:ute)?s?|h(?:ou)?rs?|h|days?)(?:\s*(?:increments?|steps?))?(?![a-z])"
    r"|按(?P<zh>秒|分钟|小?时|天)(?:计费|付费|收费)|per[\s-](?P<en>second|minute|hour)[\s-]billing",
)
_SECONDS = (
    ("s", 1),
    ("秒", 1),
    ("min", 60),
    ("分", 60),
    ("h", 3600),
    ("小", 3600),
    ("时", 3600),
    ("d", 86400),
    ("天", 86400),
    ("w", 604800),
    ("周", 604800),
)
_SETUP_FEE = compiled(
    r"\+?\s?(?:[$¥￥€£]|usd\s|eur\s)?\s?\d{1,6}(?:[.,]\d{1,2})?\s?(?:元|€|usd|eur|块)?\s?(?:one-?time\s?)?"
    r"(?:set-?up|activation|install\w*|开通费|安装费|初装费|开户费)(?:\s?fee)?"
)
_DEPOSIT = compiled(r"押金\s*[\d.]*\s?万?元?|deposit(?:\s*of)?\s*[$¥￥€]?\s?[\d,.]*|押一付一|押\S付\S")
_UNITS = compiled(
    r"(?P<n>\d{1,5})\s*(?:compute\s*)?units?\s*(?:for|=|at)?\s*[$](?P<p>\d{1,4}(?:\.\d{1,2})?)"
    r"|[$](?P<p2>\d{1,4}(?:\.\d{1,2})?)\s*(?:/|per|for|=)\s*(?P<n2>\d{1,5})\s*(?:compute\s*)?(?:units?|cu)(?![a-z])"
)
_UNIT_RATE = compiled(
    r"(?P<n>\d{1,3}(?:\.\d{1,2})?)(?:\s?-\s?\d{1,3}(?:\.\d{1,2})?)?\s*(?:compute\s*)?(?:units?|cu)?\s*(?:/|per|an?)\s*(?:h|hr|hour)(?![a-z])"
)


def read_billing(scan: Scan, facts: Facts) -> None:
    """Everything billed beside the rent itself, taken out so that no amount of it is read as the price."""
    match = _STOP_BILLED.search(scan.text)
    facts.stop_billed = match.group().strip() if match else None
    fee = scan.first(_SETUP_FEE)
    facts.setup_fee = fee.group().strip(" +") if fee else None
    _read_side_prices(scan, facts)
    _read_steps(scan, facts)
    deposit = scan.first(_DEPOSIT)
    facts.deposit = deposit.group().strip() if deposit else None


def _read_side_prices(scan: Scan, facts: Facts) -> None:
    names = []
    for match in scan.take(_PER_SIZE):
        if not match["n"] or match["n"] == "." or float(match["n"]) == 0:
            if match["label"] and match["label"].lower() == "egress":
                facts.known["egress_per_gib"] = 0.0
            continue
        amount, unit = float(match["n"]), match["u"].lower()
        if unit.startswith("t"):
            amount /= 1024
        around = f"{match['label'] or ''} {match['what'] or ''}".lower()
        beside = clause(scan.text, match)
        per = (match["per"] or "").lower()
        if re.search("egress|traffic|流量", around):
            facts.known["egress_per_gib"] = amount
        elif "ingress" in around:
            facts.known["ingress_per_gib"] = amount
        elif unit.startswith(("vcpu", "cpu", "core", "核")) or re.search("ram|memory|内存", around):
            names.append(match.group().strip())
        else:
            monthly = amount * (730 if per[:1] in ("h", "时", "小") else 30 if per[:1] in ("d", "天") else 1)
            key = "storage_stopped_per_gib_month" if _STOPPED.search(beside) else "storage_per_gib_month"
            facts.known.setdefault(key, monthly)
    facts.component_prices = tuple(names)


def _read_steps(scan: Scan, facts: Facts) -> None:
    match = scan.first(_MINIMUM)
    if match:
        facts.known["minimum_billed_s"] = int(match["n"] or match["n2"]) * _seconds(match["u"] or match["u2"])
    match = scan.first(_INCREMENT)
    if match:
        unit = match["u"] or match["zh"] or match["en"]
        facts.known["billing_increment_s"] = int((match["n"] or "1").strip(" -")) * _seconds(unit)


def _seconds(word: str) -> int:
    return next(seconds for start, seconds in _SECONDS if word.lower().startswith(start))


def units_price(scan: Scan) -> str | None:
    """Colab's way: so many units for so much money, and so many units an hour; given back as a price in words."""
    bought, used = _UNITS.search(scan.left), None
    if bought:
        used = _UNIT_RATE.search(scan.left)
    if not bought or not used:
        return None
    scan.blank(*bought.span())
    scan.blank(*used.span())
    paid, units = (bought["p"] or bought["p2"]), (bought["n"] or bought["n2"])
    if not int(units):
        return None
    hourly = Decimal(paid) / Decimal(units) * Decimal(used["n"])
    return f"${hourly:.4f}/h"
