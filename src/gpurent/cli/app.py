"""The command line: which commands there are, and how every one of them ends."""

from __future__ import annotations

import os
import re
import signal
import sys
from errno import EDQUOT, EFBIG, EIO, ENOSPC
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

import typer

from gpurent.cli import state
from gpurent.cli.names import COMMANDS, GROUPS
from gpurent.errors import OUR_FAULT, PARTIAL, USAGE, Problem

INTERRUPTED, TERMINATED = 130, 143


def _version(show: bool) -> None:
    if show:
        from gpurent.version import __version__

        typer.echo(f"gpurent {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", help="Show the version and end.", callback=_version, is_eager=True
    ),
) -> None:
    del version


def build(only: str | None = None) -> Any:
    """The command line; with `only` that command alone, for reading the options of all costs a tenth of a second."""
    app = typer.Typer(
        name="gpurent",
        help="Which rented GPU trains your workload for the least money per epoch, and how sure is that.",
        epilog="Everywhere: --lang auto|en|zh, --quiet, --debug. Start with: gpurent compare --workload bert-large",
        rich_markup_mode=None,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name, place in COMMANDS.items():
        if only in (None, name):
            module = import_module(f"gpurent.cli.{place}")
            if name in GROUPS:
                app.add_typer(module.app, name=name)
            else:
                app.command(name)(getattr(module, name))
    return typer.main.get_command(app)


def _tell(what: str, value: object, do: str) -> None:
    from gpurent.cli.output import clean_value, said

    said(f"gpurent: {clean_value(what)}")
    said(f"  value: {clean_value(value) or '-'}")
    said(f"  do: {clean_value(do) or 'see gpurent --help'}")


def _usage(error: Any, words: list[str]) -> int:
    """A wrong command line; a bare group gets its help instead."""
    text = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(text)
        return 0
    command = getattr(getattr(error, "ctx", None), "command_path", "gpurent")
    quoted = [word for word in re.findall(r"'([^']*)'", text) if word]
    _tell(text, _given(quoted, words), f"see {command} --help")
    return USAGE


def _given(quoted: list[str], words: list[str]) -> str:
    """What a message about the command line is about: the value of the option it names, else the word it quotes."""
    for option in (word for name in quoted for word in name.split(" / ")):
        for place, word in enumerate(words):
            if word.startswith(f"{option}="):
                return word.partition("=")[2]
            if word == option and option.startswith("-"):
                return words[place + 1] if place + 1 < len(words) else option
    return quoted[-1] if quoted else " ".join(words)


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    del number, frame
    raise SystemExit(TERMINATED)


def _settings(line: Any, name: str, words: list[str]) -> dict[str, Any]:
    """Defaults of the command that is called, from the environment and config.toml."""
    if "--help" in words or "-h" in words:
        return {}
    from gpurent.cli import settings

    options = {
        each.name: bool(each.multiple) for each in line.commands[name].params if each.param_type_name == "option"
    }
    return {name: settings.defaults(name, options)}


def run(arguments: list[str]) -> int:
    """Run one command line and give its exit code; nothing but an asked-for traceback leaves this function."""
    from typer._click.exceptions import ClickException

    rest = state.take(arguments) or ["--help"]
    name = next((word for word in rest if not word.startswith("-")), "")
    try:
        state.check()
        line = build(name if name in COMMANDS else None)
        settings = _settings(line, name, rest) if name in COMMANDS else {}
        ended = line.main(rest, prog_name="gpurent", standalone_mode=False, default_map=settings)
        code = ended if isinstance(ended, int) else 0
        sys.stdout.flush()
        return code
    except Problem as problem:
        if state.debug():
            raise
        _tell(problem.what, problem.value, problem.do)
        return problem.code
    except ClickException as error:
        return _usage(error, rest)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except OSError as error:
        if error.errno not in (ENOSPC, EDQUOT, EFBIG, EIO):
            return _fault(error)
        _tell("the output could not be written", error.strerror, "make room, or write somewhere else")
        return PARTIAL
    except Exception as error:  # noqa: BLE001 - the last line of defence; `_fault` raises it again for --debug
        return _fault(error)


def _fault(error: Exception) -> int:
    """A fault of ours: said, not spilled, unless --debug wants it."""
    if state.debug():
        raise error
    _tell(
        "a fault in gpurent itself",
        f"{type(error).__name__}: {error}",
        "run again with --debug and report what it prints",
    )
    return OUR_FAULT


def main() -> None:
    """Run the process's own command line and end with its code."""
    signal.signal(signal.SIGTERM, _terminated)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller: what would be written there is not wanted
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - it lives as long as we do
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    code = run(sys.argv[1:])
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except OSError:  # said already; the interpreter would say it once more
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    raise SystemExit(code)
