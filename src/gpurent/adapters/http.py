"""The only way to the network: HTTPS to declared hosts, capped, paced, retried, and never past its deadline.

A `Network` holds what the clients of one collection share; `Network.client(meta)` is what a `fetch` is given. Rules are
checked on the URL before a request leaves, so a transport put underneath (tests) cannot loosen them.
"""

from __future__ import annotations

import logging
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from gpurent.adapters.contract import AdapterMeta, Part, Response, TransportFailed
from gpurent.adapters.redaction import redacted_body, redacted_text
from gpurent.offer import clean_line
from gpurent.version import __version__

if TYPE_CHECKING:
    import httpx

USER_AGENT = f"gpurent/{__version__} (GPU price comparison; reads public price lists)"
KEPT_HEADERS = ("content-type", "link", "x-total-count")  # what parsing may need; nothing about the caller
RETRY_STATUS = frozenset({408, 425, 429})
RETRY_AFTER = ("retry-after", "x-ms-ratelimit-retailprices-retry-after")
MAX_URL = 8192

# A retry that stamina schedules is told by its last error, if at all; without a handler it would print itself.
logging.getLogger("stamina").addHandler(logging.NullHandler())


@dataclass(frozen=True)
class Limits:
    """What one collection of one provider may use. Seconds and bytes."""

    body_bytes: int = 64 * 2**20  # of one decoded answer, and of its bytes on the wire
    requests: int = 600  # pages, retries not counted
    redirects: int = 5
    attempts: int = 4
    connect_s: float = 5.0
    read_s: float = 30.0
    wait_first_s: float = 1.0
    wait_max_s: float = 20.0
    retry_after_s: float = 30.0  # a longer wish is cut to this
    too_many_s: float = 15.0  # after a 429 that wishes nothing: limits are often by the minute


@dataclass(frozen=True)
class Answer:
    """A usable answer (see `contract.Response`)."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str


class _Again(TransportFailed):
    """A failure worth another try; `after_s` is what the server asked for."""

    after_s: float | None = None


class Pacer:
    """Keeps requests to one host apart, over all clients that share it."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep):
        self._monotonic = monotonic
        self._sleep = sleep
        self._lock = threading.Lock()
        self._free_at: dict[str, float] = {}

    def wait(self, host: str, interval_s: float, until: float) -> bool:
        """Wait for this host's turn. False, and no wait, when the turn would come after `until`."""
        with self._lock:
            now = self._monotonic()
            turn = max(now, self._free_at.get(host, now))
            if turn > until:
                return False
            self._free_at[host] = turn + interval_s
        if turn > now:
            self._sleep(turn - now)
        return True


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """The wait a server asks for, as seconds or as a date; None when it does not say or nobody can read it."""
    text = next((headers[name].strip() for name in RETRY_AFTER if headers.get(name)), "")
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - now).total_seconds())


def unpacked(chunks: Iterable[bytes], encoding: str, cap: int) -> bytes:
    """The decoded body of a stream, never more than `cap` bytes in memory whatever it would unpack to.

    Raises:
        ValueError: over the cap, an encoding nobody asked for, or broken gzip.
        EOFError: the gzip stream ends too early.
    """
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise ValueError(f"sent in an encoding nobody asked for: {clean_line(encoding[:40])}")
    unzip = zlib.decompressobj(wbits=31) if encoding.endswith("gzip") else None
    body, wire = bytearray(), 0
    for chunk in chunks:
        wire += len(chunk)
        if unzip is None:
            body += chunk
        else:
            try:
                while chunk and len(body) <= cap:
                    body += unzip.decompress(chunk, cap + 1 - len(body))
                    chunk = unzip.unused_data if unzip.eof else unzip.unconsumed_tail
                    if unzip.eof and chunk:
                        unzip = zlib.decompressobj(wbits=31)
            except zlib.error:
                raise ValueError("broken gzip") from None
        if max(wire, len(body)) > cap:
            raise ValueError(f"larger than {cap >> 20} MiB" if cap >> 20 else f"larger than {cap} bytes")
    if unzip is not None and wire and not unzip.eof:
        raise EOFError("the gzip stream ends too early")
    return bytes(body)


