"""The one road: offers and a workload in, ranked rows out. It is handed offers and opens nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from gpurent import fx
from gpurent.errors import Problem
from gpurent.hardware.pool import Pool, machines_of
from gpurent.normalizer.anchor import Anchor
from gpurent.normalizer.estimate import Request, estimate
from gpurent.offer import Offer
from gpurent.ranker import rank, rows
from gpurent.ranker.explain import Explanation, explain
from gpurent.ranker.notes import Note, notes_of
from gpurent.ranker.terms import terms_of
from gpurent.selection import Selector, Wanted, check_providers
from gpurent.workloads.workload import Precision, Workload

if TYPE_CHECKING:
    import pandas

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Sort = Literal["cost", "time", "price", "throughput"]

_SELECTION = attrgetter(
    "provider", "via", "region", "country", "tier", "purchase", "stock", "vcpus", "ram_gib"
)  # fmt: skip


@dataclass(frozen=True)
class Options:
    """Everything `compare` can be asked beside the workload; the defaults are the command's."""

    wanted: Wanted = field(default_factory=Wanted)
    precision: str | None = None
    batch: int | None = None
    nodes: int = 1
    setup: Literal["auto", "none"] = "auto"
    anchors: tuple[Anchor, ...] = ()
    assume: Mapping[str, Any] = field(default_factory=dict)
    max_usd_per_hour: float | None = None
    max_cost_per_epoch: float | None = None
    max_epoch_hours: float | None = None
    max_age_days: float | None = None
    sort: Sort = "cost"

    def __post_init__(self) -> None:
        """Refuse what would quietly give nothing or nonsense.

        Raises:
            Problem: an unknown word or a number that is none.
        """
        words = (("precision", self.precision, (None, *get_args(Precision))), ("sort", self.sort, get_args(Sort)))
        for name, word, known in (*words, ("setup", self.setup, ("auto", "none"))):
            if word not in known:
                raise Problem(f"{name} does not know this word", word, f"use {', '.join(filter(None, known))}")
        if not 1 <= self.nodes <= MOST_NODES:
            raise Problem(f"nodes must lie between 1 and {MOST_NODES}", self.nodes, "give how many work together")
        if self.batch is not None and not 1 <= self.batch <= MOST_SAMPLES:
            raise Problem("the batch must be 1 or more", self.batch, "give samples per GPU")
        for name in ("max_usd_per_hour", "max_cost_per_epoch", "max_epoch_hours", "max_age_days"):
            limit = getattr(self, name)
            if limit is not None and not 0 < limit < float("inf"):
                raise Problem(f"{name} must be a number above zero", limit, "give a positive number")


MOST_NODES, MOST_SAMPLES = 10_000, 10**9


@dataclass(frozen=True)
class Dropped:
    """Offers that are not ranked, for one reason: how many, and one of them with what it lacks."""

    reason: str
    count: int
    example: str


