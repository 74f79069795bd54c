"""How finish lines ended is told, each once, also where boxtop is started over and over."""

from __future__ import annotations

from dataclasses import replace

from tests.alerts.scenes import Scene, box, kinds, run
from tui.actions.finish_line import FinishView, Result
from tui.actions.finish_wish import Setting, Wish
from tui.actions.instance_plan import Bound
from tui.alerts.ends import Ended, ended_early, ended_of
from tui.alerts.event import Event, message_of
from tui.alerts.judge import Moment

SETTING = Setting("lab", Wish(("pull",), "destroy"), Bound("vast", "7", "lab"), "lab")
DONE = box(run("completed"))


def over(result: Result = "done", text: str = "lab (vast 7) is gone") -> FinishView:
    return FinishView(SETTING, "over", text, result=result)


def see(scene: Scene, *views: FinishView, seen: object = DONE) -> list[Event]:
    scene.wall += 5.0
    scene.awake += 5.0
    ends = [end for view in views if (end := ended_of(view)) is not None]
    at = Moment(scene.wall, scene.awake)
    return list(scene.judge.look([seen], (), at, ends))  # type: ignore[list-item]


def test_an_end_is_told_at_once_and_once() -> None:
    scene = Scene()
    assert see(scene, FinishView(SETTING, "counting", "all is saved", left_s=9.0)) == []
    (told,) = see(scene, over())
    assert told.kind == "finished"
    assert told.text == "finish line of lab done: lab (vast 7) is gone"
    assert message_of([told], 1.0).title == "boxtop: finished: lab"
    assert see(scene, over()) == []
    assert see(scene, over(), seen=box(run(path="/runs/next"))) == [], "it is shown on and on"


def test_what_was_not_done_is_trouble() -> None:
    for result in ("refused", "failed", "unconfirmed"):
        (told,) = see(Scene(), over(result, "nothing was sent"))
        assert told.kind == "finish_failed"
        assert told.text == "finish line of lab NOT done: nothing was sent"
        assert message_of([told], 1.0).is_trouble
    stuck = FinishView(SETTING, "waiting", "run1 failed, and that was not asked for", stuck=True)
    (told,) = see(Scene(), stuck)
    assert told.kind == "finish_failed" and "nobody will pull the weights" in told.text


def test_nobody_is_told_what_a_person_cancelled_or_what_goes_on() -> None:
    assert see(Scene(), over("cancelled"), FinishView(SETTING, "waiting", "waits for run1")) == []


def test_a_start_over_and_over_tells_an_end_once_and_the_next_trainings_too() -> None:
    scene = Scene()
    assert kinds(see(scene, over("refused"))) == ["finish_failed"]
    for _ in range(3):
        scene.restart()
        assert see(scene, FinishView(SETTING, "waiting", "looks")) == []
        assert see(scene, over("refused", "nothing was sent: last.pt is not saved")) == []
    assert kinds(see(scene, over())) == ["finished"]
    scene.restart()
    again = box(run("completed", started_at=5.0))
    assert kinds(see(scene, over("refused"), seen=again)) == ["finish_failed"]


def test_a_line_that_is_given_up_says_why() -> None:
    view = FinishView(SETTING, "waiting", "waits for its link")
    assert ended_early(view, "lab: the host key is another") == Ended(
        "lab",
        "pull, destroy of lab (vast 7)",
        "left",
        "lab: the host key is another; the finish line of lab ends with boxtop: "
        "nobody will pull the weights, then destroy lab (vast 7)".replace(
            "destroy lab", "DESTROY lab"
        ),
        False,
    )
    assert replace(view, stuck=True).is_over is False
