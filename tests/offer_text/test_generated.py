"""Fields -> text -> fields: what an offer says comes back, in whatever style and language it was written."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings

from gpurent.hardware.resolve import resolve
from gpurent.offer_text import read_offers
from tests.offer_text.generated import Made, made

SLOW = [HealthCheck.too_slow]


def check(wanted: Made) -> None:
    """The most likely reading of the text is the offer it was made from."""
    [quote] = read_offers(wanted.text)
    offer = quote.readings[0].offer
    price = offer.price
    assert quote.lang == wanted.lang or wanted.lang == "en"
    assert resolve(offer).card == wanted.card
    assert offer.gpu_count == wanted.gpu_count
    assert offer.gpu_share in (None, "whole")
    assert offer.vcpus == wanted.vcpus
    assert (offer.cpu_model is None) == (wanted.cpu is None)
    if wanted.cpu is not None:
        assert wanted.cpu.split(" CPU")[0].split()[-1].lower() in (offer.cpu_model or "").lower()
    assert offer.ram_gib == wanted.ram_gib
    assert offer.disk_gib == wanted.disk_gib
    assert offer.disk_class == wanted.disk_class
    assert price is not None
    assert (price.amount, price.currency, price.unit) == (wanted.amount, wanted.currency, wanted.unit)
    assert wanted.gpu_count == 1 or price.per == wanted.per
    assert price.tax_included is wanted.tax_included
    assert price.hours_per_month == Decimal(720)


@given(made())
@settings(max_examples=400, deadline=None, suppress_health_check=SLOW)
def test_what_is_written_is_read(wanted: Made) -> None:
    check(wanted)


@pytest.mark.soak
@given(made())
@settings(max_examples=10_000, deadline=None, suppress_health_check=SLOW)
def test_ten_thousand_quotes(wanted: Made) -> None:
    check(wanted)
