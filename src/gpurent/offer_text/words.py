"""Software, network and terms in somebody's words, each taken out of the text once."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import cache

from gpurent import tables
from gpurent.offer_text.facts import Claim, Facts
from gpurent.offer_text.hosts import number_of
from gpurent.offer_text.scan import Scan, compiled, count_of

_DRIVER = compiled(r"(?:nvidia[\s-]*)?(?:driver|驱动)(?:\s*version|版本)?\s*[:=]?\s*v?(\d{3}(?:\.\d{1,3}){0,2})")
_CUDA = compiled(
    r"(?P<max>max(?:imum)?\s*|host\s*|最高(?:支持)?\s*|up\s*to\s*|上限\s*|支持\s*)?cuda(?P<max2>_max(?:_good)?)?(?:\s*(?:version|版本|toolkit))?"
    r"\s*[:=<≤v]{0,2}\s*(?P<v>\d{1,2}\.\d)(?:\.\d{1,3})?",
)
_CU_TAG = compiled(r"(?<![a-z0-9])cu(\d{2})(\d)(?!\d)")
_TORCH = compiled(r"(?:py)?torch\s*(?:==|=|:|v)?\s*(\d\.\d{1,2}(?:\.\d{1,2})?)")
_IMAGE = compiled(r"镜像|image|container|template|docker|python\s*\d|pytorch|torch|tensorflow|ubuntu")
_HOST = compiled(r"(?<![a-z])(?:host|driver|max|宿主机?)(?![a-z])|最高|驱动")
_ARCH = compiled(r"(?<![a-z0-9])(aarch64|arm64|arm\b)")
_POWER = compiled(
    r"(?:tdp|power(?:\s*(?:limit|cap))?|功耗(?:墙|限制)?|限制?)?\s*[:=]?\s*(?<![\d.])(\d{2,4})\s?(?:w(?![a-z0-9])|瓦)"
)
_NO_LINK = compiled(r"(?:no|without|w/o|non)[\s-]*nv-?link|(?:无|不带|没有|不支持)\s*nv-?link|pcie\s*only")
_LINK = compiled(r"(?P<switch>nv-?switch|全互联)|nv-?link(?:\s*(?P<bridge>bridge|桥接?器?|桥))?")
_PCIE = compiled(
    r"pci-?e\s*(?:gen)?\s*[345](?:\.0)?(?:\s*x\s?\d{1,2})?|x\s?16\s*lanes?|(?:gen\s*[345]|pcie)\s*x\s?\d{1,2}\b"
)
_PCIE_RATE = compiled(r"pcie\s*[:=]?\s*(\d{1,3}(?:\.\d)?)\s?gb/s")
_FABRIC_NAME = r"infiniband|roce(?:\s?v2)?|efa(?:v\d)?|slingshot|ib(?:\s*组网|网络)?|ndr|hdr|rdma"
_FABRIC = compiled(
    rf"(?:(?:(?P<k>\d{{1,2}})\s?[x*]\s?)?(?P<n>\d{{1,4}}(?:\.\d)?)\s?(?P<u>t|g)(?:b/s|bps|bit/s|b)?\s*(?:的)?)?(?<![a-z])(?P<name>{_FABRIC_NAME})(?![a-z])"
    r"(?:\s*(?:网络|组网|network)?\s*(?:(?P<k2>\d{1,2})\s?[x*]\s?)?(?P<n2>\d{2,4}(?:\.\d)?)\s?(?P<u2>t|g)(?:b/s|bps|bit/s|b)?(?![a-z]))?",
)
_NET = compiled(
    r"(?P<down>(?:↓|下行|下载|down(?:load)?)\s?:?\s?)?(?P<n>\d{1,6}(?:\.\d{1,2})?)\s?(?P<u>g|m)(?:bps|bit/s|(?-i:b)/s|bits?/s)(?![a-z])|(?P<n2>\d{1,5})\s?(?P<u2>g|m)\s?(?:带宽|宽带|独享|共享带宽)"
    r"|带宽\s*[:=]?\s*(?P<n3>\d{1,5})\s?(?P<u3>g|m)",
)

_SPOT = compiled(r"(?<![a-z])(?:spot|interruptible|pre-?emptible|low[\s-]priority)(?![a-z])|抢占|竞价|可中断|可抢占")
_NOT_SPOT = compiled(r"(?:non?|not|never|without)[\s-]*(?:spot|interruptible|pre-?emptible)|非抢占|不可抢占|非竞价")
_LABELS_PRICE = compiled(r"^(?:价|价格|实例)?\s?[:=]?\s?[$¥￥€]?\d")  # "抢占 1.19": the price behind it, not the offer
_ON_DEMAND = compiled(r"on[\s-]?demand|按量(?:付费|计费)?|按需|pay[\s-]as[\s-]you[\s-]go|payg")
_RESERVED = compiled(
    r"(?<![a-z])(?:reserved|reservation|commit(?:ted|ment)?|savings?\s*plan|contract(?:ed)?|prepaid)(?![a-z])|包年|包月|长租|合约|预留",
)
_TERM = compiled(
    r"(?P<n>\d{1,3}|一|半|两|三)\s?-?\s?(?P<u>months?|mo\b|years?|yrs?|个月|年)\s*-?\s*(?:term|commit(?:ment)?|contract|reserved|reservation|min(?:imum)?|起租|起|合约|合同|预付|prepaid|lease)"
    r"|(?:min(?:imum)?(?:\s*(?:term|commitment|of))?|term(?:\s*of)?|起租|租期|合同期?|合约|签|commit(?:ment)?(?:\s*of)?|contract(?:\s*of)?|reserved?(?:\s*for)?)\s*[:=]?\s*(?P<n2>\d{1,3}|一|半|两|三)\s?-?\s?(?P<u2>months?|mo\b|years?|yrs?|个月|年)",
)
_TIER = compiled(
    r"(?<![a-z])(?:(?:secure|community)(?:\s*cloud)?|verified|unverified|dedicated|bare[\s-]?metal|data[\s-]?cent(?:er|re))(?![a-z])|裸金属|独享|容器(?:实例)?",
)
_REGION = compiled(
    r"(?<![a-z0-9])((?:us|eu|ap|ca|sa|me|af|cn|uk|il|asia|europe|australia|northamerica|southamerica)-(?:gov-)?(?:[a-z]+-?)+\d{1,2}[a-f]?"
    r"|cn-[a-z]{4,12}(?:-\d)?|(?:east|west|north|south|central)us\d?|westeurope|northeurope)(?![a-z0-9])",
)
_PER_SIZE = compiled(  # money for storage, traffic, RAM or vCPUs apart from the machine
    r"(?:(?P<label>egress|ingress|traffic|流量|storage|存储|volume|disk|硬盘|数据盘|ram|memory|内存|vcpu|cpu)\D{0,24}?)?"
    r"(?:[$¥￥€£]|usd\s?|rmb\s?)?\s?(?P<n>\d{0,6}(?:\.\d{1,8})?)\s?(?:元|usd|cny|rmb|€|eur|cents?|¢)?\s?(?:/|per|每|a)\s?(?P<u>gib|gb|g|tb|tib|vcpus?|cpu|core|核)(?![a-z])"
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
_REQUEST = compiled(
    r"面议|电议|私聊|联系(?:我|销售|客服)|询价|call\s*(?:us|for)|contact\s*(?:us|sales)|on\s*request|tbd|price\s*on\s*application|dm\s*for"
)
_UNITS = compiled(r"(?P<n>\d{1,5})\s*(?:compute\s*)?units?\s*(?:for|=|at)?\s*[$](?P<p>\d{1,4}(?:\.\d{1,2})?)")
_UNIT_RATE = compiled(
    r"(?P<n>\d{1,3}(?:\.\d{1,2})?)(?:\s?-\s?\d{1,3}(?:\.\d{1,2})?)?\s*(?:compute\s*)?(?:units?|cu)?\s*/\s*(?:h|hr|hour)(?![a-z])"
)
_MACHINES = compiled(r"(?<![\d.])(?P<n>\d{1,4})\s?(?:台|节点|nodes?\b|servers?\b|machines?\b)")
_PART_OF = r"(?:\s*(?:of\s*)?(?:an?|the|one)?\s*)"
_CARD_WORD = r"(?:卡|张|块|显卡|cards?|v?-?gpus?)"
_SHARE = compiled(
    # 1/4, 0.25 or 25 % of a card; read_share looks whether a card stands beside a bare fraction
    r"(?<![\d./$¥￥€])(?P<a>[123])/(?P<b>[2-8]|10|12|16|20|24)(?![\d.])(?:th)?"
    rf"|(?<![\d.,/$¥￥€])(?P<decimal>0?\.\d{{1,3}})(?=\s?(?:x\s|\*)?\s?{_CARD_WORD}(?![-\s]?h|/))"
    r"|(?<![\d.])(?P<percent>\d{1,2})\s?%"
    rf"(?=\s?of\s(?:an?|the|one)?\s?[a-z]{{0,6}}\s?\d|{_PART_OF}(?:{_CARD_WORD}(?!\s?(?:util|利用))|算力|显存))"
    rf"|(?P<half>(?<![a-z])half{_PART_OF}(?=[a-z]{{0,8}}\s?(?:{_CARD_WORD}|[a-z]{{0,3}}\d))|半{_CARD_WORD}|半个?(?:{_CARD_WORD})|二分之一)"
    rf"|(?P<third>(?<![a-z])(?:one\s)?third{_PART_OF}(?={_CARD_WORD}|[a-z]{{0,3}}\d)|三分之一)"
    rf"|(?P<quarter>(?<![a-z])(?:one\s|a\s)?quarter{_PART_OF}(?={_CARD_WORD}|[a-z]{{0,3}}\d)|四分之一)"
    rf"|(?P<eighth>(?<![a-z])(?:one\s|an\s)?eighth{_PART_OF}(?={_CARD_WORD}|[a-z]{{0,3}}\d)|八分之一)"
    r"|(?P<time>time[\s-]?slic\w*|time[\s-]?shar\w*|shared\s*(?:gpus?|cards?)|(?:gpus?|cards?)\s*(?:is\s|are\s)?(?:shared|sharing)"
    r"|分时|共享\s*(?:gpu|显卡|卡)|(?:gpu|显卡|显存|卡)\s*共享|\(\s*(?:共享|shared)\s*\)|多人共用)"
    r"|(?P<vgpu>v-?gpu|vcuda|[cq]gpu|hami|虚拟\s*gpu|虚拟显卡|(?:gpu|卡)?\s*(?:切分|切片|切割|分割|拆分)|(?<![a-z])(?:fractional|partial|partition(?:ed)?|slices?|sliced)(?![a-z])"
    r"|(?<=[a-z\d])-\d{1,3}[qcab](?![a-z0-9]))"
    r"|(?P<mig>(?<![a-z])mig(?![a-z]))"
)
_PARTS = {"half": "1/2", "third": "1/3", "quarter": "1/4", "eighth": "1/8"}
_WHOLE = compiled(
    r"(?:no|not|without|non-?)\s*(?:a\s*)?(?:mig|v-?gpu|slic\w*|shar\w*)(?![a-z])|mig\s*(?:mode\s*)?(?:disabled|off)|非\s?(?:mig|v-?gpu|切分|共享)"
    r"|不切分|未切分|无切分|(?:whole|full|entire|dedicated)\s*(?:card|gpu)s?(?![a-z])|整卡|整张|(?:独占|独享)\s?(?:整卡|显卡|gpu|一?卡)|直通|pass-?through"
)
_ONE_JOB = compiled(
    r"(?:ddp|data[\s-]?parallel|one\s*job|single\s*job|multi[\s-]?gpu|多卡(?:并行|训练)?|分布式|并行训练|一个任务)"
)
_RELIABILITY = compiled(r"reliab\w*\s*[:=]?\s*(\d{1,3}(?:\.\d{1,2})?)\s?%")
_CLAIM = compiled(
    r"(?P<w>(?:bert[\s-]?(?:large|base)?|resnet[\s-]?\d{2,3}|vit[\s-]?\w{1,4}|gpt-?2|llama[\s-]?\S{0,8}|yolo\S{0,4}|unet|stable[\s-]?diffusion|ssd300?|gnmt|transformer)[^,;.\n\d]{0,24})"
    r"[\s:~=]{0,4}(?P<n>\d{1,3}(?:,\d{3})+|\d{1,6}(?:\.\d)?)\s?(?P<k>k)?\s?(?:samples?|images?|imgs?|sequences?|seqs?|sentences?|张|条|样本|it)\s?(?:/\s?s(?:ec(?:ond)?)?|per\s*sec(?:ond)?|/秒|每秒)"
    r"|(?P<n2>\d{1,3}(?:,\d{3})+|\d{1,6}(?:\.\d)?)\s?(?P<k2>k)?\s?(?:samples?|images?|imgs?|sequences?|seqs?|sentences?|张|条|样本)\s?(?:/\s?s(?:ec(?:ond)?)?|per\s*sec(?:ond)?|/秒|每秒)"
    r"\s*(?:on|for|in|at|of)?\s*(?P<w2>(?:bert[\s-]?(?:large|base)?|resnet[\s-]?\d{2,3}|vit[\s-]?\w{1,4}|gpt-?2|yolo\S{0,4}|unet|ssd300?|gnmt)?)",
)


def read_claims(scan: Scan, facts: Facts) -> None:
    """Rates the text promises."""
    for match in scan.take(_CLAIM):
        rate = number_of(match["n"] or match["n2"]) * (1000 if match["k"] or match["k2"] else 1)
        facts.claims.append(Claim((match["w"] or match["w2"] or "").strip(" :~=-"), rate, match.group().strip()))


def _clause(text: str, match: re.Match[str]) -> str:
    """The words around a match up to the next comma or line end on either side."""
    start = max(text.rfind(mark, 0, match.start()) for mark in ",;|\n")
    ends = [place for mark in ",;|\n" if (place := text.find(mark, match.end())) >= 0]
    return text[start + 1 : min(ends, default=len(text))]


def read_software(scan: Scan, facts: Facts) -> None:
    """Driver, the CUDA the host allows, the CUDA and PyTorch of the image, the CPU architecture."""
    match = scan.first(_DRIVER)
    if match:
        facts.known["driver"] = match.group(1)
    match = scan.first(_TORCH)
    if match:
        facts.torch = match.group(1)
    for match in scan.take(_CUDA):
        if (
            match["max"]
            or match["max2"]
            or _HOST.search(_clause(scan.text, match))
            or not _IMAGE.search(_clause(scan.text, match))
        ):
            facts.known["cuda_max"] = match["v"]
        else:
            facts.image_cuda = match["v"]
    match = scan.first(_CU_TAG)
    if match:
        facts.image_cuda = f"{match.group(1)}.{match.group(2)}"
    match = scan.first(_ARCH)
    if match:
        facts.arch = "aarch64"


def read_links(scan: Scan, facts: Facts) -> None:
    """How the cards are joined, how the machines are, and the way in from outside."""
    match: re.Match[str] | None
    for match in scan.take(_PCIE_RATE):
        facts.known["host_to_gpu_gbyte_s"] = float(match.group(1))
    for _ in scan.take(_PCIE):
        pass
    if scan.first(_NO_LINK):
        facts.known["gpu_link"] = "pcie"
    else:
        links = list(_LINK.finditer(scan.text))  # the word may be part of the card's name as well
        if links:
            switched = any(link["switch"] for link in links)
            bridged = any(link["bridge"] for link in links)
            facts.known["gpu_link"] = "nvswitch" if switched else "nvlink-bridge" if bridged else "nvlink"
            for _ in scan.take(_LINK):
                pass
    for match in scan.take(_FABRIC):
        facts.fabric_named = True
        facts.known.setdefault("fabric", match["name"].upper().removesuffix("组网").removesuffix("网络").strip())
        size, unit = match["n"] or match["n2"], match["u"] or match["u2"]
        if size:
            rate = float(size) * float(match["k"] or match["k2"] or 1) * (1000 if unit.lower() == "t" else 1)
            facts.known["fabric_gbit_s"] = rate
    nets = list(scan.take(_NET))
    match = next((net for net in nets if net["down"]), nets[0] if nets else None)
    if match:
        size, unit = match["n"] or match["n2"] or match["n3"], match["u"] or match["u2"] or match["u3"]
        if float(size) > 0:
            facts.known["download_mbit_s"] = float(size) * (1000 if unit.lower() == "g" else 1)
    match = scan.first(_POWER)
    if match and 30 <= int(match.group(1)) <= 1500:
        facts.known["power_limit_w"] = float(match.group(1))


def read_terms(scan: Scan, facts: Facts) -> None:
    """How it is bought, for how long, what else is billed; words only, amounts of the rent itself are not touched."""
    match: re.Match[str] | None
    text = scan.text
    match = _STOP_BILLED.search(text)
    facts.stop_billed = match.group().strip() if match else None
    fee = scan.first(_SETUP_FEE)
    facts.setup_fee = fee.group().strip(" +") if fee else None
    _read_side_prices(scan, facts)
    _read_billing(scan, facts)
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
    deposit = scan.first(_DEPOSIT)
    facts.deposit = deposit.group().strip() if deposit else None
    facts.on_request = _REQUEST.search(text) is not None
    facts.one_job = _ONE_JOB.search(text) is not None


def _months(number: str, unit: str) -> Decimal:
    count = Decimal("0.5") if number == "半" else Decimal(count_of(number) or 1)
    return count * (12 if unit.lower()[0] in "y年" else 1)


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
        clause = _clause(scan.text, match)
        per = (match["per"] or "").lower()
        if re.search("egress|traffic|流量", around):
            facts.known["egress_per_gib"] = amount
        elif "ingress" in around:
            facts.known["ingress_per_gib"] = amount
        elif unit.startswith(("vcpu", "cpu", "core", "核")) or re.search("ram|memory|内存", around):
            names.append(match.group().strip())
        else:
            monthly = amount * (730 if per[:1] in ("h", "时", "小") else 30 if per[:1] in ("d", "天") else 1)
            key = "storage_stopped_per_gib_month" if _STOPPED.search(clause) else "storage_per_gib_month"
            facts.known.setdefault(key, monthly)
    facts.component_prices = tuple(names)


def _read_billing(scan: Scan, facts: Facts) -> None:
    match = scan.first(_MINIMUM)
    if match:
        facts.known["minimum_billed_s"] = int(match["n"] or match["n2"]) * _seconds(match["u"] or match["u2"])
    match = scan.first(_INCREMENT)
    if match:
        unit = match["u"] or match["zh"] or match["en"]
        facts.known["billing_increment_s"] = int((match["n"] or "1").strip(" -")) * _seconds(unit)


def _seconds(word: str) -> int:
    return next(seconds for start, seconds in _SECONDS if word.lower().startswith(start))


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


def units_price(scan: Scan) -> str | None:
    """Colab's way: so many units for so much money, and so many units an hour; given back as a price in words."""
    bought, used = _UNITS.search(scan.left), None
    if bought:
        used = _UNIT_RATE.search(scan.left)
    if not bought or not used:
        return None
    scan.blank(*bought.span())
    scan.blank(*used.span())
    hourly = Decimal(bought["p"]) / Decimal(bought["n"]) * Decimal(used["n"])
    return f"${hourly:.4f}/h"