@dataclass(frozen=True)
class Comparison:
    """Ranked offers of one workload, as columns; rows are made when they are read.

    `ranked` holds positions in `offers`, best first. All per-offer columns are aligned with `offers`.
    """

    workload: Workload
    options: Options
    offers: Sequence[Offer]
    now: datetime
    columns: rows.Columns
    ranked: Ints
    tied: NDArray[np.bool_]  # aligned with `ranked`
    reasons: Sequence[str]  # why an offer is not ranked, "" where it is
    dropped: tuple[Dropped, ...]
    notes: tuple[Note, ...]
    mine: Mapping[str, Any] | None = None

    def __len__(self) -> int:
        return len(self.ranked)

    def row(self, place: int) -> dict[str, Any]:
        """The row at a place of the ranking (0 = best), with the keys of CLI.md."""
        made = rows.row(self.columns, int(self.ranked[place]), self.now)
        return {"rank": place + 1, "tied_with_best": bool(self.tied[place]), **made}

    def rows(self, top: int | None = None, dropped: bool = False) -> Iterator[dict[str, Any]]:
        """Ranked rows, best first; with `dropped` those that are not ranked follow, rank null."""
        for place in range(len(self.ranked) if top is None else min(top, len(self.ranked))):
            yield self.row(place)
        if dropped:
            for position, reason in enumerate(self.reasons):
                if reason:
                    made = rows.row(self.columns, position, self.now)
                    yield {"rank": None, "tied_with_best": None, **made, "warnings": [*made["warnings"], reason]}

    def place_of(self, name: str) -> int:
        """The place of an offer in the ranking by its rank (up to six digits) or a prefix of its id.

        Raises:
            Problem: none or several have it.
        """
        if name.isdigit() and len(name) <= 6:
            if 1 <= int(name) <= len(self.ranked):
                return int(name) - 1
            raise Problem("no such rank", name, f"ranks go from 1 to {len(self.ranked)}")
        found = [
            place
            for place, position in enumerate(self.ranked)
            if self.offers[position].offer_id.startswith(name.lower())
        ]
        if len(found) == 1:
            return found[0]
        if found and len({self.offers[self.ranked[place]].offer_id for place in found}) == 1:
            raise Problem(f"{len(found)} offers share this id", name, "give a rank; a sku or listing would part them")
        what = "no ranked offer has this id" if not found else f"{len(found)} offers have ids that begin so"
        raise Problem(what, name, "give a rank or more digits of an id from the table")

    def explain(self, name: str, against: str | None = None) -> Explanation:
        """The whole chain of one row, perhaps beside a second.

        Args:
            name: rank or id of the row.
            against: rank or id of another, or "mine".

        Raises:
            Problem: no such row, or "mine" without a machine of one's own.
        """
        places = [self._position(name)]
        if against is not None:
            places.append(self._position(against))
        shown = [rows.row(self.columns, place, self.now) for place in places]

        def again(workload: Workload, precision: str, offer: Offer) -> dict[str, Any]:
            alone = replace(self.options, wanted=Wanted(purchase="any"), precision=precision, batch=None)
            changed = compare((), workload, alone, now=self.now, mine=offer)
            return dict(changed.mine or {})

        return explain(self.columns, places, shown, self.columns.model.request.workload, again)

    def _position(self, name: str) -> int:
        if name == "mine":
            if self.mine is None:
                raise Problem(
                    "no machine of your own is named", name, 'add e.g. --mine "RTX 3090, Ryzen 9 5950X, 64GB"'
                )
            return len(self.offers) - 1
        return int(self.ranked[self.place_of(name)])

    @property
    def total(self) -> int:
        """Offers that were given, one's own machine apart."""
        return len(self.reasons)

    def asked(self) -> dict[str, Any]:
        """The options as the JSON answer repeats them."""
        options, request = self.options, self.columns.model.request
        wanted = {key: value for key, value in asdict(options.wanted).items() if value not in (None, (), False)}
        return {
            **wanted,
            "precision": request.precision,
            "batch": request.workload.batch,
            "epochs": self.workload.epochs,
            "setup": options.setup,
            "nodes": request.nodes,
            "anchors": [f"{anchor.card}={anchor.samples_per_s:g}" for anchor in options.anchors],
            "assume": dict(options.assume),
            "max_usd_per_hour": options.max_usd_per_hour,
            "max_cost_per_epoch": options.max_cost_per_epoch,
            "max_epoch_hours": options.max_epoch_hours,
            "max_age_days": options.max_age_days,
            "sort": options.sort,
        }

    def to_frame(self) -> pandas.DataFrame:
        """The ranked rows as a pandas frame."""
        import pandas

        return pandas.DataFrame(list(self.rows()))


def compare(
    offers: Sequence[Offer],
    workload: Workload,
    options: Options | None = None,
    *,
    now: datetime,
    mine: Offer | None = None,
    fx_rates: fx.Rates | None = None,
    fx_day: datetime | None = None,
) -> Comparison:
    """Rank offers by what an epoch of a workload costs on each.

    Args:
        offers: what can be rented; read once, opened by the caller.
        workload: what is trained.
        options: filters, precision, batch and the rest; None: the defaults.
        now: the moment ages are counted to.
        mine: the user's own machine, estimated by the same road and never ranked.
        fx_rates: currency rates; None: the embedded ones.
        fx_day: the day currencies are converted for; None: `now`.

    Raises:
        Problem: an unknown card or provider in a filter.
    """
    options = options or Options()
    check_providers(options.wanted, _provider_names(offers))
    offers = tuple(offers) if mine is None else (*offers, mine)
    pool = Pool(options.assume)
    hardware_of, reasons = _selected(offers, pool, options, now, has_mine=mine is not None)
    machines, owner = machines_of(pool.distinct)
    model = estimate(machines, owner, len(pool.distinct), Request.of(workload, options))
    prices = terms_of(offers, (fx_day or now).date(), fx_rates)
    columns = rows.columns(offers, pool.distinct, hardware_of, model, prices, workload, setup=options.setup == "auto")
    _drop_unrankable(reasons, columns, options)
    ranked, tied = _ranking(columns, reasons, options, skip=len(offers) - 1 if mine is not None else None)
    own = None if mine is None else {"rank": None, "tied_with_best": None, **rows.row(columns, len(offers) - 1, now)}
    listed = len(offers) - (mine is not None)
    return Comparison(
        workload=workload, options=options, offers=offers, now=now, columns=columns, ranked=ranked, tied=tied,
        reasons=reasons[:listed], dropped=_dropped(offers[:listed], reasons, columns),
        notes=notes_of(offers, columns, prices, ranked, tied), mine=own,
    )  # fmt: skip


