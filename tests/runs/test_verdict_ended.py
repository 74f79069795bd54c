"""Runs that ended: dead, stopped, failed or completed, and nothing short of it."""

from __future__ import annotations

from tests.runs.build import CASES, NOW, alive, evidence, gone, log, status
from tests.runs.judged import judged, table
from tui.facts import Process, Task
from tui.runs.assess import assess

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
