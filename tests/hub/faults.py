"""Faults on order: the next requests to one point of the Hub go wrong in a chosen way."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from tests.hub.accounts import Json

API_POINTS = ("whoami", "create", "info", "preupload", "commit", "paths-info", "tree", "commits")
LFS_POINTS = ("batch", "put", "part", "complete", "verify", "resolve")
XET_POINTS = ("xet-token", "chunk", "grant", "xorb", "shard")
POINTS = frozenset((*API_POINTS, *LFS_POINTS, *XET_POINTS, "other"))
HTML_502 = (
    "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head>"
    "<body><center><h1>502 Bad Gateway</h1></center><hr>nginx</body></html>"
)


@dataclass(frozen=True)
class Answer:
    """Answer with this instead of doing anything."""

    status: int
    body: Json | str = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Hang:
    """Take all bytes and never answer; ``work`` does what was asked first, then never says so."""

    work: bool = False


@dataclass(frozen=True)
class Cut:
    """Reset the connection after this many bytes of the body, or after the work is done."""

    after: int = 0
    work: bool = False


@dataclass(frozen=True)
class Hold:
    """Take so many bytes, then wait for ``hub.release()``: an upload stands still, then goes on."""

    after: int


@dataclass(frozen=True)
class Trickle:
    """Take the body in pieces of so many bytes, a pause of 10 ms between them."""

    piece: int = 4096


Fault = Answer | Hang | Cut | Hold | Trickle


class Faults:
    """Which faults wait at which point."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, list[tuple[Fault, int]]] = {}

    def order(self, point: str, fault: Fault, times: int = 1_000_000) -> None:
        if point not in POINTS:
            raise ValueError(f"no such point: {point}")
        with self._lock:
            self._waiting.setdefault(point, []).append((fault, times))

    def clear(self) -> None:
        with self._lock:
            self._waiting.clear()

    def take(self, point: str) -> Fault | None:
        with self._lock:
            queue = self._waiting.get(point)
            if not queue:
                return None
            fault, times = queue[0]
            queue[0] = (fault, times - 1)
            if times <= 1:
                queue.pop(0)
            return fault
