"""The contract tests of an adapter, for ours and anybody's. Needs pytest and hypothesis where it runs.

    from gpurent.adapters.testing import AdapterContract
    import my_adapter

    class TestMine(AdapterContract):
        adapter = my_adapter
        fixtures = Path(__file__).parent / "fixtures"

A fixture is a body (`normal.json`) beside a sidecar (`normal.toml`) that says where its shape comes from and what it
must give: see docs/add-a-provider.md.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from gpurent.adapters.contract import Adapter, Part, Raw, ShapeChanged, is_fault
from gpurent.adapters.registry import fault_of
from gpurent.offer import Offer, Reject, clean_line

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

BODIES = (".json", ".html", ".csv", ".txt")
KINDS = ("written-from-docs", "recorded")
SIDECAR = ("url", "method", "kind", "date", "source", "sha256")
SLICES = ("mig", "vgpu", "timeslice")

# Stands in for a JSON value, as raw text: what no honest answer holds.
JUNK = (
    "null", "true", "-1", "0", "1e999", "NaN", "1e-300", "9" * 400, '""', '" "', '"12,5"', '"\\u202e\\u0000x"',
    "[" * 900 + "]" * 900, '"\\ud800"', "[]", "{}", "[[null]]", '[{"a":1}]', '{"a":{}}', '"' + "A" * 5000 + '"',
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One saved answer and what it must give; None: the sidecar does not say."""

    name: str
    raw: Raw
    sidecars: tuple[Path, ...]
    offers: int | None = None
    faults: int | None = None
    out_of_scope: int | None = None
    drift: str | None = None
    unknown_cards: tuple[str, ...] = ()


@dataclass(frozen=True)
class Parsed:
    """What parse gave, offers and rejections apart."""

    offers: tuple[Offer, ...] = ()
    rejects: tuple[Reject, ...] = ()
    faults: tuple[Reject, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "faults", tuple(reject for reject in self.rejects if is_fault(reject)))


def parse(adapter: Adapter, raw: Raw) -> Parsed:
    """Run an adapter's parse to its end; anything but offers, rejections and ShapeChanged fails."""
    made = list(adapter.parse(raw))
    odd = [one for one in made if not isinstance(one, Offer | Reject)]
    assert not odd, f"parse gave something else: {odd[0]!r}"
    return Parsed(
        tuple(one for one in made if isinstance(one, Offer)), tuple(one for one in made if isinstance(one, Reject))
    )


def changed_path(adapter: Adapter, raw: Raw) -> str | None:
    """Where the shape changed, or None when parse reads the answer."""
    try:
        parse(adapter, raw)
    except ShapeChanged as changed:
        return changed.path
    return None


def _part(sidecar: Path, said: dict[str, Any]) -> Part:
    body = next((path for end in BODIES if (path := sidecar.with_suffix(end)).exists()), None)
    assert body is not None, f"{sidecar} has no body beside it"
    day = datetime.combine(said["date"], datetime.min.time(), UTC)
    headers = {str(key).lower(): str(value) for key, value in said.get("headers", {}).items()}
    return Part(said.get("part", sidecar.stem), said["url"], body.read_bytes(), day, headers=headers)


def cases(folder: Path, provider: str) -> Iterator[Case]:
    """The cases of a fixtures folder: every sidecar that does not belong to another's answer (`of`)."""
    for path in sorted(folder.glob("*.toml")):
        said = tomllib.loads(path.read_text(encoding="utf-8"))
        if "of" in said:
            continue
        sidecars = [path, *(path.with_name(f"{name}.toml") for name in said.get("with", []))]
        parts = [_part(one, tomllib.loads(one.read_text(encoding="utf-8"))) for one in sidecars]
        expect = said.get("expect", {})
        yield Case(
            name=path.stem,
            raw=Raw(provider, tuple(parts)),
            sidecars=tuple(sidecars),
            offers=expect.get("offers"),
            faults=expect.get("rejects"),
            out_of_scope=expect.get("out_of_scope"),
            drift=expect.get("drift"),
            unknown_cards=tuple(expect.get("unknown_cards", ())),
        )


