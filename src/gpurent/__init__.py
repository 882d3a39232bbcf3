"""gpurent: what an epoch of your training costs on rented GPUs, and how sure that is.

import gpurent

ranked = gpurent.compare("bert-large", gpu=["a100*", "rtx-4090"], precision="amp")
ranked.row(0)["cost_per_epoch_usd"]
ranked.to_frame()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpurent.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gpurent.comparison import Comparison
    from gpurent.offer import Offer
    from gpurent.workloads.workload import Workload

__all__ = ["__version__", "compare"]


def compare(
    workload: str | Path | Workload = "bert-large",
    offers: str | Path | Sequence[Offer] | None = None,
    *,
    mine: str | Offer | None = None,
    **options: Any,
) -> Comparison:
    """Rank offers by what an epoch of a workload costs on each.

    Args:
        workload: name of a shipped one, a workload file, or a `Workload`.
        offers: an offers file, `Offer` records, or None for the embedded catalogue.
        mine: your own machine as text or `Offer`: estimated by the same road, never ranked.
        **options: fields of `gpurent.comparison.Options` (precision, batch, anchors as "card=rate", setup, sort ...)
            and of `gpurent.selection.Wanted` (gpu, provider, region, purchase, min_vram_gib ...); `set_` overrides
            keys of the workload.

    Raises:
        gpurent.errors.Problem: what happened, which value, what to do.
        TypeError: an option that does not exist.
    """
    from dataclasses import fields
    from datetime import UTC, datetime

    from gpurent import catalogue, workloads
    from gpurent import comparison as road
    from gpurent.normalizer import anchor
    from gpurent.selection import Wanted

    now = datetime.now(UTC)
    changed = options.pop("set_", ())
    anchors = tuple(anchor.read(each) if isinstance(each, str) else each for each in options.pop("anchors", ()))
    job = (
        workload
        if isinstance(workload, workloads.Workload)
        else workloads.load(workload, changed, anchored=bool(anchors))
    )
    if offers is None:
        offers = catalogue.offers()
    elif not isinstance(offers, list | tuple):
        from pathlib import Path

        from gpurent.hardware.names import count_of
        from gpurent.offer_file import parse_offers

        offers = parse_offers(Path(str(offers)).read_bytes(), str(offers), now, count_in=count_of).offers
    if isinstance(mine, str):
        from gpurent.offer_text import read_machine

        mine = read_machine(mine)
    filters: dict[str, Any] = {each.name: options.pop(each.name) for each in fields(Wanted) if each.name in options}
    for name in {"gpu", "provider", "region", "tier"} & filters.keys():
        value = filters[name]
        filters[name] = tuple(value.split(",")) if isinstance(value, str) else tuple(value)
    wanted = Wanted(**filters)
    return road.compare(offers, job, road.Options(wanted=wanted, anchors=anchors, **options), now=now, mine=mine)
