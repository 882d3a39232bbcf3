"""Reading measured rates: mapped to our names, selected by the rules, bad files told by their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpurent import measurements
from gpurent.errors import Problem
from gpurent.measurements import Measurement

HEADER = ",".join(measurements.REQUIRED)
LAMBDA = "github.com/lambdal/deeplearning-benchmark"
DLE = "github.com/NVIDIA/DeepLearningExamples"


def read(tmp_path: Path, *lines: str, header: str = HEADER) -> list[Measurement]:
    path = tmp_path / "rates.csv"
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return list(measurements.read(path))


def row(
    workload: str = "bert-large",
    detail: str = "SQuAD fine-tune",
    card: str = "RTX 3090,24,PCIe",
    gpus: object = 1,
    precision: str = "amp",
    batch: object = 28,
    rate: object = 52,
    source: str = LAMBDA,
) -> str:
    return f"{workload},{detail},{card},{gpus},{precision},{batch},{rate},{source}"


def test_a_row_is_mapped_to_our_names(tmp_path: Path) -> None:
    (found,) = read(tmp_path, row())
    assert (found.task, found.stack, found.card, found.group) == ("bert-large", "lambda-ngc", "rtx-3090", "half")
    assert (found.n_gpus, found.batch, found.rate, found.line) == (1, 28.0, 52.0, 2)
    assert found.container is None
    assert measurements.leave_out(found) is None


def test_a_rate_of_ones_own_names_its_stack(tmp_path: Path) -> None:
    (found,) = read(tmp_path, row(workload="resnet50", detail="", batch=448, rate=905, source="lambda-ngc"))
    assert (found.task, found.stack) == ("resnet50", "lambda-ngc")
    assert measurements.leave_out(found) is None
    (unknown,) = read(tmp_path, row(workload="alexnet", detail="", source="lambda-ngc"))
    assert measurements.leave_out(unknown) == "unknown-workload"


def test_a_spelling_beyond_the_written_mapping_goes_through_the_grammar(tmp_path: Path) -> None:
    (found,) = read(tmp_path, row(card="NVIDIA GeForce RTX 3090,24,PCIe"))
    assert found.card == "rtx-3090"


@pytest.mark.parametrize("address", [f"https://{LAMBDA}", f"{LAMBDA}/", f"https://{LAMBDA}.git"])
def test_an_address_may_be_written_in_full(tmp_path: Path, address: str) -> None:
    assert read(tmp_path, row(source=address))[0].stack == "lambda-ngc"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (row(source="github.com/somebody/else"), "unknown-stack"),
        (row(workload="alexnet"), "unknown-workload"),
        (row(card="RTX 9999,24,PCIe"), "unknown-gpu"),
        (row(card="RTX 2070 Max-Q,8,laptop"), "unknown-gpu"),
        (row(card="A100,,"), "unknown-gpu"),  # which of five?
        (row(precision="nvfp4"), "unknown-precision"),
        (row(workload="transformerxl-base", detail="", gpus=4), "no-gradients"),
        (row(gpus=16), "too-many-gpus"),
        (row(gpus=8, batch=512, rate=4000), "few-steps"),  # 88,641 / (512 x 8) = 22 steps
    ],
)
def test_rows_that_are_left_out(tmp_path: Path, line: str, reason: str) -> None:
    (found,) = read(tmp_path, line)
    assert measurements.leave_out(found) == reason


def test_a_note_can_call_a_row_suspect(tmp_path: Path) -> None:
    (found,) = read(tmp_path, row() + ",SUSPECT slow interconnect", header=f"{HEADER},note")
    assert measurements.leave_out(found) == "suspect"


def test_twenty_five_steps_are_enough(tmp_path: Path) -> None:
    (found,) = read(tmp_path, row(gpus=8, batch=440, rate=4000))
    assert measurements.leave_out(found) is None


def test_an_accumulated_batch_says_nothing_about_a_step(tmp_path: Path) -> None:
    header = f"{HEADER},seq_len_or_image_size,framework,note"
    line = row(detail="pretrain phase1", card="V100,32,SXM2", batch=4096, rate=224, source=DLE)
    (found,) = read(tmp_path, f"{line},128,PyTorch,batch/GPU column is the accumulated batch", header=header)
    assert (found.task, found.batch) == ("bert-large-pretrain-s128", None)


@pytest.mark.parametrize(
    ("date", "note", "container"),
    [
        ("NGC 20.10 (PyTorch 1.7)", "", "20.10"),
        ("PyTorch 1.9.0a0 NGC", "", "21.04"),
        ("NGC 24.03", "", "24.03"),
        ("", "system=RTX 3090; era=v1", "22.09"),
        ("", "", None),
    ],
)
def test_container_by_date_or_note(tmp_path: Path, date: str, note: str, container: str | None) -> None:
    (found,) = read(tmp_path, f"{row()},{date},{note}", header=f"{HEADER},software_date,note")
    assert found.container == container


def test_the_same_name_in_another_stack_is_another_task(tmp_path: Path) -> None:
    header = f"{HEADER},framework"
    tensorflow, pytorch = (row(source=DLE) + f",{framework}" for framework in ("TensorFlow2", "PyTorch"))
    assert [each.task for each in read(tmp_path, tensorflow, pytorch, header=header)] == [None, "bert-large"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (row(rate="52 seq/s"), "line 2: 52 seq/s"),
        (row(rate=0), "line 2: 0"),
        (row(rate=-5), "line 2: -5"),
        (row(rate="nan"), "line 2: nan"),
        (row(rate="1e999"), "line 2: 1e999"),
        (row(gpus=0), "line 2: 0"),
        (row(gpus=3.5), "line 2: 3.5"),
        (row(batch="many"), "line 2: many"),
        ("bert-large,SQuAD fine-tune", "line 2: "),
    ],
)
def test_a_bad_number_is_told_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(Problem) as caught:
        read(tmp_path, line)
    assert (caught.value.value, caught.value.code) == (said, 2)


def test_a_wrong_unit_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(Problem) as caught:
        read(tmp_path, row() + ",sequences/s", row() + ",tokens/s", header=f"{HEADER},unit")
    assert caught.value.value == "line 3: tokens/s"


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(Problem) as caught:
        read(tmp_path, header=HEADER.replace("throughput", "rate"))
    assert caught.value.value == "line 1: no throughput"


def test_what_is_no_csv_file(tmp_path: Path) -> None:
    binary = tmp_path / "rates.bin"
    binary.write_bytes(b"\xff\xfe\x00\x01")
    for path in (tmp_path, tmp_path / "absent.csv", binary):
        with pytest.raises(Problem):
            list(measurements.read(path))


def test_semicolons_gb18030_and_old_line_ends_are_read(tmp_path: Path) -> None:
    text = "\r".join([f"{HEADER},note", row() + ",一号机"]).replace(",", ";")
    path = tmp_path / "rates.csv"
    path.write_bytes(text.encode("gb18030"))
    (found,) = measurements.read(path)
    assert (found.card, found.note) == ("rtx-3090", "一号机")


def test_a_line_with_more_cells_than_the_header_is_told(tmp_path: Path) -> None:
    with pytest.raises(Problem) as told:
        read(tmp_path, row() + ",more")
    assert "line 2" in told.value.value


def test_a_column_that_stands_twice_is_told(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="twice"):
        read(tmp_path, row() + ",RTX 3080", header=f"{HEADER},gpu")


def test_a_file_without_end_is_not_read_to_its_end() -> None:
    with pytest.raises(Problem, match="too large"):
        list(measurements.read(Path("/dev/zero")))


@pytest.mark.parametrize(
    ("date", "container"),
    [
        ("NGC 24.03 (PyTorch 2.3)", "24.03"),
        ("NGC 24.07 (PyTorch 2.4)", "24.03"),  # the newest known one before it
        ("NGC 21.12", "21.04"),
        ("PyTorch 2.0 NGC", "22.09"),
        ("NGC 19.01 (PyTorch 1.1)", None),
    ],
)
def test_a_release_that_is_not_known_counts_as_the_one_before(tmp_path: Path, date: str, container: str) -> None:
    (found,) = read(tmp_path, row() + f",{date}", header=f"{HEADER},software_date")
    assert found.container == container


def test_a_slice_keeps_its_profile(tmp_path: Path) -> None:
    one, several, shared = read(
        tmp_path,
        row(card="A100 3g.20gb,40,SXM4"),
        row(card="A100 MIG 3g.20gb,20,SXM4", gpus=2),
        row(card="A10-4Q,4,PCIe"),
    )
    assert (one.card, one.slice_profile) == ("a100-sxm-40gb", "3g.20gb")
    assert measurements.leave_out(several) == "several-slices"
    assert measurements.leave_out(shared) == "unknown-gpu"
