"""The shipped workloads: whole, sourced, named."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from gpurent import messages, workloads
from gpurent.tables import rows
from gpurent.workloads import pipelines
from gpurent.workloads.files import has_measured_rates

PROMISED = {
    "bert-large", "bert-large-dle", "bert-large-pretrain-s128", "bert-large-pretrain-s512", "bert-base", "resnet50",
    "resnet50-dali", "resnet152", "vit-b16", "gpt2-124m", "unet3d", "stable-diffusion-v2", "llama2-70b-lora", "ssd300",
    "mask-rcnn", "gnmt", "transformer-xl-base", "transformer-xl-large", "tacotron2", "dlrm", "sdxl-lora", "yolov8m",
    "llama3.1-8b-lora", "llama3.1-8b-full", "llama3.1-8b-qlora", "ncf",
}  # fmt: skip


def test_all_are_there() -> None:
    assert set(workloads.names()) == PROMISED


@pytest.mark.parametrize("name", workloads.names())
class TestEach:
    def test_it_loads_and_states_what_it_uses(self, name: str) -> None:
        workload = workloads.load(name)
        assert workload.name == name
        assert workload.assumed == {}
        assert workload.prep_ms_per_sample is not None
        assert workload.title
        assert workload.precisions is not None
        assert workload.precision in workload.precisions

    def test_its_source_is_known(self, name: str) -> None:
        assert workloads.load(name).source in {row["source"] for row in rows("sources")}

    def test_it_has_measured_rates_or_says_that_it_wants_an_anchor(self, name: str) -> None:
        workload = workloads.load(name)
        if not has_measured_rates(workload):
            assert workload.flops_per_sample
            assert workload.stack is None
            assert "give an anchor" in (workload.title or "")
            assert workload.task in ("cnn", "transformer")

    def test_its_title_is_in_both_languages(self, name: str) -> None:
        assert messages.say(f"workload.{name}") == workloads.load(name).title
        assert re.search("[\u4e00-\u9fff]", messages.say(f"workload.{name}", "zh"))

    def test_its_data_set_is_about_its_samples(self, name: str) -> None:
        workload = workloads.load(name)
        whole = workload.samples_per_epoch * workload.bytes_per_sample
        if workload.dataset_bytes is not None and workload.read != "memory":  # raw text is smaller than its tokens
            assert 0.85 < workload.dataset_bytes / whole < 1.2


def test_every_measured_task_has_its_workload() -> None:
    assert {row["workload"] for row in rows("tasks")} <= set(workloads.names())


def test_the_measured_task_counts_units_as_the_workload_does() -> None:
    for row in rows("tasks"):
        workload = workloads.load(row["workload"])
        assert (workload.task, workload.stack) == (row["task"], row["stack"])
        assert workload.units_per_sample == float(row["units_per_sample"])


def test_aliases_lead_to_shipped_workloads_and_hide_none() -> None:
    assert set(workloads.aliases().values()) <= set(workloads.names())
    assert not set(workloads.aliases()) & set(workloads.names())


def test_gradients_travel_at_the_width_of_the_stack() -> None:
    # apex O2 halves them, native autocast does not.
    for name, width in (
        ("bert-large", 2),
        ("bert-base", 2),
        ("gnmt", 2),
        ("resnet50", 4),
        ("ssd300", 4),
        ("mask-rcnn", 4),
    ):
        workload = workloads.load(name)
        assert workload.footprint("amp").gradient_bytes == pytest.approx(width * (workload.trained() or 0), rel=0.01)
        assert workload.footprint("fp32").gradient_bytes == pytest.approx(4 * (workload.trained() or 0), rel=0.01)


def test_milliseconds_follow_the_bytes_of_an_image() -> None:
    assert workloads.load("ssd300").prep_ms_per_sample == pytest.approx(5.3, abs=0.05)
    assert workloads.load("mask-rcnn").prep_ms_per_sample == pytest.approx(9.5, abs=0.05)


def test_pipelines_are_sourced_and_typed() -> None:
    known = {row["source"] for row in rows("sources")}
    for row in rows("pipelines"):
        assert row["source"] in known
        assert row["loader"] in ("serial", "parallel")
        assert row["scale"] in ("bytes", "fixed")
        assert row["scale"] == "fixed" or row["reference_bytes"]
    assert pipelines.table()["pillow"].prep_ms / pipelines.table()["pillow-256px"].prep_ms == pytest.approx(
        2.2, abs=0.01
    )


def test_every_number_of_a_file_says_where_it_is_from() -> None:
    # Every file names its source; keys whose values are not its, or are derived, carry a comment.
    for name in workloads.names():
        text = files("gpurent.workloads").joinpath(f"{name}.toml").read_text(encoding="utf-8")
        assert text.startswith("#")
        assert "source = " in text
        assert "#" in text.split("\n", 1)[1]
