"""When the next request may go: each vendor's own limits, and the time it asked to wait."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from tui.clock import Clock
from tui.providers.errors import ProviderError

Pause = Callable[[float], None]

LONGEST_ASKED = 3600.0
"""No reply makes us wait longer, whatever it says."""


class Pace:
    """Spacing per lane (``list``, ``get``, ``change``, …) of one provider; safe in many threads.

    ``spacing`` has the least seconds between two requests of a lane, and as ``*`` of all lanes
    together. A lane that the vendor answered with 429 is closed until the time it named: asking
    earlier is an error at once, not a long wait. A closed list never closes the way to a stop.
    """

    def __init__(
        self,
        spacing: Mapping[str, float],
        clock: Clock | None = None,
        pause: Pause | None = None,
    ) -> None:
        self._spacing = spacing
        self._clock = clock or Clock()
        self._ended = threading.Event()
        self._pause = pause or self._wait
        self._lock = threading.Lock()
        self._next: dict[str, float] = {}
        self._closed_until: dict[str, float] = {}

    def take(self, lane: str, who: str) -> None:
        """Wait for the lane's turn. Raises ProviderError ``rate`` or ``closed``."""
        if self._ended.is_set():
            raise ProviderError("closed", f"{who} is closed")
        with self._lock:
            now = self._clock.steady()
            left = self._closed_until.get(lane, now) - now
            if left > 0:
                raise ProviderError(
                    "rate", f"{who} asked to wait {left:.0f} s more", None, retry_after_s=left
                )
            turn = max(now, self._next.get(lane, now), self._next.get("*", now))
            for each in (lane, "*"):
                self._next[each] = turn + self._spacing.get(each, 0.0)
        if turn > now:
            self.sleep(turn - now, who)

    def sleep(self, seconds: float, who: str) -> None:
        """Wait, unless closed. Raises ProviderError ``closed``."""
        self._pause(seconds)
        if self._ended.is_set():
            raise ProviderError("closed", f"{who} is closed")

    def hold(self, lane: str, seconds: float) -> float:
        """Close a lane for a time; return the seconds."""
        seconds = min(max(seconds, 0.0), LONGEST_ASKED)
        with self._lock:
            until = self._clock.steady() + seconds
            self._closed_until[lane] = max(until, self._closed_until.get(lane, until))
        return seconds

    def close(self) -> None:
        """End every wait."""
        self._ended.set()

    def _wait(self, seconds: float) -> None:
        self._ended.wait(seconds)
