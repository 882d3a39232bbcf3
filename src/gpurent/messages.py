"""Sentences by code: the reader of messages.toml."""

from __future__ import annotations

import os
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGES = ("en", "zh")


@cache
def _sentences() -> dict[str, dict[str, dict[str, str]]]:
    with files(__package__).joinpath("messages.toml").open("rb") as file:
        return tomllib.load(file)


def say(code: str, lang: str = "en", **values: Any) -> str:
    """The sentence of a code ("area.code") in a language, with its values filled in.

    Raises:
        KeyError: an unknown code, which is a fault of ours.
    """
    area, _, name = code.partition(".")
    return _sentences()[area][name][lang].format(**values)


def has(code: str) -> bool:
    """Whether there is a sentence of this code."""
    area, _, name = code.partition(".")
    return name in _sentences().get(area, {})


def templates(area: str, lang: str) -> dict[str, str]:
    """All sentences of an area by code, placeholders not filled in: for the page, which fills them itself."""
    return {code: texts[lang] for code, texts in _sentences()[area].items()}


def language(choice: str = "auto") -> str:
    """The language of `--lang`: en, zh, or auto by the environment's locale."""
    if choice in LANGUAGES:
        return choice
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "zh" if locale.lower().startswith("zh") else "en"
