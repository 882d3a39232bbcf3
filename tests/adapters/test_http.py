"""The client against a server on this machine: its rules hold, its caps hold, its retries end."""

from __future__ import annotations

import gzip
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime

import httpx
import pytest

from gpurent.adapters.contract import AdapterMeta, TransportFailed
from gpurent.adapters.http import HttpClient, Limits, Network, Pacer, retry_after_s, unpacked
from tests.faults.replay import NO_WAITS, Loopback, Replay, Reply, replaying

HOST, OTHER = "prices.example", "cdn.prices.example"
META = AdapterMeta(
    name="stub", title="Stub", covers="nothing", hosts=(HOST,), key_env="STUB_KEY", min_interval_s=0.0, deadline_s=20.0
)
URL = f"https://{HOST}/list"
NOW = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture
def server() -> Iterator[Replay]:
    with replaying() as running:
        yield running


def client(server: Replay, limits: Limits = NO_WAITS, **changes: object) -> HttpClient:
    return server.client(replace(META, **changes), limits, {"STUB_KEY": "s3cr3t-k3y"})  # type: ignore[arg-type]


def test_an_answer_and_who_asks_for_it(server: Replay) -> None:
    server.answer(HOST, "/list", Reply(b'{"a": 1}', headers={"X-Total-Count": "7"}))
    answer = client(server).get(URL, params={"page": "2"})
    assert (answer.status, answer.body, answer.headers["x-total-count"]) == (200, b'{"a": 1}', "7")
    [request] = server.requests
    assert request.query == "page=2"
    assert request.headers["user-agent"].startswith("gpurent/")
    assert request.headers["accept-encoding"] == "gzip"
    assert "authorization" not in request.headers


def test_post_sends_json(server: Replay) -> None:
    server.answer(HOST, "/list", Reply(b"[]"))
    client(server).post(URL, json={"limit": 64})
    assert (server.requests[0].method, server.requests[0].body) == ("POST", b'{"limit":64}')


@pytest.mark.parametrize(
    "url",
    [
        f"http://{HOST}/list",
        f"https://{OTHER}/list",
        f"https://{HOST}.evil.example/list",
        f"https://{HOST}@evil.example/list",
        f"https://user:pass@{HOST}/list",
        f"https://{HOST}:8443/list",
        "https://127.0.0.1/list",
        f"//{HOST}/list",
        "file:///etc/passwd",
        "https://[::1/list",
        f"https://{HOST}/" + "a" * 9000,
        "",
    ],
)
def test_only_https_to_declared_hosts(server: Replay, url: str) -> None:
    with pytest.raises(TransportFailed):
        client(server).get(url)
    assert server.requests == []


def test_the_usual_port_may_be_written(server: Replay) -> None:
    server.answer(HOST, "/list", Reply(b"1"))
    assert client(server).get(f"https://{HOST.upper()}:443/list").body == b"1"


def test_redirects_are_off_unless_declared(server: Replay) -> None:
    server.answer(HOST, "/list", Reply(status=302, headers={"Location": "/other"}))
    with pytest.raises(TransportFailed, match="redirected to /other"):
        client(server).get(URL)
    assert len(server.requests) == 1


def test_redirects_go_to_declared_hosts_without_the_headers_of_the_first(server: Replay) -> None:
    server.answer(HOST, "/list", Reply(status=301, headers={"Location": f"https://{OTHER}/here"}))
    server.answer(OTHER, "/here", Reply(b"there"))
    asking = client(server, redirects=True, hosts=(HOST, OTHER))
    assert asking.get(URL, headers={"Authorization": "Bearer s3cr3t-k3y"}).body == b"there"
    first, second = server.requests
    assert first.headers["authorization"] == "Bearer s3cr3t-k3y"
    assert "authorization" not in second.headers


