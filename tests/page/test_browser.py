"""The page in a real browser, from file:// and with the network cut: what a person sees and can do, by mouse or keys.

Screenshots for people are written to tests/page/shots.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gpurent import catalogue
from gpurent.render.grid import significant
from tests.page import pages
from tests.shared import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = ROOT / "tests" / "page" / "tools" / "node_modules" / "axe-core" / "axe.min.js"
SHOTS = Path(__file__).parent / "shots"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip

pytestmark = [
    pytest.mark.browser,
    pytest.mark.enable_socket,  # the driver talks to the browser through sockets of its own
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine: apt-get install chromium"),
]


@dataclass
class Opened:
    """A page with everything that went wrong in it."""

    page: Page
    troubles: list[str] = field(default_factory=list)

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text()

    def count(self, selector: str) -> int:
        return self.page.locator(selector).count()

    def column(self, name: str) -> list[str]:
        """The first line of each cell of a column, top to bottom."""
        cells = self.page.locator(f"#table tbody .c-{name}").all_inner_texts()
        return [cell.strip().splitlines()[0] for cell in cells]

    def focused(self) -> str:
        return str(self.page.evaluate("document.activeElement.id || document.activeElement.className || ''"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture(scope="module")
def small() -> Any:
    return pages.compared(pages.offers(copies=8), mine=pages.mine())


@pytest.fixture(scope="module")
def small_file(small: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    text = pages.text_of(small, history=pages.history())
    return pages.written(tmp_path_factory.mktemp("page") / "small.html", text)


@pytest.fixture(scope="module")
def whole_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The catalogue's page: what a user sees first."""
    found = pages.compared(catalogue.offers(), mine=pages.mine())
    cards = list(dict.fromkeys(row["gpu"] for row in found.rows() if row["gpu"]))[:8]
    text = pages.text_of(found, history=pages.history(cards, nights=90))
    return pages.written(tmp_path_factory.mktemp("page") / "whole.html", text)


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Any]:
    contexts = []

    def opened(path: Path, width: int = 1280, theme: str = "light", **options: Any) -> Opened:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, offline=True, **options
        )
        contexts.append(context)
        page = context.new_page()
        made = Opened(page)
        page.on("console", lambda message: made.troubles.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: made.troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (made.troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: _watched(made, request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        return made

    yield opened
    for context in contexts:
        context.close()


def _watched(made: Opened, url: str) -> None:
    if not url.startswith(("file:", "data:")):
        made.troubles.append(f"request: {url}")


@pytest.fixture
def small_page(open_page: Any, small_file: Path) -> Iterator[Opened]:
    """The small market's page, which must end without a trouble."""
    made = open_page(small_file)
    yield made
    assert made.troubles == []


def test_as_many_marks_as_rows(small_page: Opened, small: Any) -> None:
    assert small_page.count("#chart .mark") == len(small)
    shown = small_page.count("#table tbody tr")
    while small_page.page.get_by_role("button", name="Next").is_enabled():
        small_page.page.get_by_role("button", name="Next").click()
        shown += small_page.count("#table tbody tr")
    assert shown == len(small)


def test_the_cheapest_whole_card_stands_on_top(small_page: Opened, small: Any) -> None:
    best = next(row for row in small.rows() if row["gpu_share"] == "whole")
    sentence = small_page.text(".sentence")
    assert best["provider"] in sentence
    assert f"${significant(best['cost_per_epoch_usd'])} an epoch" in sentence
    assert small_page.page.locator(".sentence").bounding_box()["y"] < 300  # type: ignore[index]


def test_sorting(small_page: Opened) -> None:
    page = small_page.page
    page.click("[data-sort=time]")
    page.click("[data-sort=price]")
    prices = [float(price) for price in small_page.column("price")]
    assert prices == sorted(prices)
    page.click("[data-sort=price]")
    prices = [float(price) for price in small_page.column("price")]
    assert prices == sorted(prices, reverse=True)
    assert page.get_attribute("th.c-price", "aria-sort") == "descending"
    page.click("[data-sort=rank]")
    assert [int(rank.lstrip("=")) for rank in small_page.column("rank")] == list(range(1, 51))


@pytest.mark.parametrize(
    ("name", "value", "holds"),
    [
        ("card", "3090", lambda row: "3090" in (row["gpu"] or "")),
        ("provider", "cloud-2", lambda row: row["provider"] == "cloud-2"),
        ("share", "slice", lambda row: row["gpu_share"] == "mig"),
        ("limit", "cpu", lambda row: "cpu" in (row["limit"], row["limit_also"])),
        ("price", "0.5", lambda row: row["usd_per_gpu_hour"] <= 0.5),
        ("purchase", "on-demand", lambda row: True),
    ],
)
def test_filters(small_page: Opened, small: Any, name: str, value: str, holds: Any) -> None:
    page = small_page.page
    if name in ("card", "price"):
        page.fill(f"#filter-{name}", value)
    else:
        page.select_option(f"#filter-{name}", value)
    wanted = sum(map(holds, small.rows()))
    assert wanted > 0
    assert small_page.count("#chart .mark") == wanted
    assert small_page.count("#table tbody tr") == min(wanted, 50)
    assert small_page.text("#shown").startswith(("offers: all", str(wanted)))
    page.click("button[type=reset]")
    page.wait_for_function("count => document.querySelectorAll('#chart .mark').length === count", arg=len(small))


def test_a_filter_nothing_passes(small_page: Opened) -> None:
    small_page.page.fill("#filter-card", "no such card")
    assert small_page.page.is_visible("#empty")
    assert small_page.count("#chart .mark") == 0


def test_hostile_texts_are_texts(small_page: Opened) -> None:
    page = small_page.page
    page.select_option("#filter-provider", pages.SCRIPT)
    place = small_page.text("#table tbody .place")
    assert pages.SCRIPT in place
    assert "🚀" in place
    assert '"quoted" & <b>bold</b>' in place
    page.click("#table tbody .why-button")
    body = small_page.text("#why")
    assert pages.SCRIPT in body
    assert "javascript:alert(2)" in body
    assert small_page.count("a[href^='javascript']") == 0
    assert small_page.count("body b") == 0


def test_links_go_to_https_and_open_elsewhere(small_page: Opened) -> None:
    small_page.page.click("#table tbody .why-button")
    links = small_page.page.locator("a[href]:not(.skip)").all()
    assert len(links) > 3
    for link in links:
        assert (link.get_attribute("href") or "").startswith("https://")
        assert link.get_attribute("rel") == "noopener noreferrer"


def test_why_says_what_explain_says(small_page: Opened, small: Any) -> None:
    page = small_page.page
    page.click("#row-4 .why-button")
    chain = small.explain("5")
    rows = page.locator(".chain tbody tr:not(.stage-head)")
    assert rows.count() == len(chain.lines)
    shown = [row.locator("td").first.inner_text() for row in rows.all()]
    numbers = [
        (text, line.values[0])
        for text, line in zip(shown, chain.lines, strict=True)
        if isinstance(line.values[0], float)
    ]
    assert len(numbers) > 15
    for text, value in numbers:
        assert float(text.replace(",", "")) == pytest.approx(value, rel=1e-3)
    assert page.locator(".chain .guilty").count() == sum(map(chain.marks, chain.lines)) == 1


def test_a_second_row_beside_it(small_page: Opened, small: Any) -> None:
    page = small_page.page
    page.click("#row-3 .why-button")
    page.select_option("#why-beside", label=page.locator("#why-beside option").nth(1).inner_text())  # one's own
    chain = small.explain("4", "mine")
    ratios = page.locator(".chain tbody tr:not(.stage-head) td:nth-of-type(3)").all_inner_texts()
    assert ratios == ["" if line.ratio is None else f"{line.ratio:.2f}" for line in chain.lines]
    held = page.locator(".chain .guilty th").inner_text()
    assert "holds it back" in held
    page.keyboard.press("Escape")
    assert not page.is_visible("#why")


def test_chart_and_table_select_each_other(small_page: Opened) -> None:
    page = small_page.page
    page.click("#row-2 .c-rate")
    assert page.get_attribute("#mark-2", "aria-selected") == "true"
    assert small_page.count(".overlay .whisker") == 2
    page.locator("#chart").scroll_into_view_if_needed()
    box = page.locator("#mark-60").bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    chosen = page.locator("#table tr[aria-selected=true]")
    assert chosen.count() == 1  # the table turned to the page that has it
    assert page.get_attribute("#mark-2", "aria-selected") == "false"
    assert chosen.get_attribute("id") == f"row-{page.get_attribute('.mark[aria-selected=true]', 'id').split('-')[1]}"


def test_hovering_tells_the_interval(small_page: Opened) -> None:
    page = small_page.page
    box = page.locator("#chart .best .mark").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert "10–90 %" in small_page.text(".tip")
    assert small_page.count(".overlay .whisker") == 2


def test_language(small_page: Opened) -> None:
    page = small_page.page
    english = small_page.text("#frontier-title")
    page.click("[data-lang=zh]")
    assert page.get_attribute("html", "lang") == "zh-CN"
    assert small_page.text("#frontier-title") == "费用与时间" != english
    assert "最便宜的整卡" in small_page.text("#verdict")
    page.click("#row-0 .why-button")
    assert "显存带宽" in small_page.text("#why")
    page.keyboard.press("Escape")
    page.click("[data-lang=en]")
    assert small_page.text("#frontier-title") == english


def test_theme(small_page: Opened, open_page: Any, small_file: Path) -> None:
    page = small_page.page
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.click("[data-theme-choice=dark]")
    dark = page.evaluate(background)
    assert dark != light
    page.click("[data-theme-choice=auto]")
    assert page.evaluate(background) == light
    assert open_page(small_file, theme="dark").page.evaluate(background) == dark


def test_by_keys_alone(small_page: Opened) -> None:
    """From the top of the page to a sorted table, a filter, an explanation and another language, without a mouse."""
    page, press = small_page.page, small_page.page.keyboard.press

    def tab_to(selector: str, most: int = 60) -> None:
        for _ in range(most):
            press("Tab")
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"{selector} cannot be reached")

    press("Tab")
    assert small_page.focused() == "skip"
    tab_to("[data-lang=zh]")
    press("Enter")
    assert page.get_attribute("html", "lang") == "zh-CN"
    press("Shift+Tab")
    press("Enter")
    tab_to("#chart svg")
    first = page.get_attribute("#chart svg", "aria-activedescendant")
    press("ArrowRight")
    second = page.get_attribute("#chart svg", "aria-activedescendant")
    assert first
    assert second
    assert first != second
    assert page.is_visible(".tip")
    press("Enter")
    assert page.is_visible("#why")
    assert small_page.focused() == "close"
    press("Escape")
    assert page.evaluate("document.activeElement.matches('#chart svg')")
    tab_to("#filter-card")
    page.keyboard.type("4090")
    assert set(small_page.column("card")) <= {"RTX 4090"}
    tab_to("[data-sort=price]")
    press("Enter")
    assert page.get_attribute("th.c-price", "aria-sort") == "ascending"
    assert page.evaluate("document.activeElement.matches('[data-sort=price]')")
    tab_to(".why-button")
    press("Enter")
    assert page.is_visible("#why")
    press("Tab")
    assert small_page.focused() == "why-beside"
    press("Escape")
    assert page.evaluate("document.activeElement.matches('.why-button')")


def test_history(small_page: Opened) -> None:
    page = small_page.page
    assert small_page.count("#history-chart canvas") == 1
    rows = page.locator("#history-table tbody tr")
    assert rows.count() == 2
    before = rows.first.inner_text()
    page.get_by_role("button", name="Cost per epoch", exact=True).last.click()
    assert rows.first.inner_text() != before
    page.click("#history-cards input:checked >> nth=0")
    assert rows.count() == 1


def test_no_history_no_section(open_page: Any, small: Any, tmp_path: Path) -> None:
    made = open_page(pages.written(tmp_path / "page.html", pages.text_of(small, lang="zh")))
    assert not made.page.is_visible("#history")
    assert made.page.get_attribute("html", "lang") == "zh-CN"
    assert made.troubles == []


def test_what_was_left_out(small_page: Opened) -> None:
    assert "2" in small_page.text("#left-out-title")
    text = small_page.text("#left-out-table")
    assert "Voodoo 9000" in text
    assert "sold out" in text


@pytest.mark.parametrize("own", [None, "0.12", ""], ids=["none", "priced", "unpriced"])
def test_ones_own_machine(open_page: Any, tmp_path: Path, own: str | None) -> None:
    machine = None if own is None else pages.mine(own or None)
    found = pages.compared(pages.offers(), mine=machine)
    made = open_page(pages.written(tmp_path / "page.html", pages.text_of(found)))
    lines = {None: 0, "0.12": 2, "": 1}[own]
    assert made.count(".mine-line") == lines
    if own is not None:
        made.page.locator(".also .why-button").last.click()
        assert "RTX 3090" in made.text("#why-title")
    assert made.troubles == []


def test_nothing_ranked(open_page: Any, tmp_path: Path) -> None:
    found = pages.compared([pages.offer("x", "Voodoo 9000", 1, 8, "0.1")])
    made = open_page(pages.written(tmp_path / "page.html", pages.text_of(found)))
    assert "Nothing could be ranked" in made.text("#verdict")
    assert not any(made.page.is_visible(f"#{empty}") for empty in ("frontier", "filters", "offers"))
    assert made.troubles == []


def test_of_slices_alone_the_cheapest_is_named(open_page: Any, tmp_path: Path) -> None:
    market = [pages.offer(f"c{place}", "A100 MIG 3g.40gb", 1, 12, f"0.{5 + place}") for place in range(3)]
    made = open_page(pages.written(tmp_path / "page.html", pages.text_of(pages.compared(market))))
    assert "No whole card" in made.text("#verdict .kicker")
    assert "c0" in made.text(".sentence")
    assert made.count(".axes text") >= 6  # both axes are named and numbered, however narrow their span
    assert made.troubles == []


@pytest.mark.parametrize("width", [1280, 390])
def test_prices_of_any_size_fit(open_page: Any, tmp_path: Path, width: int) -> None:
    odd = [pages.offer(name, "RTX 4090", 1, 8, usd) for name, usd in (("tiny", "0.000001"), ("huge", "1000000"))]
    odd.append(pages.offer("y" * 200, "RTX 4090", 1, 8, "0.4", sku="x" * 300))
    made = open_page(pages.written(tmp_path / "page.html", pages.text_of(pages.compared(pages.offers() + odd))), width)
    assert made.page.evaluate("document.documentElement.scrollWidth") <= width
    assert made.page.evaluate(_OVERFLOWING) == []
    left = made.page.evaluate(
        "Math.min(...[...document.querySelectorAll('.axes text')].map((each) => each.getBBox().x))"
    )
    assert left >= 0
    assert made.troubles == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_machine_without_a_price_is_told_so(open_page: Any, tmp_path: Path, width: int) -> None:
    found = pages.compared(pages.offers(), mine=pages.mine(None))
    made = open_page(pages.written(tmp_path / "page.html", pages.text_of(found)), width)
    made.page.locator(".why-button").first.click()
    made.page.select_option("#why-beside", index=1)
    assert "no price given" in made.text(".summary:nth-child(2) .figure")
    cells = made.page.locator(".chain .source").all_inner_texts()
    assert not any(cell.strip().endswith(("-", "–", "|")) for cell in cells)
    wide = "document.querySelector('#why .scroll').scrollWidth - document.querySelector('#why .scroll').clientWidth"
    assert made.page.evaluate(wide) <= 1  # no source runs out of the panel


def test_ages_are_those_of_the_command_line(open_page: Any, tmp_path: Path) -> None:
    seen = pages.NOW - timedelta(days=9, hours=20)
    found = pages.compared([pages.offer("old", "RTX 4090", 1, 8, "0.4", observed_at=seen)])
    made = open_page(pages.written(tmp_path / "page.html", pages.text_of(found)))
    assert made.column("age") == ["10"]
    assert "10 days ago" in made.text(".facts")


def test_many_offers_are_paged_and_thinned(open_page: Any, tmp_path: Path) -> None:
    found = pages.compared(pages.offers(copies=450))
    assert len(found) > 5000
    made = open_page(pages.written(tmp_path / "page.html", pages.text_of(found)))
    assert made.count("#table tbody tr") == 50
    assert 500 < made.count("#chart .mark") <= 2000
    assert f"{len(found):,}" in made.text("#thinned")
    made.page.fill("#filter-card", "l4")
    assert not made.page.is_visible("#thinned")
    assert made.troubles == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_serious(open_page: Any, whole_file: Path, width: int, theme: str) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: make page-tools (needs npm)")
    made = open_page(whole_file, width, theme)
    made.page.evaluate(AXE.read_text(encoding="utf-8"))
    for act in ("", ".why-button", "[data-lang=zh]"):
        if act:
            made.page.keyboard.press("Escape")
            made.page.locator(act).first.click()
        found = made.page.evaluate("axe.run().then((result) => result.violations)")
        serious = [
            f"{each['id']}: {node['html'][:200]} {node['failureSummary']}"
            for each in found
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"][:5]
        ]
        assert serious == [], act


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [1280, 390])
def test_screenshots_for_people(open_page: Any, whole_file: Path, width: int, lang: str, theme: str) -> None:
    """Nothing is wider than the screen, no cell of the table runs into the next; the pictures are for people."""
    made = open_page(whole_file, width, theme)
    page = made.page
    page.click(f"[data-lang={lang}]")
    SHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SHOTS / f"page-{width}-{lang}-{theme}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(_OVERFLOWING) == []
    page.locator("#row-0 .why-button").click()
    page.select_option("#why-beside", index=1)
    page.screenshot(path=SHOTS / f"why-{width}-{lang}-{theme}.png")
    assert made.troubles == []


# Cells and headings whose text is wider than their box, and boxes of a row that lie on each other.
_OVERFLOWING = """() => {
  const found = [];
  const told = (what, node) => found.push(`${what}: ${node.textContent.slice(0, 60)}`);
  const seen = (node) => node.offsetParent !== null && node.clientWidth > 0;
  const parts = '#table td, #table th, .facts div, .also li, .filters label, h1, h2, h3';
  for (const node of document.querySelectorAll(parts)) {
    if (seen(node) && node.scrollWidth > node.clientWidth + 1) told('wide', node);
  }
  const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  for (const row of document.querySelectorAll('#table tbody tr')) {
    const boxes = [...row.children].filter(seen).map((cell) => cell.getBoundingClientRect());
    boxes.forEach((box, place) => {
      if (boxes.slice(place + 1).some((other) => over(box, other))) told('overlap', row);
    });
  }
  return found.slice(0, 10);
}"""
