"""Laws of the host side: a better part never makes a machine slower, and nothing leaves its bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpurent import workloads
from gpurent.normalizer import combine, loading, memory, read
from gpurent.normalizer.combine import Stages
from gpurent.workloads.workload import Workload
from tests.normalizer.hosts_for_tests import machines

NAMES = ("resnet50", "resnet50-dali", "ssd300", "unet3d", "tacotron2", "stable-diffusion-v2", "bert-large", "gpt2-124m")

hosts = st.fixed_dictionaries(
    {
        "vcpus": st.one_of(st.integers(1, 300), st.floats(0.5, 300)),
        "cpu_index": st.floats(150, 1600),
        "cpu_efficiency": st.sampled_from([0.53, 0.6, 0.65, 0.69, 0.97]),
        "ram_bytes": st.floats(2e9, 3e12),
        "disk_bytes_per_s": st.floats(2e7, 1.5e10),
        "disk_iops": st.one_of(st.just(np.inf), st.floats(200, 1e6)),
        "disk_latency_s": st.sampled_from([0.0, 0.0, 0.0023, 0.0005]),
        "small_file_factor": st.sampled_from([0.1, 0.36, 1.0]),
        "host_to_gpu_bytes_per_s": st.floats(1e9, 6e10),
        "gpu_count": st.sampled_from([1, 2, 8]),
    }
)
gpu_rates = st.floats(1.0, 50_000.0)
jobs = st.sampled_from(NAMES)
more = st.floats(1.0, 20.0)


def rates(work: Workload, gpu: float, *rows: dict[str, Any]) -> tuple[list[float], list[float]]:
    """Steady and first-epoch samples/s of machines that differ in one thing."""
    given_rates = np.full(len(rows), gpu)
    host = loading.host_stages(machines(*rows), work, given_rates)
    return (
        combine.throughput(host.steady, given_rates).tolist(),
        combine.throughput(host.first, given_rates).tolist(),
    )


class TestABetterPartNeverHurts:
    """More vCPUs, faster cores, more RAM, a faster disk, bus or GPU never lower the rate of an epoch."""

    @settings(max_examples=150, deadline=None)
    @given(
        host=hosts, gpu=gpu_rates, job=jobs, factor=more,
        part=st.sampled_from(
            ["vcpus", "cpu_index", "ram_bytes", "disk_bytes_per_s", "disk_iops", "host_to_gpu_bytes_per_s"]
        ),
    )  # fmt: skip
    def test_of_the_host(self, host: dict[str, Any], gpu: float, job: str, factor: float, part: str) -> None:
        better = host | {part: host[part] * factor}
        for before, after in rates(workloads.load(job), gpu, host, better):
            assert after >= before * (1 - 1e-9)

    @settings(max_examples=80, deadline=None)
    @given(host=hosts, job=jobs)
    def test_one_vcpu_more(self, host: dict[str, Any], job: str) -> None:
        better = host | {"vcpus": host["vcpus"] + 1}
        for before, after in rates(workloads.load(job), 5000.0, host, better):
            assert after >= before * (1 - 1e-9)

    @settings(max_examples=80, deadline=None)
    @given(host=hosts, gpu=gpu_rates, job=jobs, factor=more)
    def test_of_the_gpu(self, host: dict[str, Any], gpu: float, job: str, factor: float) -> None:
        work = workloads.load(job)
        for slow, fast in zip(rates(work, gpu, host), rates(work, gpu * factor, host), strict=True):
            assert fast[0] >= slow[0] * (1 - 1e-9)

    @settings(max_examples=60, deadline=None)
    @given(host=hosts, job=jobs, latency=st.floats(1e-5, 0.05))
    def test_no_wait_is_never_slower(self, host: dict[str, Any], job: str, latency: float) -> None:
        slow = host | {"disk_latency_s": latency}
        for before, after in rates(workloads.load(job), 5000.0, slow, host | {"disk_latency_s": 0.0}):
            assert after >= before * (1 - 1e-9)


class TestBounds:
    """No rate exceeds any of its stages; shares stay between 0 and 1."""

    @settings(max_examples=100, deadline=None)
    @given(host=hosts, gpu=gpu_rates, job=jobs)
    def test_of_a_machine(self, host: dict[str, Any], gpu: float, job: str) -> None:
        stages = loading.host_stages(machines(host), workloads.load(job), np.array([gpu]))
        found = combine.combine(stages.steady, np.array([gpu]))
        slack = 1 + 1e-9
        for stage in (*stages.steady, np.array([gpu])):
            assert found.samples_per_s[0] <= stage[0] * slack
        assert 0 < found.gpu_busy[0] <= slack
        assert 0 <= stages.miss[0] <= 1
        assert 0 <= stages.cached_fraction[0] <= 1
        assert 1 <= stages.workers[0] <= max(1, host["vcpus"] - 1)

    @settings(max_examples=200, deadline=None)
    @given(a=st.floats(1e-3, 1e9), b=st.floats(1e-3, 1e9), sharpness=st.sampled_from([4.0, 6.0]))
    def test_softmin_is_below_both_and_above_the_half(self, a: float, b: float, sharpness: float) -> None:
        soft = float(combine.softmin(sharpness, np.array(a), np.array(b)))
        assert 2 ** (-1 / sharpness) * min(a, b) * (1 - 1e-9) <= soft <= min(a, b)

    @settings(max_examples=200, deadline=None)
    @given(cached=st.floats(0, 1), fraction=st.sampled_from([1.0, 0.5, 0.25, 0.125]))
    def test_a_hit_is_rarer_than_a_cached_byte(self, cached: float, fraction: float) -> None:
        if fraction == 1.0 and cached < 1:
            assert read.hit_rate(np.array(cached)) <= cached + 1e-9
        assert 0 <= read.hit_rate(np.array(cached), "shuffled", fraction) <= 1


class TestRowsAreTheirOwn:
    """A machine's rate does not depend on which others are asked about."""

    @settings(max_examples=40, deadline=None)
    @given(rows=st.lists(hosts, min_size=2, max_size=5), job=jobs)
    def test_alone_or_together(self, rows: list[dict[str, Any]], job: str) -> None:
        work = workloads.load(job)
        together = rates(work, 700.0, *rows)[0]
        alone = [rates(work, 700.0, row)[0][0] for row in rows]
        assert together == pytest.approx(alone, rel=1e-12)  # vector and scalar powers part in the last bit


