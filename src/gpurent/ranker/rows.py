"""Rows of the comparison: columns of estimate and price put together, and one of them as the keys of CLI.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpurent import tables
from gpurent.hardware.pool import Hardware
from gpurent.normalizer.estimate import Estimate
from gpurent.offer import Offer
from gpurent.ranker import run_cost, spot
from gpurent.ranker.run_cost import GIB, Job, RunCost
from gpurent.ranker.terms import PricedTerms
from gpurent.workloads.workload import Workload

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_Z90 = 1.2815515655446004  # standard normal quantile of the 90 % end of an interval


@dataclass(frozen=True)
class Columns:
    """Everything about every offer. `*_s` and `model` have an entry a distinct hardware, the rest an entry an offer."""

    offers: Sequence[Offer]
    hardware: Sequence[Hardware]
    hardware_of: Ints
    model: Estimate
    prices: PricedTerms
    job: Job
    steady_s: Floats
    first_s: Floats
    setup_s: Floats
    write_s: Floats  # one checkpoint
    setup_assumed: Sequence[bool]
    usd_per_hour: Floats
    cost: RunCost
    cost_low: Floats
    cost_high: Floats
    hopeless: Bools

    def cost_draws(self, places: Ints) -> Floats:
        """Cost per epoch of some offers under every draw; shape (len(places), draws)."""
        row = self.hardware_of[places]
        steady = _steady(self.job, self.model, self.model.draws[row], row)
        first = steady * (self.first_s / self.steady_s)[row, None]
        terms = self.prices.terms.take(self.prices.of_offer[places]).times(self.model.request.nodes)
        return run_cost.run_cost(
            terms, steady, first, self.setup_s[row], self.write_s[row], self.job
        ).cost_per_epoch_usd


def _steady(job: Job, model: Estimate, samples_per_s: Floats, row: Ints | slice = slice(None)) -> Floats:
    batch = model.global_batch[row]
    synthetic = model.synthetic[row]
    if samples_per_s.ndim == 2:
        batch, synthetic = batch[:, None], synthetic[:, None]
    return run_cost.steady_epoch_s(samples_per_s, job.samples_per_epoch / batch, synthetic, job)


def columns(
    offers: Sequence[Offer],
    hardware: Sequence[Hardware],
    hardware_of: Ints,
    model: Estimate,
    prices: PricedTerms,
    workload: Workload,
    *,
    setup: bool,
) -> Columns:
    """Put estimate and prices together.

    Args:
        offers: all of them.
        hardware: the distinct ones; `hardware_of` says which an offer has.
        model: the estimate, an entry a distinct hardware.
        prices: terms of the offers.
        workload: what is trained.
        setup: whether boot, image and data set count.
    """
    dataset = workload.dataset_bytes
    if dataset is None:
        dataset = workload.samples_per_epoch * workload.bytes_per_sample
    job = Job(
        workload.samples_per_epoch, workload.epochs, dataset, workload.checkpoint_bytes or 0.0,
        workload.checkpoint_interval_s,
    )  # fmt: skip
    with np.errstate(divide="ignore", invalid="ignore"):
        steady = _steady(job, model, model.samples_per_s)
        first = np.maximum(steady, _steady(job, model, model.first_samples_per_s))
        slow, fast = _steady(job, model, model.low), _steady(job, model, model.high)
        setup_s = _setup_s(hardware, job) if setup else np.zeros(len(hardware))
        write_s = np.array([job.checkpoint_bytes / each.host.disk_bytes_per_s for each in hardware])
        one = prices.terms.take(prices.of_offer)
        terms = one.times(model.request.nodes)
        row = hardware_of

        def cost_of(epoch_s: Floats) -> RunCost:
            ratio = first / steady
            return run_cost.run_cost(terms, epoch_s[row], (epoch_s * ratio)[row], setup_s[row], write_s[row], job)

        cost = cost_of(steady)
        widen = np.exp(_Z90 * prices.fx_sigma[prices.of_offer])
        low = cost_of(fast).cost_per_epoch_usd / widen
        high = cost_of(slow).cost_per_epoch_usd * widen
        training = first[row] + steady[row] * max(0.0, job.epochs - 1)
        lost = spot.hopeless(training, terms.interruptions_per_hour, job.checkpoint_interval_s) & terms.spot
    assumed = [each.offer.boot_s is None or each.offer.download_mbit_s is None for each in hardware]
    return Columns(
        offers, hardware, hardware_of, model, prices, job, steady, first, setup_s, write_s, assumed,
        one.usd_per_hour, cost, low, high, lost,
    )  # fmt: skip


def _setup_s(hardware: Sequence[Hardware], job: Job) -> Floats:
    """Boot + image + data set, s: bytes / min(network, disk), what is not known taken from the tables."""
    image = tables.constants("run_model")["image_gb"] * 1e9
    boot = np.array([each.host.boot_s for each in hardware])
    network = np.array([each.host.download_bytes_per_s for each in hardware])
    disk = np.array([each.host.disk_bytes_per_s for each in hardware])
    setup: Floats = boot + (image + job.dataset_bytes) / np.minimum(network, disk)
    return setup


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def row(columns: Columns, place: int, now: datetime) -> dict[str, Any]:
    """One offer as a row of `gpurent.compare/1`, all keys but rank and tie."""
    offer, at = columns.offers[place], int(columns.hardware_of[place])
    each, model = columns.hardware[at], columns.model
    found, host, cost = each.resolution, each.host, columns.cost
    usd = _or_none(columns.usd_per_hour[place])
    age = None if offer.observed_at is None else max(0.0, (now - offer.observed_at).total_seconds() / 86400)
    estimated = not model.reason[at]

    def number(column: Floats, position: int = at) -> float | None:
        return _or_none(column[position]) if estimated else None

    return {
        "offer_id": offer.offer_id,
        "provider": offer.provider,
        "via": offer.via,
        "sku": offer.sku,
        "listing": offer.listing,
        "region": offer.region,
        "country": offer.country,
        "tier": offer.tier,
        "purchase": offer.purchase,
        "stock": offer.stock,
        "gpu": found.card,
        "gpu_text": offer.gpu,
        "gpu_candidates": list(found.candidates),
        "gpu_count": found.gpu_count,
        "gpu_share": found.share,
        "share_profile": found.share_profile,
        "gpu_memory_gib": found.memory_gib,
        "gpu_link": found.link,
        "vcpus": host.vcpus,
        "cpu_model": offer.cpu_model,
        "ram_gib": host.ram_bytes / GIB,
        "disk_class": host.disk_class,
        "price_per_hour": _hourly(offer),
        "currency": None if offer.price is None else offer.price.currency,
        "usd_per_hour": usd,
        "usd_per_gpu_hour": None if usd is None else usd / found.gpu_count,
        "precision": model.precision,
        "fits": bool(model.fits[at]) if model.reason[at] in ("", "does-not-fit") else None,
        "batch_per_gpu": int(model.batch[at]) if estimated else None,
        "samples_per_s": number(model.samples_per_s),
        "samples_per_s_low": number(model.low),
        "samples_per_s_high": number(model.high),
        "gpu_samples_per_s": number(model.gpu),
        "cpu_samples_per_s": number(model.cpu),
        "disk_samples_per_s": number(model.disk),
        "sync_efficiency": number(model.sync_efficiency),
        "gpu_busy": number(model.gpu_busy),
        "limit": model.limit[at] if estimated else None,
        "limit_also": (model.limit_also[at] or None) if estimated else None,
        "rate_evidence": model.evidence[at] if estimated else None,
        "rate_source": model.source[at] if estimated else None,
        "steady_epoch_s": number(columns.steady_s),
        "first_epoch_s": number(columns.first_s),
        "setup_s": number(columns.setup_s),
        "cost_per_epoch_usd": number(cost.cost_per_epoch_usd, place),
        "cost_per_epoch_usd_low": number(columns.cost_low, place),
        "cost_per_epoch_usd_high": number(columns.cost_high, place),
        "steady_cost_per_epoch_usd": number(cost.steady_cost_per_epoch_usd, place),
        "run_cost_usd": number(cost.run_cost_usd, place),
        "observed_at": offer.observed_at,
        "age_days": age,
        "price_source": offer.source,
        "warnings": _warnings(columns, place),
        "assumed": _assumed(columns, place),
    }


def _hourly(offer: Offer) -> Decimal | float | None:
    """The native price an hour: with its own digits where it is one, else derived."""
    price = offer.price
    if price is None:
        return None
    own = price.unit == "hour" and price.per == "offer" and not price.upfront
    return price.amount if own else float(price.per_hour(offer.gpu_count))


def _warnings(columns: Columns, place: int) -> list[str]:
    offer, at = columns.offers[place], columns.hardware_of[place]
    each, terms = columns.hardware[at], columns.prices
    codes = [*each.resolution.warnings, *each.host.warnings, *columns.model.warnings[at]]
    if columns.hopeless[place]:
        codes.append("spot-without-checkpoints")
    if offer.purchase == "reserved":
        codes.append("term-price")
    if offer.max_hours is not None and columns.cost.run_s[place] > offer.max_hours * 3600:
        codes.append("run-longer-than-offer")
    if offer.price is not None and offer.price.tax_included is False:
        codes.append("tax-not-included")
    if terms.fx_sigma[terms.of_offer[place]] > 0 and not np.isfinite(columns.usd_per_hour[place]):
        codes.append("no-rate-of-exchange")
    return list(dict.fromkeys(codes))


def _assumed(columns: Columns, place: int) -> dict[str, Any]:
    at = columns.hardware_of[place]
    each = columns.hardware[at]
    assumed = {**each.host.assumed, **each.said, **columns.model.request.workload.assumed}
    if each.resolution.link_assumed and each.resolution.gpu_count > 1:
        assumed["gpu_link"] = each.resolution.link
    if columns.prices.interruptions_assumed[columns.prices.of_offer[place]]:
        assumed["interruptions_per_hour"] = float(
            columns.prices.terms.interruptions_per_hour[columns.prices.of_offer[place]]
        )
    return assumed


def example(columns: Columns, place: int, reason: str) -> str:
    """One dropped offer in a few words, with what it lacks."""
    offer, at = columns.offers[place], columns.hardware_of[place]
    words = " ".join(part for part in (offer.provider, offer.sku or offer.listing) if part)
    text = f"{words}: {columns.hardware[at].resolution.gpu_count} x {offer.gpu}"
    if reason == "does-not-fit":
        text += f", needs {columns.model.needed_bytes[at] / GIB:.0f} GiB a GPU"
    codes = [code for code in columns.hardware[at].resolution.warnings if code != reason]
    if (
        reason in ("unknown-card", "no-rate")
        and columns.model.request.nodes > 1
        and not np.isfinite(columns.model.machines.fabric_gbyte_s[max(0, int(columns.model.machine[at]))])
    ):
        codes.append("fabric-unknown")
    return f"{text} ({', '.join(codes)})" if reason in ("unknown-card", "no-rate") and codes else text