def check_sidecar(path: Path) -> None:
    """A fixture says where its shape comes from, and its body is the one that was checked."""
    said = tomllib.loads(path.read_text(encoding="utf-8"))
    missing = [key for key in SIDECAR if not said.get(key)]
    assert not missing, f"{path.name}: {', '.join(missing)} not said"
    assert said["kind"] in KINDS, f"{path.name}: kind is one of {', '.join(KINDS)}"
    body = _part(path, said).body
    assert hashlib.sha256(body).hexdigest() == said["sha256"], f"{path.name}: the body is not the one it describes"


def check_offers(adapter: Adapter, parsed: Parsed, raw: Raw) -> None:
    """What holds for every answer: consistent offers with unique keys, rejections that say where and why."""
    name, days = adapter.META.name, {part.observed_at for part in raw.parts}
    for offer in parsed.offers:
        label = f"{offer.provider} {offer.listing or offer.sku} {offer.region} {offer.purchase}"
        assert name in (offer.provider, offer.via), f"{label}: neither provider nor via is {name}"
        assert offer.sku or offer.listing, f"{label}: no name of its own"
        assert offer.observed_at, f"{label}: no moment"
        assert offer.observed_at <= max(days), f"{label}: observed after its part was"  # a source may date its rows
        assert offer.source, f"{label}: no source"
        assert offer.price is None or offer.price.per_hour(offer.gpu_count) > 0, f"{label}: price not above zero"
        assert offer.stock != "sold-out" or offer.price, f"{label}: sold out lost its price"
        if offer.gpu_share in SLICES:
            assert offer.gpu_memory_gib, f"{label}: a slice without a size"
        elif offer.gpu_share == "whole":
            assert offer.share_profile is None, f"{label}: a whole card with a slice's profile"
        assert offer.purchase != "reserved" or (offer.price and offer.price.term_months), f"{label}: reserved, no term"
    doubled = [key for key, count in Counter(offer.offer_id for offer in parsed.offers).items() if count > 1]
    assert not doubled, f"offers share a key: {doubled}"
    for reject in parsed.rejects:
        assert reject.part in {part.name for part in raw.parts}, f"{reject}: no such part"
        assert all(reject[1:2] + reject[3:]), f"{reject}: says not where or not why"
        assert all(clean_line(text) == text for text in reject), f"{reject}: not one clean line each"


def check_cards(parsed: Parsed, unknown: tuple[str, ...]) -> None:
    """Every card is known, a set of candidates, or listed in the sidecar as unknown; slices stay slices."""
    from gpurent.hardware.resolve import resolve

    for offer in parsed.offers:
        reading = resolve(offer)
        known = reading.card or reading.candidates
        assert bool(known) != (offer.gpu in unknown), f"{offer.gpu}: {'known' if known else 'not a known card'}"
        if known and offer.gpu_share not in (None, "unknown"):
            assert reading.share == offer.gpu_share, f"{offer.gpu} {offer.gpu_memory_gib}: read as {reading.share}"


def mutations(bodies: list[bytes]) -> SearchStrategy[bytes]:
    """Bodies nobody promised: any bytes, honest ones cut or damaged, and JSON with junk for one of its values."""
    from hypothesis import strategies as st

    @st.composite
    def damaged(draw: Any) -> bytes:
        body: bytes = draw(st.sampled_from(bodies))
        at = draw(st.integers(0, len(body)))
        kind = draw(st.sampled_from(("cut", "insert", "junk", "drop")))
        if kind == "cut":
            return body[:at]
        if kind == "insert":
            return body[:at] + bytes(draw(st.binary(max_size=8))) + body[at:]
        try:
            return _junked(draw, body, drop=kind == "drop")
        except ValueError:
            return body[at:]

    return st.one_of(st.binary(max_size=64), st.sampled_from([junk.encode() for junk in JUNK]), damaged())


