"""What a machine prints about itself, pasted into a quote: nvidia-smi, lscpu, free, df. Read as facts, not as words."""

from __future__ import annotations

import re
from collections import Counter

from gpurent import tables
from gpurent.offer_text.facts import Facts
from gpurent.offer_text.hosts import GIB, Disk
from gpurent.offer_text.scan import Scan

_SAME_MEMORY = 0.05  # drivers report a little more or less of a slice's memory
_M = re.MULTILINE | re.IGNORECASE
_LIST = re.compile(r"^[ |>$]*GPU\s+(\d{1,2})\s*:\s*([^\n(]{3,80}?)\s*(?:\(UUID[^\n]*)?$", _M)
_MIG = re.compile(r"^[ |]*MIG\s+(\d(?:c\.\d)?g\.\d{1,3}gb(?:\+\w+)?)\s+Device\s+\d+\s*:[^\n]*$", _M)
_HEAD = re.compile(
    r"NVIDIA-SMI\s+[\d.]+\s+Driver Version\s*:\s*(\d{3}(?:\.\d{1,3}){0,2})\s+CUDA Version\s*:\s*(\d{1,2}\.\d)",
    re.IGNORECASE,
)
_ROW = re.compile(
    r"^\s*\|?\s*(?P<n>\d{1,2})\s+(?P<name>(?:NVIDIA|Tesla|GeForce|Quadro|GRID|A\d|H\d|RTX)[^\n|]{2,60}?)"
    r"\s+(?:On|Off|N/A)?\s*\|[^\n]*$",
    _M,
)
_USAGE = re.compile(
    r"^[^\n]*?(?P<now>\d{1,4})\s?W\s*/\s*(?P<cap>\d{2,4})\s?W[^\n]{0,20}?"
    r"(?P<used>\d{1,6})\s?MiB\s*/\s*(?P<all>\d{3,6})\s?MiB[^\n]*$",
    _M,
)
_MIG_MODE = re.compile(r"^\s*\|[^\n]*\|[^\n]*\|\s*(Enabled|Disabled)\s*\|\s*$", re.MULTILINE)
_MIG_ROW = re.compile(  # of the table "MIG devices": GPU, GI, CI, device | memory | SMs
    r"^\s*\|\s*\d{1,2}\s+\d{1,2}\s+\d{1,2}\s+\d{1,2}\s*\|\s*\d{1,6}MiB\s*/\s*(?P<mib>\d{3,6})MiB\s*\|\s*(?P<sms>\d{1,3})\s[^\n]*$",
    _M,
)
_FRAME = re.compile(
    r"^[ +|=-]{8,}$"
    r"|^\s*\|?\s*(?:GPU\s+Name|Fan\s+Temp|Processes|No running processes|GPU\s+GI\s+CI|ID\s+ID)[^\n]*$"
    r"|^[^\n]*MIG M\.[^\n]*$",
    _M,
)
_LSCPU_KEYS = (
    r"Architecture|CPU op-mode\(s\)|CPU\(s\)|On-line CPU\(s\) list|Thread\(s\) per core"
    r"|Core\(s\) per (?:socket|cluster)"
    r"|Socket\(s\)|NUMA node\(s\)|Vendor ID|Model name|CPU(?: max| min)? MHz|BogoMIPS|L[123][di]? cache"
    r"|NUMA node\d+ CPU\(s\)|Byte Order|CPU family|Model|Stepping|型号名称|架构|每个核的线程数|每个座的核数|座"
)
_LSCPU = re.compile(rf"^\s*(?P<key>{_LSCPU_KEYS})\s*:\s*(?P<value>[^\n]{{1,120}})$", _M)
_CPUINFO = re.compile(r"^\s*model name\s*:\s*([^\n]{4,80})$", _M)
_FREE = re.compile(
    r"^\s*Mem\s*:\s+(?P<n>\d{1,9}(?:\.\d)?)\s?(?P<u>Ti|Gi|Mi|Ki|T|G|M|K|B)?B?(?:\s+[\d.]+\s?\w{0,2}){2,5}\s*$", _M
)
_FREE_HEAD = re.compile(r"^\s*total\s+used\s+free[^\n]*$|^\s*Swap\s*:[^\n]*$", _M)
_DF_HEAD = re.compile(r"^\s*(?:Filesystem|文件系统)[^\n]*(?:Mounted on|挂载点)\s*$", _M)
_DF = re.compile(
    r"^\s*(?P<fs>\S{2,120})\s+(?:(?P<type>[a-z0-9.]{2,12})\s+)?(?P<size>\d{1,6}(?:\.\d)?)(?P<u>[KMGTP])i?\s+"
    r"(?P<used>[\d.]+[KMGTP]?i?)\s+(?P<avail>\d{1,6}(?:\.\d)?)(?P<au>[KMGTP]?)i?\s+\d{1,3}%\s+(?P<on>/\S{0,80})\s*$",
    _M,
)
_NO_DISK = re.compile(r"tmpfs|udev|devtmpfs|shm|none|cgroup")
_NOT_FOR_DATA = ("/dev", "/proc", "/sys", "/run", "/etc", "/boot")
_REMOTE = re.compile(r"[\w.-]+:/|//|.*(?:nfs|ceph|lustre|gpfs|fuse)")
_QUOTA = re.compile(r"^\s*(?P<q>\d{4,8})\s+(?P<p>100000)\s*$", _M)
_TOPO = re.compile(r"^\s*GPU\d\s+(?P<cells>(?:(?:X|NV\d{1,2}|SYS|NODE|PHB|PXB|PIX)\s+){1,16})[^\n]*$", _M)


