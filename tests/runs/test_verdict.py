"""Every row of the verdict table, and what must not tip it."""

from __future__ import annotations

import pytest

from tests.runs.build import CASES, NOW, alive, evidence, gone, log, rows, status
from tui.facts import FileTrouble, Process, Stat, Task
from tui.runs.assess import assess
from tui.runs.metrics import Metrics
from tui.runs.model import Run

LOSSES = [1.0, 0.9, 0.8, 0.7]


def table(*losses: float | None, first: int = 9) -> Metrics:
    return rows(
        *(
            {"epoch": first + n, "time": 61.0, "train/loss": loss, "validated": False}
            for n, loss in enumerate(losses)
        )
    )


def judged(**overrides: object) -> Run:
    return assess(evidence(**{"status": status(), **overrides}))


def written(name: str, age: float) -> dict[str, Stat]:
    return {name: Stat(100, NOW - age)}


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


# -- diverged ---------------------------------------------------------------


def test_three_lost_losses_in_a_row_are_divergence() -> None:
    run = assess(evidence(CASES / "RUN-18", status=status(current_epoch=6), process=alive()))
    assert run.verdict == "diverged"
    assert run.reason == "train/loss not finite since epoch 3"
    assert run.best is not None
    assert run.diagnosis is not None
    assert "epoch 2" in (run.diagnosis.hint or "")


def test_two_lost_losses_or_a_recovery_are_only_told() -> None:
    two = judged(metrics=table(1.0, 1.0, None, None), process=alive())
    assert two.verdict == "running"
    assert "train/loss not finite since epoch 11" in two.warnings
    healed = judged(metrics=table(None, None, None, 1.0), process=alive())
    assert healed.verdict == "running"
    assert "train/loss not finite in epochs 9, 10, 11" in healed.warnings


def test_a_completed_run_can_have_diverged() -> None:
    done = status(state="completed", completed_epochs=12, total_epochs=12)
    assert judged(status=done, metrics=table(1.0, None, None, None)).verdict == "diverged"


def test_a_resume_that_heals_the_loss_ends_the_divergence() -> None:
    healed = rows(
        *({"epoch": n, "train/loss": None} for n in (8, 9, 10, 11, 12)),
        {"epoch": 8, "train/loss": 0.5},
        {"epoch": 9, "train/loss": 0.4},
    )
    run = judged(status=status(current_epoch=9, start_epoch=8), metrics=healed, process=alive())
    assert run.verdict == "running"
    assert run.epoch == 9


def test_metrics_without_a_loss_column_have_not_diverged() -> None:
    other = rows(*({"epoch": n, "train/box_loss": 0.5} for n in range(1, 13)))
    assert judged(metrics=other, process=alive()).verdict == "running"


# -- dead -------------------------------------------------------------------


def test_a_run_whose_process_is_gone_is_dead() -> None:
    run = judged(process=gone())
    assert run.verdict == "dead"
    assert run.reason == "killed, reason unknown"
    assert run.headline == "DEAD (was running, epoch 12/100)"
    assert run.pid_alive is False
    assert run.ended_at == NOW - 30


def test_a_zombie_and_a_reused_pid_are_dead_and_say_so() -> None:
    zombie = judged(process=Process(4242, "zombie", NOW - 7300, "python train.py"))
    assert zombie.verdict == "dead"
    assert zombie.reason == "pid 4242 is a zombie: it ended and nobody reaped it"
    reused = judged(process=Process(4242, "alive", NOW - 10, "sshd: root@notty"))
    assert reused.verdict == "dead"
    assert "now belongs to sshd" in (reused.reason or "")


def test_an_end_without_a_final_status_is_told_by_the_log() -> None:
    complete = log("2026-11-30 02:14:02 | INFO     | Training complete in 0.08 hours\n")
    run = judged(process=gone(), log=complete)
    assert run.verdict == "dead"
    assert run.reason == "ended without a final status; the log says that training is complete"