class Network:
    """What the clients of one collection share.

    Args:
        environ: where the keys of `META.key_env` are looked up.
        limits: caps and timeouts.
        transport: stands in for the real network, in tests. Without it proxies are taken from the environment.
    """

    def __init__(
        self,
        *,
        environ: Mapping[str, str] | None = None,
        limits: Limits = Limits(),
        transport: httpx.BaseTransport | None = None,
        pacer: Pacer | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._environ = environ or {}
        self.limits = limits
        self._transport = transport
        self.pacer = pacer or Pacer(monotonic)
        self.now = now
        self.monotonic = monotonic
        self._lock = threading.Lock()
        self._tls: ssl.SSLContext | None = None

    def client(self, meta: AdapterMeta) -> HttpClient:
        """A client for one fetch of one adapter; its deadline starts now. Close it."""
        key = (self._environ.get(meta.key_env, "").strip() or None) if meta.key_env else None
        if key and not (key.isascii() and key.isprintable()):
            raise TransportFailed("", f"the key in {meta.key_env} holds characters no key has")
        return HttpClient(meta, self, self._open(), key)

    def _open(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._tls is None:
                self._tls = httpx.create_ssl_context()
        return httpx.Client(
            verify=self._tls,
            transport=self._transport,
            headers={"user-agent": USER_AGENT, "accept-encoding": "gzip", "accept": "*/*"},
            follow_redirects=False,
        )


class HttpClient:
    """The client an adapter is given: see `contract.Client`."""

    def __init__(self, meta: AdapterMeta, network: Network, http: httpx.Client, key: str | None) -> None:
        self._meta = meta
        self._network = network
        self._http = http
        self._key = key
        self._until = network.monotonic() + meta.deadline_s
        self._requests = 0
        self._unreached: dict[str, str] = {}  # hosts that could not be reached even with retries, and why

    def close(self) -> None:
        self._http.close()

    def key(self) -> str | None:
        return self._key

    def get(
        self, url: str, *, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        return self._ask("GET", self._allowed(url, params), headers or {})

    def post(self, url: str, *, json: object, headers: Mapping[str, str] | None = None) -> Answer:
        return self._ask("POST", self._allowed(url, None), headers or {}, json)

    def part(self, name: str, response: Response) -> Part:
        secrets = (self._key,) if self._key else ()
        return Part(
            name=name,
            url=redacted_text(response.url, secrets),
            body=redacted_body(response.body, self._meta.redact, secrets),
            observed_at=self._network.now(),
            status=response.status,
            headers={
                header: redacted_text(response.headers[header], secrets)
                for header in KEPT_HEADERS
                if header in response.headers
            },
        )

    def _refused(self, url: object, reason: str, status: int | None = None) -> TransportFailed:
        return TransportFailed(self._shown(url), reason, status)

    def _again(self, url: object, reason: str, status: int | None = None) -> _Again:
        return _Again(self._shown(url), reason, status)

    def _shown(self, url: object) -> str:
        return clean_line(redacted_text(str(url)[:MAX_URL], (self._key,) if self._key else ()))

    def _left(self, url: object) -> float:
        left = self._until - self._network.monotonic()
        if left <= 0:
            raise self._refused(url, f"the deadline of {self._meta.deadline_s:g} s passed")
        return left

    def _allowed(self, url: str, params: Mapping[str, str] | None, base: httpx.URL | None = None) -> httpx.URL:
        """The URL if it keeps the rules: HTTPS, a declared host, its usual port, no user name in it."""
        import httpx

        if len(url) > MAX_URL:
            raise self._refused(url, "the address is too long")
        try:
            target = base.join(url) if base else httpx.URL(url)
            if params:
                target = target.copy_merge_params(dict(params))
        except (httpx.InvalidURL, ValueError):
            raise self._refused(url, "not an address") from None
        if target.scheme != "https":
            raise self._refused(target, f"not https: {clean_line(target.scheme) or 'no scheme'}")
        if target.host not in self._meta.hosts or target.port not in (None, 443) or target.userinfo:
            raise self._refused(target, f"not a declared host: {clean_line(target.netloc.decode('ascii', 'replace'))}")
        return target

    def _ask(self, method: str, target: httpx.URL, headers: Mapping[str, str], json: object = None) -> Answer:
        import stamina

        self._requests += 1
        limits = self._network.limits
        if target.host in self._unreached:  # it would not be reached this time either
            raise self._refused(target, self._unreached[target.host])
        if self._requests > limits.requests:
            raise self._refused(target, f"more than {limits.requests} requests in one collection")
        for attempt in stamina.retry_context(
            on=self._worth_another,
            attempts=limits.attempts,
            timeout=self._left(target),
            wait_initial=limits.wait_first_s,
            wait_max=limits.wait_max_s,
        ):
            with attempt:
                return self._follow(method, target, headers, json)
        raise AssertionError("stamina gives up by raising")  # pragma: no cover

    def _worth_another(self, error: Exception) -> bool | float:
        """Stamina's hook: no, yes, or yes after so many seconds."""
        if not isinstance(error, _Again):
            return False
        limits = self._network.limits
        wished_s = limits.too_many_s if error.after_s is None and error.status == 429 else error.after_s
        if wished_s is None:
            return True
        wait_s = min(wished_s, limits.retry_after_s)
        return wait_s if self._network.monotonic() + wait_s < self._until else False

    def _follow(self, method: str, target: httpx.URL, headers: Mapping[str, str], json: object) -> Answer:
        """One try, through the redirects an adapter declared. Headers stay with the host they were given for."""
        first = target.host
        for _ in range(self._network.limits.redirects + 1):
            answer = self._once(method, target, headers if target.host == first else {}, json)
            if isinstance(answer, Answer):
                return answer
            if not self._meta.redirects or method != "GET":
                raise self._refused(target, f"redirected to {self._shown(answer)}")
            target = self._allowed(answer, None, target)
        raise self._refused(target, f"more than {self._network.limits.redirects} redirects")

    def _once(self, method: str, target: httpx.URL, headers: Mapping[str, str], json: object) -> Answer | str:
        """One request: its answer, or where it redirects to."""
        import httpx

        network, limits = self._network, self._network.limits
        self._left(target)
        if not network.pacer.wait(target.host, self._meta.min_interval_s, self._until):
            raise self._refused(
                target, f"the deadline of {self._meta.deadline_s:g} s would pass while waiting its turn"
            )
        left = self._left(target)
        timeout = httpx.Timeout(min(limits.read_s, left), connect=min(limits.connect_s, left))
        self._http.cookies.clear()
        try:
            with self._http.stream(method, target, headers=dict(headers), json=json, timeout=timeout) as response:
                self._unreached.pop(target.host, None)
                status = response.status_code
                if status in (301, 302, 303, 307, 308) and "location" in response.headers:
                    return response.headers["location"][:MAX_URL]
                if status in RETRY_STATUS or status >= 500:
                    again = self._again(target, f"answered {status}", status)
                    again.after_s = retry_after_s(response.headers, network.now())
                    raise again
                if not 200 <= status < 300:
                    raise self._refused(target, f"answered {status}", status)
                encoding = response.headers.get("content-encoding", "").strip().lower()
                body = unpacked(self._timely(response.iter_raw(), target), encoding, limits.body_bytes)
                return Answer(
                    status, {name.lower(): value for name, value in response.headers.items()}, body, str(target)
                )
        except httpx.TransportError as error:
            reason = f"{type(error).__name__}: {self._shown(error)[:80]}"
            if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
                self._unreached[target.host] = reason
            raise self._again(target, reason) from None
        except EOFError as error:
            raise self._again(target, str(error)) from None
        except (ValueError, httpx.HTTPError) as error:
            raise self._refused(target, self._shown(error)) from None

    def _timely(self, chunks: Iterable[bytes], target: httpx.URL) -> Iterable[bytes]:
        for chunk in chunks:
            self._left(target)
            yield chunk
