"""Runs whose loss was lost, and those that only look so."""

from __future__ import annotations

from tests.runs.build import CASES, alive, evidence, rows, status
from tests.runs.judged import judged, table
from tui.runs.assess import assess


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