def test_a_dead_run_is_dead_even_if_its_loss_was_lost() -> None:
    assert judged(process=gone(), metrics=table(None, None, None)).verdict == "dead"


# -- stopped ----------------------------------------------------------------


def test_ctrl_c_is_told_as_such() -> None:
    run = assess(evidence(CASES / "RUN-04"))
    assert run.verdict == "stopped"
    assert run.headline == "interrupted (Ctrl-C) in epoch 5"
    assert run.reason == "interrupted (Ctrl-C) in epoch 5"
    assert run.epoch == 4
    assert run.error is not None
    assert (run.error.type, run.error.message) == ("KeyboardInterrupt", None)


def test_ctrl_c_that_wrote_no_status_shows_in_the_console() -> None:
    console = log(
        'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n'
        "    main()\nKeyboardInterrupt\n"
    )
    run = judged(process=gone(), console=console)
    assert run.verdict == "stopped"
    assert run.headline == "interrupted (Ctrl-C) in epoch 13"


def test_a_rank_that_failed_of_ctrl_c_was_stopped_too() -> None:
    console = log("Traceback (most recent call last):\n  x\nKeyboardInterrupt\n")
    failed = status(
        state="failed", current_epoch=13, error={"type": "RuntimeError", "message": "x"}
    )
    run = judged(status=failed, console=console)
    assert (run.verdict, run.headline) == ("stopped", "interrupted (Ctrl-C) in epoch 13")


def test_a_kill_by_boxtop_is_a_stop_once_the_process_is_gone() -> None:
    run = judged(process=gone(), killed_by_boxtop=True)
    assert run.verdict == "stopped"
    assert run.headline == "stopped by boxtop at 12/100"
    assert judged(process=alive(), killed_by_boxtop=True).verdict == "running"
    failed = status(state="failed", current_epoch=13, error={"type": "SystemExit", "message": "1"})
    assert judged(status=failed, killed_by_boxtop=True).verdict == "stopped"


def test_survivors_of_a_killed_training_keep_it_from_being_stopped() -> None:
    ranks = (Task(111, 1, "python rank1"), Task(112, 1, "python rank2", "zombie"))
    process = Process(4242, "gone", tree=(*ranks, Task(113, 1, "python rank3")))
    run = judged(process=process, killed_by_boxtop=True)
    assert run.verdict == "dead"
    assert "2 processes of the training still live: pid 111, 113" in run.warnings


# -- failed and completed ---------------------------------------------------


def test_a_failed_run_is_where_it_failed_not_at_nothing() -> None:
    run = assess(evidence(CASES / "RUN-03"))
    assert run.verdict == "failed"
    assert run.headline == "failed at 80/100 (80 %)"
    assert run.epoch == 80
    assert run.progress == 0.8
    assert run.reason == "OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"


def test_the_epoch_a_run_failed_in_did_not_finish() -> None:
    failed = {"state": "failed", "error": {"type": "ValueError", "message": "x"}}
    assert judged(status=status(current_epoch=13, **failed)).epoch == 12
    assert judged(status=status(current_epoch=None, **failed)).epoch == 0
    assert judged(status=status(current_epoch=None, start_epoch=6, **failed)).epoch == 5


def test_a_failure_without_words_still_says_something() -> None:
    for error in (None, {}, {"type": "", "message": ""}, 7):
        run = judged(status=status(state="failed", error=error))
        assert run.reason == "failed without a message"
        assert run.error is None
    run = judged(status=status(state="failed", error={"type": "ValueError", "message": ""}))
    assert run.reason == "ValueError"


def test_early_stopping_is_a_completion() -> None:
    run = assess(evidence(CASES / "RUN-05"))
    assert run.verdict == "completed"
    assert run.early_stopped
    assert run.headline == "completed - stopped early at 37/100"
    assert run.best is not None
    assert (run.best.value, run.best.epoch) == (0.571, 17)
    assert (run.eta_s, run.eta_text) == (None, "-")
    assert run.progress == 1.0


