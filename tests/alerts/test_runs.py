"""What is told of runs, and what is not."""

from __future__ import annotations

import pytest

from tests.alerts.scenes import NOW, OFFLINE, Scene, box, kinds, run
from tui.alerts.memory import Memory
from tui.runs.model import Best

DAY = 86_400.0


@pytest.mark.parametrize("verdict", ["failed", "dead", "stalled", "diverged", "completed"])
def test_what_becomes_of_a_watched_run_is_told_once(verdict: str) -> None:
    scene = Scene()
    assert scene.see(box(run())) == []
    told = scene.see(box(run(verdict, ended_at=NOW)), seconds=600)
    assert kinds(told) == [verdict]
    assert told[0].box == "lab" and told[0].run == "run12"


def test_a_run_that_somebody_stopped_is_no_alarm() -> None:
    scene = Scene()
    scene.see(box(run()))
    assert scene.see(box(run("stopped", ended_at=NOW)), seconds=600) == []


def test_a_moment_between_two_files_is_no_alarm() -> None:
    scene = Scene()
    scene.see(box(run()))
    assert scene.see(box(run("dead")), seconds=5) == []
    assert kinds(scene.see(box(run("completed", ended_at=NOW)))) == ["completed"]


def test_the_words_say_which_run_why_and_what_it_goes_on_costing() -> None:
    scene = Scene()
    scene.see(box(run(), price_per_hour=3.48))
    dead = run("dead", reason="killed by the kernel: out of memory")
    (event,) = scene.see(box(dead, price_per_hour=3.48))
    assert event.text == (
        "lab run12 is dead: killed by the kernel: out of memory; epoch 12/100; "
        "lab still bills $3.48/h"
    )


def test_a_run_that_ended_last_week_is_no_news_at_the_first_start() -> None:
    old = [
        run(verdict, path=f"/runs/{verdict}", ended_at=NOW - 7 * DAY)
        for verdict in ("completed", "failed", "dead")
    ]
    diverged = run("diverged", reported_state="completed", ended_at=NOW - 7 * DAY)
    assert Scene().see(box(*old, diverged), seconds=3600) == []


def test_what_is_in_trouble_now_is_news_at_the_first_start() -> None:
    runs = run("stalled"), run("failed", path="/runs/other", ended_at=NOW - 600)
    assert sorted(kinds(Scene().see(box(*runs)))) == ["failed", "stalled"]


def test_an_end_while_boxtop_was_away_is_told_at_the_next_start() -> None:
    scene = Scene()
    scene.see(box(run()))
    scene.restart(after=3 * DAY)
    assert kinds(scene.see(box(run("completed", ended_at=NOW + DAY)))) == ["completed"]


def test_a_run_that_came_and_went_while_boxtop_was_away_is_told() -> None:
    scene = Scene()
    scene.see(box(run("completed", ended_at=NOW - DAY)))
    scene.restart(after=DAY)
    other = run("completed", path="/runs/other", pid=9, ended_at=NOW + DAY / 2)
    assert kinds(scene.see(box(run("completed", ended_at=NOW - DAY), other))) == ["completed"]


def test_a_restart_repeats_nothing() -> None:
    scene = Scene()
    scene.see(box(run()))
    assert kinds(scene.see(box(run("dead", ended_at=NOW)))) == ["dead"]
    for _ in range(3):
        scene.restart()
        assert scene.see(box(run("dead", ended_at=NOW)), seconds=600) == []


def test_a_link_that_comes_and_goes_repeats_nothing() -> None:
    scene = Scene()
    scene.see(box(run()))
    assert kinds(scene.see(box(run("stalled")))) == ["stalled"]
    for _ in range(10):
        assert scene.see(box(run("stalled"), link=OFFLINE), seconds=30) == []
        assert scene.see(box(run("stalled")), seconds=30) == []


