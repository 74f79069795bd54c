"""A vendor's API on loopback: real sockets, scripted faults, and a ledger of every change."""

from __future__ import annotations

import json
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

KEY = "key-0123456789-abcdef"


@dataclass
class Canned:
    """A reply. ``lost`` closes the connection after the request was done, without a word."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    lost: bool = False

    @property
    def content(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return b"" if self.body is None else json.dumps(self.body).encode()


@dataclass
class Request:
    method: str
    path: str
    query: dict[str, str]
    body: Any
    headers: dict[str, str]
    connection: Any = None
    """The client's address: another one for each connection."""


HTML_503 = Canned(503, b"<!DOCTYPE html><html><title>ERROR</title></html>")
LOST = Canned(lost=True)
Change = tuple[str, str]


class FakeVendor(ABC):
    """What all vendors share. ``allow`` says which changes a test asks for; no other may come."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.ledger: list[Change] = []
        self.allowed: list[Change] = []
        self._faults: list[tuple[str, str, Canned]] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def allow(self, action: str, id: str) -> None:
        self.allowed.append((action, id))

    def fail(self, canned: Canned, method: str = "GET", path: str = "", times: int = 1) -> None:
        """Answer the next requests of ``method`` whose path holds ``path`` with this."""
        self._faults += [(method, path, canned)] * times

    def count(self, method: str, path: str = "") -> int:
        return sum(one.method == method and path in one.path for one in self.requests)

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def handle(self, request: Request) -> Canned:
        with self._lock:
            self.requests.append(request)
            self.note(request)
            fault = self._take_fault(request)
            if fault is not None and not fault.lost:
                return fault
            if request.headers.get("authorization") != f"Bearer {KEY}" and self.needs_key(request):
                return self.unauthorized()
            answer = self.answer(request)
            return fault if fault is not None else answer

    def _take_fault(self, request: Request) -> Canned | None:
        for index, (method, path, canned) in enumerate(self._faults):
            if method == request.method and path in request.path:
                del self._faults[index]
                return canned
        return None

    def note(self, request: Request) -> None:
        change = self.change_of(request)
        if change is not None:
            self.ledger.append(change)

    def needs_key(self, request: Request) -> bool:
        return True

    @abstractmethod
    def change_of(self, request: Request) -> Change | None: ...

    @abstractmethod
    def answer(self, request: Request) -> Canned: ...

    @abstractmethod
    def unauthorized(self) -> Canned: ...


def _handler(vendor: FakeVendor) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("content-length") or 0)
            raw = self.rfile.read(length)
            request = Request(
                self.command,
                parts.path,
                dict(parse_qsl(parts.query)),
                json.loads(raw) if raw else None,
                {name.lower(): value for name, value in self.headers.items()},
                self.client_address,
            )
            canned = vendor.handle(request)
            if canned.lost:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.send_response(canned.status)
            for name, value in canned.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(canned.content)))
            self.end_headers()
            self.wfile.write(canned.content)

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _serve

    return Handler
