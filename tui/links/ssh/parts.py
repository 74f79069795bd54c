"""What a connection is made of, closed together from any thread, also while it is being made."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable


class Closed(Exception):
    """The link was closed by its owner while something was still being opened."""


class Parts:
    """Things to close. ``close`` never blocks: closing happens on a thread of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closers: list[Callable[[], None]] = []
        self._closed = threading.Event()

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return self._closed.is_set()

    def add(self, closer: Callable[[], None]) -> None:
        """Remember how to close something just opened. Raises Closed when it is too late."""
        with self._lock:
            if not self._closed.is_set():
                self._closers.append(closer)
                return
        closer()
        raise Closed

    def check(self) -> None:
        """Raise Closed when everything was closed in the meantime."""
        if self._closed.is_set():
            raise Closed

    def wait(self, seconds: float) -> bool:
        """Wait until closed, at most so long; returns whether it is."""
        return self._closed.wait(seconds)

    def close(self) -> None:
        """Close everything, the oldest first: cutting the first socket ends all that is above."""
        with self._lock:
            if self._closed.is_set():
                return
            self._closed.set()
            closers, self._closers = self._closers, []
        if closers:
            threading.Thread(
                target=_close_all, args=(closers,), name="close a link", daemon=True
            ).start()


def _close_all(closers: list[Callable[[], None]]) -> None:
    with contextlib.ExitStack() as stack:  # the last pushed runs first; a failure stops none
        for closer in reversed(closers):
            stack.callback(closer)
