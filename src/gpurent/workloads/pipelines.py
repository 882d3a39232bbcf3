"""Pipelines: how samples are prepared, and what that costs the CPUs."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from gpurent.tables import number, rows


class Pipeline(NamedTuple):
    """One row of tables/pipelines.csv; milliseconds on a core of J = 500."""

    name: str
    prep_ms: float
    reference_bytes: float | None  # size of the sample that the milliseconds belong to, where they follow the bytes
    loader: str
    ceiling_samples_per_s: float | None  # of one GPU process
    read: str | None  # a pipeline that stores the data anew says how it is read ...
    stored_bytes_per_sample: float | None  # ... and how large a sample is then
    default_for: tuple[str, ...]  # kinds of sample

    def prep_ms_of(self, bytes_per_sample: float) -> float:
        """Milliseconds of a sample, in proportion to its bytes where decoding decides.

        >>> round(table()["pillow"].prep_ms_of(163163), 1)
        9.5
        """
        if not self.reference_bytes or bytes_per_sample <= 0:
            return self.prep_ms
        return self.prep_ms * bytes_per_sample / self.reference_bytes


@cache
def table() -> dict[str, Pipeline]:
    """All pipelines by name, in the order of the table."""
    return {
        row["pipeline"]: Pipeline(
            name=row["pipeline"],
            prep_ms=float(row["prep_ms"]),
            reference_bytes=number(row["reference_bytes"]) if row["scale"] == "bytes" else None,
            loader=row["loader"],
            ceiling_samples_per_s=number(row["ceiling_samples_per_s"]),
            read=row["read"] or None,
            stored_bytes_per_sample=number(row["stored_bytes_per_sample"]),
            default_for=tuple(row["default_for"].split()),
        )
        for row in rows("pipelines")
    }


def default(sample: str) -> Pipeline | None:
    """The pipeline that is assumed for a kind of sample, or None.

    >>> default("token").name
    'tokens'
    """
    return next((one for one in table().values() if sample.casefold() in one.default_for), None)
