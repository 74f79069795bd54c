"""Providers against fakes, on a clock that only moves when it is told."""

from __future__ import annotations

from collections.abc import Mapping

from tests.providers.fake_http import KEY
from tui.clock import Clock
from tui.providers.http import Api
from tui.providers.keys import Key
from tui.providers.pace import Pace

NOW = 1796004000.0


class StillClock(Clock):
    """``pause`` moves it instead of waiting; ``pauses`` remembers how long."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []

    def wall(self) -> float:
        return NOW + self.now - 1000.0

    def steady(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def make_api(
    who: str, url: str, spacing: Mapping[str, float], clock: StillClock, key: str = KEY
) -> Api:
    pace = Pace(spacing, clock, clock.pause)
    return Api(who, url, Key(key, "the test"), pace, clock, jitter=lambda: 0.5)
