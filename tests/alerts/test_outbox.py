"""When things are told: together, and nothing but on the screen in the quiet time."""

from __future__ import annotations

import time

import pytest

from tui.alerts.event import Event, event, message_of, trial
from tui.alerts.judge import Moment
from tui.alerts.memory import Memory
from tui.alerts.outbox import Outbox
from tui.alerts.quiet import QuietTime
from tui.runs.mirror import decode, encode

MIDNIGHT = 1_796_083_200.0
"""2026-12-01T00:00:00Z; tests have UTC."""
HOUR = 3600.0
NIGHT = ("23:00", "07:00")


def dead(at: float, name: str = "run1") -> Event:
    return event("dead", "lab", name, f"lab {name} is dead", at)


def at(hour: float) -> Moment:
    return Moment(MIDNIGHT + hour * HOUR, hour * HOUR)


def outbox(quiet: tuple[str, str] | None = None, memory: Memory | None = None) -> Outbox:
    return Outbox(memory or Memory(), QuietTime(quiet, time.gmtime), ())


@pytest.mark.parametrize(
    ("times", "hour", "holds"),
    [
        (NIGHT, 22.98, False),
        (NIGHT, 23.0, True),
        (NIGHT, 24.5, True),
        (NIGHT, 30.98, True),
        (NIGHT, 31.0, False),
        (("12:30", "14:00"), 12.6, True),
        (("12:30", "14:00"), 14.1, False),
        (("12:30", "14:00"), 2.0, False),
        (("07:00", "07:00"), 7.0, False),
        (None, 3.0, False),
    ],
)
def test_the_quiet_time_goes_over_midnight(
    times: tuple[str, str] | None, hour: float, holds: bool
) -> None:
    assert QuietTime(times, time.gmtime).holds(MIDNIGHT + hour * HOUR) is holds


def test_the_quiet_time_is_by_the_local_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        assert QuietTime(NIGHT).holds(MIDNIGHT + 5 * HOUR)
        assert not QuietTime(NIGHT).holds(MIDNIGHT)
    finally:
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()


def test_what_happens_within_seconds_is_one_message() -> None:
    box = outbox()
    box.add([dead(MIDNIGHT, "run1")], Moment(MIDNIGHT, 0.0))
    assert box.due(Moment(MIDNIGHT, 0.0)) == (None, None)
    box.add([dead(MIDNIGHT + 1, "run2")], Moment(MIDNIGHT, 5.0))
    due = box.due(Moment(MIDNIGHT, 10.0))
    assert due.sent is not None and due.screen == due.sent
    assert due.sent.title == "boxtop: 2 alerts: 2 dead"
    assert due.sent.lines == ("lab run2 is dead", "lab run1 is dead")
    assert box.due(Moment(MIDNIGHT, 15.0)) == (None, None)


def test_in_the_quiet_time_only_the_screen_is_told_and_its_end_brings_one_summary() -> None:
    box = outbox(NIGHT)
    for hour in (0.0, 2.0, 6.9):
        box.add([dead(at(hour).wall, f"run{hour:.0f}")], at(hour))
        due = box.due(at(hour + 0.01))
        assert due.screen is not None and due.sent is None
    assert box.due(at(6.99)).sent is None
    sent = box.due(at(7.0)).sent
    assert sent is not None
    assert sent.title == "boxtop: 3 alerts of the quiet time: 3 dead"
    assert box.due(at(7.1)) == (None, None)


def test_no_kind_breaks_through_the_quiet_time() -> None:
    from tui.config.settings import ALERTS

    box = outbox(NIGHT)
    box.add([event(kind, "lab", None, kind, MIDNIGHT) for kind in ALERTS], at(0))  # type: ignore[arg-type]
    assert box.due(at(0.1)).sent is None


def test_what_was_held_outlives_boxtop() -> None:
    memory = Memory()
    box = outbox(NIGHT, memory)
    box.add([dead(at(1).wall)], at(1))
    box.due(at(1.1))
    later = outbox(NIGHT, decode(encode(memory), Memory))
    sent = later.due(at(8)).sent
    assert sent is not None and sent.title == "boxtop: 1 alert of the quiet time: 1 dead"
    old = outbox(NIGHT, decode(encode(memory), Memory))
    assert old.due(at(72)).sent is None


def test_a_kind_that_is_off_is_not_told() -> None:
    box = Outbox(Memory(), QuietTime(None), ("dead",))
    box.add([dead(MIDNIGHT)], at(0))
    assert box.due(at(1)) == (None, None)


def test_trouble_stands_first_and_many_are_cut() -> None:
    good = event("completed", "lab", "run0", "lab run0 completed", 99.0)
    message = message_of([good, *(dead(float(n), f"run{n}") for n in range(20))], 0.0)
    assert message.lines[0] == "lab run19 is dead"
    assert message.lines[-1] == "and 11 more" and len(message.lines) == 11
    assert message.is_trouble and len(message.events) == 21
    assert not message_of([good], 0.0).is_trouble
    assert message_of([good], 0.0).title == "boxtop: completed: lab run0"
    assert trial(0.0).lines
