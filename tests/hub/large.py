"""Large files by Git LFS: batch, one PUT or several parts, completion, verify."""

from __future__ import annotations

import hashlib
from math import ceil
from typing import TYPE_CHECKING

from tests.hub.accounts import Json
from tests.hub.store import Refused
from tests.hub.wire import Exchange

if TYPE_CHECKING:
    from tests.hub.server import Hub

PART = 65536
BAD_DIGEST = "<?xml version='1.0'?><Error><Code>BadDigest</Code></Error>"


class LargeFiles:
    """The LFS pages. The storage's addresses are signed: they need no Authorization."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self._parts: dict[str, dict[int, bytes]] = {}

    def batch(self, exchange: Exchange, repo: str) -> None:
        self.hub.routes.writable(exchange, repo)
        asked = exchange.json()
        if self.hub.prefers_xet and "xet" in asked["transfers"]:
            objects = [self._action(repo, wanted, False) for wanted in asked["objects"]]
            exchange.answer(200, {"transfer": "xet", "objects": objects})
            return
        parts = "multipart" in asked["transfers"]
        objects = [self._action(repo, wanted, parts) for wanted in asked["objects"]]
        multipart = any(
            "chunk_size" in o.get("actions", {}).get("upload", {}).get("header", {})
            for o in objects
        )
        exchange.answer(
            200, {"transfer": "multipart" if multipart else "basic", "objects": objects}
        )

    def put(self, exchange: Exchange, oid: str) -> None:
        data = exchange.body()
        if self.hub.store.spoil is None and hashlib.sha256(data).hexdigest() != oid:
            exchange.answer(400, BAD_DIGEST)
            return
        self.hub.store.put(oid, data)
        exchange.answer(200, b"", {"ETag": '"whole"'})

    def part(self, exchange: Exchange, oid: str, part: str) -> None:
        data = exchange.body()
        self._parts.setdefault(oid, {})[int(part)] = data
        exchange.answer(200, b"", {"ETag": f'"{hashlib.sha256(data).hexdigest()[:16]}"'})

    def complete(self, exchange: Exchange, oid: str) -> None:
        parts = self._parts.pop(oid, {})
        named = [part["partNumber"] for part in exchange.json()["parts"]]
        data = b"".join(parts[number] for number in sorted(parts))
        whole = hashlib.sha256(data).hexdigest() == oid
        if named != sorted(parts) or (self.hub.store.spoil is None and not whole):
            exchange.answer(400, BAD_DIGEST)
            return
        self.hub.store.put(oid, data)
        exchange.answer(200, {"success": True})

    def verify(self, exchange: Exchange, repo: str) -> None:
        self.hub.routes.writable(exchange, repo)
        asked = exchange.json()
        blob = self.hub.store.blobs.get(asked["oid"])
        lies = self.hub.store.spoil is not None
        if blob is None or (not lies and len(blob.data) != asked["size"]):
            raise Refused(400, "The uploaded object is not what was announced")
        exchange.answer(200, {"success": True})

    def _action(self, repo: str, wanted: Json, parts: bool) -> Json:
        oid, size = wanted["oid"], wanted["size"]
        if oid in self.hub.store.blobs:
            return {"oid": oid, "size": size}
        base, header, href = f"{self.hub.url}/storage/{oid}", {}, ""
        if parts and self.hub.multipart_bytes is not None and size >= self.hub.multipart_bytes:
            count = ceil(size / PART)
            header = {"chunk_size": str(PART)}
            header |= {str(number): f"{base}/{number}" for number in range(1, count + 1)}
            href = f"{base}/complete"
        verify = f"{self.hub.url}/{repo}.git/info/lfs/verify"
        upload = {"href": href or base, "header": header}
        return {
            "oid": oid,
            "size": size,
            "authenticated": True,
            "actions": {"upload": upload, "verify": {"href": verify}},
        }
