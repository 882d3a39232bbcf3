"""Memory: what fits, with which batch, at what price."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gpurent import workloads
from gpurent.normalizer import memory
from gpurent.workloads.workload import Workload

GIB = 2**30


def workload(**keys: Any) -> Workload:
    least = {"name": "w", "sample": "image", "samples_per_epoch": 10, "epochs": 1, "bytes_per_sample": 1, "batch": 32}
    return Workload(**least | keys)


def fit(work: Workload, *gib: float, count: int = 1, precision: str = "amp", is_slice: bool = False) -> memory.Fit:
    sizes = np.array(gib) * GIB
    return memory.fit(work, precision, sizes, np.full(len(gib), count), is_slice=is_slice)


class TestBatch:
    def test_measured_batches_fit(self) -> None:
        # The rows of the benchmark that these batches come from ran.
        for name, gib, batch in (
            ("bert-large", 80, 112), ("bert-large", 16, 16), ("bert-large", 24, 28), ("resnet50", 24, 448),
            ("resnet50", 80, 1280), ("resnet152", 24, 192), ("vit-b16", 24, 192), ("unet3d", 40, 7), ("unet3d", 80, 14),
        ):  # fmt: skip
            found = fit(workloads.load(name, [f"batch={batch}"]), gib)
            assert found.batch[0] >= batch * 0.95, name

    def test_it_is_cut_to_what_fits_and_never_grows(self) -> None:
        found = fit(workloads.load("bert-large"), 8, 16, 24, 80)
        assert found.batch.tolist() == [5, 17, 30, 32]
        assert (np.diff(found.batch) >= 0).all()
        assert found.batch[-1] == 32

    def test_single_precision_takes_its_own_fit(self) -> None:
        half, single = fit(workloads.load("bert-large"), 16), fit(workloads.load("bert-large"), 16, precision="fp32")
        assert single.batch[0] < half.batch[0]

    def test_the_equation(self) -> None:
        work = workload(fixed_bytes=4e9, activation_bytes_per_sample=1e9)
        found = memory.fit(work, "amp", np.array([10e9]), np.array([1]))
        assert found.batch[0] == 5  # 0.94 x 10 = 9.4 >= 4 + 5
        assert found.used_bytes[0] == 9e9


class TestRule:
    def test_parameters_times_state_and_two_gigabytes(self) -> None:
        assert memory.need(workload(params=1e9, state_bytes_per_param=14), "amp").fixed_bytes == 16e9
        assert memory.need(workload(params=1e9), "amp").fixed_bytes == 20e9
        assert memory.need(workload(params=1e9), "fp32").fixed_bytes == 18e9

    def test_frozen_weights_are_held_at_the_width_of_the_precision(self) -> None:
        lora = workload(params=10e9, trainable_params=1e9, state_bytes_per_param=16)
        sizes = {name: memory.need(lora, name).fixed_bytes for name in ("fp8", "bf16", "fp32")}
        assert sizes == {"fp8": 16e9 + 9e9 + 2e9, "bf16": 16e9 + 18e9 + 2e9, "fp32": 16e9 + 36e9 + 2e9}

    def test_nothing_known_fits_and_says_so(self) -> None:
        found = fit(workload(), 1)
        assert found.fits[0]
        assert not found.known
        assert fit(workload(params=1e9, activation_bytes_per_sample=1), 80).known


class TestGivingUp:
    def test_checkpointing_costs_a_third_more_work(self) -> None:
        work = workload(fixed_bytes=4e9, activation_bytes_per_sample=20e9, checkpointing=True)
        found = memory.fit(work, "amp", np.array([10e9, 80e9]), np.array([1, 1]))
        assert found.checkpointing.tolist() == [True, False]
        assert found.compute_factor.tolist() == [1.33, 1]
        assert found.batch[0] == 1

    def test_not_where_it_is_not_allowed(self) -> None:
        work = workload(fixed_bytes=4e9, activation_bytes_per_sample=20e9)
        found = memory.fit(work, "amp", np.array([10e9]), np.array([1]))
        assert not found.fits[0]
        assert found.batch[0] == 0
        assert found.needed_bytes[0] == pytest.approx(24e9 / 0.94)

    def test_sharding_sends_half_as_much_again(self) -> None:
        work = workload(
            params=10e9, state_bytes_per_param=16, activation_bytes_per_sample=1e9, sharding=True, gradient_bytes=20e9
        )
        found = memory.fit(work, "amp", np.array([80e9, 80e9]), np.array([1, 8]))
        assert found.fits.tolist() == [False, True]
        assert found.sync_bytes[1] == 30e9
        assert found.used_bytes[1] == pytest.approx(2e9 + 160e9 / 8 + found.batch[1] * 1e9)

    def test_slices_share_nothing(self) -> None:
        work = workload(params=10e9, activation_bytes_per_sample=1e9, sharding=True)
        assert not fit(work, 40, count=8, is_slice=True).fits[0]


class TestLlama70b:
    """LoRA of a 70B model."""

    @pytest.mark.parametrize("precision", ["fp8", "amp"])
    def test_it_fits_no_card_of_24_or_32_gb(self, precision: str) -> None:
        found = fit(workloads.load("llama2-70b-lora"), 24, 32, precision=precision)
        assert not found.fits.any()
        assert (found.needed_bytes > 80e9).all()

    @pytest.mark.parametrize("precision", ["fp8", "amp"])
    def test_it_fits_eight_of_80_gb_with_the_frozen_weights_on_the_wire(self, precision: str) -> None:
        found = fit(workloads.load("llama2-70b-lora"), 80, count=8, precision=precision)
        assert found.fits[0]
        assert found.sharded[0]
        width = 1 if precision == "fp8" else 2
        assert found.sync_bytes[0] == pytest.approx(1.5 * 89e6 + width * (70e9 - 44.56e6))

    def test_needed_bytes_are_enough(self) -> None:
        work = workloads.load("llama2-70b-lora")
        needed = fit(work, 24, precision="fp8").needed_bytes
        assert memory.fit(work, "fp8", needed * 1.000001, np.array([1])).fits[0]
        assert not memory.fit(work, "fp8", needed * 0.999, np.array([1])).fits[0]


def test_a_four_gigabyte_slice_does_not_hold_bert_large() -> None:
    assert not fit(workloads.load("bert-large"), 4, is_slice=True).fits[0]


def test_the_8b_models_fit_where_they_were_measured() -> None:
    for name in ("llama3.1-8b-lora", "llama3.1-8b-full", "llama3.1-8b-qlora"):
        found = fit(workloads.load(name), 24, 48, precision="bf16")
        assert found.batch.tolist() == [2, 2], name
    assert not fit(workloads.load("llama3.1-8b-lora"), 16, precision="bf16").fits[0]
    assert fit(workloads.load("llama3.1-8b-qlora"), 12, precision="bf16").fits[0]
