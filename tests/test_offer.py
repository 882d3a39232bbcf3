"""The one record: what text and numbers become on their way in."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from gpurent.offer import DEFAULTS, MAX_LINE, Offer, clean_line


@given(st.text())
def test_a_cleaned_line_is_harmless_and_cleaning_again_changes_nothing(text: str) -> None:
    line = clean_line(text)
    assert clean_line(line) == line
    assert len(line) <= MAX_LINE
    assert not any(ord(character) < 32 or character in "\x7f\u202e\u200f\u2028\ufeff" for character in line)


def test_escapes_and_bidi_marks_do_not_survive() -> None:
    offer = Offer(provider="a\x1b[31mb", gpu="RTX \u202e4090\u2066")
    assert offer.provider == "a[31mb"
    assert offer.gpu == "RTX 4090"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("gpu_count", "0"),
        ("gpu_count", "3.5"),
        ("gpu_count", "1000000000"),
        ("gpu_memory_gib", "NaN"),
        ("vcpus", "-1"),
        ("ram_gib", "1e300"),
        ("purchase", "maybe"),
        ("gpu", "\x1b"),
        ("reliability", "1.5"),
        ("observed_at", "yesterday"),
    ],
)
def test_a_senseless_field_is_refused(field: str, value: str) -> None:
    with pytest.raises(ValidationError):
        Offer.model_validate({"provider": "p", "gpu": "T4", field: value})


def test_a_moment_without_a_zone_is_utc() -> None:
    offer = Offer.model_validate({"provider": "p", "gpu": "T4", "observed_at": "2026-05-24"})
    assert offer.observed_at == datetime(2026, 5, 24, tzinfo=UTC)


def test_an_assembled_offer_is_the_validated_one() -> None:
    offer = Offer.model_validate({"provider": "p", "gpu": "T4", "vcpus": "8", "price": {"amount": "1.5"}})
    again = Offer.assemble({**DEFAULTS, **offer.__dict__})
    assert again == offer
    assert again.offer_id == offer.offer_id


def test_the_id_names_what_makes_an_offer_this_offer() -> None:
    base = {"provider": "p", "gpu": "T4", "sku": "s", "price": {"amount": "1.5"}}
    same = Offer.model_validate({**base, "vcpus": "8", "note": "x", "price": {"amount": "2"}})
    assert same.offer_id == Offer.model_validate(base).offer_id
    others = [
        {"region": "eu"},
        {"purchase": "spot"},
        {"tier": "secure"},
        {"gpu_count": 2},
        {"via": "v"},
        {"listing": "l"},
        {"price": {"amount": "2", "unit": "month"}},
        {"price": {"amount": "2", "term_months": "12"}},
    ]
    ids = {Offer.model_validate({**base, **other}).offer_id for other in others}
    assert len(ids | {same.offer_id}) == len(others) + 1
    assert all(len(name) == 10 and int(name, 16) >= 0 for name in ids)
