"""Whether software and hardware go together: framework, CUDA, driver and architecture, by tables/stacks.csv."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from gpurent import tables
from gpurent.errors import Problem
from gpurent.hardware.cards import Card
from gpurent.quotes.findings import Finding

Version = tuple[int, int]
_TORCH = re.compile(r"(?:py)?torch\s*[=:\s]*\s*v?(\d{1,2}\.\d{1,2})", re.IGNORECASE)
_TAG = re.compile(r"(?<![a-z])cu\s?(\d{2})\.?(\d)(?!\d)", re.IGNORECASE)
_CUDA = re.compile(r"(?:cuda(?:\s*toolkit)?)\s*[=:\s]*\s*v?(\d{1,2}\.\d)", re.IGNORECASE)


@dataclass(frozen=True)
class Stack:
    """The software somebody wants to run. None: not said."""

    torch: Version | None = None
    cuda: Version | None = None
    said: str = ""

    @property
    def toolkit(self) -> Version | None:
        """The CUDA it carries: as said, else the one that PyTorch release comes with."""
        if self.cuda is not None or self.torch is None:
            return self.cuda
        return _torch_cuda().get(self.torch)


@dataclass(frozen=True)
class _Architecture:
    cuda_min: Version | None
    cuda_last: Version | None
    torch_min: Version | None
    torch_cuda_last: Version | None
    source: str


def read_stack(text: str | None) -> Stack:
    """`--stack "torch==2.0+cu118"`, "cuda 12.8", "pytorch 2.7 cu128".

    >>> read_stack("torch==2.0+cu118").toolkit
    (11, 8)

    Raises:
        Problem: neither a PyTorch nor a CUDA version is in it (exit 2).
    """
    if text is None:
        return Stack()
    torch, tag, cuda = _TORCH.search(text[:200]), _TAG.search(text[:200]), _CUDA.search(text[:200])
    if not torch and not tag and not cuda:
        raise Problem("--stack names no version this knows", text, 'write e.g. "torch==2.7+cu128" or "cuda 12.4"')
    number = f"{tag.group(1)}.{tag.group(2)}" if tag else cuda.group(1) if cuda else None
    return Stack(version(torch.group(1)) if torch else None, version(number) if number else None, text.strip())


def version(text: str) -> Version:
    """Major and minor of a version.

    >>> version("v570.26"), version("2.10"), version("535.54.14")
    ((570, 26), (2, 10), (535, 54))
    """
    parts = re.findall(r"\d+", text)[:2]
    return int(parts[0]), int(parts[1]) if len(parts) > 1 else 0


def written(number: Version | None) -> str:
    """A version as text."""
    return "?" if number is None else f"{number[0]}.{number[1]}"


def _cell(text: str) -> Version | None:
    return version(text) if text else None


@cache
def _torch_cuda() -> dict[Version, Version]:
    rows = [row for row in tables.rows("stacks") if row["kind"] == "torch"]
    return {version(row["version"]): version(row["cuda_default"]) for row in rows}


@cache
def _drivers() -> dict[Version, Version]:
    rows = [row for row in tables.rows("stacks") if row["kind"] == "cuda"]
    return {version(row["version"]): version(row["driver_min"]) for row in rows}


@cache
def _architectures() -> dict[float, _Architecture]:
    return {
        float(row["compute_capability"]): _Architecture(
            _cell(row["cuda_min"]),
            _cell(row["cuda_last"]),
            _cell(row["torch_min"]),
            _cell(row["torch_cuda_last"]),
            row["source"],
        )
        for row in tables.rows("stacks")
        if row["kind"] == "architecture"
    }


def driver_for(cuda: Version) -> Version | None:
    """The least Linux driver that runs a CUDA toolkit."""
    return _drivers().get(cuda)


def stack_findings(
    cards: tuple[Card, ...], stack: Stack, cuda_max: str | None, driver: str | None, arch: str | None
) -> Iterator[Finding]:
    """What does not go together. A finding that ends the matter carries the verdict `incompatible`.

    Args:
        cards: what the quote's card may be.
        stack: software asked for, or in the quote's image.
        cuda_max: newest CUDA the host's driver runs, as written.
        driver: the host's driver, as written.
        arch: "aarch64" where the quote says so.
    """
    if arch == "aarch64" or (cards and all(card.form == "superchip" for card in cards)):
        yield Finding("arch-aarch64", "warning", {"source": "cuda-architecture-matrix"})
    toolkit = stack.toolkit
    gates = [_architectures().get(card.compute_capability or 0.0) for card in cards if card.platform == "cuda"]
    if gates and all(gate is not None for gate in gates):
        needs = min((gate.cuda_min for gate in gates if gate and gate.cuda_min), default=None)
        last = max((gate.cuda_last or (99, 0) for gate in gates if gate), default=(99, 0))
        source = gates[0].source if gates[0] else ""
        yield from _architecture(cards[0], stack, toolkit, needs, last, gates, source)  # type: ignore[arg-type]
        if cuda_max and needs and version(cuda_max) < needs:
            yield _stop(
                "host-older-than-card", cards[0], needs, source, cuda_max=cuda_max, driver=written(driver_for(needs))
            )
    if toolkit and cuda_max and version(cuda_max) < toolkit:
        yield Finding(
            "host-cuda-older", "fail", {"cuda": written(toolkit), "cuda_max": cuda_max, "source": "cuda-release-notes"},
            verdict="incompatible",
        )  # fmt: skip
    elif toolkit and driver and not cuda_max and (least := driver_for(toolkit)) and version(driver) < least:
        yield Finding(
            "driver-older", "fail",
            {"cuda": written(toolkit), "driver": driver, "needs": written(least), "source": "cuda-release-notes"},
            verdict="incompatible",
        )  # fmt: skip
    if toolkit and cards and all(card.platform != "cuda" for card in cards):
        yield Finding(
            "not-cuda", "fail", {"card": cards[0].card, "platform": cards[0].platform, "source": cards[0].source},
            verdict="incompatible",
        )  # fmt: skip


def _stop(code: str, card: Card, needs: Version, source: str, **values: str) -> Finding:
    numbers = {"card": card.card, "needs": written(needs), **values, "source": source}
    return Finding(code, "fail", numbers, verdict="incompatible")


def _architecture(
    card: Card,
    stack: Stack,
    toolkit: Version | None,
    needs: Version | None,
    last: Version,
    gates: list[_Architecture],
    source: str,
) -> Iterator[Finding]:
    if toolkit and needs and toolkit < needs:
        yield _stop(
            "cuda-older-than-card", card, needs, source, cuda=written(toolkit), driver=written(driver_for(needs))
        )
        return
    if toolkit and toolkit > last:
        yield _stop("cuda-newer-than-card", card, last, source, cuda=written(toolkit))
        return
    if stack.torch is None:
        return
    least = min((gate.torch_min for gate in gates if gate.torch_min), default=None)
    if least and stack.torch < least:
        yield _stop("torch-older-than-card", card, least, source, torch=written(stack.torch))
        return
    build = max((gate.torch_cuda_last or (99, 0) for gate in gates), default=(99, 0))
    if toolkit and toolkit > build:
        yield _stop("torch-build-without-card", card, build, source, cuda=written(toolkit), torch=written(stack.torch))
