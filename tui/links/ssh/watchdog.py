"""Deadlines for calls that have none: one thread for the process closes what is overdue.

Paramiko can wait for ever in places that take no time limit (a full send buffer, a reply that does
not come). Closing the connection from another thread is what ends such a call.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Watchdog:
    """Runs callbacks at their time unless they are called off before."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._heap: list[tuple[float, int]] = []
        self._overdue: dict[int, Callable[[], None]] = {}
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None

    @contextmanager
    def limit(self, seconds: float, expire: Callable[[], None]) -> Iterator[Expiry]:
        """Call ``expire`` (from another thread) when the block takes longer than ``seconds``."""
        expiry = Expiry()

        def overdue() -> None:
            expiry.expired = True
            expire()

        number = self._add(time.monotonic() + seconds, overdue)
        try:
            yield expiry
        finally:
            with self._changed:
                self._overdue.pop(number, None)

    def _add(self, at: float, callback: Callable[[], None]) -> int:
        with self._changed:
            number = next(self._numbers)
            self._overdue[number] = callback
            heapq.heappush(self._heap, (at, number))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="deadlines", daemon=True)
                self._thread.start()
            if self._heap[0][1] == number:
                self._changed.notify()
        return number

    def _run(self) -> None:
        while True:
            with self._changed:
                callback = self._next()
            callback()

    def _next(self) -> Callable[[], None]:
        """Wait for the next callback that is due (the lock is held)."""
        while True:
            now = time.monotonic()
            while self._heap and (self._heap[0][0] <= now or self._heap[0][1] not in self._overdue):
                callback = self._overdue.pop(heapq.heappop(self._heap)[1], None)
                if callback is not None:
                    return callback
            self._changed.wait(self._heap[0][0] - now if self._heap else None)


class Expiry:
    """Whether a limit has passed."""

    expired = False


limit = Watchdog().limit
"""The process's own watchdog."""
