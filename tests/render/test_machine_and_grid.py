"""What machines read never holds NaN or markup; what people read never cuts a number."""

from __future__ import annotations

import csv
import io
import json
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent.render import grid, machine
from gpurent.render.grid import Column

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.decimals(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), values))
def test_json_is_always_json(answer: dict[str, Any]) -> None:
    def refuse(token: str) -> None:
        raise AssertionError(token)

    json.loads(machine.json_text(answer), parse_constant=refuse)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float64("nan"), Decimal("NaN"), np.float64("-inf")])
def test_what_is_no_number_is_null(value: object) -> None:
    assert machine.plain(value) is None


def test_floats_have_six_digits_and_prices_their_own() -> None:
    assert machine.plain(math.pi * 1e6) == 3141590.0
    assert machine.plain(np.float64(1 / 3)) == 0.333333
    assert machine.plain("62.50") == "62.50"


rows = st.lists(st.fixed_dictionaries({"a": st.text(), "b|c": st.text()}), min_size=1, max_size=4)


@given(rows)
def test_csv_reads_back(made: list[dict[str, str]]) -> None:
    clean = [{key: value.replace("\r", "") for key, value in row.items()} for row in made]
    read = list(csv.DictReader(io.StringIO(machine.csv_text(clean), newline="")))
    assert read == clean


@given(rows)
def test_markdown_keeps_a_row_on_a_line(made: list[dict[str, str]]) -> None:
    clean = [{key: "".join(c for c in value if c.isprintable()) for key, value in row.items()} for row in made]
    lines = machine.markdown_text(clean).rstrip("\n").split("\n")
    assert len(lines) == 2 + len(clean)
    assert all(line.replace("\\|", "").count("|") == 3 for line in lines[1:])


COLUMNS = [
    Column("name", shrinks=True),
    Column("extra", drop=2),
    Column("number", right=True),
    Column("more", right=True, drop=1),
]


@given(
    st.lists(
        st.tuples(
            st.text("abc价格", max_size=40), st.text("xyz", max_size=9), st.integers(0, 10**9).map(str), st.just("1.5")
        ),
        min_size=1,
        max_size=4,
    ),
    st.integers(20, 200),
)
def test_a_narrow_terminal_never_cuts_a_number(made: list[tuple[str, ...]], width: int) -> None:
    kept, cells = grid.fitted(COLUMNS, made, width)
    place = [column.heading for column in kept].index("number")
    assert [row[place] for row in cells] == [row[2] for row in made]
    if width >= 40:
        assert max(grid.width_of(line) for line in grid.plain_grid(kept, cells).splitlines()) <= width


def test_wide_characters_line_up() -> None:
    text = grid.plain_grid([Column("平台"), Column("n", right=True)], [["阿里", "1"], ["aws", "22"]])
    assert {grid.width_of(line) for line in text.splitlines()} == {8}
