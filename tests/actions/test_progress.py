"""How far a transfer is, in words."""

from __future__ import annotations

import pytest

from tui.actions.progress import Progress, Rate, measured, progress_text

MB = 1024 * 1024


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (Progress("connecting"), "connecting"),
        (
            Progress("uploading", "best.pt", 10 * MB, 20 * MB, 5 * MB, 2.0),
            "uploading best.pt  10 MB of 20 MB  50 %  5 MB/s  0:02 left",
        ),
        (
            Progress("uploading", "best.pt", 20 * MB, 20 * MB, 5 * MB, 0.0),
            "uploading best.pt  20 MB of 20 MB  100 %  5 MB/s",
        ),
        (Progress("copying", "best.pt", 3 * MB), "copying best.pt  3 MB"),
        (
            Progress("waiting", "last.pt", note="until the epoch ends"),
            "waiting last.pt  until the epoch ends",
        ),
        (Progress("sending", "empty", 0, 0), "sending empty"),
    ],
)
def test_a_moment_is_one_line(progress: Progress, text: str) -> None:
    assert progress_text(progress) == text


def test_the_rate_is_that_of_the_last_seconds() -> None:
    clock = Clock()
    rate = Rate(clock)
    assert rate.add(0) is None
    for second in range(1, 11):
        clock.now = 100.0 + second
        fast = rate.add(second * 10)
    assert fast == pytest.approx(10.0)
    for second in range(1, 11):
        clock.now = 110.0 + second
        slow = rate.add(100 + second)
    assert slow == pytest.approx(1.0)


def test_a_transfer_that_stands_still_has_no_rate_and_no_time_to_go() -> None:
    clock = Clock()
    rate = Rate(clock)
    measured(rate, "sending", "a", 50, 100)
    for second in range(1, 20):
        clock.now = 100.0 + second
        still = measured(rate, "sending", "a", 50, 100)
    assert (still.rate, still.eta_s) == (None, None)


def test_a_transfer_that_begins_anew_is_measured_anew() -> None:
    clock = Clock()
    rate = Rate(clock)
    rate.add(1000)
    clock.now += 1
    assert rate.add(0) is None
    clock.now += 1
    assert rate.add(7) == pytest.approx(7.0)
