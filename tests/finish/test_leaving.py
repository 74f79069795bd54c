"""What is said when boxtop is left while a finish line is set."""

from __future__ import annotations

from tests.finish.world import Training, World
from tui.actions.finish_words import leaving_text


def test_leaving_says_that_it_ends_with_boxtop() -> None:
    world = World()
    world.look()
    assert leaving_text(world.line.view) == (
        "the finish line of lab ends with boxtop: nobody will push the weights, "
        "then DESTROY lab (vast 700001)"
    )


def test_amid_the_action_nobody_says_that_it_will_not_happen() -> None:
    world = World(None, Training("run1", "completed"))
    world.act = lambda: None  # type: ignore[method-assign]
    world.wait(100)
    assert world.phase == "acting"
    assert leaving_text(world.line.view) == (
        "boxtop leaves amid the destroy of lab (vast 700001): "
        "`boxtop boxes` tells what became of it"
    )
