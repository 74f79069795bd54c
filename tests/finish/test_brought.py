"""Old runs that come to a box, and boxes that were off: neither is the end that was waited for."""

from __future__ import annotations

import pytest

from tests.finish.world import BOUND, TIMING, Training, World
from tui.actions.finish_wish import Setting, Wish
from tui.rent import RentView

SET_AT = 5000.0
LATER = SET_AT + 100


def brought(*runs: Training) -> World:
    """A world whose line was set at SET_AT, on a box with these runs."""
    world = World(None, *runs)
    world.runs = list(runs)
    world.wall = SET_AT
    world.wait(20)
    return world


def test_a_finished_run_that_is_brought_to_an_empty_box_ends_nothing() -> None:
    world = brought()
    world.runs.append(Training("uploaded", "completed", updated=SET_AT - 3600))
    world.wait(400)
    assert (world.sent, world.begun) == (0, [])
    assert world.line.view.text == "no training has begun on it yet"
    world.runs.append(Training("run1", began=LATER, updated=LATER))
    world.wait(20)
    world.runs[1].state = "completed"
    world.wait(200)
    assert world.sent == 1 and all(run.is_safe for run in world.runs)


def test_a_finished_run_whose_status_is_brought_as_the_last_ends_nothing() -> None:
    world = brought()
    world.runs.append(Training("uploaded", "unknown"))
    world.wait(60)
    assert "uploaded" in world.line.view.text
    world.runs[0].state, world.runs[0].updated = "completed", SET_AT - 3600
    world.wait(400)
    assert (world.sent, world.begun) == (0, [])
    assert world.line.view.text == "no training has begun on it yet"


def test_a_run_whose_status_was_not_read_at_first_decides_as_one_that_had_ended() -> None:
    world = brought(Training("run1", "unknown"))
    world.runs[0].state, world.runs[0].updated = "completed", SET_AT - 3600
    world.wait(200)
    assert world.sent == 1


@pytest.mark.parametrize("ended", [LATER, SET_AT - 1])
def test_a_training_that_was_seen_at_work_counts_whenever_it_ended(ended: float) -> None:
    world = brought(Training("run1", "unknown"))
    world.runs[0].state = "running"
    world.wait(20)
    world.runs.append(Training("old", "completed", updated=SET_AT - 3600))
    world.runs[0].state, world.runs[0].updated = "completed", ended
    world.wait(200)
    assert world.sent == 1


def test_a_training_that_came_and_ended_while_nobody_looked_counts() -> None:
    world = brought()
    world.link = "offline"
    world.wait(500)
    world.link = "live"
    world.runs.append(Training("run1", "completed", began=LATER, updated=LATER + 200))
    world.wait(200)
    assert world.sent == 1


@pytest.mark.parametrize("name", ["renamed", "r"])
def test_an_old_run_that_is_renamed_or_brought_decides_nothing_for_one_that_failed(
    name: str,
) -> None:
    old = Training("old", "completed", began=1000.0, updated=2000.0)
    world = brought(old, Training("run2", "failed", began=3000.0, updated=4000.0))
    assert world.line.view.stuck
    if name == "renamed":
        world.runs[0] = Training(name, "completed", began=1000.0, updated=2000.0)
    else:
        world.runs.append(Training(name, "completed", began=3500.0, updated=4500.0))
    world.wait(400)
    assert world.sent == 0 and "run2 failed" in world.line.view.text


def a_rent(state: str) -> RentView:
    return RentView("vast", "700001", "yolo9s", state, listed_at=1.0)


def stopped_and_started() -> World:
    """A box that another hand stopped and started while its training was waited for."""
    wish = Wish(("push",), "destroy", frozenset({"failed", "dead"}))
    world = World(Setting("lab", wish, BOUND, "lab"), Training("run1"))
    world.wall, world.rent = SET_AT, a_rent("running")
    world.wait(20)
    world.link, world.rent = "offline", a_rent("stopped")
    world.wait(60)
    world.link, world.rent = "live", a_rent("running")
    return world


@pytest.mark.parametrize("state", ["completed", "running", "failed", "dead"])
def test_a_box_that_somebody_stopped_and_started_is_not_ended_for_what_had_ended_before(
    state: str,
) -> None:
    world = stopped_and_started()
    world.runs[0].state = "dead" if state == "running" else state
    world.wait(400)
    told = "it was off meanwhile, and no training has begun since: it needs a person"
    assert (world.line.view.text, world.line.view.stuck) == (told, True)
    world.runs[0].state = "running"
    world.wait(5)
    world.runs[0].state = "completed"
    world.wait(200)
    assert world.sent == 1


def test_who_starts_a_box_has_minutes_to_begin_a_training_on_it() -> None:
    world = World(None, Training("run1", "completed"))
    world.link, world.rent = "offline", a_rent("stopped")
    world.wait(20)
    world.link, world.rent = "live", a_rent("running")
    world.wait(TIMING.begin - 20)
    told = "it was off meanwhile, and no training has begun since"
    assert (world.line.view.text, world.line.view.stuck) == (told, False)
    world.runs.append(Training("run2"))
    world.wait(400)
    assert world.line.view.text == "waits for run2" and not world.line.view.stuck


@pytest.mark.parametrize("state", ["completed", "dead"])
def test_what_a_box_that_was_off_tells_late_had_ended_before(state: str) -> None:
    world = stopped_and_started()
    world.wait(5)
    assert world.line.view.text == "waits until the box has told everything"
    world.runs[0].state = state
    world.wait(400)
    assert world.sent == 0 and world.line.view.stuck


def test_a_line_that_is_set_while_the_box_is_off_waits_for_a_training() -> None:
    world = World(None, Training("run1", "completed"))
    world.link, world.rent = "offline", a_rent("stopped")
    world.wait(20)
    world.link, world.rent = "live", a_rent("running")
    world.wait(400)
    assert world.sent == 0 and world.line.view.stuck


def test_a_link_that_is_lost_while_the_box_runs_changes_nothing() -> None:
    world = World(None, Training("run1"))
    world.rent = a_rent("running")
    world.wait(20)
    world.link = "offline"
    world.wait(60)
    world.link = "live"
    world.runs[0].state = "completed"
    world.wait(200)
    assert world.sent == 1
