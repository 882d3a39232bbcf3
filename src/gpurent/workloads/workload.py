"""A workload: a model, its data set and one step of it, in one stack. The schema of a workload file."""

from __future__ import annotations

import tomllib
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from gpurent.money import bounded_float
from gpurent.offer import Line

Precision = Literal["amp", "fp32", "tf32", "fp16", "bf16", "fp8"]

Count = Annotated[float, BeforeValidator(bounded_float), Field(gt=0)]
Size = Annotated[float, BeforeValidator(bounded_float), Field(ge=0)]
