"""The options that work everywhere: --lang, --quiet, --debug. Taken out before the command reads its own."""

from __future__ import annotations

import os

from gpurent.errors import Problem

_chosen: dict[str, str] = {}


def take(arguments: list[str]) -> list[str]:
    """Keep the common options of a command line and give back the rest of it. What follows `--` is left alone."""
    _chosen.clear()
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "--":
            rest.append(word)
            rest.extend(words)
        elif word in ("--quiet", "--debug"):
            _chosen[word[2:]] = "yes"
        elif word == "--lang":
            _chosen["lang"] = next(words, "(nothing)")
        elif word.startswith("--lang="):
            _chosen["lang"] = word[7:]
        else:
            rest.append(word)
    return rest


def check() -> None:
    """Refuse what the common options do not know, whatever the command.

    Raises:
        Problem: an unknown language.
    """
    lang()


def quiet() -> bool:
    """No notes on stderr."""
    return "quiet" in _chosen


def debug() -> bool:
    """Tracebacks are wanted."""
    return "debug" in _chosen


def lang() -> str:
    """ "en" or "zh".

    Raises:
        Problem: another language was asked for.
    """
    from gpurent.messages import language

    choice = _chosen.get("lang") or os.environ.get("GPURENT_LANG") or "auto"
    if choice not in ("auto", "en", "zh"):
        raise Problem("this language is not spoken here", choice, "use --lang auto, en or zh")
    return language(choice)


def lang_chosen() -> str | None:
    """The language if the user named one ("en", "zh"), else None: a quote is then answered in its own."""
    choice = _chosen.get("lang") or os.environ.get("GPURENT_LANG") or "auto"
    return None if choice == "auto" else lang()