class TestMemoryLaws:
    """More memory never gives a smaller batch or loses a fit; more cards neither."""

    @settings(max_examples=150, deadline=None)
    @given(
        name=st.sampled_from(workloads.names()), gib=st.floats(1, 300), factor=st.floats(1, 10),
        count=st.sampled_from([1, 2, 4, 8]), precision=st.sampled_from(["amp", "fp32", "fp8"]),
    )  # fmt: skip
    def test_more_memory(self, name: str, gib: float, factor: float, count: int, precision: str) -> None:
        work = workloads.load(name)
        sizes = np.array([gib, gib * factor]) * 2**30
        found = memory.fit(work, precision, sizes, np.array([count, count]))
        assert found.fits[1] or not found.fits[0]
        if found.compute_factor[0] == found.compute_factor[1] and found.sharded[0] == found.sharded[1]:
            assert found.batch[1] >= found.batch[0]
        assert found.compute_factor[1] <= found.compute_factor[0] or not found.fits[0]
        room = sizes * 0.94
        assert (found.used_bytes[found.fits] <= room[found.fits] * (1 + 1e-9)).all()
        assert (found.needed_bytes[~found.fits] > sizes[~found.fits]).all()

    @settings(max_examples=60, deadline=None)
    @given(name=st.sampled_from(workloads.names()), gib=st.floats(1, 300))
    def test_more_cards(self, name: str, gib: float) -> None:
        counts = np.array([1, 2, 4, 8])
        found = memory.fit(workloads.load(name), "amp", np.full(4, gib * 2**30), counts)
        assert (np.diff(found.fits.astype(int)) >= 0).all()


def test_a_slower_stage_is_seen_through_every_other() -> None:
    free = np.array([np.inf])
    gpu = np.array([100.0])
    for place in range(4):
        slow = [free] * 4
        slow[place] = np.array([80.0])
        slower = [free] * 4
        slower[place] = np.array([60.0])
        assert combine.throughput(Stages(*slower), gpu) < combine.throughput(Stages(*slow), gpu)
