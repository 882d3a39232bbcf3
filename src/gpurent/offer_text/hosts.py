"""The host in somebody's words: processors, memory, disks, network, software."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gpurent.offer_text.scan import COUNT, Scan, compiled, count_of

GIB = {"t": 1024.0, "tb": 1024.0, "tib": 1024.0, "g": 1.0, "gb": 1.0, "gib": 1.0, "m": 1 / 1024, "mb": 1 / 1024,
       "mib": 1 / 1024, "k": 1 / 1024**2, "kb": 1 / 1024**2, "kib": 1 / 1024**2}  # fmt: skip
FASTEST_DISK_MBYTE_S = 60_000.0
_NUMBER = r"(?<![\d.,])\d{1,6}(?:,\d{3})*(?:\.\d{1,3})?"
_SIZE = rf"(?P<n>{_NUMBER})\s?(?P<u>tib|tb|gib|gb|mib|mb|t|g)(?![a-z/])(?!\s?/\s?s(?![a-z]))"

_GHZ = r"(?:\s*(?:CPU)?\s*@?\s*\(?\d(?:\.\d{1,2})?\s*GHz\)?)"
_CPU = compiled(
    r"(?:(?<![a-z0-9.])(?P<sockets>[1248])\s?[x*]\s?|(?<![a-z0-9.]))(?P<cpu>"
    r"(?:intel(?:\(r\))?\s*)?(?:xeon|至强)(?:\(r\))?(?:\s*(?:platinum|gold|silver|bronze|max))?\s*(?:w-|e[357]-|w)?\s?\d{3,4}[a-z+]{0,3}\d?(?:\s*v\d)?"
    r"|(?:intel(?:\(r\))?\s*)?(?:xeon(?:\(r\))?\s*)?(?:platinum|gold|silver|bronze|铂金|金牌|银牌)\s*\d{4}[a-z+]{0,3}"
    r"|(?:intel(?:\(r\))?\s*)?(?:xeon(?:\(r\))?\s*)?e[57]-?\d{4}[a-z]?(?:\s*v\d)?"
    r"|(?:amd\s*)?epyc(?:\(tm\))?\s*(?:milan-?x?|genoa|rome|turin-?d?|naples|bergamo|\d[a-z0-9]{2,4})(?:\s*\d{1,3}-core(?:\s*processor)?)?"
    r"|(?:amd\s*)?(?:ryzen\s*)?threadripper(?:\s*pro)?\s*\d{4}[a-z]{0,2}(?:\s*\d{1,3}-cores?)?"
    r"|(?:amd\s*)?ryzen\s*(?:pro\s*)?(?:[3579]\s*)?(?:pro\s*)?\d{4}[a-z]{0,2}(?:3d)?(?:\s*\d{1,2}-core(?:\s*processor)?)?"
    r"|(?:intel(?:\(r\))?\s*)?(?:core(?:\(tm\))?\s*)?(?:i[3579]|ultra\s*[579])[\s-]?\d{3,5}[a-z]{0,3}"
    r"|(?:双路|单路|四路|2路|dual(?:\s*socket)?)\s*(?:(?:intel|amd|xeon|epyc|至强)\s*)?(?!(?:20[678]0|30[5-9]0|40[5-9]0|50[5-9]0)(?!\d|[a-su-z]))\d{4}[a-z]{0,2}"
    r"|(?(sockets)(?:8[1-5]|6[1-5]|7[2-7]|9[2-6]|4[35])\d[\df][a-z+]{0,2}(?!\s?(?:ada|[gt]b?(?![a-z])))|(?!))"
    r"|(?:intel|amd)\s*[4-9]\d[\df][\da-z][a-z+]{0,2}"
    r"|(?:aws\s*)?graviton\s?\d|nvidia\s*grace|grace\s*cpu|ampere\s*altra(?:\s*max)?|neoverse[\s-]?[nv]\d"
    r"|(?:鲲鹏|kunpeng)\s*-?\d{3}|(?:海光|hygon)\s*(?:c86\s*)?\d{4}|(?:飞腾|phytium)\s*\S{2,8}"
    r"|(?:[357]9\d0|59\d5|39\d0|79\d5)w?x(?:3d)?\b|1[0-4]\d00kf?s?\b|8[1-6]\d{2}[a-z]\+?(?=[\s,;/)@]|$)"
    rf")(?![a-z0-9]){_GHZ}?(?:\s*(?:processor|处理器|cpu))?{_GHZ}?(?P<twin>\s?[x*]\s?2(?![\d.]))?",
)
_CPU_GHZ = compiled(r"(?<![\d.])\d(?:\.\d{1,2})?\s*GHz")
_CPU_LABEL = compiled(r"(?:cpu|处理器)(?:\s*model|型号|\s*name)?\s*[:=]\s*(?P<cpu>[A-Za-z][\w()+ -]{3,40}?\d\w*)")

_THREADS = compiled(
    r"(?:(?<![\d.a-z])(?P<sockets>2)\s?[x*]\s?)?(?<![\d.])(?P<a>\d{1,4}(?:\.\d{1,2})?)\s?(?:(?<=\d)/(?P<total>\d{1,4}(?:\.\d)?)\s?)?-?\s?"
    r"(?P<unit>v-?cpus?|vcores?|v核|虚拟核心?|逻辑核心?|线程|threads?|ocpus?|pcpus?|物理核心?|physical\s+cores?|cores?|核心|核|cpus?)(?:\s?(?:cpu|处理器))?(?![a-z])(?:\s?[x*]\s?(?P<twice>[248])(?![\d.g]))?|"
    r"(?<![a-z])(?P<label>v-?cpus?|cpu\s*(?:核心?数?|cores?|count)|cpus?|核心?数|cores|threads)\s{0,2}[:=]?\s{0,2}(?P<b>\d{1,4}(?:\.\d{1,2})?)"
    r"(?:/(?P<total2>\d{1,4}(?:\.\d)?))?(?:\s?(?P<unit2>v-?cpus?|核心?|cores?|线程|c\b|vc\b)(?:\s?[x*]\s?(?P<twice2>[248])(?![\d.g]))?)?(?!\.?\d|\s?(?:ghz|gb?\b|x\s|\*))",
)
_CORES_THREADS = compiled(
    r"(?<![\d.])(?P<c>\d{1,3})\s?(?:c|核|cores?)\s?[/,]?\s?(?P<t>\d{1,3})\s?(?:t|线程|threads?)(?![a-z0-9])"
)
_PAIR = compiled(
    rf"(?:(?<![\d.a-z])(?P<sockets>2)\s?[x*]\s?)?(?<![\d.a-z])(?P<c>\d{{1,4}})\s?(?:c|核|vcpus?|cores?|v)\s?[,/+|*-]?\s?(?P<n>{_NUMBER})\s?(?P<u>gib|gb|g|tb)(?![a-z/])"
    r"(?!\s?(?:ssd|nvme|hdd|disk|硬盘|系统盘|数据盘|storage|volume|显存|vram))"
    r"(?:\s?(?:ddr\d\s?)?(?:ram|内存|memory)(?![a-z]))?",
)
_RAM = compiled(
    rf"(?:(?<![a-z])(?:ram|host[_\s]?mem(?:ory)?|system\s+memory|memory|mem|内存|主存|运存)(?:\s?\(gi?b\))?\s{{0,3}}[:=]?\s{{0,3}}(?:ddr\d(?:-\d{{4}})?\s*)?"
    rf"(?:(?P<low>\d{{1,5}}(?:\.\d)?)(?:\s?[/-]\s?|\s?(?:g|gb)[/-]))?(?:(?P<k>\d{{1,2}})\s?[x*]\s?)?{_SIZE})"
    rf"|(?:(?:(?P<k2>\d{{1,2}})\s?[x*]\s?)?(?P<n2>{_NUMBER})\s?(?P<u2>tib|tb|gib|gb|t|g)\s?(?:of\s+)?(?:(?:ddr\d(?:-\d{{4}})?|ecc|reg|rdimm|host|system|sys)\s*){{0,3}}"
    r"(?:ram|内存|memory|mem|运存|ddr\d(?:-\d{4})?)(?![a-z]))|"
    rf"(?:ddr\d(?:-\d{{4}})?\s{{0,2}}(?:ecc\s*)?(?P<n3>{_NUMBER})\s?(?P<u3>tb|gb|t|g)(?![a-z/]))",
)
_SAYS_MEMORY = compiled(r"(?<![a-z])mem(?:ory)?(?![a-z])(?!\s?\()")  # not RAM, not 内存
_LIMIT = r"(?:限制|限额|配额|上限|额度|quota|limit(?:ed)?|cap(?:ped)?)(?:\s?(?:为|是|在|到|至|of|to|at|is)(?![a-z]))?"
_VRAM = compiled(
    rf"(?:(?:gpu[\s_-]*(?:ram|mem(?:ory)?)|v-?ram|显存(?:大小)?|device_mem)(?:\s?{_LIMIT})?(?:\s?\(gi?b\))?\s{{0,3}}[:=]?\s{{0,3}}{_SIZE})"
    rf"|(?:(?P<n2>{_NUMBER})\s?(?P<u2>gib|gb|g|mib|mb)\s?(?:of\s+)?(?:gpu\s*(?:ram|mem(?:ory)?)|v-?ram|显存|slice|hbm\d?e?|gddr\dx?|gpus?(?![a-z])))",
)

_KINDS = (
    (
        "network-fs",
        r"nfs|nas|cephfs|lustre|gpfs|beegfs|weka|vast\s*data|autodl-fs|efs|filestore"
        r"|共享存储|共享文件|文件存储|网盘|并行存储",
    ),
    ("object", r"s3|oss|对象存储|object\s*storage|obs|cos\b|gcs"),
    (
        "network-ssd",
        r"network\s*(?:volume|disk|storage|ssd|nvme)|essd|ebs|gp[23]|persistent\s*disk|hyperdisk"
        r"|block\s*(?:storage|volume)|pd-ssd|premium\s*ssd|云硬盘|云盘|网络盘|远程盘|高效云盘",
    ),
    ("network-hdd", r"hdd|spinning|sata\s*hdd|pd-standard|机械盘|机械"),
    ("local-nvme", r"nvme|m\.?2|u\.?2|pcie\s*\d?\s*(?:gen\s*\d\s*)?ssd"),
    ("local-ssd", r"ssd|固态|local\s*disk|本地盘|sata"),
)
_KIND = "|".join(f"(?:{words})" for _, words in _KINDS)
_KIND_PATTERNS = tuple((kind, compiled(rf"(?<![a-z])(?:{words})")) for kind, words in _KINDS)
_ROLE = (
    r"(?:系统|数据)盘?(?!盘)|container(?:\s*disk)?|vol(?:ume)?(?![a-z])(?:\s*/\S{1,24})?|root|boot|os\s*disk|data\s*disk"
    r"|temp(?:orary)?(?:\s*disk)?|scratch|硬盘|磁盘|disk|storage|存储|本地存储|local\s*storage|ephemeral"
)
_MORE = r"(?:免费|free|local|本地|total|共|各|each|persistent|高速|快速|企业级|enterprise|raid\s?\d?|每块|随机|usable)"
_DISK = compiled(
    rf"(?:(?<![a-z])(?P<role>{_ROLE})(?P<kind0>\s{{0,2}}(?:{_KIND}))?(?:\s?\(gi?b\))?[\s:=(]{{0,4}}(?:{_MORE}[\s:]{{0,3}})?)?"
    rf"(?:(?P<kind1>{_KIND})[\s:=]{{0,3}})?(?:(?P<k>{COUNT})\s?(?:[x*]|块)\s?)?(?P<n>{_NUMBER})\s?(?P<u>tib|tb|gib|gb|t|g)(?![a-z])(?!\s?/\s?s(?![a-z]))"
    rf"(?:[\s_-]{{0,2}}(?:{_MORE}\s{{0,2}})?(?P<kind2>(?:{_KIND})(?:\s{{0,2}}(?:{_KIND})){{0,2}}))?(?:\s{{0,2}}(?:{_MORE}\s{{0,2}})?(?P<role2>{_ROLE})(?!\s{{0,2}}[:=]?\s{{0,2}}(?:免费|\d)))?"
    r"(?:\s?[x*]\s?(?P<k2>\d{1,2})(?!\d|\s?g))?",
)
_SPEED = compiled(
    rf"(?:(?P<kind1>{_KIND})[\s:=]{{0,3}})?"
    r"(?:(?:read|读取?|顺序读|sequential\s*read|disk|磁盘|up to|最高)[\s:=]{0,3})?"
    rf"(?P<n>{_NUMBER})\s?(?P<u>gb|mb|gib|mib|g|m)(?:/s|ps(?!\w)|ytes/s)(?:\s?(?P<kind2>{_KIND}))?",
)
_LINK_BEFORE = compiled(r"(?:pci-?e|p2p|nvlink|h2d|d2h|显存带宽|memory\s*bandwidth|hbm\d?e?)[^;|\n]{0,16}\Z")
_KIND_ALONE = compiled(rf"(?<![a-z0-9])(?:{_KIND})(?![a-z0-9])")
_DISK_BARE = compiled(r"(?P<role>系统盘|数据盘)\s{0,2}:?\s{0,2}(?P<n>\d{1,5})(?!\s?[gt\d.])")  # 数据盘50: in GB
_IOPS = compiled(rf"(?P<n>{_NUMBER})\s?(?P<k>k|万)?\s?iops|iops\s?[:=]?\s?(?P<n2>{_NUMBER})\s?(?P<k2>k|万)?")


@dataclass(frozen=True)
class Disk:
    """One disk of a text: which kind, how large (GiB), what it is for."""

    kind: str | None
    gib: float | None
    role: str = ""


@dataclass
class HostFacts:
    """What a text says about the host. None: it does not say."""

    cpu_model: str | None = None
    vcpus: float | None = None
    vcpus_total: float | None = None
    vcpu_unit: str | None = None  # vcpu, core, physical, thread, ocpu
    threads_per_core: int | None = None
    vcpus_per_gpu: bool = False
    ram_gib: float | None = None
    ram_high_gib: float | None = None  # "62/72GB": the larger of two
    ram_per_gpu: bool = False
    vram_gib: float | None = None
    disks: list[Disk] = field(default_factory=list)
    disk_read_mbyte_s: float | None = None
    disk_iops: float | None = None
    disk_kind: str | None = None  # a kind named without a size


def number_of(text: str) -> float:
    """A plain number with thousands commas."""
    return float(text.replace(",", ""))


def kind_of(words: str | None) -> str | None:
    """The disk class of a word for it."""
    if not words:
        return None
    for kind, pattern in _KIND_PATTERNS:
        if pattern.search(words):
            return kind
    return None


_BARE_NUMBER = compiled(
    r"^(?:(?:双路|单路|四路|2路|dual(?:\s*socket)?)\s*)?(?:(?:intel|amd|xeon|epyc|至强)\s*)?(?P<n>(?P<d>\d)\d{2}[\df][a-z+]{0,2})\Z"
)
_RYZEN_NUMBER = compiled(r"^[3579]9[05]0x(?:3d)?\Z")
_SERIES = {"8": "Xeon Platinum", "6": "Xeon Gold", "5": "Xeon Gold", "4": "Xeon Silver", "7": "EPYC", "9": "EPYC"}


def _full_name(cpu: str, written: str) -> str:
    """A processor's name; of "双路8358" the series is known by the first digit of the number."""
    bare = _BARE_NUMBER.match(cpu)
    if _RYZEN_NUMBER.match(cpu):
        return f"Ryzen 9 {cpu}"
    if bare and bare["d"] in _SERIES:
        return f"{_SERIES[bare['d']]} {bare['n']}"
    return " ".join(written[written.index(cpu[:3]) :].split())


