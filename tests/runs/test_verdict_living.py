"""Runs that train: starting, running, or silent for too long."""

from __future__ import annotations

import pytest

from tests.runs.build import CASES, NOW, alive, evidence, status
from tests.runs.judged import LOSSES, judged, table, written
from tui.facts import Process, Stat
from tui.runs.assess import assess

# -- running and starting ---------------------------------------------------


def test_a_run_that_moves_is_running_whether_its_process_is_known_or_not() -> None:
    assert judged(process=alive()).verdict == "running"
    assert judged(process=alive()).pid_alive is True
    assert judged().verdict == "running"
    assert judged().pid_alive is None


def test_a_run_without_a_finished_epoch_is_starting() -> None:
    run = assess(evidence(CASES / "RUN-08"))
    assert run.verdict == "starting"
    assert run.epoch == 0
    assert run.progress == 0.0


def test_a_resumed_run_is_starting_until_its_own_first_epoch_ends() -> None:
    first = status(current_epoch=None, completed_epochs=5, start_epoch=6, total_epochs=12)
    run = judged(status=first, metrics=table(*LOSSES, 0.6, first=1))
    assert (run.verdict, run.epoch, run.resumed) == ("starting", 5, True)
    assert run.headline.startswith("epoch 6/12 - warming up")


def test_rows_of_the_old_run_do_not_count_for_one_resumed_from_before_them() -> None:
    first = status(current_epoch=None, completed_epochs=7, start_epoch=8)
    old = {"metrics.jsonl": Stat(1, NOW - 9000)}  # written before started_at
    run = judged(status=first, metrics=table(*LOSSES), files=old)
    assert (run.verdict, run.epoch) == ("starting", 7)


# -- stalled ----------------------------------------------------------------


def test_a_living_run_that_is_silent_for_too_long_is_stalled() -> None:
    quiet = status(updated_at="2026-11-30T01:49:00+00:00")
    run = judged(status=quiet, process=alive())
    assert run.verdict == "stalled"
    assert run.reason == "nothing new for 11:00 (expected within 10:00)"
    assert run.ended_at == NOW - 660
    assert judged(status=quiet, process=alive(), now=NOW - 61).verdict == "running"


def test_a_run_with_long_epochs_may_be_silent_for_three_of_them() -> None:
    quiet = {"updated_at": "2026-11-30T01:00:00+00:00", "mean_epoch_seconds": 1500.0}
    assert judged(status=status(epoch_seconds=1500.0, **quiet), process=alive()).verdict == (
        "running"
    )
    assert judged(status=status(epoch_seconds=1100.0, **quiet), process=alive()).verdict == (
        "stalled"
    )


@pytest.mark.parametrize("name", ["metrics.jsonl", "results.csv", "train.log", "console.log"])
def test_any_growing_file_is_life(name: str) -> None:
    quiet = status(updated_at="2026-11-30T01:00:00+00:00")
    run = judged(status=quiet, process=alive(), files=written(name, 20))
    assert run.verdict == "running"


def test_a_file_from_the_future_is_no_life() -> None:
    quiet = status(updated_at="2026-11-30T01:00:00+00:00")
    run = judged(status=quiet, process=alive(), files=written("train.log", -86_400))
    assert run.verdict == "stalled"


def test_silence_where_nobody_sees_the_process_is_neither_running_nor_stalled() -> None:
    run = judged(status=status(updated_at="2026-11-30T01:00:00+00:00"))
    assert (run.verdict, run.reported_state) == ("unknown", "running")
    assert run.headline == "epoch 12/100 - nothing new for 1:00:00"
    assert run.reason == "nothing new for 1:00:00, and nobody can see whether its process lives"
    assert not run.derived


def test_a_process_of_another_pid_is_news_from_before_a_resume() -> None:
    run = judged(process=Process(900, "gone"))
    assert (run.verdict, run.pid_alive) == ("running", None)


def test_before_the_first_epoch_there_is_no_alarm_for_fifteen_minutes() -> None:
    began = {"current_epoch": None, "completed_epochs": 0, "mean_epoch_seconds": None}
    began |= {"started_at": "2026-11-30T01:45:30+00:00", "updated_at": "2026-11-30T01:45:30+00:00"}
    process = alive(age=900)
    assert judged(status=status(**began), process=process).verdict == "starting"
    late = judged(status=status(**began), process=process, now=NOW + 60)
    assert late.verdict == "stalled"


def test_a_lost_link_changes_no_verdict() -> None:
    run = judged(process=alive(), now=NOW, clock=NOW + 86_400)
    assert run.verdict == "running"
    assert run.age_s == 86_430.0