def read_pasted(scan: Scan, facts: Facts) -> None:
    """Take every block a known command printed; what it says beats what the words around it say."""
    _nvidia_list(scan, facts)
    _nvidia_table(scan, facts)
    _topology(scan, facts)
    _lscpu(scan, facts)
    _memory(scan, facts)
    _disks(scan, facts)


def _nvidia_list(scan: Scan, facts: Facts) -> None:
    profiles = [match.group(1).lower() for match in scan.take(_MIG)]
    names = [match.group(2).strip() for match in scan.take(_LIST)]
    if not names:
        return
    facts.smi_cards = tuple(names)
    if profiles:
        facts.mig_enabled = True
        facts.profile = Counter(profiles).most_common(1)[0][0]
        facts.count = len(profiles)
        facts.count_words = f"{len(profiles)} x MIG {facts.profile}"


def _nvidia_table(scan: Scan, facts: Facts) -> None:
    head = scan.first(_HEAD)
    if head:
        facts.known["driver"], facts.known["cuda_max"] = head.group(1), head.group(2)
    names = [re.sub(r"\s+(?:On|Off|N/A)$", "", match["name"]).strip() for match in scan.take(_ROW)]
    usage = list(scan.take(_USAGE))
    if names and not facts.smi_cards:
        facts.smi_cards = tuple(names)
    if usage:
        facts.smi_memory_mib = min(float(match["all"]) for match in usage)
        facts.smi_power_w = min(float(match["cap"]) for match in usage)
    _mig_rows(scan, facts)
    if head or names:
        modes = {match.group(1) for match in scan.take(_MIG_MODE)}
        if modes:
            facts.mig_enabled = "Enabled" in modes or facts.mig_enabled
        for _ in scan.take(_FRAME):
            pass


def _mig_rows(scan: Scan, facts: Facts) -> None:
    """The slices of nvidia-smi's table: how many, their memory, and the profile that has it with so many SMs."""
    rows = list(scan.take(_MIG_ROW))
    if not rows or facts.profile:
        return
    facts.mig_enabled = True
    facts.count, facts.count_words = len(rows), f"{len(rows)} x MIG"
    first = rows[0]
    facts.smi_memory_mib = float(first["mib"])
    facts.smi_power_w = None
    for row in tables.rows("slices"):
        if row["share"] != "mig" or row["sm_count"] != first["sms"] or not row["memory_mib"]:
            continue
        if abs(float(row["memory_mib"]) / float(first["mib"]) - 1) < _SAME_MEMORY:
            facts.profile = row["profile"]
            return


def _topology(scan: Scan, facts: Facts) -> None:
    rows = [match["cells"].split() for match in scan.take(_TOPO)]
    if len(rows) < 2:
        return
    cells = [cell for row in rows for cell in row if cell != "X"]
    linked = [cell for cell in cells if cell.startswith("NV")]
    if not linked:
        facts.known["gpu_link"] = "pcie"
    else:
        facts.known["gpu_link"] = "nvswitch" if len(linked) == len(cells) and len(rows) > 4 else "nvlink"


def _lscpu(scan: Scan, facts: Facts) -> None:
    found = {match["key"].lower(): match["value"].strip() for match in scan.take(_LSCPU)}
    threads = found.get("cpu(s)")
    if threads and threads.isdigit():
        facts.known["vcpus"] = float(threads)
    per_core = found.get("thread(s) per core") or found.get("每个核的线程数")
    if per_core and per_core in "1248":
        facts.known["threads_per_core"] = int(per_core)
    model = found.get("model name") or found.get("型号名称")
    if model is None:
        match = scan.first(_CPUINFO)
        model = match.group(1).strip() if match else None
    if model:
        facts.known["cpu_model"] = model
    if (found.get("architecture") or found.get("架构") or "").lower() in ("aarch64", "arm64"):
        facts.arch = "aarch64"
    quota = (
        scan.first(_QUOTA) if found or facts.smi_cards else None
    )  # cgroup cpu.max: what the container may really use
    if quota:
        facts.known["vcpus"] = int(quota["q"]) / int(quota["p"])


def _memory(scan: Scan, facts: Facts) -> None:
    match = scan.first(_FREE)
    if match:
        unit = (match["u"] or "K").upper().rstrip("I")
        scale = {"B": 1 / 1024**3}.get(unit, GIB.get(unit.lower(), 1.0))
        facts.known["ram_gib"] = float(match["n"]) * scale
        for _ in scan.take(_FREE_HEAD):
            pass


def _disks(scan: Scan, facts: Facts) -> None:
    if not scan.first(_DF_HEAD):
        return
    for match in scan.take(_DF):
        device, mount = match["fs"].lower(), match["on"]
        if re.match(r"tmpfs|udev|devtmpfs|shm|none|cgroup", device) or mount.startswith(
            ("/dev", "/proc", "/sys", "/run", "/etc", "/boot")
        ):
            continue
        kind = None
        if re.match(r"/dev/nvme", device):
            kind = "local-nvme"
        elif _REMOTE.match(f"{device} {match['type'] or ''}"):
            kind = "network-fs"
        scale = {"P": 1024.0**2, "T": 1024.0, "G": 1.0, "M": 1 / 1024, "K": 1 / 1024**2, "": 1.0}
        size = float(match["avail"]) * scale[match["au"].upper() if match["au"] else match["u"].upper()]
        facts.host.disks.append(Disk(kind, size, "root" if mount == "/" else "data"))


def is_pasted(text: str) -> bool:
    """Whether a piece of a paste is nothing but what such commands print."""
    scan = Scan(text)
    read_pasted(scan, Facts(text, "en"))
    left = re.sub(r"[\x00\s|+=>$#-]", "", scan.left)
    return len(left) < 0.25 * len(re.sub(r"[\s|+=>$#-]", "", text) or "x")
