"""The schema of a workload file."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from gpurent.workloads.workload import Workload

LEAST: dict[str, Any] = {
    "name": "mine", "sample": "image", "samples_per_epoch": 1000, "epochs": 2, "bytes_per_sample": 100, "batch": 8,
}  # fmt: skip

# The keys of a workload file as documented, the four twins included.
DOCUMENTED = {
    "name", "title", "task", "stack", "sample", "samples_per_epoch", "epochs", "dataset_bytes", "bytes_per_sample",
    "read", "pipeline", "prep_ms_per_sample", "loader", "loader_ceiling_samples_per_s", "gpu_input_bytes_per_sample",
    "units_per_sample", "io_ops_per_sample", "read_order", "params", "trainable_params", "flops_per_sample",
    "gradient_bytes", "state_bytes_per_param", "activation_bytes_per_sample", "fixed_bytes", "gradient_bytes_fp32",
    "state_bytes_per_param_fp32", "activation_bytes_per_sample_fp32", "fixed_bytes_fp32", "batch", "accumulation",
    "checkpointing", "sharding", "precision", "precisions", "platforms", "cuda_min", "arch_min", "checkpoint_bytes",
    "checkpoint_interval_s", "source",
}  # fmt: skip


def test_the_keys_are_the_documented_ones() -> None:
    assert set(Workload.model_fields) == DOCUMENTED


def test_sizes_outgrow_the_bound_of_money() -> None:
    workload = Workload(**LEAST | {"dataset_bytes": 391_900_000_000, "flops_per_sample": 1.3e13})
    assert workload.dataset_bytes == 391.9e9


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("batch", 0), ("batch", 1.5), ("batch", -4), ("batch", True), ("batch", "many"), ("batch", [8]),
        ("samples_per_epoch", 0), ("samples_per_epoch", -1), ("samples_per_epoch", float("nan")),
        ("samples_per_epoch", float("inf")), ("samples_per_epoch", "1e5000000"), ("samples_per_epoch", 10**400),
        ("bytes_per_sample", -1), ("epochs", 0), ("epochs", 1e7), ("prep_ms_per_sample", -0.1), ("read", "floppy"),
        ("loader", "lazy"), ("precision", "int4"), ("precisions", ["amp", "int4"]), ("precisions", []),
        ("platforms", []), ("cuda_min", 12.1), ("cuda_min", "twelve"), ("checkpointing", "sometimes"), ("name", ""),
        ("read_order", "random"), ("unknown_key", 1),
    ],
)  # fmt: skip
def test_what_no_workload_can_have(key: str, value: object) -> None:
    with pytest.raises(ValidationError):
        Workload(**LEAST | {key: value})


def test_text_from_outside_is_one_harmless_line() -> None:
    workload = Workload(**LEAST | {"title": "a\x1b[31m‮b\nc"})
    assert workload.title == "a[31mb c"


def test_lists_may_be_words() -> None:
    assert Workload(**LEAST | {"precisions": "amp, fp32"}).precisions == ("amp", "fp32")


def test_a_workload_never_changes() -> None:
    with pytest.raises(ValidationError):
        Workload(**LEAST).batch = 9  # type: ignore[misc]


class TestFootprint:
    def test_twins_belong_to_single_precision(self) -> None:
        workload = Workload(**LEAST | {"activation_bytes_per_sample": 10, "activation_bytes_per_sample_fp32": 20})
        for precision in ("amp", "bf16", "fp16", "fp8"):
            assert workload.footprint(precision).activation_bytes_per_sample == 10
        assert workload.footprint("fp32").activation_bytes_per_sample == 20
        assert workload.footprint("tf32").activation_bytes_per_sample == 20

    def test_gradients_default_to_four_bytes_of_what_is_trained(self) -> None:
        assert Workload(**LEAST | {"params": 100}).footprint("amp").gradient_bytes == 400
        assert Workload(**LEAST | {"params": 100, "trainable_params": 10}).footprint("amp").gradient_bytes == 40
        assert Workload(**LEAST).footprint("amp").gradient_bytes is None

    def test_no_fixed_bytes_means_the_rule(self) -> None:
        assert Workload(**LEAST | {"fixed_bytes": 0}).footprint("amp").fixed_bytes is None

    def test_frozen_parameters_are_those_not_trained(self) -> None:
        assert Workload(**LEAST | {"params": 100, "trainable_params": 10}).frozen() == 90
        assert Workload(**LEAST | {"params": 100}).frozen() == 0
