"""How a program on the box talks: requests as JSON lines in, marked JSON lines and data out.

A reply is ``@@MARKER {json}`` on a line of its own; ``{"data": N}`` is followed by N raw bytes.
The marker is random and comes with the first request, so that nothing else is taken for a reply.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO

BEAT_SECONDS = 5.0
SILENCE_SECONDS = 60.0
GRACE_SECONDS = 5.0
"""How long a program may take to notice that nobody listens any more; then it is ended."""

MAX_REQUEST = 1 << 20


class Ended(Exception):
    """The other side is gone: nobody waits for what is being done."""


class Line:
    """The way to whoever asked: its requests in order, our replies, and whether it still is there.

    A sign of life goes out every few seconds, and one is expected within SILENCE_SECONDS (any line,
    also an empty one). ``last_will`` runs when the program has to be ended from outside.
    """

    def __init__(
        self,
        first: bytes,
        source: BinaryIO,
        descriptor: int,
        last_will: Callable[[], None] = lambda: None,
    ) -> None:
        request = _parsed(first)
        self.last_will = last_will
        self._source = source
        self._descriptor = descriptor
        self._prefix = b"@@" + str(request.get("marker", "")).encode("ascii", "replace") + b" "
        self._silence = float(request.get("silence", SILENCE_SECONDS))
        self._lock = threading.Lock()
        self._requests: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._requests.put(request)
        self._ended = threading.Event()
        self._heard = time.monotonic()

    def start(self) -> None:
        """Listen and give signs of life from now on, and say hello."""
        self._write(b"\n")  # what a login printed may lack its newline
        self.tell(hello=1, python="%d.%d.%d" % sys.version_info[:3])
        threading.Thread(target=self._listen, name="listen", daemon=True).start()
        threading.Thread(target=self._beat, name="beat", daemon=True).start()
        threading.Thread(target=self._watch, name="watch", daemon=True).start()

    def request(self) -> dict[str, Any] | None:
        """Wait for the next request; None when no more will come."""
        return None if self._ended.is_set() else self._requests.get()

    def check(self) -> None:
        """Raise Ended when nobody listens any more."""
        if self._ended.is_set():
            raise Ended

    def pause(self, seconds: float) -> None:
        """Wait; raises Ended as soon as nobody listens any more."""
        if self._ended.wait(seconds):
            raise Ended

    def tell(self, **values: object) -> None:
        """Send one reply. Raises Ended when it cannot be sent."""
        text = json.dumps(values, separators=(",", ":"))
        self._write(self._prefix + text.encode("ascii") + b"\n")

    def data(self, piece: bytes) -> None:
        """Send raw bytes as one frame. Raises Ended when they cannot be sent."""
        self._write(self._prefix + b'{"data":%d}\n' % len(piece), piece)

    def _write(self, *parts: bytes) -> None:
        with self._lock:
            try:
                for part in parts:
                    view = memoryview(part)
                    while view:
                        view = view[os.write(self._descriptor, view) :]
            except OSError:
                self._ended.set()
                raise Ended from None

    def _listen(self) -> None:
        for line in iter(lambda: self._source.readline(MAX_REQUEST), b""):
            self._heard = time.monotonic()
            if line.strip():
                self._requests.put(_parsed(line))
        self._end()

    def _end(self) -> None:
        self._ended.set()
        self._requests.put(None)

    def _beat(self) -> None:
        """Give signs of life: from a thread of its own, for the line may take none for long."""
        while not self._ended.wait(BEAT_SECONDS):
            try:
                self.tell(beat=1)
            except Ended:
                return

    def _watch(self) -> None:
        """When the other side is gone and the program does not notice, end it."""
        while not self._ended.wait(min(1.0, self._silence)):
            if time.monotonic() - self._heard > self._silence:
                self._end()
        time.sleep(GRACE_SECONDS)
        self.last_will()
        os._exit(1)


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        values = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        values = {"op": "nonsense"}
    return values if isinstance(values, dict) else {"op": "nonsense"}
