# ruff: noqa: E501 - a quote is one line
"""Quotes as providers, sellers and tools write them, and what each says. Spelled by us after what is seen in public.

`says` are fields of the offer of the most likely reading before the market is asked; `card` what its card resolves to: an
id, or the ids it may be. Keys that begin with "fact:" are facts that no offer field holds.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Case(NamedTuple):
    name: str
    text: str
    card: str | tuple[str, ...] | None
    says: dict[str, Any]


AUTODL = """GPU   RTX 4090(24GB) * 1
CPU   16 vCPU Intel(R) Xeon(R) Platinum 8352V CPU @ 2.10GHz
内存   120GB
硬盘   系统盘:30 GB   数据盘:免费:50GB SSD  付费:0GB
镜像   PyTorch 2.5.1 / Python 3.12(ubuntu22.04) / CUDA 12.4"""

VAST_HEAD = (
    "ID        CUDA  N   Model      PCIE  cpu_ghz  vCPUs  RAM    VRAM  Disk  $/hr    DLP   DLP/$  score  NV_Driver   "
    "Net_up  Net_down  R     Max_Days  mach_id  status    host_id  ports  country"
)
VAST_ROW = (
    "12345678  12.4  2x  RTX_4090   25.3  4.9      16.0   64.4   24.0  201   0.6944  98.1  282.6  310.2  550.54.14   "
    "512.3   820.1     99.6  12.3      9911     verified  7712     249    CZ"
)

A100_80 = ("a100-pcie-80gb", "a100-sxm-80gb")
H100_80 = ("h100-pcie-80gb", "h100-sxm-80gb")

CASES = [
    # Chinese consoles and chats
    Case("Q1 AutoDL block", AUTODL, "rtx-4090", {
        "gpu_count": 1, "gpu_memory_gib": 24, "vcpus": 16, "cpu_model": "8352V", "ram_gib": 120, "disk_class": "local-ssd",
        "disk_gib": 50, "price": None, "fact:image_cuda": "12.4", "fact:torch": "2.5.1", "fact:lang": "zh",
    }),
    Case("Q2 other hosts", "RTX 4090(24GB)*1, 20 vCPU Platinum 8470Q, 90GB", "rtx-4090",
         {"gpu_count": 1, "vcpus": 20, "cpu_model": "8470Q", "ram_gib": 90}),
    Case("Q2 3090", "RTX 3090(24GB)*1, 15 vCPU Platinum 8358P @2.60GHz, 90GB", "rtx-3090",
         {"gpu_count": 1, "vcpus": 15, "cpu_model": "8358P", "ram_gib": 90}),
    Case("Q2 3080", "RTX 3080(10GB)*1, 12 vCPU Platinum 8255C, 40–43GB", "rtx-3080-10gb",
         {"gpu_count": 1, "vcpus": 12, "cpu_model": "8255C", "ram_gib": 40}),
    Case("Q2 5090", "RTX 5090(32GB)*1, 25 vCPU Platinum 8470Q, 90GB", "rtx-5090",
         {"gpu_count": 1, "gpu_memory_gib": 32, "vcpus": 25, "ram_gib": 90}),
    Case("Q3 one-liner", "RTX 4090D / 24GB，16 vCPU Intel Xeon Platinum 8352V，系统盘30GB 数据盘50GB，￥1.98/时", "rtx-4090d",
         {"gpu_count": 1, "vcpus": 16, "cpu_model": "8352V", "disk_gib": 50, "amount": "1.98", "currency": "CNY",
          "unit": "hour", "ram_gib": None}),
    Case("Q4 neutral name", "vGPU-32GB * 1卡, 12 vCPU Xeon Platinum 8352V, 内存 62/72GB, 系统盘30 数据盘50", None,
         {"gpu_count": 1, "gpu_memory_gib": 32, "gpu_share": "unknown", "vcpus": 12, "ram_gib": 62, "disk_gib": 50}),
    Case("Q5 x2 in the name", "RTX 3080x2(20GB) * 1卡", "rtx-3080-20gb", {"gpu_count": 1, "gpu_memory_gib": 20}),
    Case("Q7 chat line", "A100 80G 8卡 月付 4.5万/月", A100_80,
         {"gpu_count": 8, "gpu_memory_gib": 80, "amount": "45000", "currency": "CNY", "unit": "month", "per": "offer",
          "purchase": "reserved", "hour": "62.5"}),
    Case("Q8 H100", "H100 80G 约 7.5–8.0 万元/8卡整机/月", H100_80,
         {"gpu_count": 8, "amount": "75000", "unit": "month", "per": "offer"}),
    Case("Q8 A100", "江苏 32 台 A100 80G IB 组网整租 3.15–3.8 万/台/月", A100_80,
         {"gpu_count": 8, "amount": "31500", "unit": "month", "per": "offer", "fabric": "IB", "fact:machines": 32}),
    Case("Q8 H20", "141GB H20 八卡 4.8 万/月", "h20-141gb", {"gpu_count": 8, "amount": "48000", "unit": "month"}),
    Case("Q8 4090", "4090 八卡 0.68–0.88 万/台/月，批量 0.73", "rtx-4090",
         {"gpu_count": 8, "amount": "6800", "unit": "month", "per": "offer"}),
    Case("Q8 5090", "5090 八卡 ≈1.2 万", "rtx-5090", {"gpu_count": 8, "amount": "12000", "currency": "CNY"}),
    Case("Q8 910B2", "910B2 1.2–1.5 万 (子型号 B2/B3/B4 未拆)", "ascend-910b2", {"amount": "12000", "currency": "CNY"}),
    # marketplaces
    Case("Q12 vast table", f"{VAST_HEAD}\n{VAST_ROW}", "rtx-4090", {
        "provider": "vast-ai", "gpu_count": 2, "gpu_memory_gib": 24, "host_to_gpu_gbyte_s": 25.3, "vcpus": 16, "ram_gib": 64.4,
        "disk_gib": 201, "amount": "0.6944", "per": "offer", "cuda_max": "12.4", "driver": "550.54.14", "download_mbit_s": 820.1,
        "country": "CZ", "tier": "verified", "listing": "12345678",
    }),
    Case("Q12 row alone", VAST_ROW, "rtx-4090", {"gpu_count": 2, "vcpus": 16, "ram_gib": 64.4, "amount": "0.6944"}),
    Case("Q14 RunPod pod",
         "1 x H100 SXM, 26 vCPU 251 GB RAM, container 50 GB, volume /workspace 200 GB, Secure, On-Demand", "h100-sxm-80gb",
         {"gpu_count": 1, "vcpus": 26, "ram_gib": 251, "disk_gib": 200, "tier": "secure", "purchase": "on-demand"}),
    Case("Q15 RunPod MIG", "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb", "rtx-pro-6000-se",
         {"gpu_count": 1, "gpu_share": "mig", "share_profile": "1g.24gb", "gpu_memory_gib": 24}),
    Case("Q16 SkyPilot", "V100 1 AWS p3.2xlarge 16GB 8 61GB $3.060 $1.024 us-west-2", "v100-sxm-16gb",
         {"provider": "aws", "sku": "p3.2xlarge", "gpu_count": 1, "vcpus": 8, "ram_gib": 61, "amount": "3.060",
          "region": "us-west-2", "gpu_memory_gib": 16}),
    Case("Q16 attachable", "A100 1 GCP a2-highgpu-1g - 12 85GB $3.673 $1.469 us-central1", "a100-sxm-40gb",
         {"provider": "gcp", "gpu_count": 1, "vcpus": 12, "ram_gib": 85, "amount": "3.673", "gpu_memory_gib": 40}),
    Case("Q17 dstack", "aws (us-west-1) cpu=192 mem=2048GB disk=100GB H100:80GB:8 p5.48xlarge $68.8", "h100-sxm-80gb",
         {"provider": "aws", "gpu_count": 8, "vcpus": 192, "ram_gib": 2048, "amount": "68.8", "per": "offer",
          "region": "us-west-1", "gpu_memory_gib": 80}),
    # clouds
    Case("Q20 p4d", "AWS p4d.24xlarge — 96 vCPU, 1 152 GiB, 8×A100 40 GB SXM, 8×1 TB NVMe, EFA 400 Gb/s; $32.77/h",
         "a100-sxm-40gb", {"provider": "aws", "gpu_count": 8, "gpu_memory_gib": 40, "vcpus": 96, "ram_gib": 1152,
                           "fabric": "EFA", "fabric_gbit_s": 400, "amount": "32.77", "unit": "hour", "per": "offer",
                           "disk_class": "local-nvme"}),
    Case("Q21 g6f", "g6f.large", "l4", {"gpu_share": "vgpu", "share_profile": "1/8", "gpu_memory_gib": 3, "vcpus": 2}),
    Case("Q23 40", "ND96asr_v4", "a100-sxm-40gb", {"provider": "azure", "gpu_count": 8, "gpu_memory_gib": 40, "vcpus": 96}),
    Case("Q23 80", "ND96amsr_A100_v4", "a100-sxm-80gb", {"provider": "azure", "gpu_count": 8, "gpu_memory_gib": 80}),
    Case("Azure slice", "NV6ads_A10_v5", "a10", {"gpu_share": "vgpu", "share_profile": "1/6", "gpu_memory_gib": 4}),
    Case("Azure spaced", "NC24ads A100 v4 $3.673 per hour", "a100-pcie-80gb", {"gpu_count": 1, "vcpus": 24, "ram_gib": 220}),
    Case("Q24 a2", "a2-highgpu-1g us-central1 ≈$3.67", "a100-sxm-40gb",
         {"gpu_count": 1, "vcpus": 12, "ram_gib": 85, "amount": "3.67", "region": "us-central1"}),
    Case("Q26 MIG", "A100 MIG 3g.20gb", ("a100-pcie-40gb", "a100-sxm-40gb"),
         {"gpu_share": "mig", "share_profile": "3g.20gb", "gpu_memory_gib": 20}),
    Case("Q26 MIG of 80", "A100 80GB 3g.40gb", A100_80, {"gpu_share": "mig", "share_profile": "3g.40gb", "gpu_memory_gib": 40}),
    Case("Q27 Lambda", "Lambda gpu_8x_a100 $15.92/h",
         ("a100-pcie-40gb", "a100-pcie-80gb", "a100-sxm-40gb", "a100-sxm-80gb"),
         {"provider": "lambda", "gpu_count": 8, "amount": "15.92", "unit": "hour"}),
    Case("Q27 sxm5", "gpu_1x_h100_sxm5", "h100-sxm-80gb", {"gpu_count": 1, "vcpus": 26}),
    Case("Q29 FPT", "H100 (15 CPU, 250 GB) $2.31/h; charged every 15 min; min 1 min; persistent $0.00013/GB-h",
         ("h100-pcie-80gb", "h100-nvl-94gb", "h100-sxm-80gb"),
         {"gpu_count": 1, "vcpus": 15, "ram_gib": 250, "amount": "2.31", "billing_increment_s": 900, "minimum_billed_s": 60,
          "storage_per_gib_month": 0.0949}),
    Case("Q32 OVH", "2 × V100s (1.93 €/h)", "v100s-pcie-32gb",
         {"gpu_count": 2, "amount": "1.93", "currency": "EUR", "unit": "hour"}),
    Case("Q33 Colab", "Pro: 100 units $9.99; A100 ≈13.1–13.8/h; T4 ≈1.95",
         ("a100-pcie-40gb", "a100-pcie-80gb", "a100-sxm-40gb", "a100-sxm-80gb"), {"amount": "1.3087", "fact:units": True}),
    Case("Vultr 1/20", "vcg-a100-1c-6g-4vram $90/mo", "a100-pcie-80gb",
         {"provider": "vultr", "gpu_share": "vgpu", "share_profile": "1/20", "gpu_memory_gib": 4, "vcpus": 1, "ram_gib": 6,
          "amount": "90", "unit": "month"}),
]  # fmt: skip