@pytest.mark.parametrize("to", [f"https://{OTHER}/here", f"http://{HOST}/here", "https://169.254.169.254/latest"])
def test_redirects_elsewhere_are_refused(server: Replay, to: str) -> None:
    server.answer(HOST, "/list", Reply(status=302, headers={"Location": to}))
    with pytest.raises(TransportFailed, match=r"not https|not a declared host"):
        client(server, redirects=True).get(URL)
    assert len(server.requests) == 1


def test_a_redirect_loop_ends(server: Replay) -> None:
    server.answer(HOST, "/list", Reply(status=302, headers={"Location": "/list"}))
    with pytest.raises(TransportFailed, match="more than 5 redirects"):
        client(server, redirects=True).get(URL)
    assert len(server.requests) == 6


def test_a_search_is_not_redirected(server: Replay) -> None:
    server.answer(HOST, "/list", Reply(status=307, headers={"Location": "/other"}))
    with pytest.raises(TransportFailed, match="redirected"):
        client(server, redirects=True).post(URL, json={})


def test_too_many_requests_then_fine(server: Replay) -> None:
    server.answer(HOST, "/list", Reply(status=429, headers={"Retry-After": "0"}), Reply(status=503), Reply(b"fine"))
    assert client(server).get(URL).body == b"fine"
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 504])
def test_retries_end(server: Replay, status: int) -> None:
    server.answer(HOST, "/list", Reply(status=status))
    with pytest.raises(TransportFailed, match=str(status)) as caught:
        client(server).post(URL, json={})
    assert caught.value.status == status
    assert len(server.requests) == NO_WAITS.attempts


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_refusal_is_not_asked_again(server: Replay, status: int) -> None:
    server.answer(HOST, "/list", Reply(status=status))
    with pytest.raises(TransportFailed, match=str(status)):
        client(server).get(URL)
    assert len(server.requests) == 1


def test_a_lost_connection_is_tried_again_and_named() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    transport = Loopback(port)
    network = Network(transport=transport, limits=NO_WAITS)
    with closing(network.client(META)) as asking, pytest.raises(TransportFailed, match="ConnectError"):
        asking.get(URL)
    transport.shut()


def test_a_wished_wait_is_capped_and_never_passes_the_deadline(server: Replay) -> None:
    asking = client(server, Limits(retry_after_s=5.0), deadline_s=20.0)
    again = asking._again(URL, "answered 429", 429)
    for wish, wait in ((0.0, 0.0), (2.5, 2.5), (3600.0, 5.0)):
        again.after_s = wish
        assert asking._worth_another(again) == wait
    assert asking._worth_another(TransportFailed(URL, "answered 403", 403)) is False
    again.after_s = None
    assert asking._worth_another(again) == 5.0, "429 without a wish waits for the limit's window"
    assert asking._worth_another(asking._again(URL, "answered 500", 500)) is True
    hurried = client(server, Limits(retry_after_s=5.0), deadline_s=4.0)
    again.after_s = 3600.0
    assert hurried._worth_another(again) is False


def test_a_wish_to_wait_in_many_spellings() -> None:
    in_a_minute = format_datetime(NOW.replace(minute=1), usegmt=True)
    for text, seconds in (
        ("17", 17.0),
        (in_a_minute, 60.0),
        ("soon", None),
        ("-1", None),
        ("", None),
        ("9" * 99, 999999999.0),
    ):
        assert retry_after_s({"retry-after": text}, NOW) == seconds
    assert retry_after_s({"x-ms-ratelimit-retailprices-retry-after": "4"}, NOW) == 4.0
    assert retry_after_s({"retry-after": format_datetime(NOW.replace(year=2020), usegmt=True)}, NOW) == 0.0


def test_more_pages_than_allowed(server: Replay) -> None:
    server.answer(HOST, "/list", Reply(b"[]"))
    asking = client(server, replace(NO_WAITS, requests=3))
    for _ in range(3):
        asking.get(URL)
    with pytest.raises(TransportFailed, match="more than 3 requests"):
        asking.get(URL)


def test_a_slow_answer_ends_at_the_deadline(server: Replay) -> None:
    server.answer(HOST, "/list", Reply(b"late", delay_s=30.0))
    with pytest.raises(TransportFailed, match=r"ReadTimeout|deadline"):
        client(server, deadline_s=0.3).get(URL)


