"""Offers files: every reasonable spelling in, every bad row named, good rows used."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent.errors import USAGE, Problem
from gpurent.offer import Offer
from gpurent.offer_file import KEYS, MAX_BYTES, parse_offers, to_row, write_offers

NOW = datetime(2026, 11, 30, tzinfo=UTC)
HEAD = "provider,gpu,price_per_hour"


def read(text: str | bytes, kind: str | None = None) -> Any:
    return parse_offers(text.encode() if isinstance(text, str) else text, "file", NOW, kind)


def test_csv_json_and_ndjson_mean_the_same() -> None:
    row = {"provider": "p", "gpu": "RTX 4090", "price_per_hour": "0.5", "vcpus": "8", "observed_at": "2026-11-01"}
    texts = [
        ",".join(row) + "\n" + ",".join(row.values()) + "\n",
        ";".join(row) + "\n" + ";".join(row.values()) + "\n",
        "\t".join(row) + "\n" + "\t".join(row.values()) + "\n",
        json.dumps([row]),
        json.dumps({"offers": [row]}),
        json.dumps({"schema": "gpurent.offers/1", "rows": [row]}),
        json.dumps(row) + "\n" + json.dumps(row | {"provider": "q"}) + "\n",
        "\ufeff" + ",".join(row) + "\r\n" + ",".join(row.values()) + "\r\n",
    ]
    first = read(texts[0]).offers[0]
    assert first.vcpus == 8
    assert first.price_per_hour == Decimal("0.5")
    assert all(read(text).offers[0] == first for text in texts)


def test_bad_rows_are_named_and_the_good_ones_used() -> None:
    text = (
        "provider,gpu,gpu_count,gpu_memory_gib,price_per_hour\n"
        "p,T4,1,16,0.5\np,T4,0,16,0.5\np,T4,3.5,16,0.5\np,T4,1,16,call us\np,T4,1,16,0\np,T4,1,16,-1\n"
        "p,T4,1,NaN,1\np,T4,1,16,1e5000000\np,,1,16,1\n,T4,1,16,1\np,T4,1000000000,16,1\np,T4,,,\n"
    )
    found = read(text)
    assert [offer.price_per_hour for offer in found.offers] == [Decimal("0.5"), None]
    told = {(reject.path, reject.value) for reject in found.rejected}
    assert told == {
        ("line 3, gpu_count", "0"),
        ("line 4, gpu_count", "3.5"),
        ("line 5, price_per_hour", "call us"),
        ("line 6, price_per_hour", "0"),
        ("line 7, price_per_hour", "-1"),
        ("line 8, gpu_memory_gib", "NaN"),
        ("line 9, price_per_hour", "1e5000000"),
        ("line 10, gpu", ""),
        ("line 11, provider", ""),
        ("line 12, gpu_count", "1000000000"),
    }
    assert all(reject.reason for reject in found.rejected)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "empty"),
        (b"   \n", "empty"),
        (b"provider,gpu\np,T4\n", "no price"),
        (b"gpu,price_per_hour\nT4,1\n", "missing"),
        (b"\x00\x01", "not text"),
        (b"\xff\xfe\xff", "not UTF-8"),
        (b'{"offers": 3}', "no good row"),
        (b"[1, 2]", "no good row"),
        (b"{", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON|too deep"),
        (b'[{"a": NaN}]', "no good row"),
        (HEAD.encode() + b"\n", "no offers"),
        (HEAD.encode() + b"\np,T4,free\n", "no good row"),
        (b"provider,gpu,gpu,price_per_hour\np,a,b,1\n", "twice"),
        (b'provider,gpu,price_per_hour\n"' + b"a" * 200_000, "not readable"),
        (b"a" * (MAX_BYTES + 1), "too large"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(data: bytes, what: str) -> None:
    with pytest.raises(Problem, match=what) as caught:
        read(data)
    assert caught.value.code == USAGE
    assert caught.value.do


def test_a_row_with_more_cells_than_the_header_is_named() -> None:
    found = read(HEAD + "\np,T4,1\np,T4,1,000\np,T4,1,,\n")
    assert len(found.offers) == 2
    assert [(reject.path, reject.value) for reject in found.rejected] == [("line 3", "000")]


def test_a_chinese_file_of_another_encoding_is_read_with_a_note() -> None:
    found = read((HEAD + "\n自建,RTX 4090,1.5\n").encode("gb18030"))
    assert found.offers[0].provider == "自建"
    assert any("gb18030" in note for note in found.notes)


def test_unknown_columns_are_named_with_the_near_one() -> None:
    found = read("provider,gpu,price_per_hour,vcpu\np,T4,1,8\n")
    assert found.offers[0].vcpus is None
    assert any("'vcpu'" in note and "'vcpus'" in note for note in found.notes)


def test_rows_without_a_date_are_taken_as_seen_now_and_said() -> None:
    found = read(HEAD + "\np,T4,1\n")
    assert found.offers[0].observed_at == NOW
    assert any("seen now" in note for note in found.notes)


@pytest.mark.parametrize(
    ("header", "cells", "hourly"),
    [
        ("price,price_unit", "45000,month", "62.5"),
        ("price,price_unit,price_per,gpu_count", "2,hour,gpu,8", "16"),
        ("price,price_unit,hours_per_month", "730,month,730", "1"),
        ("price_per_hour,price,price_unit", "62.5,45000,month", "62.5"),
    ],
)
def test_prices_of_every_unit(header: str, cells: str, hourly: str) -> None:
    found = read(f"provider,gpu,{header}\np,T4,{cells}\n")
    assert found.offers[0].price_per_hour == Decimal(hourly)


def test_two_prices_that_disagree_are_no_price() -> None:
    found = read(HEAD + ",price,price_unit,price_per,gpu_count\np,T4,16,2,hour,gpu,8\np,T4,2,2,hour,gpu,8\n")
    assert len(found.offers) == 1
    assert "does not agree" in found.rejected[0].reason


@pytest.mark.parametrize("word", ["On-Demand", "on_demand", "ondemand", "on demand"])
def test_spellings_of_a_choice(word: str) -> None:
    assert read(HEAD + f",purchase\np,T4,1,{word}\n").offers[0].purchase == "on-demand"


def test_the_keys_are_the_offers_file_of_the_contract() -> None:
    expected = (
        "provider via sku listing machine region country tier purchase gpu gpu_count gpu_share share_profile "
        "gpu_memory_gib gpu_link fabric fabric_gbit_s host_to_gpu_gbyte_s power_limit_w vcpus threads_per_core "
        "cpu_model ram_gib disk_class disk_gib disk_read_mbyte_s disk_iops download_mbit_s driver cuda_max "
        "price_per_hour price price_unit price_per hours_per_month currency term_months upfront tax_included "
        "billing_increment_s minimum_billed_s included_storage_gib storage_per_gib_month "
        "storage_stopped_per_gib_month egress_per_gib ingress_per_gib interruptions_per_hour boot_s reliability "
        "max_hours stock stock_grade observed_at source note"
    )
    assert set(KEYS) == set(expected.split())


prices = st.fixed_dictionaries(
    {
        "amount": st.decimals(min_value="0.0001", max_value="99999", places=4),
        "currency": st.sampled_from(["USD", "CNY", "EUR"]),
        "unit": st.sampled_from(["second", "hour", "day", "week", "month", "year"]),
        "per": st.sampled_from(["offer", "gpu"]),
    },
    optional={
        "hours_per_month": st.sampled_from(["720", "730"]),
        "term_months": st.integers(1, 36).map(str),
        "upfront": st.just("10"),
    },
)


def _with_a_term(price: dict[str, Any] | None) -> dict[str, Any] | None:
    return price if price is None or "upfront" not in price else {"term_months": "12", **price}


offers = st.builds(
    lambda fields, price: Offer.model_validate({**fields, "price": _with_a_term(price)}),
    st.fixed_dictionaries(
        {
            "provider": st.from_regex(r"[a-z一-龥]{1,9}", fullmatch=True),
            "gpu": st.sampled_from(["RTX 4090", 'A100 80G,"x"']),
            "gpu_count": st.integers(1, 16),
        },
        optional={
            "vcpus": st.integers(1, 256),
            "sku": st.from_regex(r"[ -~]{0,8}x", fullmatch=True),
            "observed_at": st.datetimes(datetime(2020, 1, 1), datetime(2026, 1, 1)),
            "gpu_share": st.sampled_from(["whole", "mig"]),
            "disk_class": st.sampled_from(["local-nvme", "network-fs"]),
        },
    ),
    st.none() | prices,
)


@given(st.lists(offers, min_size=1, max_size=5), st.sampled_from([".csv", ".json", ".ndjson"]))
def test_reading_what_was_written_gives_it_back(
    tmp_path_factory: pytest.TempPathFactory, made: list[Offer], ending: str
) -> None:
    path = tmp_path_factory.mktemp("offers") / f"o{ending}"
    dated = [offer.model_copy(update={"observed_at": offer.observed_at or NOW}) for offer in made]
    write_offers(path, dated)
    assert list(parse_offers(path.read_bytes(), "o", NOW).offers) == dated


def test_a_row_holds_every_key() -> None:
    assert tuple(to_row(Offer(provider="p", gpu="T4"))) == KEYS


def test_writing_into_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="could not be written"):
        write_offers(tmp_path / "no" / "o.csv", [Offer(provider="p", gpu="T4")])


def test_what_an_offer_cannot_say_is_refused_row_by_row() -> None:
    head = "provider,gpu,price_per_hour,upfront,term_months,observed_at,note\n"
    found = read(
        head
        + "a,T4,1,,,2026-11-01,\nb,T4,1,1000,,2026-11-01,\nc,T4,1,1000,12,2026-11-01,\nd,T4,1,,,9999-12-31,\n"
        + "e,T4,1,,,9999-12-31T23:59:59-12:00,\nf,T4,1,,,0001-01-01T00:00:00+12:00,\ng,T4,1,,,20261101,\n"
        + "h,T4,1,,,1700000000,\ni,T4,1,,,2026-12-05,\nj,T4,1,,,2026-11-30,\u2066\n"
    )
    assert [offer.provider for offer in found.offers] == ["a", "c", "j"]
    assert found.offers[2].note is None
    assert [reject.path for reject in found.rejected] == [
        "line 3, upfront", "line 5, observed_at", "line 6, observed_at", "line 7, observed_at", "line 8, observed_at",
        "line 9, observed_at", "line 10, observed_at",
    ]  # fmt: skip


def test_one_nan_in_json_costs_one_row() -> None:
    found = read('[{"provider":"a","gpu":"T4","price_per_hour":1},{"provider":"b","gpu":"T4","price_per_hour":NaN}]')
    assert [offer.provider for offer in found.offers] == ["a"]
    assert [(reject.path, reject.value) for reject in found.rejected] == [("row 2, price_per_hour", "NaN")]


def test_very_many_columns_are_refused_at_once() -> None:
    with pytest.raises(Problem, match="too many columns"):
        read(",".join(f"c{n}" for n in range(5000)) + "\n1\n")
