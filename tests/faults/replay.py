"""A provider on this machine: answers as told, badly if told so, and a transport that leads a client to it.

The client keeps its own rules (HTTPS, declared hosts): the transport stands below them and only changes where a request
that was let through ends up.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlsplit

import httpx

from gpurent.adapters.contract import Adapter, AdapterMeta
from gpurent.adapters.http import HttpClient, Limits, Network

NO_WAITS = Limits(wait_first_s=0.0, wait_max_s=0.0, too_many_s=0.0)


@dataclass(frozen=True)
class Reply:
    """One answer of the server."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0  # before anything is sent
    drip_s: float = 0.0  # between two bytes, for ever


@dataclass(frozen=True)
class Request:
    """One request the server got."""

    method: str
    host: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


class Replay:
    """The server: routes by (host, path), each with its replies in order; the last one is given again and again."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._clients: list[HttpClient] = []
        self._transports: list[Loopback] = []
        self._routes: dict[tuple[str, str], list[Reply]] = {}
        self._makers: dict[tuple[str, str], Callable[[bytes], Reply]] = {}
        self._closing = threading.Event()
        self._lock = threading.Lock()
        replay = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                replay._serve(self)

            do_GET = do_POST = _answer

            def log_message(self, format: str, *args: Any) -> None:
                del format, args

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, host: str, path: str, *replies: Reply) -> None:
        self._routes[host, path] = list(replies)

    def answer_with(self, host: str, path: str, make: Callable[[bytes], Reply]) -> None:
        """Let a function of the request's body make the replies."""
        self._makers[host, path] = make

    def json(self, host: str, path: str, body: object) -> None:
        self.answer(host, path, Reply(json.dumps(body).encode()))

    def network(self, limits: Limits = NO_WAITS, environ: Mapping[str, str] | None = None) -> Network:
        transport = Loopback(self.port)
        self._transports.append(transport)
        return Network(transport=transport, limits=limits, environ=environ)

    def client(
        self, meta: AdapterMeta, limits: Limits = NO_WAITS, environ: Mapping[str, str] | None = None
    ) -> HttpClient:
        """A client that is closed with the server."""
        made = self.network(limits, environ).client(meta)
        self._clients.append(made)
        return made

    def close(self) -> None:
        for client in self._clients:
            client.close()
        for transport in self._transports:
            transport.shut()
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        host = handler.headers["x-asked-host"]
        asked = urlsplit(handler.path)
        body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        headers = {key.lower(): value for key, value in handler.headers.items()}
        with self._lock:
            self.requests.append(Request(handler.command, host, asked.path, asked.query, headers, body))
            replies = self._routes.get((host, asked.path), [Reply(b"no such route", 404)])
            reply = replies.pop(0) if len(replies) > 1 else replies[0]
            make = self._makers.get((host, asked.path))
            reply = make(body) if make else reply
        self._closing.wait(reply.delay_s)
        with suppress(OSError):  # the client may have gone away
            self._send(handler, reply)

    def _send(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        handler.send_response(reply.status)
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        if not reply.drip_s:
            handler.send_header("content-length", str(len(reply.body)))
        handler.end_headers()
        handler.wfile.write(reply.body)
        while reply.drip_s and not self._closing.wait(reply.drip_s):
            handler.wfile.write(b" ")


class Loopback(httpx.BaseTransport):
    """Sends every request to the server on this machine and tells it which host was meant."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._inner = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert request.url.scheme == "https", "the client let plain http through"
        request.headers["x-asked-host"] = request.url.host
        request.url = request.url.copy_with(scheme="http", host="127.0.0.1", port=self._port)
        return self._inner.handle_request(request)

    def close(self) -> None:
        """Clients that share this transport close it one after another; `shut` ends it."""

    def shut(self) -> None:
        self._inner.close()


@contextmanager
def replaying() -> Iterator[Replay]:
    server = Replay()
    try:
        yield server
    finally:
        server.close()


def hurried(adapter: Adapter, **changes: Any) -> Adapter:
    """An adapter in a hurry: without pauses, and with another deadline or whatever is named."""
    meta = replace(adapter.META, **{"min_interval_s": 0.0, **changes})
    return cast(Adapter, SimpleNamespace(META=meta, fetch=adapter.fetch, parse=adapter.parse))