def _junked(draw: Any, body: bytes, drop: bool) -> bytes:
    """A JSON body with one value, chosen by walking down, dropped or replaced."""
    from hypothesis import strategies as st

    mark = "\x01junk"
    whole: Any = json.loads(body)
    at, holder, key = whole, cast(Any, None), cast(Any, None)
    while isinstance(at, dict | list) and at and (holder is None or draw(st.integers(0, 3))):
        holder, key = at, draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        at = holder[key]
    if holder is None:
        raise ValueError("a bare value")
    if drop:
        del holder[key]
    else:
        holder[key] = mark
    return json.dumps(whole).replace(json.dumps(mark), draw(st.sampled_from(JUNK))).encode()


class AdapterContract:
    """Subclass it with `adapter` and `fixtures`."""

    adapter: ClassVar[Any]
    fixtures: ClassVar[Path]
    examples: ClassVar[int] = 60  # hostile bodies tried

    def _cases(self) -> list[Case]:
        found = list(cases(self.fixtures, self.adapter.META.name))
        assert found, f"no fixtures in {self.fixtures}"
        return found

    def test_it_is_an_adapter(self) -> None:
        meta = self.adapter.META
        assert fault_of(meta.name, self.adapter) is None
        assert meta.title
        assert meta.covers
        assert meta.card_pages, "META.card_pages says which documentation the shape was read from, and when"
        assert meta.key_env or not meta.key_required

    def test_fixtures_say_where_they_come_from(self) -> None:
        for case in self._cases():
            for sidecar in case.sidecars:
                check_sidecar(sidecar)

    def test_there_is_a_normal_answer_a_drifted_one_and_a_dull_one(self) -> None:
        found = self._cases()
        assert any(case.offers for case in found), "no case with offers"
        assert any(case.drift for case in found), "no case that drifted"
        assert any(not case.offers and not case.drift for case in found) or any(
            offer.stock == "sold-out"
            for case in found
            if not case.drift
            for offer in parse(self.adapter, case.raw).offers
        ), "no case that is empty or sold out"

    def test_every_case_gives_what_its_sidecar_says(self) -> None:
        for case in self._cases():
            if case.drift:
                continue
            parsed = parse(self.adapter, case.raw)
            check_offers(self.adapter, parsed, case.raw)
            scope = len(parsed.rejects) - len(parsed.faults)
            for what, wanted, got in (
                ("offers", case.offers, len(parsed.offers)),
                ("rejects", case.faults, len(parsed.faults)),
                ("out_of_scope", case.out_of_scope, scope),
            ):
                assert wanted in (None, got), f"{case.name}: {got} {what}, not {wanted}: {parsed.rejects}"
            check_cards(parsed, case.unknown_cards)

    def test_drift_names_the_path(self) -> None:
        for case in self._cases():
            if case.drift:
                drifted = changed_path(self.adapter, case.raw)
                assert drifted is not None, f"{case.name}: read as if nothing had changed"
                assert case.drift in drifted, f"{case.name}: named {drifted}"

    def test_the_same_bytes_give_the_same_offers(self) -> None:
        for case in self._cases():
            if not case.drift:
                assert parse(self.adapter, case.raw) == parse(self.adapter, case.raw)

    def test_any_bytes_give_offers_rejections_or_a_changed_shape(self) -> None:
        from hypothesis import HealthCheck, given, settings
        from hypothesis import strategies as st

        honest = [case.raw for case in self._cases()]

        @settings(max_examples=self.examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        @given(raw=st.sampled_from(honest), body=mutations([part.body for raw in honest for part in raw.parts]))
        def one(raw: Raw, body: bytes) -> None:
            hostile = replace(raw, parts=(replace(raw.parts[0], body=body), *raw.parts[1:]))
            drifted = changed_path(self.adapter, hostile)
            assert drifted is None or drifted.strip(), "the shape changed nowhere"
            if drifted is None:
                check_offers(self.adapter, parse(self.adapter, hostile), hostile)

        one()
