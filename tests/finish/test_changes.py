"""What changes while a finish line counts down begins it all again."""

from __future__ import annotations

import pytest

from tests.finish.world import Training, World, a_setting


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
