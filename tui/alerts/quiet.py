"""The quiet time: from one time of the day to another, over midnight if it must be. Pure."""

from __future__ import annotations

import time
from collections.abc import Callable

DAY_MINUTES = 24 * 60


class QuietTime:
    """``["23:00", "07:00"]`` by the local clock; None, or two equal times, is no quiet time.

    ``local`` gives a moment's local time of day (another one for tests).
    """

    def __init__(
        self,
        times: tuple[str, str] | None,
        local: Callable[[float], time.struct_time] = time.localtime,
    ) -> None:
        self._begin, self._end = (_minutes(text) for text in times or ("00:00", "00:00"))
        self._local = local

    def holds(self, now: float) -> bool:
        """Whether nobody wants to be disturbed at a moment, in seconds since the epoch."""
        at = self._local(now)
        since = (at.tm_hour * 60 + at.tm_min - self._begin) % DAY_MINUTES
        return since < (self._end - self._begin) % DAY_MINUTES


def _minutes(text: str) -> int:
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)
