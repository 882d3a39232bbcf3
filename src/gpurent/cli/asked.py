"""Options that several commands share, and what their texts mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpurent.cli.output import Output
from gpurent.errors import Problem

if TYPE_CHECKING:
    from gpurent.selection import Wanted

Offers = Annotated[
    str | None, typer.Option("--offers", metavar="FILE|-", help="Offers file instead of the current offers.")
]
Gpu = Annotated[str | None, typer.Option("--gpu", help="Cards: comma-separated globs, or a100:80GB:8.")]
Provider = Annotated[str | None, typer.Option("--provider", help="Providers: comma-separated globs.")]
Region = Annotated[str | None, typer.Option("--region", help="Regions or countries: comma-separated globs.")]
Tier = Annotated[str | None, typer.Option("--tier", help="Tiers: comma-separated globs.")]
Purchase = Annotated[str, typer.Option("--purchase", help="on-demand, spot, reserved or any.")]
Share = Annotated[str, typer.Option("--share", help="whole, slice or any.")]
MinVram = Annotated[float | None, typer.Option("--min-vram", metavar="GIB", help="Least memory of a card or slice.")]
Vcpus = Annotated[str | None, typer.Option("--vcpus", metavar="RANGE", help="8.. or ..4 or 2..8")]
Ram = Annotated[str | None, typer.Option("--ram", metavar="RANGE", help="RAM in GiB: 8.. or ..4 or 2..8")]
Count = Annotated[str | None, typer.Option("--count", metavar="RANGE", help="GPUs: 8.. or ..4 or 2..8")]
SoldOut = Annotated[bool, typer.Option("--include-sold-out", help="Rank sold-out offers too.")]
Via = Annotated[bool, typer.Option("--include-via", help="Show resellers' rows beside the provider's own.")]
OutputOption = Annotated[Output, typer.Option("--output", "-o", help="How rows are written.")]


def words(text: str | None) -> tuple[str, ...]:
    """Comma-separated words, empty ones left out."""
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


def choice(value: str, choices: tuple[str, ...], option: str) -> Any:
    """One of a few words; `_` for `-` and any case are taken.

    Raises:
        Problem: another word (exit 2).
    """
    word = value.strip().lower().replace("_", "-")
    if word not in choices:
        raise Problem(f"{option} does not know this word", value, f"use {', '.join(choices)}")
    return word


def positive(value: float | None, option: str) -> float | None:
    """A number above zero, or None.

    Raises:
        Problem: zero, negative, not finite (exit 2).
    """
    if value is not None and not 0 < value < 1e12:
        raise Problem(f"{option} must lie above 0 and below 1e12", value, "give a number in that range")
    return value


def wanted(
    gpu: str | None, provider: str | None, region: str | None, tier: str | None, purchase: str, share: str,
    min_vram: float | None, vcpus: str | None, ram: str | None, count: str | None, sold_out: bool, via: bool,
) -> Wanted:  # fmt: skip
    """The filters of a command line."""
    from gpurent.selection import PURCHASES, SHARES, Wanted, read_range

    for option, text in (("--gpu", gpu), ("--provider", provider), ("--region", region), ("--tier", tier)):
        if text is not None and not words(text):
            raise Problem(f"{option} names nothing", text, f"leave {option} out, or name what you want")
    return Wanted(
        gpu=words(gpu), provider=words(provider), region=words(region), tier=words(tier),
        purchase=choice(purchase.replace("ondemand", "on-demand"), PURCHASES, "--purchase"),
        share=choice(share, SHARES, "--share"), min_vram_gib=positive(min_vram, "--min-vram"),
        vcpus=read_range(vcpus, "--vcpus") if vcpus else None, ram_gib=read_range(ram, "--ram") if ram else None,
        count=read_range(count, "--count", whole=True) if count else None, include_sold_out=sold_out, include_via=via,
    )  # fmt: skip


def assumptions(pairs: list[str]) -> dict[str, Any]:
    """`--assume key=value` as fields of an offer.

    Raises:
        Problem: no `=`, an unknown key, or a value the field does not take (exit 2).
    """
    import difflib

    from pydantic import ValidationError

    from gpurent.offer import DEFAULTS, field_types

    assumed: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        key = key.strip().lower()
        if not equals or key not in DEFAULTS or key in ("price", "gpu_count"):
            near = ", ".join(difflib.get_close_matches(key, DEFAULTS, 3, 0.5))
            raise Problem(
                "--assume takes key=value of an offer", pair, f"near: {near}" if near else "e.g. --assume vcpus=16"
            )
        try:
            assumed[key] = field_types()[key].validate_python(value.strip())
        except ValidationError as error:
            reason = error.errors()[0]["msg"].removeprefix("Value error, ")
            raise Problem(f"--assume {key}: {reason}", value, "give a value the offers file takes") from None
    return assumed
