"""A finish line step by step: what it waits for, what stops it, and that it acts once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.finish.world import BOUND, Training, World, a_setting
from tui.actions.finish_check import Finding
from tui.actions.finish_line import Act, FinishLine, Seen
from tui.actions.finish_wish import Setting, Wish
from tui.actions.finish_words import view_text
from tui.rent import RentView


def test_a_run_that_completes_is_saved_verified_counted_down_and_destroyed_once() -> None:
    world = World()
    world.wait(20)
    assert world.phase == "waiting"
    assert view_text(world.line.view) == (
        "finish line of lab (push, destroy): waits for run1, epoch 1/9"
    )
    world.runs[0].state = "completed"
    world.wait(9)
    assert world.begun == []
    world.wait(4)
    assert world.begun == [("push", "run1")] and world.phase == "counting"
    text = view_text(world.line.view)
    assert text.startswith("all is saved and proven: DESTROYS lab (vast 700001) in 0:5")
    world.wait(50)
    assert world.sent == 0
    world.wait(200)
    assert (world.sent, world.phase, world.line.view.result) == (1, "over", "done")


def test_completed_counts_only_when_its_process_is_gone() -> None:
    world = World(None, Training("run1", "ending"))
    world.wait(100)
    assert world.begun == [] and "waits for run1" in world.line.view.text
    world.runs[0].state = "unseen"
    world.wait(100)
    assert world.sent == 1


@pytest.mark.parametrize("state", ["stalled", "unknown", "derived", "perhaps dead"])
def test_what_has_not_certainly_ended_is_waited_for(state: str) -> None:
    world = World(None, Training("run1", state))
    world.wait(200)
    assert world.phase == "waiting" and not world.line.view.stuck and world.begun == []


@pytest.mark.parametrize("state", ["diverged", "stopped", "failed", "dead"])
def test_other_ends_never_trigger_unless_asked_for_and_stay_set(state: str) -> None:
    world = World()
    world.look()
    world.runs[0].state = state
    world.wait(200)
    assert world.phase == "waiting" and world.line.view.stuck and world.begun == []
    assert "needs a person" in world.line.view.text
    world.runs[0].state = "running"
    world.wait(5)
    world.runs[0].state = "completed"
    world.wait(100)
    assert world.sent == 1


@pytest.mark.parametrize("state", ["failed", "dead"])
def test_failed_and_dead_count_when_asked_for(state: str) -> None:
    also = Wish(("pull",), "destroy", frozenset({"failed", "dead"}))
    world = World(Setting("lab", also, BOUND, "lab"))
    world.look()
    world.runs[0].state = state
    world.wait(100)
    assert world.begun == [("pull", "run1")] and world.sent == 1


def test_it_waits_for_all_runs_and_saves_all() -> None:
    world = World(a_setting(("push", "pull")), Training("run1"), Training("run2", "completed"))
    world.wait(100)
    assert "waits for run1" in world.line.view.text
    world.runs[0].state = "completed"
    world.wait(100)
    assert sorted(world.begun) == [
        ("pull", "run1"),
        ("pull", "run2"),
        ("push", "run1"),
        ("push", "run2"),
    ]
    assert world.sent == 1


def test_an_earlier_run_that_failed_stands_in_no_ones_way_but_its_weights_are_saved() -> None:
    world = World(None, Training("run1", "failed"), Training("run2"))
    world.wait(20)
    world.runs[1].state = "completed"
    world.wait(100)
    assert ("push", "run1") in world.begun and world.sent == 1


def test_where_all_had_ended_the_newest_decides() -> None:
    world = World(None, Training("r", "completed"), Training("newer", "failed"))
    world.wait(100)
    assert world.line.view.stuck and "newer failed" in world.line.view.text
    world = World(None, Training("r", "failed"), Training("newer", "completed"))
    world.wait(100)
    assert world.sent == 1


def test_without_an_end_only_what_is_done_now_is_saved() -> None:
    world = World(a_setting(end=None), Training("run1", "completed"), Training("run2"))
    world.look()
    world.runs[1].state = "completed"
    world.wait(30)
    assert world.begun == [("push", "run2")]
    assert world.line.view.result == "done" and world.verified == 0
    assert "the weights of 1 run were pushed" in world.line.view.text


def test_a_push_that_fails_ends_it_and_nothing_is_sent() -> None:
    world = World(None, Training("run1", "completed"))
    world.succeeds = False
    world.wait(200)
    view = world.line.view
    assert (view.result, world.sent, world.verified) == ("failed", 0, 0)
    assert view_text(view).startswith("finish line of lab NOT done: nothing was sent: push failed")


def test_a_person_who_hides_a_transfer_or_takes_it_over_changes_nothing() -> None:
    world = World(None, Training("run1", "completed"))
    world.at_once = False
    world.wait(12)
    assert world.phase == "saving"
    own = world.transfers.pop(1)
    world.transfers[9] = replace(own, number=9, automatic=False)
    world.wait(5)
    assert world.phase == "saving" and len(world.begun) == 1
    world.transfers[9] = replace(own, number=9, state="saved")
    world.at_once = True
    world.wait(100)
    assert world.sent == 1


def test_nothing_counts_before_the_box_has_told_everything_or_while_its_link_is_down() -> None:
    world = World(None, Training("run1", "completed"))
    world.told = False
    world.wait(100)
    assert world.begun == []
    world.told, world.link = True, "offline"
    world.wait(100)
    assert world.begun == []


def test_weights_that_are_not_proven_are_the_end_of_it() -> None:
    world = World(a_setting(()), Training("run1", "completed"))
    world.wait(200)
    view = world.line.view
    assert (view.result, world.sent) == ("refused", 0)
    assert "nothing was sent, lab (vast 700001) bills on: run1: best.pt" in view.text
    assert "(and 1 more)" in view.text and len(view.lines) == 1


def test_what_may_heal_is_tried_again_a_few_times() -> None:
    world = World(None, Training("run1", "completed"))
    later = Finding("failed", "nothing was sent: no list came", may_heal=True)
    world.finding = lambda: later  # type: ignore[method-assign]
    world.wait(20)
    assert world.phase == "verifying" and "looks again in" in view_text(world.line.view)
    del world.finding
    world.wait(200)
    assert world.sent == 1
    world = World(None, Training("run1", "completed"))
    world.finding = lambda: later  # type: ignore[method-assign]
    world.wait(400)
    assert world.line.view.result == "failed" and world.verified == 4
    assert world.line.view.text.startswith("given up: nothing was sent: no list came")


def test_another_instance_behind_the_box_is_never_touched() -> None:
    for rent in (
        RentView("vast", "9", "yolo9s", "running"),
        RentView("vast", "700001", "other", "running", listed_at=1.0),
        RentView("vast", "700001", "yolo9s", "gone", gone=True),
    ):
        world = World(None, Training("run1", "completed"))
        world.wait(40)
        box = replace(world.box, rent=rent)
        world.line.look(Seen(world.now, box))
        assert world.line.view.result == "failed"
        assert world.line.view.text.startswith("nothing was sent: ")
        world.wait(200)
        assert world.sent == 0


def test_what_was_sent_is_never_sent_again() -> None:
    world = World(None, Training("run1", "completed"))

    def unconfirmed() -> None:
        world.sent += 1
        world.line.acted(world.now, Finding("unconfirmed", "it is UNCONFIRMED"))

    world.act = unconfirmed  # type: ignore[method-assign]
    world.wait(1000)
    assert (world.sent, world.line.view.result) == (1, "unconfirmed")


def test_a_fault_while_it_acts_is_unconfirmed_and_before_that_nothing_was_sent() -> None:
    world = World(None, Training("run1", "completed"))
    world.act = lambda: world.line.fail("boxtop erred: KeyError")  # type: ignore[method-assign]
    world.wait(100)
    assert world.line.view.result == "unconfirmed"
    line = FinishLine(a_setting())
    line.fail("boxtop erred: KeyError")
    assert line.view.result == "failed"


def test_a_cancel_ends_it_in_every_phase_but_not_what_is_over() -> None:
    for seconds in (0, 5, 15, 40):
        world = World(None, Training("run1", "completed"))
        world.wait(seconds)
        world.line.cancel()
        assert world.line.view.result == "cancelled"
        assert "nothing was sent" in world.line.view.text
        world.wait(300)
        assert world.sent == 0
    world = World(None, Training("run1", "completed"))
    world.wait(100)
    world.line.cancel()
    assert world.line.view.result == "done"


def test_a_cancel_while_the_gate_looks_stands() -> None:
    world = World(None, Training("run1", "completed"))
    true = world.finding

    def cancelled() -> Finding:
        world.line.cancel()
        return true()

    world.finding = cancelled  # type: ignore[method-assign]
    world.wait(300)
    assert (world.sent, world.line.view.result) == (0, "cancelled")


def test_nothing_can_be_set_that_nobody_named() -> None:
    with pytest.raises(ValueError):
        Setting("lab", Wish(("push",), "destroy"), BOUND)
    with pytest.raises(ValueError):
        Setting("lab", Wish(("push",), "stop"))
    with pytest.raises(ValueError):
        Setting("lab", Wish(()))


def test_a_completed_run_without_weights_is_told_of() -> None:
    run = Training("run1")
    run.versions = {}
    world = World(None, run)
    world.look()
    run.state = "completed"
    world.wait(100)
    assert "completed without best.pt and last.pt" in world.line.view.text
    assert world.line.view.stuck


def test_the_order_to_act_comes_with_a_plan_of_this_countdown() -> None:
    world = World(None, Training("run1", "completed"))
    orders = []
    world.act = lambda: world.line.acted(world.now, Finding("done"))  # type: ignore[method-assign]
    for _ in range(200):
        world.now += 1
        orders.append(world.look())
    (act,) = [order for order in orders if isinstance(order, Act)]
    assert act.plan.bound == BOUND
