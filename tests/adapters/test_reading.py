"""Reading hostile rows: a bad row is one rejection, a bad fact another, and the rest goes on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent.adapters import row as row_module
from gpurent.adapters.contract import OUT_OF_SCOPE, Part, ShapeChanged, is_fault
from gpurent.adapters.reading import (
    DUPLICATE,
    NO_GPU,
    Bad,
    Row,
    carried,
    each,
    listed,
    mapped,
    numbered,
    read_csv,
    read_json,
    shown,
    terms,
    unique,
)  # fmt: skip
from gpurent.offer import Offer, Reject, clean_line

PART = Part("list", "https://a.example/list", b"", datetime(2026, 11, 30, tzinfo=UTC))


def row(**values: object) -> Row:
    return Row(PART, "rows[0]", values)


def test_numbers_stay_exact_and_bounded() -> None:
    body = read_json(b'{"a": 1.50, "b": 2, "c": 1e999, "d": NaN, "e": -Infinity, "f": ' + b"9" * 500 + b"}", "x")
    assert body["a"] == Decimal("1.50")
    assert str(body["a"]) == "1.50"
    read = Row(PART, "x", body)
    assert [read.number(key) for key in "ab"] == [Decimal("1.50"), Decimal(2)]
    assert [read.number(key) for key in "cdef"] == [None] * 4
    assert [fault.path for fault in read.faults] == ["x.c", "x.d", "x.e", "x.f"]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"", "empty body"),
        (b"  \n", "empty body"),
        (b"<html>Just a moment", "not JSON: <html>Just a moment"),
        (b'{"a": 1,', 'not JSON: {"a": 1,'),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "nested too deep"),
    ],
)
def test_what_is_no_json(body: bytes, found: str) -> None:
    with pytest.raises(ShapeChanged) as caught:
        read_json(body, "part")
    assert caught.value.path == "part"
    assert caught.value.found.startswith(found)


def test_a_byte_order_mark_is_no_reason_to_refuse() -> None:
    assert read_json(b'\xef\xbb\xbf{"a": "\xe2\x82\xac"}', "x") == {"a": "€"}


def test_shapes_name_what_is_missing() -> None:
    assert listed({"items": [1]}, "items", "body") == [1]
    assert mapped({"data": {}}, "data", "body") == {}
    wrong: object
    for wrong, path in ((None, "body"), ({"rows": []}, "body.items"), ({"items": {}}, "body.items")):
        with pytest.raises(ShapeChanged) as caught:
            listed(wrong, "items", "body")
        assert caught.value.path == path
    for wrong, path in (([], "body"), ({"items": []}, "body.data"), ({"data": None}, "body.data")):
        with pytest.raises(ShapeChanged) as caught:
            mapped(wrong, "data", "body")
        assert caught.value.path == path


def test_a_field_no_row_carries_is_a_changed_shape() -> None:
    carried([], "price", "items")
    carried([{"a": 1}, {"price": 0}, None], "price", "items")
    with pytest.raises(ShapeChanged, match=r"items\[\]\.price"):
        carried([{"cost": 1}, None], "price", "items")


def test_missing_blank_and_bad_fields() -> None:
    read = row(text=" a\tb ", blank="  ", none=None, number="12.5", zero=0, below=-1, yes=True, word="many", items=[1])
    assert read.text("text") == "a b"
    assert [read.text(key) for key in ("blank", "none", "missing")] == [None] * 3
    assert read.positive("number") == Decimal("12.5")
    assert [read.positive(key) for key in ("zero", "none", "missing")] == [None] * 3
    assert read.flag("yes") is True
    assert read.list("items") == [1]
    assert read.faults == []
    assert read.positive("below") is None
    assert read.number("word") is None
    assert read.text("zero") is None
    assert read.flag("word") is None
    assert read.list("word") == ()
    assert read.row("word").text("x") is None
    assert [(fault.path, fault.value) for fault in read.faults] == [
        ("rows[0].below", "-1"), ("rows[0].word", "many"), ("rows[0].zero", "0"), ("rows[0].word", "many"),
        ("rows[0].word", "many"), ("rows[0].word", "many"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("read", "key"),
    [
        ("need_text", "number"), ("need_text", "none"), ("need_label", "none"), ("need_number", "word"),
        ("need_number", "none"), ("need_positive", "zero"), ("need_count", "half"), ("need_count", "crowd"),
        ("need_row", "word"), ("need_row", "none"), ("price", "zero"), ("price", "word"),
    ],
)  # fmt: skip
def test_what_a_row_cannot_do_without(read: str, key: str) -> None:
    with pytest.raises(Bad) as caught:
        getattr(row(number=1, word="many", zero=0, half="1.5", crowd=1025, none=None), read)(key)
    assert caught.value.path == f"rows[0].{key}"


def test_inner_rows_share_the_memory_of_faults() -> None:
    read = row(gpu={"name": 7}, places=[{"id": 1}, "x"])
    assert read.need_row("gpu").text("name") is None
    assert [inner.label("id") for inner in read.rows("places")] == ["1"]
    assert [fault.path for fault in read.faults] == ["rows[0].gpu.name", "rows[0].places[1]"]


def test_bytes_pass_the_bound_of_money() -> None:
    read = row(size=2**44, negative=-5, huge=10**17)
    assert read.gib_of_bytes("size") == 2**14
    assert [read.gib_of_bytes(key) for key in ("negative", "huge", "none")] == [None] * 3
    assert len(read.faults) == 2


FACTS = {"provider": "stub", "gpu": "L4", "sku": "a"}


def test_an_offer_goes_on_without_a_bad_fact() -> None:
    read = row(price="1.2")
    offer = read.offer(**FACTS, vcpus=99999, ram_gib=-1, cpu_model=None, price=read.price("price"))
    assert (offer.vcpus, offer.ram_gib, offer.observed_at, offer.source) == (None, None, PART.observed_at, PART.url)
    assert [fault.path for fault in read.faults] == ["rows[0].vcpus", "rows[0].ram_gib"]


@pytest.mark.parametrize("bad", [{"gpu": "\x1b"}, {"gpu_count": 0}, {"gpu_memory_gib": 9999}, {"purchase": "rent"}])
def test_but_not_without_what_it_is(bad: dict[str, object]) -> None:
    with pytest.raises(Bad) as caught:
        row().offer(**(FACTS | bad))
    assert caught.value.path == f"rows[0].{next(iter(bad))}"


def build(read: Row) -> Iterator[Offer | Reject]:
    yield read.offer(**FACTS | {"sku": read.need_text("sku")}, vcpus=read.positive("vcpus"))
    yield read.offer(**FACTS | {"sku": read.need_text("second")})


def test_each_row_on_its_own() -> None:
    rows = [{"sku": "a", "second": "b", "vcpus": "x"}, "nonsense", {"sku": "c"}, {"sku": "d", "second": "e"}]
    made = list(each(PART, numbered(rows, "rows"), build))
    assert [one.sku for one in made if isinstance(one, Offer)] == ["a", "b", "c", "d", "e"]
    assert [(one.path, one.value, one.reason) for one in made if isinstance(one, Reject)] == [
        ("rows[0].vcpus", "x", "not a number"), ("rows[1]", "nonsense", "not an object"),
        ("rows[2].second", "None", "missing"),
    ]  # fmt: skip


def test_more_rows_than_anybody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_module, "MAX_ROWS", 3)
    with pytest.raises(ShapeChanged, match="more than 3 rows"):
        list(each(PART, numbered([{}] * 4, "rows"), build))


def test_one_offer_a_key() -> None:
    seen: set[str] = set()
    offers = [row().offer(**FACTS), row().offer(**FACTS, vcpus=4), row().offer(**FACTS | {"sku": "b"})]
    made = list(unique(offers, PART, seen))
    assert [one.reason if isinstance(one, Reject) else one.sku for one in made] == ["a", DUPLICATE, "b"]
    again = next(iter(unique(offers[:1], PART, seen)))
    assert isinstance(again, Reject), "parts of one answer share their keys"


def test_csv_rows() -> None:
    body = b'\xef\xbb\xbfPrice,Name,Note\n1.5,"a,\nb",x\n\n2,c\n'
    assert list(read_csv(body, "list", ("Name", "Price"))) == [
        ("line 3", {"Price": "1.5", "Name": "a,\nb", "Note": "x"}),
        ("line 5", {"Price": "2", "Name": "c", "Note": ""}),
    ]
    with pytest.raises(ShapeChanged, match=r"list\.Cost"):
        list(read_csv(body, "list", ("Cost",)))
    with pytest.raises(ShapeChanged, match="not csv"):
        list(read_csv(b"\xff\xfe\x00", "list", ()))
    long = b"Name\n" + b"a" * 200_000 + b"\nb\n"
    made = list(
        each(
            PART,
            read_csv(long, "list", ("Name",)),
            lambda read: [read.offer(**FACTS | {"sku": read.need_text("Name")})],
        )
    )
    assert [one.reason if isinstance(one, Reject) else one.sku for one in made] == ["not an object", "b"]


def test_what_is_shown_is_short_and_harmless() -> None:
    assert shown(Decimal("1.50")) == "1.50"
    assert shown("a\x1b[31m\n\u202eb") == "a[31m b"
    assert len(shown("x" * 10**6)) == 80
    assert shown(None) == "None"


def test_out_of_scope_is_no_fault() -> None:
    assert not is_fault(Reject("a", "b", "c", NO_GPU))
    assert not is_fault(Reject("a", "b", "c", OUT_OF_SCOPE + "a licence"))
    assert is_fault(Reject("a", "b", "c", "out of range"))


def test_terms_of_known_providers() -> None:
    assert terms("vultr")["billing_increment_s"] == "3600"
    assert terms("nobody") == {}


@given(
    st.dictionaries(st.text(max_size=5), st.none() | st.booleans() | st.floats() | st.text() | st.lists(st.integers()))
)
def test_any_row(values: dict[str, object]) -> None:
    read = Row(PART, "rows[0]", values)
    for key in values:
        for reader in (
            read.text,
            read.label,
            read.number,
            read.positive,
            read.flag,
            read.list,
            read.row,
            read.gib_of_bytes,
        ):
            reader(key)
    for fault in read.faults:
        assert clean_line(fault.value) == fault.value
        assert len(fault.value) <= 80
