"""The page as a file: whole, safe, and of one mind with `--explain`; what a browser makes of it is in test_browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent.errors import Problem
from gpurent.messages import templates
from gpurent.render import page
from gpurent.render.machine import plain
from gpurent.render.page import json_in_html, write_page
from gpurent.render.page_data import Columns
from tests.page import pages
from tests.page.pages import answer_of, column, compared, data_of, elements, text_of

RENDER = Path(page.__file__).parent


@pytest.fixture(scope="module")
def found() -> Any:
    return compared(pages.offers(copies=3), mine=pages.mine())


@pytest.fixture(scope="module")
def text(found: Any) -> str:
    return text_of(found, history=pages.history())


def test_scripts_and_styles_are_those_of_the_policy(text: str) -> None:
    read = elements(text)
    policy = next(each["content"] for tag, each in read.elements if each.get("http-equiv") == "Content-Security-Policy")
    assert policy
    for tag, attributes, body in read.texts:
        if attributes.get("type") == "application/json":
            continue
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        part = next(part for part in policy.split(";") if part.strip().startswith(f"{tag}-src"))
        assert f"'sha256-{digest}'" in part
        assert "\r" not in body  # a browser would hash another text
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "http" not in policy


def test_nothing_is_loaded_from_anywhere(text: str) -> None:
    read = elements(text)
    for tag, attributes in read.elements:
        assert "style" not in attributes, "the policy would refuse it"
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
        for name in ("src", "href", "action", "data", "poster"):
            value = attributes.get(name) or ""
            assert not value or value.startswith(("#", "data:image/svg+xml,")), (tag, value)
    for tag, _, body in read.texts:
        if tag == "style":
            assert "url(" not in body
            assert "@import" not in body


def test_data_cannot_end_its_element(text: str) -> None:
    start = text.index('<script type="application/json"')
    block = text[text.index(">", start) + 1 : text.index("</script>", start)]
    assert not set(block) & set("<>&\u2028\u2029")
    assert pages.SCRIPT in json.loads(block)["columns"][data_of(text)["offers"]["provider"]]["of"]


def test_hostile_text_is_text_without_scripts_too(text: str) -> None:
    read = elements(text)
    assert sum(tag == "script" for tag, _ in read.elements) == 3  # data, uPlot, ours
    assert sum(tag == "b" for tag, _ in read.elements) == 0
    cheapest = compared([pages.offer(pages.SCRIPT, "RTX 4090", 1, 16, "0.1", sku=pages.ODD_SKU)])
    assert pages.SCRIPT not in text_of(cheapest)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text_of(cheapest)


@pytest.mark.parametrize("own", [None, pages.mine(), pages.mine(None)], ids=["none", "priced", "unpriced"])
def test_chains_are_those_of_explain(own: Any) -> None:
    found = compared(pages.offers(copies=2), mine=own)
    data = data_of(text_of(found))
    rows = len(found) + (own is not None)
    machine_of = column(data, data["machine_of"], rows)
    machines = max(machine_of) + 1
    names = [str(place + 1) for place in range(len(found))] + (["mine"] if own is not None else [])
    for row, name in enumerate(names):
        told = []
        for stage, line, is_rate, level, values, sources in data["chain"]:
            at, count = (row, rows) if level == "offer" else (machine_of[row], machines)
            told.append((stage, line, is_rate, column(data, values, count)[at], column(data, sources, count)[at]))
        chain = found.explain(name)
        assert told == [
            (line.stage, line.name, line.is_rate, plain(line.values[0]), line.source) for line in chain.lines
        ]


def test_rows_are_those_of_the_json_answer(found: Any, text: str) -> None:
    data = data_of(text)
    rows = len(found) + 1
    machine_of = column(data, data["machine_of"], rows)
    for key, number in data["offers"].items():
        wanted = [sorted(row[key]) if key == "assumed" else plain(row[key]) for row in found.rows()]
        assert column(data, number, rows)[:-1] == wanted, key
    for key, number in data["machines"].items():
        values = column(data, number, max(machine_of) + 1)
        assert [values[at] for at in machine_of[:-1]] == [plain(row[key]) for row in found.rows()], key


def test_every_left_out_offer_is_counted(found: Any, text: str) -> None:
    data = data_of(text)
    assert {reason: count for reason, count, _ in data["dropped"]} == {"unknown-card": 1, "sold-out": 1}
    assert data["n"] + sum(count for _, count, _ in data["dropped"]) == data["total"] == found.total


def test_what_it_rests_on_is_said(text: str) -> None:
    data = data_of(text)
    assert [entry[0] for entry in data["exchange"]] == ["EUR"]
    _, rate, day, age = data["exchange"][0]
    assert 0.5 < rate < 2
    assert day < "2026-11-30"
    assert age >= 1
    assert data["workload"]["samples_per_epoch"] == 1281167
    assert all(source[1].startswith("https://") or "/" not in source[1] for source in data["sources"].values())
    assert {"one_gpu_card", "flops"} <= {name for name, *_ in data["errors"]}


def test_a_view_in_another_currency(found: Any) -> None:
    text = (
        text_of(found, rate=7.1)
        if False
        else pages.page_text(found, answer_of(found, currency="CNY"), lang="zh", rate=7.1)
    )
    assert data_of(text)["view"] == {"currency": "CNY", "rate": 7.1}
    assert '<html lang="zh-CN">' in text


def test_a_page_of_nothing_is_a_page() -> None:
    found = compared([pages.offer("x", "Voodoo 9000", 1, 8, "0.1")])
    data = data_of(text_of(found))
    assert data["n"] == 0
    assert data["dropped"] == [["unknown-card", 1, data["dropped"][0][2]]]


def test_size_of_a_thousand_offers() -> None:
    market = [
        pages.offer(
            f"cloud-{number % 40}",
            gpu,
            count,
            vcpus + number / 200,
            f"{0.3 + number / 999:.4f}",
            region=f"region-{number}",
        )
        for number in range(84)
        for gpu, count, vcpus, _ in pages.MACHINES
    ][:1000]
    found = compared(market)
    assert len(found) == 1000
    assert len(text_of(found, history=pages.history()).encode()) <= 1.5e6


def test_written_whole_or_not_at_all(found: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "page.html"
    size = write_page(str(target), found, answer_of(found), lang="en")
    assert target.stat().st_size == size
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    before = target.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(Problem, match="cannot be written"):
        write_page(str(target), found, answer_of(found), lang="zh")
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.parametrize("place", ["", "no/such/folder/page.html"])
def test_a_place_that_cannot_be_written_is_told(found: Any, tmp_path: Path, place: str) -> None:
    with pytest.raises(Problem) as problem:
        write_page(str(tmp_path / place), found, answer_of(found), lang="en")
    assert problem.value.code == 2


def test_uplot_is_there_only_for_a_history_and_with_its_licence(found: Any, text: str) -> None:
    assert "uPlot" in text
    assert "leeoniya" not in text_of(found)
    licence = RENDER / "static" / "uplot" / "LICENSE"
    assert "MIT License" in licence.read_text(encoding="utf-8")


def _fields(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def test_both_languages_say_the_same() -> None:
    english, chinese = templates("page", "en"), templates("page", "zh")
    assert {code: _fields(sentence) for code, sentence in english.items()} == {
        code: _fields(sentence) for code, sentence in chinese.items()
    }


def test_the_scripts_say_what_there_is_and_all_of_it() -> None:
    """Codes in the scripts and the template exist, and no sentence is kept that nothing says."""
    sources = [path.read_text(encoding="utf-8") for path in (RENDER / "static").glob("*.js")]
    sources += [(RENDER / "page.html").read_text(encoding="utf-8"), (RENDER / "page.py").read_text(encoding="utf-8")]
    text = "\n".join(sources)
    known = templates("page", "en")
    said = set(re.findall(r"""\bsay\(["']([a-z][\w-]*)["'][,)]""", text))
    said |= set(re.findall(r"""data-say(?:-label)?="([a-z][\w-]*)\"""", text))
    assert len(said) > 60
    assert said <= set(known)
    begun = tuple(set(re.findall(r"""[`"](?:page\.)?([a-z][a-z-]*-)(?:\$\{|\{|" ~)""", text)))
    words = set(re.findall(r"[\w-]+", text))
    assert [code for code in known if code not in words and not code.startswith(begun)] == []


_VALUES = st.one_of(
    st.none(), st.text(max_size=5), st.floats(allow_nan=True), st.lists(st.text(max_size=3), max_size=2)
)


@given(st.lists(_VALUES, min_size=1, max_size=30))
def test_packing_loses_nothing(values: list[Any]) -> None:
    """unpack(pack(values)) = values as JSON holds them."""
    columns = Columns()
    number = columns.add(values)
    assert column({"columns": columns.made}, number, len(values)) == [plain(value) for value in values]
    assert columns.add(values) == number


@given(
    st.recursive(
        st.text() | st.none() | st.booleans() | st.integers(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_json_in_html_is_json(value: Any) -> None:
    """loads(json_in_html(x)) = x, without a character that could end a script."""
    text = json_in_html(value)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == value


@pytest.mark.parametrize("place", ["", ".", "/"])
def test_a_place_that_is_no_file_is_told(found: Any, place: str) -> None:
    with pytest.raises(Problem, match="cannot be written"):
        write_page(place, found, answer_of(found), lang="en")
