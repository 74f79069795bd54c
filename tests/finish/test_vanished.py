"""A run that goes away while its end is waited for: nobody saw it complete, so it never did."""

from __future__ import annotations

import pytest

from tests.finish.world import Training, World, a_setting
from tui.view import LinkState

GONE = "run2 is not there any more, and nobody saw it complete: it needs a person"


def vanished(state: str = "running") -> World:
    """A box with a run that had completed before, whose training run2 was deleted."""
    world = World(a_setting(), Training("run1", "completed"), Training("run2", "running"))
    world.wait(20)
    world.runs[1].state = state
    world.wait(5)
    del world.runs[1]
    return world


@pytest.mark.parametrize("state", ["running", "ending", "stopped", "failed", "unknown"])
def test_a_training_that_is_deleted_leaves_no_box_to_be_destroyed(state: str) -> None:
    world = vanished(state)
    world.wait(400)
    assert (world.sent, world.begun) == (0, [])
    assert (world.line.view.text, world.line.view.stuck) == (GONE, True)


def test_a_box_whose_runs_are_all_gone_needs_a_person() -> None:
    world = World(None, Training("run2"))
    world.wait(20)
    world.runs.clear()
    world.wait(400)
    assert (world.line.view.text, world.line.view.stuck) == (GONE, True)


@pytest.mark.parametrize("name", ["run2", "later"])
def test_the_next_training_is_waited_for_in_its_place(name: str) -> None:
    world = vanished()
    world.wait(30)
    world.runs.append(Training(name))
    world.wait(30)
    assert world.line.view.text == f"waits for {name}"
    world.runs[1].state = "completed"
    world.wait(200)
    assert world.sent == 1


def test_one_that_trained_beside_it_takes_not_its_place() -> None:
    world = World(a_setting(), Training("run2", began=1.0), Training("run3", began=2.0))
    world.wait(20)
    del world.runs[0]
    world.wait(5)
    world.runs[0].state = "completed"
    world.wait(200)
    assert world.sent == 0 and world.line.view.text == GONE


def test_an_old_run_that_is_renamed_is_no_later_training() -> None:
    world = vanished()
    world.wait(5)
    world.runs[0].name = "r"
    world.wait(400)
    assert world.sent == 0 and world.line.view.stuck


@pytest.mark.parametrize("link", ["live", "offline"])
def test_an_old_run_that_was_trained_anew_counts_as_any_other(link: LinkState) -> None:
    world = World(a_setting(), Training("run1", "completed"), Training("run2"))
    world.wait(20)
    world.link = link
    world.runs[0].state, world.runs[0].began = "running", 5000.0
    world.wait(20)
    world.runs[0].state, world.runs[1].state = "failed", "completed"
    world.link = "live"
    world.wait(200)
    assert world.sent == 0 and "run1 failed" in world.line.view.text


@pytest.mark.parametrize("is_saved", [True, False])
def test_one_that_completed_may_go_afterwards_when_its_weights_were_saved(is_saved: bool) -> None:
    run = Training("run2", saved={("best.pt", 1)}, is_shown=True)
    world = World(a_setting(), Training("run1", "completed"), run)
    world.wait(20)
    run.state = "completed"
    run.saved |= {("last.pt", 1)} if is_saved else set()
    world.wait(5)
    del world.runs[1]
    world.wait(30)
    world.runs.append(Training("later", "completed"))
    world.wait(200)
    assert world.sent == is_saved
    if not is_saved:
        told = "run2 is not there any more, and not all of it was saved: it needs a person"
        assert (world.line.view.text, world.line.view.stuck) == (told, True)


def test_a_training_that_is_renamed_is_waited_for_under_its_new_name() -> None:
    world = World(None, Training("run2"))
    world.wait(20)
    world.runs = [Training("renamed", began=world.runs[0].started_at)]
    world.wait(20)
    assert world.line.view.text == "waits for renamed"
    world.runs[0].state = "completed"
    world.wait(200)
    assert world.sent == 1


def test_a_run_that_comes_back_is_the_same_run() -> None:
    world = World(a_setting(), Training("run1", "completed"), Training("run2"))
    world.wait(20)
    run = world.runs.pop()
    world.wait(30)
    assert world.line.view.stuck
    run.state = "completed"
    world.runs.append(run)
    world.wait(200)
    assert world.sent == 1
