"""What must not be kept of an answer: the caller's key, and the values of fields that name a host's address."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

MARK = "[redacted]"
SHORTEST_SECRET = 4  # a shorter "key" is none, and blanking it would eat the body

_STRING = rb'"(?:[^"\\]|\\.)*"?'
_TOKEN = re.compile(_STRING + rb"|[\[\]{}]", re.DOTALL)
_PLAIN_VALUE = re.compile(_STRING + rb"|[^\s,\]}]*", re.DOTALL)
_EMPTY = (b"null", b'""', b"[]", b"{}")


def _forms(secrets: Iterable[str]) -> list[str]:
    forms = {form for secret in secrets for form in (secret, quote(secret, safe=""), quote(secret))}
    return sorted((form for form in forms if len(form) >= SHORTEST_SECRET), key=len, reverse=True)


def redacted_text(text: str, secrets: Iterable[str]) -> str:
    """The text without the secrets, as they are and as they stand in an address.

    >>> redacted_text("https://x.example/?key=abc%2Fdef", ["abc/def"])
    'https://x.example/?key=[redacted]'
    """
    for form in _forms(secrets):
        text = text.replace(form, MARK)
    return text


def _value_end(body: bytes, start: int) -> int:
    """Where the JSON value that begins at `start` ends; of a broken one, the end of the body."""
    if body[start : start + 1] not in (b"[", b"{"):
        plain = _PLAIN_VALUE.match(body, start)
        return plain.end() if plain else len(body)
    depth = 0
    for token in _TOKEN.finditer(body, start):
        if token[0] in (b"[", b"{"):
            depth += 1
        elif token[0] in (b"]", b"}"):
            depth -= 1
            if depth == 0:
                return token.end()
    return len(body)


def redacted_body(body: bytes, keys: Iterable[str], secrets: Iterable[str]) -> bytes:
    """The body without the secrets and with the values of these JSON keys blanked; every other byte stays.

    Redacting twice is redacting once.

    >>> redacted_body(b'{"ip": "203.0.113.7", "n": 1}', ["ip"], [])
    b'{"ip": "[redacted]", "n": 1}'
    """
    for form in _forms(secrets):
        body = body.replace(form.encode(), MARK.encode())
    names = b"|".join(re.escape(key.encode()) for key in keys)
    if not names:
        return body
    kept, done = [], 0
    for found in re.finditer(rb'"(?:' + names + rb')"\s*:\s*', body):
        start = found.end()
        if start < done:  # inside a value that is blanked already
            continue
        end = _value_end(body, start)
        blanked = body[start:end] if body[start:end] in _EMPTY else f'"{MARK}"'.encode()
        kept += [body[done:start], blanked]
        done = end
    return b"".join([*kept, body[done:]])
