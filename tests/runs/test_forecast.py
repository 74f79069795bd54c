"""A disk's end is forecast from its trend, and not from one checkpoint's step."""

from __future__ import annotations

import pytest

from tui.facts import Disk
from tui.runs.forecast import DiskForecast

GB = 10**9


def forecast(free: list[float], every: float = 60.0) -> DiskForecast:
    made = DiskForecast()
    for number, gigabytes in enumerate(free):
        made.add(number * every, Disk("/", int(gigabytes * GB), 100 * GB))
    return made


def test_a_steady_loss_is_carried_on() -> None:
    assert forecast([50, 49, 48, 47, 46]).full_in() == pytest.approx(46 * 60)


def test_a_stepwise_loss_is_carried_on_by_its_mean() -> None:
    assert forecast([50, 50, 48, 48, 46, 46]).full_in() == pytest.approx(46 * 60, rel=0.25)


@pytest.mark.parametrize("free", [[50], [50, 40], [50, 50, 50], [40, 45, 50]])
def test_no_trend_or_a_growing_rest_says_nothing(free: list[float]) -> None:
    assert forecast(free).full_in() is None


def test_a_short_span_says_nothing() -> None:
    assert forecast([50, 40, 30], every=20.0).full_in() is None


def test_old_samples_are_forgotten() -> None:
    free = [90.0 - 2 * n for n in range(20)] + [50.0] * 40
    assert forecast(free).full_in() is None
