"""This machine's clocks, in one place so that tests can hold them still."""

from __future__ import annotations

import time


class Clock:
    """Wall time for people, steady time for ages; steady time goes on while a laptop sleeps."""

    def wall(self) -> float:
        """Seconds since the epoch by this machine's clock."""
        return time.time()

    def steady(self) -> float:
        """Seconds that never jump back and include the time of a suspended machine."""
        if hasattr(time, "CLOCK_BOOTTIME"):
            return time.clock_gettime(time.CLOCK_BOOTTIME)
        return time.time()

    def asleep(self) -> float:
        """Seconds this machine has been suspended so far; a jump says that it just woke up."""
        return self.steady() - time.monotonic()
