"""What changes while a finish line counts down begins it all again."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from msgspec import structs

from tests.finish.world import Training, World, a_setting
from tui.actions.finish_check import Finding
from tui.actions.finish_line import Act, Order, Seen, Verify
from tui.runs.model import Saved
from tui.view import RunView


@pytest.mark.parametrize("change", ["new run", "epoch", "link", "file"])
def test_a_change_begins_the_countdown_anew(change: str) -> None:
    world = World(None, Training("run1", "completed"))
    world.wait(40)
    assert world.phase == "counting"
    if change == "link":
        world.link = "stale"
        world.wait(1)
        assert "waits for its link (stale" in world.line.view.text
        world.link = "live"
    elif change == "new run":
        world.runs.append(Training("run2"))
        world.wait(1)
        assert "waits for run2" in world.line.view.text
        world.runs[1].state = "completed"
    elif change == "epoch":
        world.runs[0].epoch += 1
    else:
        world.runs[0].write()
    began = world.now
    world.wait(68)
    assert world.sent == 0
    world.wait(20)
    assert world.sent == 1 and world.now - began > 70
    assert all(run.is_safe for run in world.runs)


def test_a_file_that_changes_begins_the_countdown_anew_where_nothing_is_to_be_saved() -> None:
    run = Training("run1", "completed", saved={("best.pt", 1), ("last.pt", 1), ("last.pt", 2)})
    world = World(a_setting(()), run)
    world.wait(40)
    assert world.phase == "counting"
    run.versions["last.pt"] = 2
    world.wait(50)
    assert world.phase == "counting" and world.sent == 0
    world.wait(60)
    assert world.sent == 1


@dataclass
class Kept(Training):
    """A run whose weights had been pushed before, as long as the copies lie there."""

    is_kept: bool = True

    def view(self) -> RunView:
        view = super().view()
        saved = Saved("hf://my-org/run1/w", "a" * 64, "c" * 40, 1.0, True) if self.is_kept else None
        files = tuple(structs.replace(file, saved=saved) for file in view.run.checkpoints)
        return RunView(structs.replace(view.run, checkpoints=files), None, None, None)  # type: ignore[arg-type]


def test_a_copy_that_is_lost_is_saved_again_and_the_countdown_begins_anew() -> None:
    run = Kept("run1", "completed", saved={("best.pt", 1), ("last.pt", 1)})
    world = World(None, run)
    world.wait(40)
    assert world.phase == "counting" and world.begun == []
    run.is_kept = False
    world.wait(1)
    assert world.begun == [("push", "run1")]
    world.wait(50)
    assert world.phase == "counting" and world.sent == 0
    world.wait(60)
    assert (world.sent, world.verified) == (1, 2)


def test_what_was_not_sent_is_looked_at_and_counted_down_again() -> None:
    world = World(None, Training("run1", "completed"))
    orders: list[type] = []

    def refused() -> None:
        if orders.count(Act) == 1:
            world.line.acted(world.now, Finding("refused", "not yet", may_heal=True))
        else:
            world.line.acted(world.now, Finding("done", "it is gone"))

    world.act = refused  # type: ignore[method-assign]
    look = world.line.look

    def looked(seen: Seen) -> Order | None:
        order = look(seen)
        orders.extend([type(order)] if isinstance(order, Act | Verify) else [])
        return order

    world.line.look = looked  # type: ignore[method-assign]
    world.wait(300)
    assert orders == [Verify, Act, Verify, Act]


def test_a_cancel_while_it_is_sent_takes_nothing_back() -> None:
    world = World(None, Training("run1", "completed"))

    def sent() -> None:
        world.line.cancel()
        assert world.phase == "acting"
        world.line.acted(world.now, Finding("unconfirmed", "nobody waited for the end"))

    world.act = sent  # type: ignore[method-assign]
    world.wait(200)
    assert world.line.view.result == "unconfirmed"
