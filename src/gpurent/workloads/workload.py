"""A workload: a model, its data set and one step of it, in one stack. The schema of a workload file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr

from gpurent.money import bounded_decimal, bounded_float
from gpurent.offer import Line

Precision = Literal["amp", "fp32", "tf32", "fp16", "bf16", "fp8"]
Read = Literal["files", "shards", "memory"]
Loader = Literal["parallel", "serial"]
ReadOrder = Literal["shuffled", "sequential"]

HALF: frozenset[str] = frozenset({"amp", "fp16", "bf16", "fp8"})  # the others are the `single` group of the fits
FP32_BYTES = 4  # width of a gradient that autocast hands to the exchange, and of any fp32 one

# Bytes, samples and FLOPs of a run outgrow the bound of money.bounded_decimal: 18 digits hold an exabyte.
_LARGEST_EXPONENT = 18


def _large_float(value: object) -> float:
    return float(bounded_decimal(value, max_exponent=_LARGEST_EXPONENT))


def _whole(value: object) -> int:
    number = bounded_float(value)
    if number != int(number):
        raise ValueError("not a whole number")
    return int(number)


def _words(value: object) -> object:
    return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value


Large = Annotated[float, BeforeValidator(_large_float), Field(gt=0)]
LargeOrZero = Annotated[float, BeforeValidator(_large_float), Field(ge=0)]
Positive = Annotated[float, BeforeValidator(bounded_float), Field(gt=0)]
OrZero = Annotated[float, BeforeValidator(bounded_float), Field(ge=0)]
Whole = Annotated[int, BeforeValidator(_whole), Field(ge=1)]
Version = Annotated[str, Field(pattern=r"^\d{1,3}(\.\d{1,3})?$")]  # text: the number 12.10 would be 12.1


class Footprint(NamedTuple):
    """What one precision asks of memory and of the wire; None = not known."""

    gradient_bytes: float | None  # exchanged a step
    state_bytes_per_param: float | None  # weights, gradients and optimiser state of a trained parameter
    activation_bytes_per_sample: float | None
    fixed_bytes: float | None  # weights, optimiser state, context; None: the rule over params


class Workload(BaseModel):
    """A model, its data set and one step, in one stack. Frozen; unknown is None; the keys are those of a workload file.

    A sample is what the user counts (image, sequence, token ...); a unit is what measured rates count, and
    `units_per_sample` units make a sample. `prep_ms_per_sample` is CPU time on a core of index J = 500.
    `flops_per_sample` is forward and backward together. The `_fp32` twins belong to fp32 and tf32, the plain keys to
    the half precisions. `task` names a measured task of `stack`, or the kind of a step that was measured nowhere
    ("cnn", "transformer").
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[Line, Field(max_length=60)]
    title: Line | None = None
    task: Line | None = None
    stack: Line | None = None
    sample: Annotated[Line, Field(max_length=30)]
    samples_per_epoch: Large
    epochs: Annotated[Positive, Field(le=1_000_000)]
    dataset_bytes: LargeOrZero | None = None
    bytes_per_sample: LargeOrZero
    read: Read | None = None
    pipeline: Line | None = None
    prep_ms_per_sample: OrZero | None = None
    loader: Loader | None = None
    loader_ceiling_samples_per_s: Positive | None = None  # of one GPU process; None: no ceiling
    gpu_input_bytes_per_sample: LargeOrZero | None = None
    units_per_sample: Large = 1.0
    io_ops_per_sample: OrZero | None = None
    read_order: ReadOrder = "shuffled"
    params: Large | None = None
    trainable_params: Large | None = None
    flops_per_sample: Large | None = None
    gradient_bytes: LargeOrZero | None = None
    gradient_bytes_fp32: LargeOrZero | None = None
    state_bytes_per_param: Positive | None = None
    state_bytes_per_param_fp32: Positive | None = None
    activation_bytes_per_sample: LargeOrZero | None = None
    activation_bytes_per_sample_fp32: LargeOrZero | None = None
    fixed_bytes: LargeOrZero | None = None
    fixed_bytes_fp32: LargeOrZero | None = None
    batch: Whole
    accumulation: Annotated[Whole, Field(le=1_000_000)] = 1
    checkpointing: bool = False  # of activations: allowed
    sharding: bool = False  # over the cards of one node: allowed
    precision: Precision = "amp"
    precisions: Annotated[tuple[Precision, ...], BeforeValidator(_words), Field(min_length=1)] | None = None
    platforms: Annotated[tuple[Line, ...], BeforeValidator(_words), Field(min_length=1)] = ("cuda",)
    cuda_min: Version | None = None
    arch_min: Version | None = None  # compute capability
    checkpoint_bytes: LargeOrZero | None = None  # of one saved checkpoint
    checkpoint_interval_s: Positive | None = None
    source: Line | None = None

    _assumed: dict[str, Any] = PrivateAttr(default_factory=dict)

    @property
    def assumed(self) -> dict[str, Any]:
        """Keys that nobody stated and that were filled for want of better: key -> value, None = left out."""
        return dict(self._assumed)

    def with_assumed(self, assumed: Mapping[str, Any]) -> Self:
        """The same workload, saying which of its keys were assumed."""
        copy = self.model_copy()
        copy._assumed = dict(assumed)
        return copy

    def trained(self) -> float | None:
        """Trained parameters: `trainable_params`, else all of them."""
        return self.params if self.trainable_params is None else self.trainable_params

    def frozen(self) -> float:
        """Parameters that are held but not trained (LoRA); 0 where all are trained or nothing is known."""
        if self.params is None or self.trainable_params is None:
            return 0.0
        return max(0.0, self.params - self.trainable_params)

    def footprint(self, precision: str) -> Footprint:
        """Memory and exchange of a precision.

        gradient_bytes falls back to 4 B a trained parameter (autocast and fp32 alike): stacks that exchange half-width
        gradients say so in their file. fixed_bytes of 0 means "not fitted", so the rule applies.

        >>> sizes = {"samples_per_epoch": 10, "epochs": 1, "bytes_per_sample": 1, "batch": 2, "params": 100}
        >>> w = Workload(name="w", sample="image", **sizes)
        >>> w.footprint("amp").gradient_bytes
        400.0
        """
        half = precision in HALF
        pick = partial(_pick, self, half)
        trained = self.trained()
        gradient = pick("gradient_bytes")
        if gradient is None and trained is not None:
            gradient = FP32_BYTES * trained
        return Footprint(
            gradient, pick("state_bytes_per_param"), pick("activation_bytes_per_sample"), pick("fixed_bytes") or None
        )


def _pick(workload: Workload, half: bool, key: str) -> float | None:
    value: float | None = getattr(workload, key if half else f"{key}_fp32")
    return value
