"""Laws of the one road: what may never happen whatever is offered."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpurent import catalogue, workloads
from gpurent.comparison import Comparison, Options, compare
from gpurent.offer import Offer
from gpurent.selection import Range, Wanted

NOW = datetime(2026, 11, 30, tzinfo=UTC)
JOBS = ["bert-large", "resnet50", "resnet50-dali", "ssd300", "unet3d", "gpt2-124m"]
CARDS = ["a100-sxm-80gb", "rtx-3090", "rtx-4090", "t4", "v100-sxm-16gb", "h100-pcie-80gb", "A100", "RTX A6000", "l4"]
FACTS = ["vcpus", "cpu_model", "ram_gib", "disk_class", "disk_read_mbyte_s", "gpu_link"]

machines = st.fixed_dictionaries(
    {
        "provider": st.sampled_from(["vast-ai", "aws", "somebody", "lambda", "autodl"]),
        "gpu": st.sampled_from(CARDS),
        "gpu_count": st.sampled_from([1, 1, 2, 4, 8]),
        "vcpus": st.sampled_from([None, 2, 4, 7.5, 8, 16, 64, 256]),
        "cpu_model": st.sampled_from([None, "Xeon Platinum 8259CL", "AMD EPYC 7763", "EPYC 9654", "nobody knows"]),
        "ram_gib": st.sampled_from([None, 8, 16, 60, 120, 500, 2000]),
        "disk_class": st.sampled_from([None, "local-nvme", "local-ssd", "network-ssd", "network-hdd", "network-fs"]),
        "disk_read_mbyte_s": st.sampled_from([None, 50, 200, 1000, 7000]),
        "price": st.just({"amount": "1.50"}),
        "observed_at": st.just(NOW),
    }
)


def made(fields: dict[str, Any], **changed: Any) -> Offer:
    return Offer.model_validate({key: value for key, value in {**fields, **changed}.items() if value is not None})


def run(offers: list[Offer], job: str = "resnet50", **options: Any) -> Comparison:
    return compare(offers, workloads.load(job, []), Options(**options), now=NOW)


def cost(offer: Offer, job: str) -> float | None:
    found = run([offer], job)
    return found.row(0)["cost_per_epoch_usd"] if len(found) else None


@settings(max_examples=60, deadline=None)
@given(machines, st.sampled_from(JOBS), st.sampled_from(["vcpus", "ram_gib", "disk_read_mbyte_s"]), st.floats(1.0, 8.0))
def test_more_of_anything_never_costs_more(fields: dict[str, Any], job: str, key: str, factor: float) -> None:
    if fields[key] is None:
        return
    less, more = cost(made(fields), job), cost(made(fields, **{key: min(8000.0, fields[key] * factor)}), job)
    assert (less is None) == (more is None)
    if less is not None and more is not None:
        assert more <= less * (1 + 1e-6)


@settings(max_examples=40, deadline=None)
@given(machines, st.sampled_from(JOBS))
def test_twice_the_price_is_twice_the_steady_cost(fields: dict[str, Any], job: str) -> None:
    once, twice = run([made(fields)], job), run([made(fields, price={"amount": "3.00"})], job)
    assert len(once) == len(twice)
    for place in range(len(once)):
        steady = once.row(place)["steady_cost_per_epoch_usd"]
        assert twice.row(place)["steady_cost_per_epoch_usd"] == pytest.approx(2 * steady)


@settings(max_examples=15, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(JOBS))
def test_the_order_of_the_input_changes_nothing(random: Any, job: str) -> None:
    offers = list(catalogue.offers())[:150]
    shuffled = list(offers)
    random.shuffle(shuffled)
    first, second = run(offers, job), run(shuffled, job)
    assert list(first.rows()) == list(second.rows())


filters = st.fixed_dictionaries(
    {},
    optional={
        "gpu": st.sampled_from([("a100*",), ("rtx-4090",), ("H100:80GB:8",), ("A100", "t4")]),
        "provider": st.sampled_from([("aws",), ("*a*",), ("vast-ai", "gcp")]),
        "purchase": st.sampled_from(["on-demand", "spot", "reserved", "any"]),
        "share": st.sampled_from(["whole", "slice", "any"]),
        "min_vram_gib": st.sampled_from([8.0, 24.0, 80.0]),
        "vcpus": st.sampled_from([Range(8, None), Range(None, 16), Range(4, 8)]),
        "ram_gib": st.just(Range(64, None)),
        "count": st.sampled_from([Range(1, 1), Range(2, 8)]),
    },
)


@settings(max_examples=30, deadline=None)
@given(filters)
def test_a_filter_never_adds_rows_and_everything_is_accounted_for(chosen: dict[str, Any]) -> None:
    base: dict[str, Any] = {"purchase": "any"}
    everything = run(list(catalogue.offers()), wanted=Wanted(**base))
    fewer = run(list(catalogue.offers()), wanted=Wanted(**{**base, **chosen}))
    ids = {row["offer_id"] for row in everything.rows()}
    assert {row["offer_id"] for row in fewer.rows()} <= ids
    assert len(fewer) + sum(entry.count for entry in fewer.dropped) == fewer.total == len(catalogue.offers())


def _hidden(offer: Offer, key: str) -> Offer:
    return Offer.assemble({**offer.__dict__, key: None})


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([o for o in catalogue.offers() if o.vcpus and o.purchase == "on-demand"]),
    st.sampled_from(FACTS),
    st.sampled_from(JOBS),
)
def test_hiding_a_field_does_not_beat_the_typical_host_of_its_provider(offer: Offer, key: str, job: str) -> None:
    if getattr(offer, key) is None:
        return
    hidden = cost(_hidden(offer, key), job)
    told = cost(offer, job)
    if hidden is None or told is None:
        return
    peers = [
        each
        for each in catalogue.offers()
        if each.provider == offer.provider
        and each.gpu == offer.gpu
        and each.gpu_count == offer.gpu_count
        and getattr(each, key) is not None
    ]
    typical = [cost(Offer.assemble({**offer.__dict__, key: getattr(each, key)}), job) for each in peers]
    known = sorted(value for value in typical if value is not None)
    assert hidden >= min(told, known[len(known) // 2] if known else told) * (1 - 1e-6)


def test_what_two_offers_share_neither_ties_nor_parts_them() -> None:
    fields = {"provider": "p", "gpu": "RTX 4090", "vcpus": 16, "observed_at": NOW}
    offers = [
        made(fields, sku=name, price={"amount": price}) for name, price in (("a", "0.40"), ("b", "0.40"), ("c", "0.41"))
    ]
    found = run(offers, "bert-large")
    assert [row["tied_with_best"] for row in found.rows()] == [True, True, False]
    assert [row["sku"] for row in found.rows()][2] == "c"


@settings(max_examples=30, deadline=None)
@given(machines, st.sampled_from(JOBS))
def test_intervals_hold_their_value_and_are_never_narrower_than_the_noise_of_hosts(
    fields: dict[str, Any], job: str
) -> None:
    for row in run([made(fields)], job).rows():
        low, high = row["samples_per_s_low"], row["samples_per_s_high"]
        assert low <= row["samples_per_s"] * 1.02
        assert row["samples_per_s"] <= high * 1.02
        assert high / low >= 1.10
        assert row["cost_per_epoch_usd_low"] < row["cost_per_epoch_usd_high"]


def test_a_price_of_nothing_never_ranks() -> None:
    offer = Offer(provider="p", gpu="RTX 4090", observed_at=NOW)
    found = run([offer])
    assert [entry.reason for entry in found.dropped] == ["no-price"]


def test_a_dearer_offer_of_equal_hardware_never_ranks_higher() -> None:
    fields = {"provider": "p", "gpu": "A100 SXM 80GB", "observed_at": NOW}
    offers = [made(fields, sku=str(cents), price={"amount": str(Decimal(cents) / 100)}) for cents in range(100, 160)]
    costs = [row["usd_per_hour"] for row in run(offers).rows()]
    assert costs == sorted(costs)
