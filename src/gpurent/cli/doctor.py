"""`gpurent doctor`: versions, data and their ages, keys that are set (never their values)."""

from __future__ import annotations

from typing import Any

from gpurent.cli import asked
from gpurent.cli.output import Output


def doctor(output: asked.OutputOption = Output.TABLE) -> None:
    """Show what gpurent has to work with here.

    \b
    gpurent doctor
    gpurent doctor -o json
    gpurent doctor --lang zh
    """
    from gpurent.cli import state
    from gpurent.cli.output import document, emit
    from gpurent.messages import say
    from gpurent.render.grid import Column, grid

    checks = _checks()
    lang = state.lang()
    heads = [Column(say(f"heading.{name}", lang)) for name in ("check", "status", "detail")]
    cells = [[check["check"], check["status"], check["detail"]] for check in checks]
    emit(document("doctor", checks=checks), checks, output, lambda: grid(heads, cells))


def _check(name: str, ok: bool, detail: object, otherwise: str = "missing") -> dict[str, Any]:
    return {"check": name, "status": "ok" if ok else otherwise, "detail": str(detail)}


def _checks() -> list[dict[str, Any]]:
    import os
    import platform
    from datetime import UTC, datetime
    from importlib.metadata import PackageNotFoundError, version

    from gpurent import catalogue, fx
    from gpurent.adapters.registry import load
    from gpurent.cli import paths
    from gpurent.version import __version__

    today = datetime.now(UTC).date()
    checks = [
        _check("gpurent", True, __version__),
        _check("python", True, f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
    ]
    for name in ("httpx", "numpy", "pandas", "pydantic", "typer", "duckdb"):
        try:
            checks.append(_check(name, True, version(name)))
        except PackageNotFoundError:
            checks.append(_check(name, False, "not installed" + (" (extra: parquet)" if name == "duckdb" else "")))
    offers = catalogue.offers()
    ages = sorted((today - offer.observed_at.date()).days for offer in offers if offer.observed_at)
    detail = f"{len(offers)} offers, {ages[0]} to {ages[-1]} days old, median {ages[len(ages) // 2]}"
    checks.append(_check("catalogue", True, detail))
    newest = fx.embedded().newest
    checks.append(_check("exchange rates", True, f"to {newest}, {(today - newest).days} days old"))
    store = paths.history()
    checks.append(
        _check("history", store.exists(), store if store.exists() else f"{store}: nothing collected yet", "none")
    )
    known = load()
    checks.append(_check("providers", not known.broken, f"{len(known.adapters)} known, {len(known.broken)} broken"))
    checks += [_check(f"provider {each.name}", False, each.reason) for each in known.broken]
    for name, adapter in sorted(known.adapters.items()):
        key = adapter.META.key_env
        if key:
            need = "needed" if adapter.META.key_required else "optional"
            checks.append(
                _check(
                    f"key {key}",
                    key in os.environ,
                    f"{name}, {need}",
                    "missing" if adapter.META.key_required else "not set",
                )
            )
    return checks