def test_the_same_directory_trained_anew_fails_anew() -> None:
    scene = Scene()
    scene.see(box(run()))
    assert kinds(scene.see(box(run("failed", ended_at=NOW)))) == ["failed"]
    scene.see(box(run(pid=5151)))
    assert kinds(scene.see(box(run("failed", pid=5151, ended_at=NOW)))) == ["failed"]


def test_a_second_stall_in_a_later_epoch_is_told_again() -> None:
    scene = Scene()
    assert kinds(scene.see(box(run("stalled", epoch=12)))) == ["stalled"]
    assert scene.see(box(run(epoch=13)), seconds=600) == []
    assert kinds(scene.see(box(run("stalled", epoch=13)))) == ["stalled"]


def test_a_run_that_writes_a_line_now_and_then_is_one_stall() -> None:
    scene = Scene()
    assert kinds(scene.see(box(run("stalled")))) == ["stalled"]
    for _ in range(5):
        assert scene.see(box(run()), seconds=600) == []
        assert scene.see(box(run("stalled")), seconds=60) == []
    assert scene.see(box(run()), seconds=1900) == []
    assert kinds(scene.see(box(run("stalled")))) == ["stalled"]


def test_a_finished_run_never_alarms_as_stalled() -> None:
    scene = Scene()
    scene.see(box(run()))
    for state in ("completed", "failed"):
        assert "stalled" not in kinds(scene.see(box(run("stalled", reported_state=state))))


def test_link_trouble_says_nothing_of_the_runs() -> None:
    scene = Scene()
    scene.see(box(run()))
    assert scene.see(box(run("dead"), link=OFFLINE), seconds=120) == []


def best(epoch: int, value: float) -> dict[str, object]:
    return {"best": Best("mAP50-95", value, epoch), "epoch": epoch}


def test_a_new_best_is_told_at_most_every_ten_minutes() -> None:
    scene = Scene()
    scene.see(box(run(**best(1, 0.1))), seconds=60)
    told = []
    for epoch in range(2, 32):
        told += scene.see(box(run(**best(epoch, 0.1 + epoch / 100))), seconds=60)
    assert kinds(told) == ["new_best"] * 3
    assert told[0].text == "lab run12 has a new best: mAP50-95 0.12 in epoch 2; epoch 2/100"


def test_the_last_best_of_an_old_run_is_no_news() -> None:
    scene = Scene()
    done = run("completed", ended_at=NOW - DAY, **best(88, 0.65))
    assert scene.see(box(done), seconds=1200) == []
    scene.restart()
    assert scene.see(box(done), seconds=1200) == []


def test_what_is_still_being_read_is_no_new_best() -> None:
    scene = Scene()
    told = []
    for epoch in range(10, 90, 40):
        told += scene.see(box(run(**best(epoch, epoch / 100))), seconds=5)
    assert told + scene.see(box(run(**best(88, 0.9))), seconds=5) == []
    assert scene.see(box(run(**best(88, 0.9))), seconds=1200) == []


def test_a_hostile_name_is_harmless() -> None:
    scene = Scene()
    evil = run(id="x\x1b]0;t\x07\n;rm", path="/r/\udcff", reason="token=hf_abcdefghijklmnop")
    scene.see(box(evil))
    (event,) = scene.see(box(run("dead", id=evil.id, path=evil.path, reason=evil.reason)))
    assert event.text.isprintable() and "hf_abc" not in event.text
    scene.restart()
    assert scene.see(box(evil)) == []


def test_thousands_of_runs_leave_a_small_memory() -> None:
    memory = Memory()
    scene = Scene(memory)
    runs = [run(path=f"/runs/{n}", pid=n) for n in range(6000)]
    scene.see(box(*runs), seconds=10)
    scene.see(box(*(run("failed", path=f"/runs/{n}", pid=n) for n in range(6000))), seconds=10)
    assert len(memory.runs) <= 4000 and len(memory.told) <= 4000