def read_cpu_model(scan: Scan, facts: HostFacts) -> None:
    """The processor's name as it is written; its clock is taken with it."""
    match = scan.first(_CPU)
    if match:
        facts.cpu_model = _full_name(" ".join(match["cpu"].split()), match.group().removesuffix(match["twin"] or ""))
    else:
        label = scan.first(_CPU_LABEL)
        facts.cpu_model = " ".join(label["cpu"].split()) if label else None
    for _ in scan.take(_CPU_GHZ):
        pass


_UNITS = (
    ("vcpu", r"v-?cpu|vcore|v核|虚拟|逻辑"),
    ("ocpu", r"ocpu"),
    ("thread", r"线程|thread"),
    ("physical", r"物理|physical|pcpu"),
    ("core", r"."),
)


def _unit_of(words: str) -> str:
    return next(unit for unit, pattern in _UNITS if re.match(pattern, words, re.IGNORECASE))


_PER_GPU = compiled(  # "16 核/卡", but not "16 线程 每卡每月 454 元"
    r"^\s{0,2}(?:/|per|每)\s{0,2}(?:gpu|card|卡|张)(?!\s?(?:每|/|per)\s?(?:个?月|天|日|小?时|周|年|h|d|mo|w|y)|\s?[￥¥$€\d])"
)


