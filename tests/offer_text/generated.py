"""Made-up offers and how somebody might write them: fields -> text, in several styles and both languages."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from hypothesis import strategies as st

# card id -> spellings that mean it and nothing else
CARDS: dict[str, tuple[str, ...]] = {
    "rtx-4090": ("RTX 4090", "RTX4090", "NVIDIA GeForce RTX 4090", "4090 24G", "RTX 4090 (24GB)"),
    "rtx-4090d": ("RTX 4090D", "RTX 4090 D", "4090D 24G"),
    "rtx-3090": ("RTX 3090", "GeForce RTX 3090", "3090 24G", "RTX_3090"),
    "rtx-5090": ("RTX 5090", "NVIDIA RTX 5090 32GB", "5090 32G"),
    "rtx-2080-ti": ("RTX 2080 Ti", "2080Ti 11G", "RTX 2080Ti"),
    "rtx-a6000": ("RTX A6000", "NVIDIA RTX A6000 48GB"),
    "rtx-6000-ada": ("RTX 6000 Ada", "NVIDIA RTX 6000 Ada Generation"),
    "a100-sxm-80gb": ("A100 SXM4 80GB", "NVIDIA A100-SXM4-80GB", "A100-80G-SXM", "HGX A100 80GB"),
    "a100-pcie-40gb": ("A100-PCIE-40GB", "NVIDIA A100 40GB PCIe"),
    "h100-sxm-80gb": ("H100 SXM5 80GB", "NVIDIA H100 80GB HBM3", "H100 SXM", "H100 SXM5"),
    "h100-pcie-80gb": ("H100 PCIe", "NVIDIA H100 PCIe 80GB"),
    "h200-sxm-141gb": ("H200 SXM 141GB", "H200 SXM", "H200-SXM5"),
    "h20-96gb": ("H20 96G", "NVIDIA H20 96GB"),
    "rtx-3080-10gb": ("RTX 3080 10G", "3080 10GB"),
    "rtx-4060-ti-16gb": ("RTX 4060 Ti 16G", "4060Ti 16GB"),
    "v100-pcie-16gb": ("Tesla V100-PCIE-16GB",),
    "rtx-a5000": ("RTX A5000", "A5000 24G"),
    "p40": ("Tesla P40", "P40 24G"),
    "l40s": ("L40S", "NVIDIA L40S 48GB"),
    "l4": ("NVIDIA L4", "L4 24GB"),
    "t4": ("Tesla T4", "NVIDIA T4 16GB"),
    "v100-sxm-32gb": ("Tesla V100-SXM2-32GB", "V100 SXM2 32GB"),
    "a40": ("A40", "NVIDIA A40 48GB"),
    "a10": ("NVIDIA A10", "A10 24GB"),
    "mi300x": ("MI300X", "AMD Instinct MI300X"),
    "b200": ("B200", "NVIDIA B200"),
    "a800-sxm-80gb": ("A800 SXM 80GB",),
}
CPUS = (
    "Intel Xeon Platinum 8352V", "Xeon Gold 6430", "AMD EPYC 7763", "EPYC 9654",
    "Intel(R) Xeon(R) Platinum 8358P CPU @ 2.60GHz",
    "Ryzen 9 7950X", "Xeon E5-2680 v4",
)  # fmt: skip
NOISE_EN = (
    "available now", "1 Gbps", "Ubuntu 22.04", "CUDA 12.4", "IPv4 included", "Germany", "root access", "99.9% uptime",
    "driver 550.54", "no KYC", "verified",
)  # fmt: skip
NOISE_ZH = (
    "现货",
    "可开票",
    "带宽100M",
    "Ubuntu 22.04",
    "CUDA 12.4",
    "独立IP",
    "内蒙机房",
    "支持测试",
    "长期有效",
    "驱动550",
)
_UNITS_EN = {
    "hour": ("hr", "hour", "h"),
    "day": ("day",),
    "month": ("month", "mo"),
    "week": ("week",),
    "year": ("year",),
}
_UNITS_ZH = {"hour": ("时", "小时"), "day": ("天",), "month": ("月",), "week": ("周",), "year": ("年",)}
_SIGNS = {"USD": ("$", "USD "), "EUR": ("€", "EUR "), "CNY": ("￥", "CNY ")}
_COUNT_ZH = {1: "单卡", 2: "双卡", 4: "四卡", 8: "八卡"}


@dataclass(frozen=True)
class Made:
    """An offer and one way to write it."""

    text: str
    lang: str
    card: str
    gpu_count: int
    vcpus: int | None
    cpu: str | None
    ram_gib: int | None
    disk_class: str | None
    disk_gib: int | None
    amount: Decimal
    currency: str
    unit: str
    per: str
    tax_included: bool | None


@st.composite
def made(draw: st.DrawFn) -> Made:
    """Any offer in any style."""
    lang = draw(st.sampled_from(["en", "zh"]))
    card = draw(st.sampled_from(sorted(CARDS)))
    name = draw(st.sampled_from(CARDS[card]))
    count = draw(st.sampled_from([1, 2, 4, 8]))
    vcpus = draw(st.none() | st.integers(2, 256))
    cpu = draw(st.none() | st.sampled_from(CPUS))
    ram = draw(st.none() | st.sampled_from([16, 32, 60, 90, 120, 251, 512, 1024]))
    disk_class, disk_gib = draw(
        st.sampled_from([(None, None), ("local-nvme", 500), ("local-ssd", 1000), ("local-nvme", 3840)])
    )
    currency = draw(st.sampled_from(["CNY"] if lang == "zh" else ["USD", "EUR"]))
    unit = draw(st.sampled_from(["hour", "day", "month"]))
    per = draw(st.sampled_from(["gpu", "offer"])) if count > 1 else "offer"
    cents = draw(st.integers(11, 9999))
    amount = Decimal(cents) / 100 if unit == "hour" else Decimal(cents)
    tax = draw(st.sampled_from([None, None, True, False]))
    styles = [_line_en, _lines_en, _bar_en, _mixed_en] if lang == "en" else [_line_zh, _block_zh, _mixed_zh]
    parts = _Parts(draw, name, count, vcpus, cpu, ram, disk_class, disk_gib, amount, currency, unit, per, tax)
    text = draw(st.sampled_from(styles))(parts)
    dress = draw(st.sampled_from([str, str, str, str.upper, str.lower, _full_width]))
    return Made(
        dress(text), lang, card, count, vcpus, cpu, ram, disk_class, disk_gib, amount, currency, unit, per, tax
    )  # fmt: skip


@dataclass(frozen=True)
class _Parts:
    draw: st.DrawFn
    name: str
    count: int
    vcpus: int | None
    cpu: str | None
    ram: int | None
    disk_class: str | None
    disk_gib: int | None
    amount: Decimal
    currency: str
    unit: str
    per: str
    tax: bool | None

    def one(self, *choices: str) -> str:
        return self.draw(st.sampled_from(choices))


def _disk(parts: _Parts, lang: str) -> str:
    kind = "NVMe" if parts.disk_class == "local-nvme" else "SSD"
    if lang == "zh":
        return parts.one(
            f"数据盘 {parts.disk_gib}GB {kind}", f"{parts.disk_gib}G {kind}", f"硬盘：{parts.disk_gib}GB {kind}"
        )
    return parts.one(
        f"{parts.disk_gib}GB {kind}", f"{parts.disk_gib} GB {kind} disk", f"storage {parts.disk_gib}GB {kind}"
    )


def _price_en(parts: _Parts) -> str:
    unit = parts.one(*_UNITS_EN[parts.unit])
    amount = str(parts.amount)
    if parts.amount >= 1000:
        amount = parts.one(amount, f"{parts.amount:,}", f"{parts.amount / 1000}k")
    sign = parts.one(*_SIGNS[parts.currency])
    text = parts.one(f"{sign}{amount}", f"{sign}{amount}", f"{amount} {parts.currency}")
    if parts.per == "gpu":
        text += parts.one(f"/GPU/{unit}", f" per GPU per {unit}", f"/{unit} per card")
    elif parts.count > 1:
        text += parts.one(f"/{unit} per node", f"/node/{unit}", f"/{unit} for {parts.count} GPUs", f"/{unit} in total")
    else:
        text += parts.one(f"/{unit}", f" per {unit}")
    return text + {None: "", True: " incl. VAT", False: " excl. VAT"}[parts.tax]


def _price_zh(parts: _Parts) -> str:
    unit = parts.one(*_UNITS_ZH[parts.unit])
    amount = parts.one(f"￥{parts.amount}", f"{parts.amount}元", f"{parts.amount}块")
    if parts.amount >= 1000:
        wan = parts.amount / 10_000
        amount = parts.one(amount, f"{wan}万", f"{wan}w", f"{wan}万元", f"￥{parts.amount:,}")
    if parts.per == "gpu":
        text = parts.one(f"{amount}/卡/{unit}", f"每卡每{unit}{amount}", f"单卡{amount}/{unit}")
        if parts.unit == "hour":
            text = parts.one(text, f"{amount}/卡时", f"{amount}每卡时")
    elif parts.count > 1:
        text = parts.one(
            f"{amount}/台/{unit}", f"整机{amount}/{unit}", f"每台每{unit}{amount}", f"{amount}每台每{unit}"
        )
    else:
        text = parts.one(f"{amount}/{unit}", f"每{unit}{amount}", f"{amount}每{unit}", f"一{unit}{amount}")
    if parts.unit == "month" and parts.per == "offer":
        text = parts.one(
            text,
            f"{'整机' if parts.count > 1 else ''}月租{amount}",
            f"{'整机' if parts.count > 1 else ''}包月 {amount}",
        )
    return text + {None: "", True: " 含税", False: " 不含税"}[parts.tax]


def _facts_en(parts: _Parts) -> list[str]:
    facts = []
    if parts.vcpus is not None:
        facts.append(parts.one(f"{parts.vcpus} vCPUs", f"{parts.vcpus} vCPU", f"vCPU: {parts.vcpus}"))
    if parts.cpu is not None:
        facts.append(parts.cpu)
    if parts.ram is not None:
        facts.append(
            parts.one(f"{parts.ram}GB RAM", f"{parts.ram} GiB memory", f"RAM: {parts.ram}GB", f"{parts.ram}GB DDR5")
        )
    if parts.disk_gib is not None:
        facts.append(_disk(parts, "en"))
    return facts


def _facts_zh(parts: _Parts) -> list[str]:
    facts = []
    if parts.vcpus is not None:
        facts.append(parts.one(f"{parts.vcpus} vCPU", f"{parts.vcpus}核", f"{parts.vcpus}线程"))
    if parts.cpu is not None:
        facts.append(parts.cpu)
    if parts.ram is not None:
        facts.append(parts.one(f"{parts.ram}G内存", f"内存{parts.ram}GB", f"内存：{parts.ram} GB"))
    if parts.disk_gib is not None:
        facts.append(_disk(parts, "zh"))
    return facts


def _cards_en(parts: _Parts) -> str:
    n = parts.count
    return parts.one(
        f"{n}x {parts.name}",
        f"{n}x{parts.name}",
        f"{n} x {parts.name}",
        f"{parts.name} x {n}",
        f"{parts.name} x{n}",
        f"{n}× {parts.name}",
        f"{parts.name} (x{n})",
        f"{parts.name}:{n},",
    )


def _cards_zh(parts: _Parts) -> str:
    n = parts.count
    return parts.one(
        f"{parts.name} * {n}卡",
        f"{parts.name} {n}卡",
        f"{n}张{parts.name}",
        f"{parts.name} {_COUNT_ZH[n]}",
        f"{parts.name}×{n}",
        f"{n}x{parts.name}",
        f"{parts.name}（{n}卡）",
        f"{n}卡{parts.name}",
    )


def _line_en(parts: _Parts) -> str:
    return ", ".join([_cards_en(parts), *_facts_en(parts), _price_en(parts)])


def _bar_en(parts: _Parts) -> str:
    return " | ".join([_cards_en(parts), *_facts_en(parts), _price_en(parts)])


def _lines_en(parts: _Parts) -> str:
    lines = [f"GPU: {_cards_en(parts)}"]
    lines += [f"CPU: {fact}" if fact in CPUS else fact for fact in _facts_en(parts)]
    return "\n".join([*lines, f"Price: {_price_en(parts)}"])


def _line_zh(parts: _Parts) -> str:
    return "，".join([_cards_zh(parts), *_facts_zh(parts), _price_zh(parts)])


def _block_zh(parts: _Parts) -> str:
    lines = [f"GPU   {_cards_zh(parts)}"]
    lines += [f"CPU   {fact}" if fact in CPUS else fact for fact in _facts_zh(parts)]
    return "\n".join([*lines, f"价格：{_price_zh(parts)}"])


def _mixed_en(parts: _Parts) -> str:
    """Price and facts in any order behind or before the card, with one of many separators."""
    noise = parts.draw(st.lists(st.sampled_from(NOISE_EN), max_size=2, unique=True))
    pieces = parts.draw(st.permutations([_cards_en(parts), *_facts_en(parts), _price_en(parts), *noise]))
    return parts.one(", ", " / ", " | ", "; ", " + ", " // ", " - ", "\n", "\n- ").join(pieces)


def _mixed_zh(parts: _Parts) -> str:
    noise = parts.draw(st.lists(st.sampled_from(NOISE_ZH), max_size=2, unique=True))
    pieces = parts.draw(st.permutations([_cards_zh(parts), *_facts_zh(parts), _price_zh(parts), *noise]))
    return parts.one("，", "、", " ", "  ", "；", " / ", "｜", "\n", " + ").join(pieces)


def _full_width(text: str) -> str:
    return "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text)
