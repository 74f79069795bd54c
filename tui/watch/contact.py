"""When a box was last heard of, by its clock and by this machine's."""

from __future__ import annotations

from typing import NamedTuple

from tui.clock import Clock


class Times(NamedTuple):
    """The box's clock: ``now`` verdicts are judged by, ``clock`` carried on to this moment."""

    now: float
    clock: float


class Contact:
    """The last sign of life; ``box_time`` is None while there never was one."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.box_time: float | None = None
        self.steady = 0.0
        self.skew: float | None = None

    def tick(self, box_time: float) -> None:
        """The box speaks now."""
        self.box_time = box_time
        self.steady = self._clock.steady()
        self.skew = box_time - self._clock.wall()

    def remember(self, box_time: float, seen_at: float) -> None:
        """The box spoke at a moment of this machine's clock."""
        self.box_time = box_time
        self.steady = self._clock.steady() - (self._clock.wall() - seen_at)
        self.skew = box_time - seen_at

    def seen_at(self) -> float:
        """That moment by this machine's clock."""
        return self._clock.wall() - (self._clock.steady() - self.steady)

    def age(self) -> float | None:
        """Seconds since then."""
        return None if self.box_time is None else max(0.0, self._clock.steady() - self.steady)

    def times(self, *, live: bool) -> Times:
        """Return the box's clock at the last contact and now; a live box's runs are judged now."""
        if self.box_time is None:
            wall = self._clock.wall()
            return Times(wall, wall)
        clock = self.box_time + (self.age() or 0.0)
        return Times(clock if live else self.box_time, clock)