def read_share(scan: Scan, facts: Facts) -> None:
    """Words that say a card is cut or shared: "1/4 A100", MIG, vGPU, time slicing; or that it is not."""
    if scan.first(_WHOLE):
        facts.share = "whole"
        return
    for match in list(_SHARE.finditer(scan.left)):
        kind = match.lastgroup or ""
        if kind == "b" and not (int(match["a"]) < int(match["b"]) and _of_a_card(scan, match)):
            continue
        part = _part(match, kind)
        if part is not None:
            facts.share_words = facts.share_words or part
            scan.blank(*match.span())
        facts.share = "timeslice" if kind == "time" else facts.share or ("mig" if kind == "mig" else "vgpu")


def _part(match: re.Match[str], kind: str) -> str | None:
    """The fraction a phrase names, as a profile; None: it names none."""
    if kind == "b":
        return f"{match['a']}/{match['b']}"
    if kind in _PARTS:
        return _PARTS[kind]
    if kind in ("decimal", "percent"):
        share = Fraction(match["decimal"] or f"0.{int(match['percent']):02d}").limit_denominator(24)
        return str(share) if 0 < share < 1 else None
    return None


def _of_a_card(scan: Scan, match: re.Match[str]) -> bool:
    """A fraction counts as a share when a card stands right beside it."""
    from gpurent.offer_text.cards import is_card

    if re.search(r"卡|card|gpu|张", match.group(), re.IGNORECASE):
        return True
    return is_card(scan.text[match.end() : match.end() + 24].lstrip(" *x:,")) or is_card(
        scan.text[max(0, match.start() - 24) : match.start()]
    )


def machines_of(scan: Scan) -> int | None:
    """How many whole machines are on offer ("32 台")."""
    match = scan.first(_MACHINES)
    return int(match["n"]) if match else None


_COMMON_WORDS = {
    "do", "prime", "together", "modal", "thunder", "latitude", "salad", "evergreen", "genesis", "massed", "google",
    "amazon", "microsoft", "oracle", "fal",
}  # fmt: skip
_CLOUDY = r"(?=\s*(?:cloud|gpu|labs|\.ai|\.com|api|compute|pods?|instances?|:|\())"


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
