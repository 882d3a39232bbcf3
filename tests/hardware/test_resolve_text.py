"""Pasted texts, among them the answer of nvidia-smi -L (written here after its documented form)."""

from __future__ import annotations

from gpurent.hardware.resolve_text import resolve_texts

MIXED = """GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-11111111-2222-3333-4444-a100b200c300)
  MIG 3g.20gb     Device  0: (UUID: MIG-11111111-2222-3333-4444-000000000001)
  MIG 1g.5gb      Device  1: (UUID: MIG-11111111-2222-3333-4444-000000000002)
  MIG 1g.5gb      Device  2: (UUID: MIG-11111111-2222-3333-4444-000000000003)
GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-11111111-2222-3333-4444-a10a40000000)
GPU 2: Tesla T4 (UUID: GPU-11111111-2222-3333-4444-555555555555)
"""


def test_lines_of_nvidia_smi() -> None:
    rows = resolve_texts([MIXED])
    seen = {(row["gpu"], row["gpu_share"], row["share_profile"], row["gpu_count"]) for row in rows}
    assert seen == {
        ("a100-sxm-40gb", "mig", "3g.20gb", 1),
        ("a100-sxm-40gb", "mig", "1g.5gb", 2),
        ("a100-sxm-40gb", "whole", None, 1),
        ("t4", "whole", None, 1),
    }


def test_equal_gpus_are_counted() -> None:
    lines = [f"GPU {number}: NVIDIA GeForce RTX 3090 (UUID: GPU-{number})" for number in range(8)]
    (row,) = resolve_texts(["\n".join(lines)])
    assert (row["gpu"], row["gpu_count"], row["gpu_memory_gib"]) == ("rtx-3090", 8, 24)
    assert resolve_texts(lines) == [row]


def test_every_gpu_cut_leaves_no_whole_card() -> None:
    text = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n  MIG 1g.10gb     Device  0: (UUID: MIG-1)"
    (row,) = resolve_texts([text])
    assert (row["gpu"], row["gpu_share"], row["share_profile"]) == ("h100-sxm-80gb", "mig", "1g.10gb")


def test_keys_and_near_names() -> None:
    row = resolve_texts(["RTX 4009"])[0]
    assert list(row) == [
        "text", "gpu", "candidates", "gpu_memory_gib", "gpu_count", "gpu_share", "share_profile", "notes", "near",
    ]  # fmt: skip
    assert row["gpu"] is None
    assert "rtx-4090" in row["near"]
    assert resolve_texts(["RTX 4090"])[0]["near"] == []


def test_one_text_may_have_many_lines() -> None:
    assert [row["gpu"] for row in resolve_texts(["L4\n\nL40S\r\nfoo"])] == ["l4", "l40s", None]
    assert [row["gpu"] for row in resolve_texts(["  "])] == [None]
