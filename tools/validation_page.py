"""Put the tables of `gpurent validate` and of the forms tried into docs/model-validation.md.

    python tools/validation_page.py

Replaces what stands between `<!-- NAME -->` and `<!-- /NAME -->`; the words around the tables are written by hand.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from gpurent import validation
from gpurent.render import machine
from gpurent.render import validation as words
from gpurent.validation import forms

PAGE = Path(__file__).parents[1] / "docs" / "model-validation.md"
SPLITS = ("card", "die", "newer", "confirm")


def bars(found: dict[str, Any]) -> str:
    """The bars as `gpurent validate -o markdown` prints them."""
    return machine.markdown_text(words.bar_rows(found["bars"], "en"))


def errors(by: dict[str, Any], name: str) -> str:
    """Errors by workload, card or number of GPUs."""
    rows = [
        {name: key, "n": row["n"], **{each: _percent(row[f"{each}_ape"]) for each in ("median", "mean", "p90")}}
        for key, row in by.items()
    ]
    return machine.markdown_text(rows)


def regret(found: dict[str, Any]) -> str:
    """How much dearer each way to choose is."""
    rows = [
        {"choice": way, "n": row["n"], **{each: _percent(row[each]) for each in ("median", "mean", "p90")}}
        for way, row in found["scores"]["regret"]["ways"].items()
    ]
    return machine.markdown_text(rows)


def tried() -> str:
    """The forms under the fixed split: median / 90 % error of each part."""
    rows = []
    for each in forms.compare():
        row = {"form": each["form"] + (" (chosen)" if each["form"] == forms.CHOSEN else "")}
        for split in SPLITS:
            median, p90 = each[f"{split}_median_ape"], each[f"{split}_p90_ape"]
            row[f"{split}, n = {each[f'{split}_n']}"] = f"{_percent(median)} / {_percent(p90)}"
        rows.append(row)
    return machine.markdown_text(rows)


def _percent(value: Any) -> str:
    return f"{100 * float(value):.1f} %"


def main() -> None:
    found = validation.score()
    text = PAGE.read_text(encoding="utf-8")
    blocks = {
        "bars": bars(found),
        "forms": tried(),
        "workloads": errors(found["by_workload"], "workload"),
        "cards": errors(found["by_gpu"], "card"),
        "gpus": errors(found["by_n_gpus"], "GPUs"),
        "naive": errors(found["baselines"], "by"),
        "regret": regret(found),
    }
    for name, block in blocks.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        text = pattern.sub(lambda match, block=block: f"{match[1]}{block}\n{match[2]}", text)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