def test_an_endless_trickle_ends_at_the_deadline(server: Replay) -> None:
    server.answer(HOST, "/list", Reply(b"[", drip_s=0.02))
    with pytest.raises(TransportFailed, match="deadline"):
        client(server, deadline_s=0.3).get(URL)


def test_an_answer_that_breaks_off_is_tried_again(server: Replay) -> None:
    server.answer(HOST, "/list", Reply(b"[1, 2", headers={"Content-Length": "900"}), Reply(b"[1, 2]"))
    assert client(server).get(URL).body == b"[1, 2]"


BOMB = gzip.compress(bytes(3_000_000))


def test_gzip_is_unpacked_under_the_cap(server: Replay) -> None:
    server.answer(
        HOST, "/list", Reply(gzip.compress(b"[1]") + gzip.compress(b" "), headers={"Content-Encoding": "gzip"})
    )
    assert client(server).get(URL).body == b"[1] "
    server.answer(HOST, "/list", Reply(BOMB, headers={"Content-Encoding": "gzip"}))
    with pytest.raises(TransportFailed, match="larger than 1 MiB"):
        client(server, replace(NO_WAITS, body_bytes=2**20)).get(URL)
    assert len(server.requests) == 2, "a bomb is not asked for twice"


def test_a_large_plain_body_is_cut_off(server: Replay) -> None:
    server.answer(HOST, "/list", Reply(bytes(200_000)))
    with pytest.raises(TransportFailed, match="larger than 100000 bytes"):
        client(server, replace(NO_WAITS, body_bytes=100_000)).get(URL)


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "deflate", "gzip\x1b[31m"])
def test_an_encoding_nobody_asked_for(encoding: str) -> None:
    with pytest.raises(ValueError, match="nobody asked for"):
        unpacked([b"x"], encoding, 100)


def test_broken_gzip() -> None:
    whole = gzip.compress(b"[1, 2, 3]")
    with pytest.raises(EOFError):
        unpacked([whole[:-3]], "gzip", 100)
    with pytest.raises(ValueError, match="broken gzip"):
        unpacked([b"not gzip at all"], "gzip", 100)
    assert unpacked([], "gzip", 100) == b""
    assert unpacked([whole[:5], whole[5:]], "x-gzip", 100) == b"[1, 2, 3]"


def test_a_bomb_of_empty_members_is_counted_by_its_bytes() -> None:
    with pytest.raises(ValueError, match="larger than"):
        unpacked((gzip.compress(b"") for _ in range(100_000)), "gzip", 10_000)


def test_parts_keep_no_key_and_no_address(server: Replay) -> None:
    body = b'{"offers": [{"public_ipaddr": "203.0.113.9", "owner": "s3cr3t-k3y", "n": 1}]}'
    server.answer(HOST, "/list", Reply(body, headers={"Link": "</list?key=s3cr3t-k3y>", "Set-Cookie": "id=1"}))
    asking = client(server, redact=("public_ipaddr",))
    part = asking.part("list", asking.get(URL, params={"key": "s3cr3t-k3y"}))
    assert part.body == b'{"offers": [{"public_ipaddr": "[redacted]", "owner": "[redacted]", "n": 1}]}'
    assert part.url == f"{URL}?key=[redacted]"
    assert part.headers == {"link": "</list?key=[redacted]>"}
    assert asking.key() == "s3cr3t-k3y"


def test_failures_do_not_tell_the_key(server: Replay) -> None:
    with pytest.raises(TransportFailed) as caught:
        client(server).get(URL, params={"key": "s3cr3t-k3y"})
    assert "s3cr3t" not in str(caught.value)


def test_cookies_are_not_sent_back(server: Replay) -> None:
    server.answer(HOST, "/list", Reply(b"[]", headers={"Set-Cookie": "track=1; Path=/"}))
    asking = client(server)
    asking.get(URL)
    asking.get(URL)
    assert "cookie" not in server.requests[1].headers