def test_a_resumed_run_counts_from_where_it_resumed() -> None:
    done = status(
        state="completed", start_epoch=6, completed_epochs=7, total_epochs=12, progress=0.58
    )
    run = judged(status=done)
    assert (run.epoch, run.progress, run.early_stopped, run.resumed) == (12, 1.0, False, True)
    assert run.headline == "completed - 12/12"


def test_running_is_never_shown_as_done() -> None:
    at_end = status(
        current_epoch=5, completed_epochs=5, total_epochs=5, progress=1.0, eta_seconds=0.0
    )
    run = judged(status=at_end, process=alive())
    assert run.verdict == "running"
    assert run.progress is not None
    assert 0.8 < run.progress < 1.0
    assert run.headline == "epoch 5/5 - still training"


# -- unknown and derived ----------------------------------------------------


def test_without_a_readable_status_the_rest_speaks() -> None:
    stat = Stat(812, NOW - 60, mode=0o600, owner="root")
    trouble = FileTrouble("/root/runs/run1", "status.json", "EACCES", stat)
    run = assess(
        evidence(
            CASES / "FILE-01",
            troubles={"status.json": trouble},
            files={"metrics.jsonl": Stat(40960, NOW - 60)},
        )
    )
    assert run.reported_state is None
    assert run.derived
    assert run.epoch == 3
    assert run.verdict == "running"
    assert run.headline == "derived: running, epoch 3"
    assert "status.json: permission denied (root, 0600)" in run.warnings
    assert run.train_loss == 1.15


def test_an_old_run_without_a_status_is_unknown() -> None:
    run = judged(status=None, metrics=table(*LOSSES), files=written("metrics.jsonl", 7200))
    assert run.verdict == "unknown"
    assert run.reason == "no status.json; nothing new for 2:00:00"
    assert judged(status=None).verdict == "unknown"
    assert judged(status=None).epoch is None


def test_a_half_written_status_is_told_and_the_rest_speaks() -> None:
    run = judged(status=b'{"state": "ru', metrics=table(*LOSSES), process=alive())
    assert run.derived
    assert run.epoch == 12
    assert run.warnings[-1] == "status.json: half-written or no JSON"


def test_a_derived_verdict_is_said_once() -> None:
    dead = judged(status=b"", metrics=table(*LOSSES), process=gone())
    assert dead.headline == "derived: DEAD (was running, epoch 12)"
    assert judged(status=None).headline == "derived: unknown, no epochs yet"


def test_a_directory_with_nothing_but_its_configuration_just_begins() -> None:
    run = assess(evidence(CASES / "RUN-10" / "runs" / "run13"))
    assert run.verdict == "starting"
    assert run.total_epochs == 100
    assert run.headline.startswith("derived: starting")


def test_a_log_tells_what_no_status_says() -> None:
    complete = log("2026-11-30 02:14:02 | INFO     | Training complete in 0.08 hours\n")
    assert judged(status=None, log=complete).verdict == "completed"
    broken = log("Traceback (most recent call last):\n  x\nValueError: bad\n")
    run = judged(status=None, console=broken)
    assert (run.verdict, run.reason) == ("failed", "ValueError: bad")


def test_an_unknown_state_is_named_and_not_believed() -> None:
    run = judged(status=status(state="paused\x1b[31m"), process=alive())
    assert run.reported_state == "paused"
    assert run.verdict == "running"
    assert run.reason == "status.json says 'paused', which boxtop does not know"
    assert judged(status=status(state=None)).derived


def test_an_unknown_schema_is_read_as_far_as_it_goes() -> None:
    run = judged(status=status(schema_version=9), process=alive())
    assert run.verdict == "running"
    assert "status.json has schema_version 9, boxtop knows 1" in run.warnings
