"""How cards and machines are joined, and the way in from outside."""

from __future__ import annotations

import re

from gpurent.offer_text.facts import Facts
from gpurent.offer_text.scan import Scan, compiled

_POWER = compiled(
    r"(?:tdp|power(?:\s*(?:limit|cap))?|功耗(?:墙|限制)?|限制?)?\s*[:=]?\s*(?<![\d.])(\d{2,4})\s?(?:w(?![a-z0-9])|瓦)"
)
_NO_LINK = compiled(r"(?:no|without|w/o|non)[\s-]*nv-?link|(?:无|不带|没有|不支持)\s*nv-?link|pcie\s*only")
_LINK = compiled(r"(?P<switch>nv-?switch|全互联)|nv-?link(?:\s*(?P<bridge>bridge|桥接?器?|桥))?")
_PCIE = compiled(
    r"pci-?e\s*(?:gen)?\s*[345](?:\.0)?(?:\s*x\s?\d{1,2})?|x\s?16\s*lanes?|(?:gen\s*[345]|pcie)\s*x\s?\d{1,2}\b"
)
_PCIE_RATE = compiled(r"pcie\s*[:=]?\s*(?:[345](?:\.0)?[, ]{1,2}\d{1,2}x\s)?(\d{1,3}(?:\.\d)?)\s?gb/s")
_FABRIC_NAME = (
    r"infiniband|roce(?:\s?v2)?|efa(?:v\d)?|slingshot|ib(?:\s*组网|网络)?|ndr|hdr|rdma|(?:cx|connect-?x)[\s-]?[5678]"
)
_FABRIC = compiled(
    rf"(?:(?:(?P<k>\d{{1,2}})\s?[x*]\s?)?(?P<n>\d{{1,4}}(?:\.\d)?)\s?(?P<u>t|g)(?:b/s|bps|bit/s|b)?\s*(?:的)?)?(?<![a-z])(?P<name>{_FABRIC_NAME})(?![a-z])"
    r"(?:\s*(?:网络|组网|network)?\s*(?:(?P<k2>\d{1,2})\s?[x*]\s?)?(?P<n2>\d{1,4}(?:\.\d)?)\s?(?P<u2>t|g)(?:b/s|bps|bit/s|b)?(?![a-z]|\s?(?:内存|主存|ram|ddr|memory|ssd|nvme|硬盘|数据盘)(?!\s?[:=]?\s?\d)))?",
)
_NET = compiled(
    r"(?P<down>(?:↓|下行|下载|down(?:load)?)\s?:?\s?)?(?P<n>\d{1,6}(?:\.\d{1,2})?)\s?(?P<u>g|m)(?:bps|bit/s|(?-i:b)/s|bits?/s)(?![a-z])|(?P<n2>\d{1,5})\s?(?P<u2>g|m)\s?(?:带宽|宽带|独享|共享带宽)"
    r"|带宽\s*[:=]?\s*(?P<n3>\d{1,5})\s?(?P<u3>g|m)",
)


_DATA = r"\d{1,6}(?:\.\d{1,2})?\s?[tgp]i?b?"  # "500T", "10 TB"
_TRAFFIC = compiled(  # how much may be sent: no memory and no disk
    rf"(?:每?月|monthly\s|公网|出口|下行|上行)?(?:流量|traffic|egress|ingress|(?:data\s)?transfer)(?:包|限制|上限|allowance|quota|limit)?\s?[:=]?\s?{_DATA}(?![a-z])(?:\s?/\s?(?:月|mo(?:nth)?))?"
    rf"|(?<!盘)(?<!盘[\s:])(?<![\d.$¥￥€]){_DATA}\s?(?:/\s?(?:月|mo(?:nth)?)\s?)?(?:的|of\s|free\s|free\sof\s|monthly\s|公网|免费|月)*\s?"
    r"(?:流量|(?:traffic|egress|ingress|(?:data\s)?transfer|bandwidth)(?![a-z]))(?:\s?(?:included|包含|免费|free|per\smonth|/\s?月))?"
)
_PORT = compiled(  # the network's own speed
    r"(?P<way0>公网|外网|出口|internet|uplink|网口|网卡|光口|内网|局域网|以太网|ethernet|nic|lan)\s?[:=]?\s?(?P<n0>\d{1,4}(?:\.\d)?)\s?(?P<u0>g|m)(?:b?ps|be?|b/s)?(?![a-z])"
    r"|(?P<n>\d{1,4}(?:\.\d)?)\s?(?P<u>g|m)(?:b?ps|be?|b/s)?\s?(?:的|/s\s?)?(?:双|单|光纤?|电|万兆|专|独立|shared\s|dedicated\s|unmetered\s)?\s?"
    r"(?P<way>公网|外网|出口|internet(?![a-z])|uplink(?![a-z])|网口|网卡|光口|电口|内网|局域网|以太网|(?:网络|network|net)(?![a-z]|\s?(?:盘|存储|volume|disk|storage|ssd|nvme|fs|drive))|ethernet(?![a-z])|ports?(?![a-z])|nics?(?![a-z])|lan(?![a-z])|line(?![a-z]))"
)
_OUTSIDE = ("公网", "外网", "出口", "internet", "uplink")


def take_traffic(scan: Scan, facts: Facts) -> None:
    """Amounts of traffic and speeds of ports, taken out before anything is read as memory or disk."""
    for _ in scan.take(_TRAFFIC):
        pass
    for match in scan.take(_PORT):
        way, size, unit = match["way0"] or match["way"], match["n0"] or match["n"], match["u0"] or match["u"]
        if way.lower() in _OUTSIDE and float(size) > 0:
            facts.known.setdefault("download_mbit_s", float(size) * (1000 if unit.lower() == "g" else 1))


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
