"""A web server on loopback that takes alerts: real sockets, scripted answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Taken:
    """A request that arrived."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Listener:
    """What arrived, and what is answered: the ``answers`` one by one, then 200."""

    port: int = 0
    taken: list[Taken] = field(default_factory=list)
    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    endless: bool = False

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers.append((status, named, body))


@contextmanager
def listening() -> Iterator[Listener]:
    """Listen for the length of a block."""
    listener = Listener()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            listener.taken.append(Taken(self.path, headers, json.loads(raw)))
            if listener.endless:
                self._drip()
                return
            status, more, body = (
                listener.answers.pop(0) if listener.answers else (200, {}, b'{"ok": true}')
            )
            self.send_response(status)
            for name, value in more.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST

        def _drip(self) -> None:
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            try:
                while True:
                    self.wfile.write(b"x" * 65536)
            except OSError:
                return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    listener.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield listener
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
