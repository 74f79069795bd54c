"""HTTP below the loopback Hub: one request with its body taken piece by piece, and its answer."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.hub.accounts import Json
from tests.hub.faults import Cut, Fault, Hold, Trickle

PIECE = 65536


@dataclass
class Asked:
    """One line of the ledger: what was asked, and how many bytes of its body have arrived."""

    point: str
    method: str
    path: str
    authorized: bool
    received: int = 0
    status: int | None = None  # None while it is not answered
    headers: dict[str, str] = field(default_factory=dict)


class Gone(Exception):
    """The connection is to be dropped without an answer."""


class Exchange:
    """A request and its answer."""

    def __init__(self, handler: BaseHTTPRequestHandler, released: threading.Event) -> None:
        self.handler = handler
        self.method = handler.command
        parts = urlsplit(handler.path)
        self.path = unquote(parts.path)
        self.query = parse_qs(parts.query)
        scheme, _, secret = handler.headers.get("Authorization", "").partition(" ")
        self.secret = secret if scheme == "Bearer" else None
        self.asked = Asked(
            "other", self.method, self.path, self.secret is not None, headers=dict(handler.headers)
        )
        self.fault: Fault | None = None
        self._released = released
        self._body: bytes | None = None

    def body(self) -> bytes:
        """Return the whole body; Gone when the client or a fault cuts it."""
        if self._body is None:
            self._body = b"".join(self._pieces())
        return self._body

    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.body())

    def form(self) -> dict[str, list[str]]:
        if "json" in self.handler.headers.get("Content-Type", ""):
            document = self.json()
            return {"paths": document["paths"]}
        return parse_qs(self.body().decode())

    def answer(
        self, status: int, document: Json | list[Any] | str | bytes, headers: Json | None = None
    ) -> None:
        kind = "application/json"
        if isinstance(document, (dict, list)):
            data = json.dumps(document).encode()
        elif isinstance(document, str):
            data, kind = document.encode(), "text/html; charset=utf-8"
        else:
            data, kind = document, "application/octet-stream"
        self.asked.status = status
        self.handler.send_response(status)
        values = {"Content-Type": kind, "Content-Length": len(data), "X-Request-Id": "Root=1-test"}
        for name, value in (values | (headers or {})).items():
            self.handler.send_header(name, str(value))
        self.handler.end_headers()
        if self.method != "HEAD":
            self.handler.wfile.write(data)

    def reset(self) -> None:
        """Drop the connection so that the other side sees a reset, not an end."""
        self.handler.close_connection = True
        connection: socket.socket = self.handler.connection
        try:
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            connection.shutdown(socket.SHUT_RD)
            self.handler.rfile.close()
            self.handler.wfile.close()
            connection.close()
        except (OSError, ValueError):
            pass

    def _pieces(self) -> Iterator[bytes]:
        read = self._paced(self._chunked() if self._is_chunked() else self._plain())
        for piece in read:
            self.asked.received += len(piece)
            yield piece

    def _is_chunked(self) -> bool:
        return "chunked" in self.handler.headers.get("Transfer-Encoding", "").lower()

    def _limit(self, wanted: int) -> int:
        """Return how much to take at once: a fault may want to stop at a byte."""
        match self.fault:
            case Cut(after=after, work=False) | Hold(after=after):
                left = after - self.asked.received
                return min(wanted, left) if left > 0 else wanted
            case Trickle(piece=piece):
                return min(wanted, piece)
        return wanted

    def _paced(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        while True:
            self._before_piece()
            piece = next(pieces, None)
            if piece is None:
                return
            yield piece

    def _before_piece(self) -> None:
        match self.fault:
            case Cut(after=after, work=False) if self.asked.received >= after:
                raise Gone
            case Hold(after=after) if self.asked.received >= after:
                self._released.wait()
            case Trickle():
                self._released.wait(0.01)

    def _plain(self) -> Iterator[bytes]:
        left = int(self.handler.headers.get("Content-Length") or 0)
        while left:
            piece = self._read(self._limit(min(left, PIECE)))
            left -= len(piece)
            yield piece

    def _chunked(self) -> Iterator[bytes]:
        while True:
            size = int(self.handler.rfile.readline().split(b";")[0] or b"0", 16)
            while size:
                piece = self._read(self._limit(min(size, PIECE)))
                size -= len(piece)
                yield piece
                if not size:
                    self.handler.rfile.readline()
                    break
            else:
                self.handler.rfile.readline()
                return

    def _read(self, size: int) -> bytes:
        try:
            piece = self.handler.rfile.read(size)
        except OSError:
            raise Gone from None
        if len(piece) < size:
            raise Gone
        return piece


Route = Callable[[Exchange], None]
