"""Following logs: only their newest part counts, and only so much of it a second."""

import time

from tui.links.follower.appended import CHUNK, Appended, Token
from tui.links.follower.disk import Info, LocalDisk
from tui.links.follower.wire import Memory

LOG_BACKLOG = 400000
"""A log that is further behind than this goes on at its newest part."""

LOG_RATE = 1000000
"""Bytes of one log that are sent per second at most; also how much may go at once."""


class Tailed(Appended):
    """A log: begins near its end, and skips to its newest part when it grows too fast."""

    def __init__(
        self,
        disk: LocalDisk,
        output: Memory,
        run: bytes,
        name: bytes,
        token: "Token | None",
        tail: int,
    ) -> None:
        Appended.__init__(self, disk, output, run, name, token)
        self.tail_limit = tail
        self.allowance = float(LOG_RATE)
        self.refilled = time.monotonic()

    def start(self, size: int) -> int:
        """Return the first line start within the log's newest part."""
        if size <= self.tail_limit:
            return 0
        start = size - self.tail_limit
        newline = self.read(start, self.tail_limit).find(b"\n")
        return start if newline < 0 else start + newline + 1

    def allowed(self) -> int:
        """Return what is left of this second's share."""
        now = time.monotonic()
        self.allowance = min(LOG_RATE, self.allowance + (now - self.refilled) * LOG_RATE)
        self.refilled = now
        self.caught_up = self.caught_up or self.allowance < 1
        return min(CHUNK, int(self.allowance))

    def behind(self, size: int) -> bool:
        """Whether the log ran away from us, so that its newest part comes first."""
        return size - self.offset > LOG_BACKLOG

    def send(self, data: bytes, info: Info) -> None:
        """Send bytes and count them."""
        self.allowance -= len(data)
        Appended.send(self, data, info)
