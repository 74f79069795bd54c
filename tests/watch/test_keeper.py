"""A keeper reconnects what heals, waits for a person elsewhere, and never calls old data live."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.waiting import wait_until
from tests.watch.scripted import BOX, GREETING, ONE_RUN, HeldClock, Script
from tui.facts import FileBytes, Stat
from tui.links.base import LinkError
from tui.view import LinkView
from tui.watch import keeper as module
from tui.watch.box_state import BoxState
from tui.watch.fleet import follow_request
from tui.watch.keeper import Keeper, backoff

REFUSED = LinkError("unreachable", "203.0.113.7 port 22: connection refused", "is it up?")
DENIED = LinkError("auth", "203.0.113.7 refused 2 keys", "add your key")


@contextmanager
def kept(script: Script, clock: HeldClock | None = None) -> Iterator[Keeper]:
    clock = clock or HeldClock()
    state = BoxState(BOX, clock, None)
    keeper = Keeper(
        state,
        script.link,
        lambda: follow_request(BOX, state),
        changed=lambda: None,
        clock=clock,
    )
    keeper.start()
    yield keeper
    keeper.close()
    keeper.join(5.0)


def state_of(keeper: Keeper) -> str:
    return keeper.link_view().state


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "backoff", lambda attempt: 0.01)


def test_backoff_doubles_to_a_minute_and_never_comes_in_step() -> None:
    waits = [[backoff(attempt) for _ in range(50)] for attempt in (1, 2, 3, 4, 5, 6, 60)]
    for full, drawn in zip((2, 4, 8, 16, 32, 60, 60), waits, strict=True):
        assert all(full / 2 <= wait <= full for wait in drawn)
        assert len(set(drawn)) > 1


def test_a_box_that_answers_is_live() -> None:
    with kept(Script(GREETING)) as keeper:
        wait_until(lambda: state_of(keeper) == "live")


def test_silence_turns_a_live_link_stale_and_a_late_fact_does_not_lie() -> None:
    clock = HeldClock()
    with kept(Script(GREETING), clock) as keeper:
        wait_until(lambda: keeper.state.settled and state_of(keeper) == "live")
        clock.now += 12.0
        assert keeper.link_view() == LinkView("stale", 12.0)


def test_an_unreachable_box_is_tried_again_until_it_answers() -> None:
    script = Script(REFUSED, REFUSED, GREETING)
    with kept(script) as keeper:
        wait_until(lambda: state_of(keeper) == "live")
    assert len(script.requests) == 3


def test_an_unreachable_box_says_why_and_when_it_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "backoff", lambda attempt: 40.0)
    with kept(Script(REFUSED)) as keeper:
        wait_until(lambda: state_of(keeper) == "offline")
        view = keeper.link_view()
        assert view.error == str(REFUSED)
        assert view.hint == "is it up?"
        assert view.retry_in_s == 40.0
        assert view.attempt == 1


def test_a_refused_key_waits_for_a_person() -> None:
    script = Script(DENIED, GREETING)
    with kept(script) as keeper:
        wait_until(lambda: state_of(keeper) == "refused")
        assert len(script.requests) == 1
        assert keeper.link_view().retry_in_s is None
        keeper.reconnect()
        wait_until(lambda: state_of(keeper) == "live")
    assert len(script.requests) == 2


def test_a_lost_link_is_connecting_before_it_is_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "backoff", lambda attempt: 60.0)
    lost = LinkError("lost", "no sign of life for 14 s")
    script = Script(GREETING, lost)
    with kept(script) as keeper:
        wait_until(lambda: state_of(keeper) == "live")
        script.links[0].close()
        wait_until(lambda: state_of(keeper) == "connecting")
        for _ in range(module.OFFLINE_AFTER_ATTEMPTS):
            assert state_of(keeper) == "connecting"
            before = len(script.requests)
            keeper.reconnect()
            wait_until(lambda seen=before: len(script.requests) > seen)  # type: ignore[misc]
        assert keeper.link_view().error


def test_what_a_box_said_is_kept_when_the_link_breaks() -> None:
    script = Script(ONE_RUN, REFUSED)
    with kept(script) as keeper:
        wait_until(lambda: keeper.state.settled)
        script.links[0].close()
        wait_until(lambda: len(script.requests) > 1)
        (run,) = keeper.state.view(keeper.link_view()).runs
        assert run.run.id == "run1"


def test_bytes_that_leave_a_gap_open_the_link_again() -> None:
    gap = FileBytes("/root/runs/run1", "metrics.jsonl", 10, b"x", Stat(11, 1.0))
    script = Script((*ONE_RUN, gap), ONE_RUN)
    with kept(script) as keeper:
        wait_until(lambda: len(script.requests) == 2 and state_of(keeper) == "live")


def test_a_fault_of_our_own_is_one_line_and_not_the_end() -> None:
    script = Script(ZeroDivisionError("division by zero"), GREETING)
    with kept(script) as keeper:
        wait_until(lambda: state_of(keeper) == "live")
    assert len(script.requests) == 2
