"""Sizes of the page and times until it can be used, with 1,000 and 20,000 offers.

python -m benchmarks.bench_page
"""

from __future__ import annotations

import shutil
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from benchmarks.bench_compare import many_offers
from gpurent import workloads
from gpurent.comparison import Options, compare
from gpurent.offer import Offer
from gpurent.render.page import write_page
from gpurent.selection import Wanted

SIZES = ((1_000, 1.5, 1.0), (20_000, None, None))  # offers, budget in MB, budget in seconds
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
RUNS = 3


def different_offers(count: int) -> list[Offer]:
    """Offers of the catalogue until so many are ranked, each copy on a machine of its own: the worst case for size."""
    made = []
    for number, offer in enumerate(many_offers(2 * count)):
        vcpus = (offer.vcpus or 8) + number % 97 / 100
        made.append(Offer.assemble({**offer.__dict__, "vcpus": vcpus, "sku": f"{offer.sku or 'type'}-{number}"}))
    return made


def page_of(count: int, path: Path) -> tuple[int, int, float]:
    """Write a page of the first so many offers: how many are ranked, its bytes, seconds to write it."""
    now = datetime.now(UTC)
    wanted = Wanted(include_via=True, include_sold_out=True, purchase="any")
    offers = different_offers(count)
    first = compare(offers, workloads.load("resnet50"), Options(wanted=wanted), now=now)
    kept = [offer for offer, reason in zip(offers, first.reasons, strict=True) if not reason][:count]
    found = compare(kept, workloads.load("resnet50"), Options(wanted=wanted), now=now)
    answer = {
        "made_by": {"version": "bench", "tables": "bench"}, "generated_at": now.isoformat(),
        "options": {**found.asked(), "currency": "USD"}, "data": {"source": "bench", "providers": []},
    }  # fmt: skip
    start = time.perf_counter()
    size = write_page(str(path), found, answer, lang="en")
    return len(found), size, time.perf_counter() - start


def opened(path: Path, browser_path: str) -> tuple[float, float, float]:
    """Median seconds in a browser: until the page can be used, to sort, to filter."""
    from playwright.sync_api import sync_playwright

    taken: list[tuple[float, float, float]] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=list(FLAGS))
        for _ in range(RUNS):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            start = time.perf_counter()
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready]")
            ready = time.perf_counter() - start
            taken.append((ready, _acted(page, "[data-sort=price]", "click"), _acted(page, "#filter-card", "fill")))
            page.close()
        browser.close()
    return tuple(median(column) for column in zip(*taken, strict=True))  # type: ignore[return-value]


def _acted(page: object, selector: str, kind: str) -> float:
    start = time.perf_counter()
    if kind == "click":
        page.click(selector)  # type: ignore[attr-defined]
    else:
        page.fill(selector, "rtx")  # type: ignore[attr-defined]
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")  # type: ignore[attr-defined]
    return time.perf_counter() - start


def main() -> None:
    """Print sizes and times beside the budgets."""
    browser_path = shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder:
        for count, most_mb, most_s in SIZES:
            path = Path(folder) / f"{count}.html"
            ranked, size, wrote = page_of(count, path)
            verdict = (
                "" if most_mb is None else f"   budget {most_mb} MB: {'within' if size <= most_mb * 1e6 else 'OVER'}"
            )
            print(f"page of {ranked:,} offers, no two alike: {size / 1e6:.2f} MB, {wrote:.2f} s to write{verdict}")
            if browser_path is None:
                print("  no chromium here: not opened")
                continue
            ready, sorted_s, filtered_s = opened(path, browser_path)
            verdict = "" if most_s is None else f"   budget {most_s} s: {'within' if ready <= most_s else 'OVER'}"
            print(
                f"  can be used after {ready:.2f} s, sorts in {sorted_s:.2f} s, filters in {filtered_s:.2f} s{verdict}"
            )


if __name__ == "__main__":
    main()