def read_sizes(scan: Scan, facts: HostFacts, of_card: frozenset[int] = frozenset()) -> None:
    """Card memory, vCPUs, RAM: each where its word stands beside the number.

    Args:
        scan: the text.
        facts: what is filled.
        of_card: memory sizes (GB) cards of the named kind have; "memory: 80GB" of an A100 is the card's.
    """
    match = scan.first(_VRAM)
    if match:
        facts.vram_gib = number_of(match["n"] or match["n2"]) * GIB[(match["u"] or match["u2"]).lower()]
    both = _CORES_THREADS.search(scan.left)
    if both and int(both["t"]) >= int(both["c"]):
        scan.blank(*both.span())
        facts.vcpus, facts.vcpu_unit = float(both["t"]), "thread"
        facts.threads_per_core = int(both["t"]) // int(both["c"])
    else:
        both = None
    pair = None if both else scan.first(_PAIR)
    if pair:
        facts.vcpus, facts.vcpu_unit = float(pair["c"]) * int(pair["sockets"] or 1), "core"
        facts.ram_gib = number_of(pair["n"]) * GIB[pair["u"].lower()]
        if "vcpu" in pair.group().lower():
            facts.vcpu_unit = "vcpu"
    ram = None if facts.ram_gib else _take_ram(scan, facts, of_card)
    if ram:
        size = _size_of(ram)
        facts.ram_gib = size * float(ram["k"] or ram["k2"] or 1)
        if ram["low"]:
            facts.ram_gib, facts.ram_high_gib = sorted((float(ram["low"]), size))
        facts.ram_per_gpu = bool(_PER_GPU.match(scan.text[ram.end() : ram.end() + 12]))
    threads = None if facts.vcpus else scan.first(_THREADS)
    if threads:
        facts.vcpus = float(threads["a"] or threads["b"]) * int(
            threads["twice"] or threads["twice2"] or threads["sockets"] or 1
        )
        total = threads["total"] or threads["total2"]
        facts.vcpus_total = float(total) if total else None
        facts.vcpu_unit = _unit_of(threads["unit"] or threads["unit2"] or threads["label"])
        facts.vcpus_per_gpu = bool(_PER_GPU.match(scan.text[threads.end() : threads.end() + 12]))