def _provider_names(offers: Iterable[Offer]) -> set[str]:
    from gpurent import tables

    names = {offer.provider for offer in offers} | {offer.via for offer in offers if offer.via}
    return names | {row["provider"] for row in tables.rows("providers")}


def _selected(
    offers: Sequence[Offer], pool: Pool, options: Options, now: datetime, has_mine: bool
) -> tuple[Ints, list[str]]:
    """Each offer's row in the pool (-1: not wanted) and why it is left out ("" = it goes on)."""
    selector = Selector(options.wanted)
    direct = {offer.provider for offer in offers if offer.via is None}
    hardware_of = np.full(len(offers), -1, dtype=np.int64)
    reasons = [""] * len(offers)
    known: dict[tuple[Any, ...], str] = {}
    last = len(offers) - 1 if has_mine else -1
    for place, offer in enumerate(offers):
        row = pool.row(offer)
        hardware_of[place] = row
        if place == last:
            break
        key = (row, _SELECTION(offer))
        reason = known.get(key)
        if reason is None:
            reason = selector.reason(offer, pool.distinct[row].resolution)
            if not reason and offer.via and offer.provider in direct and not options.wanted.include_via:
                reason = "via-duplicate"
            known[key] = reason
        if not reason and options.max_age_days is not None and offer.observed_at is not None:
            age = (now - offer.observed_at).total_seconds() / 86400
            reason = "too-old" if age > options.max_age_days else ""
        reasons[place] = reason
    return hardware_of, reasons


def _drop_unrankable(reasons: list[str], columns: rows.Columns, options: Options) -> None:
    """Fill in why offers that passed the filters cannot be ranked, in the order a renter would ask."""
    model = columns.model
    limits = (
        ("filtered:max-usd-per-hour", columns.usd_per_hour, options.max_usd_per_hour),
        ("filtered:max-cost-per-epoch", columns.cost.cost_per_epoch_usd, options.max_cost_per_epoch),
        ("filtered:max-epoch-hours", columns.steady_s[columns.hardware_of] / 3600, options.max_epoch_hours),
    )
    over = [(reason, values > limit) for reason, values, limit in limits if limit is not None]
    for place, offer in enumerate(columns.offers):
        if reasons[place]:
            continue
        row = columns.hardware_of[place]
        found = columns.hardware[row].resolution
        reason = model.reason[row]
        if reason == "unknown-card" and (found.card or found.candidates):
            reason = "no-rate"  # the card is known, how much of it is not
        if not reason and offer.partial_price:
            reason = "partial-price"
        if not reason and not np.isfinite(columns.usd_per_hour[place]):
            reason = "no-price"
        if not reason:
            reason = next((name for name, is_over in over if is_over[place]), "")
        reasons[place] = reason


def _ranking(
    columns: rows.Columns, reasons: Sequence[str], options: Options, skip: int | None
) -> tuple[Ints, NDArray[np.bool_]]:
    """Positions of the ranked offers, best first, and which of them are tied with the first."""
    keep = np.array([not reason and place != skip for place, reason in enumerate(reasons)], dtype=bool)
    chosen = np.flatnonzero(keep)
    if not len(chosen):
        return chosen, np.zeros(0, dtype=bool)
    cost = columns.cost.cost_per_epoch_usd
    keys = {
        "cost": cost,
        "time": columns.steady_s[columns.hardware_of],
        "price": columns.usd_per_hour / np.array([offer.gpu_count for offer in columns.offers]),
        "throughput": -columns.model.samples_per_s[columns.hardware_of],
    }
    by_cost = rank.order(cost[chosen], columns.hopeless[chosen], lambda place: columns.offers[chosen[place]].offer_id)
    ordered = chosen[by_cost]
    tied = np.zeros(len(columns.offers), dtype=bool)
    best = ordered[0]
    alike = columns.hopeless[ordered] == columns.hopeless[best]  # all of them hopeless: the first still leads its like
    close = ordered[(columns.cost_low[ordered] <= columns.cost_high[best]) & alike | (ordered == best)]
    tied[close] = rank.tied_with_best(columns.cost_draws(close), int(np.flatnonzero(close == best)[0]))
    if options.sort != "cost":
        key = keys[options.sort]
        ordered = chosen[
            rank.order(key[chosen], columns.hopeless[chosen], lambda place: columns.offers[chosen[place]].offer_id)
        ]
    return ordered, tied[ordered]


def _dropped(offers: Sequence[Offer], reasons: Sequence[str], columns: rows.Columns) -> tuple[Dropped, ...]:
    counts = Counter(reason for reason in reasons[: len(offers)] if reason)
    examples: dict[str, str] = {}
    for place, reason in enumerate(reasons[: len(offers)]):
        if reason and reason not in examples:
            examples[reason] = rows.example(columns, place, reason)
    return tuple(Dropped(reason, count, examples[reason]) for reason, count in counts.most_common())
