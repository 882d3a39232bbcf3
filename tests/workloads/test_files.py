"""Workload files: what is read, filled, overridden and refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpurent import workloads
from gpurent.errors import USAGE, Problem

GOOD = """
name = "mine"
sample = "image"
samples_per_epoch = 1000
epochs = 2
bytes_per_sample = 114660
batch = 8
flops_per_sample = 1e10
"""


def written(folder: Path, text: str | bytes, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(path: Path | str, *set_: str, anchored: bool = False) -> Problem:
    with pytest.raises(Problem) as caught:
        workloads.load(path, set_, anchored=anchored)
    problem = caught.value
    assert problem.code == USAGE
    assert problem.what
    assert str(problem.value)
    assert problem.do
    assert "\n" not in problem.what + problem.do
    return problem


def test_a_good_file(tmp_path: Path) -> None:
    workload = workloads.load(written(tmp_path, GOOD))
    assert (workload.name, workload.batch) == ("mine", 8)
    assert (workload.pipeline, workload.prep_ms_per_sample, workload.loader) == ("pillow", 6.7, "serial")
    assert workload.assumed == {"pipeline": "pillow", "read": "files"}


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    assert workloads.load(written(tmp_path, b"\xef\xbb\xbf" + GOOD.encode())).name == "mine"


def test_the_template_loads_as_it_is(tmp_path: Path) -> None:
    workload = workloads.load(written(tmp_path, workloads.template()))
    assert workload.name == "my-workload"
    assert workload.assumed == {}


def test_every_line_of_the_template_loads_when_uncommented(tmp_path: Path) -> None:
    lines = []
    for line in workloads.template().splitlines():
        key, equals, _ = line.removeprefix("# ").partition(" = ")
        lines.append(line.removeprefix("# ") if equals and key in workloads.Workload.model_fields else line)
    seen: set[str] = set()
    last = [line for line in reversed(lines) if (key := line.partition(" = ")[0]) not in seen and not seen.add(key)]
    assert workloads.load(written(tmp_path, "\n".join(reversed(last)))).stack == "lambda-ngc"
    stated = {line.removeprefix("# ").partition(" = ")[0] for line in workloads.template().splitlines()}
    twins = {key for key in workloads.Workload.model_fields if key.endswith("_fp32")}
    assert set(workloads.Workload.model_fields) - stated <= twins


class TestRefusals:
    @pytest.mark.parametrize("key", ["name", "sample", "samples_per_epoch", "epochs", "bytes_per_sample", "batch"])
    def test_a_required_key(self, tmp_path: Path, key: str) -> None:
        kept = "\n".join(line for line in GOOD.splitlines() if not line.startswith(f"{key} "))
        problem = refused(written(tmp_path, kept))
        assert key in problem.what
        assert "missing" in problem.what

    def test_nothing_that_says_how_fast(self, tmp_path: Path) -> None:
        path = written(tmp_path, GOOD.replace("flops_per_sample = 1e10", ""))
        assert "--anchor" in refused(path).do
        assert workloads.load(path, anchored=True).name == "mine"

    def test_a_stack_alone_has_no_rates_of_an_unknown_workload(self, tmp_path: Path) -> None:
        text = GOOD.replace("flops_per_sample = 1e10", 'stack = "lambda-ngc"')
        assert "lambda-ngc" in str(refused(written(tmp_path, text)).value)
        known = text + 'task = "resnet50"\n'
        assert workloads.load(written(tmp_path, known)).task == "resnet50"

    def test_an_unknown_key_with_the_near_one(self, tmp_path: Path) -> None:
        problem = refused(written(tmp_path, GOOD.replace("batch =", "bacth =")))
        assert "bacth" in problem.what
        assert "batch" in problem.do

    @pytest.mark.parametrize("line", ["batch = -8", "batch = 0", "batch = 2.5", "dataset_bytes = -1", "batch = true"])
    def test_a_size_that_cannot_be(self, tmp_path: Path, line: str) -> None:
        key = line.partition(" ")[0]
        text = "\n".join(kept for kept in GOOD.splitlines() if not kept.startswith(key))
        problem = refused(written(tmp_path, f"{text}\n{line}\n"))
        assert key in problem.what

    def test_the_offending_value_is_shown(self, tmp_path: Path) -> None:
        assert refused(written(tmp_path, GOOD + 'read = "floppy"\n')).value == "floppy"

    @pytest.mark.parametrize(
        "text", ["name = ", "just words", "a = " + "[" * 100_000, "a = " + "9" * 5000, 'name = "x"\nname = "y"']
    )
    def test_not_toml(self, tmp_path: Path, text: str) -> None:
        assert "TOML" in refused(written(tmp_path, text)).what

    def test_not_utf8(self, tmp_path: Path) -> None:
        assert "UTF-8" in refused(written(tmp_path, b'name = "\xff"')).what

    def test_too_large(self, tmp_path: Path) -> None:
        assert "1 MiB" in refused(written(tmp_path, b"#" * (1 << 20) + b"\n")).what

    def test_a_directory(self, tmp_path: Path) -> None:
        assert "directory" in refused(tmp_path).what
        (tmp_path / "d.toml").mkdir()
        assert "directory" in refused(str(tmp_path / "d.toml")).what

    def test_no_file(self, tmp_path: Path) -> None:
        assert "no such" in refused(tmp_path / "none.toml").what
        refused("no\x00where.toml")
        refused("x" * 5000 + ".toml")

    def test_an_unknown_pipeline(self, tmp_path: Path) -> None:
        assert "pillow" in refused(written(tmp_path, GOOD + 'pipeline = "pilow"\n')).do
        own = GOOD + 'pipeline = "my own"\nprep_ms_per_sample = 2\n'
        assert workloads.load(written(tmp_path, own)).pipeline == "my own"

    def test_contradictions(self, tmp_path: Path) -> None:
        refused(written(tmp_path, GOOD + 'precision = "fp8"\nprecisions = ["amp"]\n'))
        refused(written(tmp_path, GOOD + "params = 5\ntrainable_params = 6\n"))


class TestNames:
    def test_near_names(self) -> None:
        assert "bert-large" in refused("bert-larg").do
        assert "resnet50" in refused("resnet51").do
        assert "workloads list" in refused("qqqqqq").do
        refused("")

    @pytest.mark.parametrize(
        ("alias", "name"),
        [
            ("BERT-Large", "bert-large"), ("bert_large", "bert-large"), ("transformer-xl", "transformer-xl-base"),
            ("bert-large-pretrain-128", "bert-large-pretrain-s128"), ("maskrcnn-r50fpn", "mask-rcnn"),
            ("transformerxl-large", "transformer-xl-large"), ("vit_base_patch16_224", "vit-b16"),
        ],
    )  # fmt: skip
    def test_aliases(self, alias: str, name: str) -> None:
        assert workloads.load(alias).name == name


class TestOverrides:
    def test_typed_by_the_key(self) -> None:
        workload = workloads.load(
            "bert-large", ["batch=16", "epochs=3.5", "checkpointing=false", "precisions=amp,fp32"]
        )
        assert (workload.batch, workload.epochs, workload.checkpointing) == (16, 3.5, False)
        assert workload.precisions == ("amp", "fp32")

    def test_a_key_is_taken_away(self) -> None:
        assert workloads.load("resnet50", ["loader_ceiling_samples_per_s=none"]).loader_ceiling_samples_per_s is None

    def test_another_pipeline_brings_its_costs(self) -> None:
        dali = workloads.load("resnet50", ["pipeline=DALI"])
        assert (dali.prep_ms_per_sample, dali.loader, dali.loader_ceiling_samples_per_s) == (3.7, "parallel", 5000)
        assert (dali.bytes_per_sample, dali.read) == (114660, "files")

    def test_a_pipeline_that_stores_the_data_anew_brings_its_format(self) -> None:
        ffcv = workloads.load("resnet50", ["pipeline=ffcv"])
        assert (ffcv.bytes_per_sample, ffcv.read, ffcv.loader_ceiling_samples_per_s) == (51102, "shards", None)
        assert ffcv.dataset_bytes is None  # samples x bytes

    def test_what_is_said_beside_it_wins(self) -> None:
        assert workloads.load("resnet50", ["pipeline=dali", "prep_ms_per_sample=2"]).prep_ms_per_sample == 2

    @pytest.mark.parametrize(
        "pair",
        ["batch", "batch=", "batch=-1", "batch=many", "bacth=3", "=3", "name=none", "precision=fp9", "epochs=nan"],
    )
    def test_refused(self, pair: str) -> None:
        refused("bert-large", pair)
