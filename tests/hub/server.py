"""A Hugging Face Hub on loopback that the real client cannot tell from the real one.

It speaks what ``huggingface_hub`` 0.2x to 2.x and ``hf_xet`` ask for when something is pushed and
looked up, keeps everything in memory, computes every hash from the bytes that arrived, and goes
wrong on order. Sources: the client's own source, and the published pages of the LFS and xet
protocols.
"""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.hub.accounts import Token
from tests.hub.faults import Answer, Cut, Fault, Faults, Hang, Hold
from tests.hub.store import Refused, Store
from tests.hub.wire import Asked, Exchange, Gone, Route

SECRET = "hf_" + "Loopback" * 4


class Hub:
    """One Hub. ``url`` is its HF_ENDPOINT, ``token`` a token that may write everywhere."""

    def __init__(self) -> None:
        from tests.hub.routes import Routes

        self.store = Store()
        self.faults = Faults()
        self.ledger: list[Asked] = []
        self.tokens: dict[str, Token] = {}
        self.token = self.add_token(Token(SECRET)).secret
        self.multipart_bytes: int | None = None
        """Size from which LFS uploads go in parts of 64 kB; None: never."""
        self.prefers_xet = False
        """Whether a client that offers xet in its batch (0.30 to 1.x) is told to use it."""
        self.xorbs: dict[str, bytes] = {}
        self.released = threading.Event()
        self.routes = Routes(self)
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.hub = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        serve = self._server.serve_forever
        self._thread = threading.Thread(target=serve, args=(0.05,), daemon=True)

    def start(self) -> Hub:
        self._thread.start()
        return self

    def stop(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def add_token(self, token: Token) -> Token:
        self.tokens[token.secret] = token
        return token

    def order(self, point: str, fault: Fault, times: int = 1_000_000) -> None:
        """Let the next requests to ``point`` go wrong."""
        self.faults.order(point, fault, times)

    def release(self) -> None:
        """Let everything go on that a Hang or a Hold keeps."""
        self.released.set()

    def asked(self, *points: str) -> list[Asked]:
        """Return the ledger's lines of these points, in order of arrival; all without points."""
        return [line for line in list(self.ledger) if not points or line.point in points]

    def received(self, *points: str) -> int:
        """Return how many bytes of bodies have arrived at these points."""
        return sum(line.received for line in self.asked(*points))

    def serve(self, exchange: Exchange) -> None:
        """Answer one request, with the fault that waits for it."""
        try:
            point, route = self.routes.find(exchange)
        except Refused as refused:
            point, route = "other", None
            error = refused
        exchange.asked.point = point
        self.ledger.append(exchange.asked)
        exchange.fault = fault = self.faults.take(point)
        try:
            match fault:
                case Answer(status, body, headers):
                    exchange.body()
                    exchange.answer(status, body, headers)
                    return
                case Hang(work=False):
                    exchange.body()
                    self._never(exchange)
                case Cut(work=False) | Hold():
                    exchange.body()
            if route is None:
                raise error
            if isinstance(fault, (Hang, Cut)):
                self._work_unheard(exchange, route, fault)
            route(exchange)
        except Refused as refused:
            self._refuse(exchange, refused)

    def _work_unheard(self, exchange: Exchange, route: Route, fault: Hang | Cut) -> None:
        """Do what was asked and lose the answer."""
        exchange.answer = lambda *_, **__: None  # type: ignore[method-assign]
        route(exchange)
        if isinstance(fault, Hang):
            self._never(exchange)
        raise Gone

    def _never(self, exchange: Exchange) -> None:
        self.released.wait()
        raise Gone

    def _refuse(self, exchange: Exchange, refused: Refused) -> None:
        exchange.body()
        headers = {"X-Error-Message": refused.message}
        if refused.code:
            headers["X-Error-Code"] = refused.code
        exchange.answer(refused.status, {"error": refused.message}, headers)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    hub: Hub

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that goes away is what many tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    disable_nagle_algorithm = True

    def _serve(self) -> None:
        hub = self.server.hub
        exchange = Exchange(self, hub.released)
        try:
            hub.serve(exchange)
        except Gone:
            exchange.reset()

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = _serve

    def log_message(self, format: str, *args: object) -> None:
        """Keep standard error clean: the ledger is the log."""
