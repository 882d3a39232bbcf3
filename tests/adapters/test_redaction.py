"""What must not be kept is not kept, and everything else is, byte for byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent.adapters.redaction import MARK, redacted_body, redacted_text

KEYS = ("public_ipaddr", "hostname")


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (b'{"public_ipaddr":"203.0.113.7"}', b'{"public_ipaddr":"[redacted]"}'),
        (b'{"public_ipaddr" :\n "a\\"b, c", "n": 1.50}', b'{"public_ipaddr" :\n "[redacted]", "n": 1.50}'),
        (b'{"hostname": null, "public_ipaddr": ""}', b'{"hostname": null, "public_ipaddr": ""}'),
        (b'{"hostname": 3405803783}', b'{"hostname": "[redacted]"}'),
        (b'{"hostname": ["203.0.113.7", {"a": "]"}], "b": 2}', b'{"hostname": "[redacted]", "b": 2}'),
        (b'{"hostname": {"public_ipaddr": "203.0.113.7"}}', b'{"hostname": "[redacted]"}'),
        (b'{"hostname": "203.0.113', b'{"hostname": "[redacted]"'),
        (b'{"hostname": ["203.0.113.7"', b'{"hostname": "[redacted]"'),
        (b'{"the_hostname": "kept", "note": "hostname: kept"}', b'{"the_hostname": "kept", "note": "hostname: kept"}'),
        (b"\xff\xfe not JSON", b"\xff\xfe not JSON"),
    ],
)
def test_values_of_address_fields_are_blanked(body: bytes, kept: bytes) -> None:
    assert redacted_body(body, KEYS, ()) == kept


def test_secrets_are_blanked_as_they_are_and_in_addresses() -> None:
    assert redacted_text("a=abc/def&b=abc%2Fdef", ["abc/def"]) == f"a={MARK}&b={MARK}"
    assert redacted_body(b'["abc/def"]', (), ["abc/def"]) == b'["[redacted]"]'
    assert redacted_text("a 12 b", ["12"]) == "a 12 b", "two characters are no key"


@given(
    st.dictionaries(st.sampled_from([*KEYS, "other"]), st.recursive(st.text() | st.integers() | st.none(), st.lists))
)
def test_no_address_survives_and_the_rest_does(row: dict[str, object]) -> None:
    body = json.dumps([row]).encode()
    once = redacted_body(body, KEYS, ())
    assert redacted_body(once, KEYS, ()) == once, "redacting twice is redacting once"
    [kept] = json.loads(once)
    assert kept.get("other") == row.get("other")
    assert all(kept[key] in (MARK, None, "", []) for key in KEYS if key in kept)


@given(st.binary(max_size=200))
def test_any_bytes(body: bytes) -> None:
    assert redacted_body(body, (), ()) == body
    redacted_body(body + b'"hostname":' + body, KEYS, ["secret-key"])
