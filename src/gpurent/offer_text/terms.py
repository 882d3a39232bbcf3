"""How an offer is bought, for how long, where and from whom, in somebody's words."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache

from gpurent import tables
from gpurent.offer_text.facts import Facts
from gpurent.offer_text.scan import Scan, compiled, count_of

_SPOT = compiled(
    r"(?<![a-z])(?:spot|interruptible|pre-?emptible|low[\s-]priority|bid(?:s|ding)?)(?![a-z])|抢占|竞价|竞拍|可中断|可抢占"
)
_NOT_SPOT = compiled(r"(?:non?|not|never|without)[\s-]*(?:spot|interruptible|pre-?emptible)|非抢占|不可抢占|非竞价")
_LABELS_PRICE = compiled(r"^(?:价|价格|实例)?\s?[:=]?\s?[$¥￥€]?\d")  # "抢占 1.19": the price behind it, not the offer
_ON_DEMAND = compiled(r"on[\s-]?demand|按量(?:付费|计费)?|按需|pay[\s-]as[\s-]you[\s-]go|payg")
_RESERVED = compiled(
    r"(?<![a-z])(?:reserved|reservation|commit(?:ted|ment)?|savings?\s*plan|contract(?:ed)?|prepaid)(?![a-z])|包年|包月|长租|合约|预留",
)
_TERM = compiled(
    r"(?P<n>\d{1,3}|一|半|两|三)\s?-?\s?(?P<u>months?|mo\b|years?|yrs?|个月|年)\s*-?\s*(?:term|commit(?:ment)?|contract|reserved|reservation|min(?:imum)?|cud|ri(?![a-z])|savings?|plan|lease|prepay|upfront|deal|起租|起|合约|合同|预付|prepaid)"
    r"|(?:min(?:imum)?(?:\s*(?:term|commitment|of))?|term(?:\s*of)?|起租|租期|合同期?|合约|签|commit(?:ment)?(?:\s*of)?|contract(?:\s*of)?|reserved?(?:\s*for)?)\s*[:=]?\s*(?P<n2>\d{1,3}|一|半|两|三)\s?-?\s?(?P<u2>months?|mo\b|years?|yrs?|个月|年)",
)
_TIER = compiled(
    r"(?<![a-z])(?:(?:secure|community)(?:\s*cloud)?|verified|unverified|dedicated|bare[\s-]?metal|data[\s-]?cent(?:er|re))(?![a-z])|裸金属|独享|容器(?:实例)?",
)
_REGION = compiled(
    r"(?<![a-z0-9])((?:us|eu|ap|ca|sa|me|af|cn|uk|il|asia|europe|australia|northamerica|southamerica)-(?:gov-)?(?:[a-z]+-?)+\d{1,2}[a-f]?"
    r"|cn-[a-z]{4,12}(?:-\d)?|(?:east|west|north|south|central)us\d?|westeurope|northeurope)(?![a-z0-9])",
)
_REQUEST = compiled(
    r"面议|电议|私聊|联系(?:我|销售|客服)|询价|call\s*(?:us|for)|contact\s*(?:us|sales)|on\s*request|tbd|price\s*on\s*application|dm\s*for"
)
_MACHINES = compiled(r"(?<![\d.])(?P<n>\d{1,4})\s?(?:台|节点|nodes?\b|servers?\b|machines?\b)")
_ONE_JOB = compiled(
    r"(?:ddp|data[\s-]?parallel|one\s*job|single\s*job|multi[\s-]?gpu|多卡(?:并行|训练)?|分布式|并行训练|一个任务)"
)
_RELIABILITY = compiled(r"reliab\w*\s*[:=]?\s*(\d{1,3}(?:\.\d{1,2})?)\s?%")
_COMMON_WORDS = {
    "do", "prime", "together", "modal", "thunder", "latitude", "salad", "evergreen", "genesis", "massed", "google",
    "amazon", "microsoft", "oracle", "fal",
}  # fmt: skip
_CLOUDY = r"(?=\s*(?:cloud|gpu|labs|\.ai|\.com|api|compute|pods?|instances?|:|\())"


def read_terms(scan: Scan, facts: Facts) -> None:
    """Purchase kind, term, tier, region; words only, amounts of the rent are not touched."""
    text = scan.text
    if scan.first(_NOT_SPOT):
        facts.known["purchase"] = "on-demand"
    elif scan.has(_ON_DEMAND):
        facts.known["purchase"] = "on-demand"
        scan.first(_ON_DEMAND)
    elif (spot := _SPOT.search(text)) and not _LABELS_PRICE.match(text[spot.end() :]):
        facts.known["purchase"] = "spot"
        scan.first(_SPOT)
    match = scan.first(_TERM)
    if match:
        months = _months(match["n"] or match["n2"], match["u"] or match["u2"])
        facts.known.update(purchase="reserved", term_months=months)
    elif "purchase" not in facts.known and _RESERVED.search(text):
        facts.known["purchase"] = "reserved"
    match = scan.first(_TIER)
    if match:
        facts.known["tier"] = re.sub(r"\s*cloud$", "", match.group().lower())
    match = scan.first(_REGION)
    if match:
        facts.known["region"] = match.group(1).lower()
    match = scan.first(_RELIABILITY)
    if match and float(match.group(1)) <= 100:
        facts.known["reliability"] = float(match.group(1)) / 100
    facts.on_request = _REQUEST.search(text) is not None
    facts.one_job = _ONE_JOB.search(text) is not None


def settle_spot(facts: Facts) -> None:
    """A word for spot that labels the one price of a text ("spot $0.82") speaks of the offer."""
    if len(facts.prices) == 1 and "purchase" not in facts.known and _SPOT.search(facts.text):
        facts.known["purchase"] = "spot"


def _months(number: str, unit: str) -> Decimal:
    count = Decimal("0.5") if number == "半" else Decimal(count_of(number) or 1)
    return count * (12 if unit.lower()[0] in "y年" else 1)


def purchase_near(text: str, start: int, end: int) -> str | None:
    """How the price at a place of the text is bought, if the words right beside it say so."""
    before = re.split(r"[,;|\n]", text[max(0, start - 16) : start])[-1]
    after = re.split(r"[,;|\n]", text[end : end + 16])[0]
    for words in (after, before):
        if _NOT_SPOT.search(words) or _ON_DEMAND.search(words):
            return "on-demand"
        if _SPOT.search(words):
            return "spot"
    return None


def machines_of(scan: Scan) -> int | None:
    """How many whole machines are on offer ("32 台")."""
    match = scan.first(_MACHINES)
    return int(match["n"]) if match else None


@cache
def _provider_names() -> tuple[re.Pattern[str], dict[str, str]]:
    names: dict[str, str] = {}
    for row in tables.rows("providers"):
        for alias in (row["provider"], row["title"], *row["aliases"].split("|")):
            if alias:
                names.setdefault(alias.lower(), row["provider"])
    words = []
    for name in sorted(names, key=lambda name: -len(name)):
        word = re.escape(name)
        if name in _COMMON_WORDS:  # at the start of a line it heads the quote, elsewhere it is a word
            word = rf"(?:^{word}|{word}{_CLOUDY})"
        words.append(word)
    return compiled(rf"(?<![a-z0-9])(?:{'|'.join(words)})(?![a-z0-9])"), names


def provider_of(text: str) -> str | None:
    """The provider a text names, by the providers table; an everyday word counts only beside "cloud" and the like."""
    pattern, names = _provider_names()
    match = pattern.search(text)
    return names[match.group().lower()] if match else None
