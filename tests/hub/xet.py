"""Large files by xet: a content-addressed storage that the real ``hf_xet`` uploads to.

Chunks are never known already (404 to every question), grants do not exist (404: the client then
sends the xorb itself), and a shard makes files: they are put together from the xorbs that came,
and hashed as a whole.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from tests.hub.store import Refused
from tests.hub.wire import Exchange
from tests.hub.xorb import ShardFile, chunks_of, files_of

if TYPE_CHECKING:
    from tests.hub.server import Hub

XET_SECRET = "xet-loopback"


class Xet:
    """The pages of the storage, and the one of the Hub that leads there."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub

    def token(self, exchange: Exchange, repo: str, rev: str) -> None:
        self.hub.routes.writable(exchange, repo)
        until = int(time.time()) + 3600
        headers = {
            "X-Xet-Cas-Url": self.hub.url,
            "X-Xet-Access-Token": XET_SECRET,
            "X-Xet-Token-Expiration": until,
        }
        document = {"casUrl": self.hub.url, "exp": until, "accessToken": XET_SECRET}
        exchange.answer(200, document, headers)

    def chunk(self, exchange: Exchange, hash: str) -> None:
        self._let_in(exchange)
        raise Refused(404, "no such chunk")

    def grant(self, exchange: Exchange, hash: str) -> None:
        self._let_in(exchange)
        raise Refused(404, "no grants here")

    def xorb(self, exchange: Exchange, hash: str) -> None:
        self._let_in(exchange)
        new = hash not in self.hub.xorbs
        self.hub.xorbs[hash] = exchange.body()
        exchange.answer(200, {"was_inserted": new})

    def shard(self, exchange: Exchange) -> None:
        self._let_in(exchange)
        self._register(exchange.body())
        exchange.answer(200, {"result": 1})

    def shard_events(self, exchange: Exchange) -> None:
        """Answer as the streaming variant is: one JSON document a line."""
        self._let_in(exchange)
        self._register(exchange.body())
        line = json.dumps({"type": "result", "result": 1}) + "\n"
        exchange.answer(200, line.encode())

    def _let_in(self, exchange: Exchange) -> None:
        if exchange.secret != XET_SECRET:
            raise Refused(401, "no xet token")

    def _register(self, shard: bytes) -> None:
        for file in files_of(shard):
            data = b"".join(self._pieces(file))
            if file.sha256 is None:
                raise Refused(400, "a file without sha256")
            self.hub.store.put(file.sha256, data, file.file_hash)

    def _pieces(self, file: ShardFile) -> list[bytes]:
        pieces = []
        for term in file.terms:
            if term.xorb not in self.hub.xorbs:
                raise Refused(400, f"the xorb {term.xorb} never came")
            pieces += chunks_of(self.hub.xorbs[term.xorb])[term.start : term.end]
        return pieces