def test_a_key_nobody_can_have() -> None:
    with pytest.raises(TransportFailed, match="STUB_KEY"):
        Network(environ={"STUB_KEY": "a\nb"}).client(META)
    for environ, meta in (({"STUB_KEY": "  "}, META), ({"STUB_KEY": "x" * 8}, replace(META, key_env=None)), ({}, META)):
        with closing(Network(environ=environ).client(meta)) as asking:
            assert asking.key() is None


def test_requests_to_one_host_keep_their_distance() -> None:
    time, slept = [100.0], list[float]()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        time[0] += seconds

    pacer = Pacer(lambda: time[0], sleep)
    assert [pacer.wait(HOST, 1.5, 200.0) for _ in range(3)] == [True, True, True]
    assert pacer.wait(OTHER, 1.5, 200.0), "another host does not wait"
    assert slept == [1.5, 1.5]
    assert not pacer.wait(HOST, 1.5, time[0] + 1.0), "a turn after the deadline is not waited for"
    time[0] += 60.0
    assert pacer.wait(HOST, 1.5, 500.0)
    assert slept == [1.5, 1.5]


def test_clients_of_one_network_share_the_pace(server: Replay) -> None:
    server.answer(HOST, "/list", Reply(b"[]"))
    waits: list[tuple[str, float]] = []

    class Noting(Pacer):
        def wait(self, host: str, interval_s: float, until: float) -> bool:
            waits.append((host, interval_s))
            return True

    transport = Loopback(server.port)
    network = Network(transport=transport, pacer=Noting())
    for _ in range(2):
        with closing(network.client(replace(META, min_interval_s=0.7))) as asking:
            asking.get(URL)
    transport.shut()
    assert waits == [(HOST, 0.7), (HOST, 0.7)]


def heard(*answers: bytes) -> tuple[int, list[bytes]]:
    """A socket that notes what it hears, gives its answers in turn and hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))
    words: list[bytes] = []

    def listen() -> None:
        with listener:
            peer, _ = listener.accept()
            with peer:
                for answer in answers:
                    words.append(peer.recv(4096))
                    peer.sendall(answer)

    threading.Thread(target=listen, daemon=True).start()
    return listener.getsockname()[1], words


SOCKS = (b"\x05\x00", b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")  # no login asked, connected


@pytest.mark.parametrize(
    ("variable", "scheme", "answers", "said"),
    [
        (
            "HTTPS_PROXY",
            "http",
            (b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",),
            f"CONNECT {HOST}:443".encode(),
        ),
        ("ALL_PROXY", "socks5", SOCKS, HOST.encode()),
        ("ALL_PROXY", "socks5h", SOCKS, HOST.encode()),
    ],
)
def test_proxies_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, variable: str, scheme: str, answers: tuple[bytes, ...], said: bytes
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    port, words = heard(*answers)
    monkeypatch.setenv(variable, f"{scheme}://127.0.0.1:{port}")
    once = Network(limits=replace(NO_WAITS, attempts=1))
    with closing(once.client(META)) as asking, pytest.raises(TransportFailed, match=r"ProxyError|ConnectError"):
        asking.get(URL)
    assert said in b"".join(words)


def test_httpx_is_not_imported_by_the_module_alone() -> None:
    program = "import sys; from gpurent.adapters import http, registry, run; print('httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout.strip() == b"False"


def test_a_host_that_cannot_be_reached_is_not_asked_again(server: Replay) -> None:
    tried: list[str] = []

    class Unreachable(Loopback):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            tried.append(request.url.path)
            raise httpx.ConnectError("no such name", request=request)

    asking = Network(transport=Unreachable(server.port), limits=NO_WAITS).client(META)
    with closing(asking):
        for path in ("list", "other"):
            with pytest.raises(TransportFailed, match="ConnectError: no such name"):
                asking.get(f"https://{HOST}/{path}")
    assert tried == ["/list"] * NO_WAITS.attempts