def _size_of(ram: re.Match[str]) -> float:
    return number_of(ram["n"] or ram["n2"] or ram["n3"]) * GIB[(ram["u"] or ram["u2"] or ram["u3"]).lower()]


def _take_ram(scan: Scan, facts: HostFacts, of_card: frozenset[int]) -> re.Match[str] | None:
    """The match that is the RAM. Of two sizes the one under "memory" that such a card has is the card's."""
    first = scan.first(_RAM)
    card_s = first and facts.vram_gib is None and _size_of(first) in of_card and _SAYS_MEMORY.search(first.group())
    second = scan.first(_RAM) if card_s else None
    if first and second:
        facts.vram_gib = _size_of(first)
    return second or first


def read_disks(scan: Scan, facts: HostFacts) -> None:
    """Disks and their speed."""
    match: re.Match[str] | None
    rates: list[tuple[bool, float]] = []
    for match in scan.take(_SPEED):
        scale = 1000.0 if match["u"].lower().startswith("g") else 1.0
        rate = number_of(match["n"]) * scale
        kind = kind_of(match["kind1"]) or kind_of(match["kind2"])
        facts.disk_kind = facts.disk_kind or kind
        before = scan.text[max(0, match.start() - 24) : match.start()]
        if rate > FASTEST_DISK_MBYTE_S or (not match["kind1"] and _LINK_BEFORE.search(before)):
            continue  # a card's memory or a PCIe link
        rates.append((kind is not None, rate))
    facts.disk_read_mbyte_s = max(rates)[1] if rates else None
    match = scan.first(_IOPS)
    if match:
        scale = {"k": 1e3, "万": 1e4}.get((match["k"] or match["k2"] or "").lower(), 1.0)
        facts.disk_iops = number_of(match["n"] or match["n2"]) * scale
    for match in list(_DISK.finditer(scan.left)):
        words = " ".join(match[name] or "" for name in ("kind0", "kind1", "kind2", "role", "role2"))
        count = count_of(match["k"] or "") or int(match["k2"] or 1)
        size = number_of(match["n"]) * GIB[match["u"].lower()] * count
        role = (match["role"] or match["role2"] or "").lower()
        if words.strip() and size > 0:  # a bare size is left for who knows what it is
            scan.blank(*match.span())
            facts.disks.append(Disk(kind_of(words), size, role))
    for match in scan.take(_DISK_BARE):
        facts.disks.append(Disk(None, float(match["n"]), match["role"]))
    if facts.disk_kind is None:
        alone = scan.first(_KIND_ALONE)
        facts.disk_kind = kind_of(alone.group()) if alone else None


# Slowest first; an unknown kind may be the slowest.
_SPEED_ORDER = (None, "object", "network-hdd", "network-fs", "network-ssd", "local-ssd", "local-nvme")


def chosen_disk(facts: HostFacts) -> tuple[str | None, float | None]:
    """Class and size (GiB) of the disk a data set would lie on: data before system, faster before larger."""
    system = re.compile("系统|root|boot|os|container")
    data = [disk for disk in facts.disks if disk.gib and not system.match(disk.role)] or [
        d for d in facts.disks if d.gib
    ]
    if not data:
        return facts.disk_kind, None
    best = max(data, key=lambda disk: (_SPEED_ORDER.index(disk.kind), disk.gib or 0.0))
    return best.kind or facts.disk_kind, best.gib
