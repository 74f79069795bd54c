"""When a push is due by itself."""

from __future__ import annotations

import pytest

from tui.actions.milestones import asks_for_anything, due
from tui.config.settings import AutoPush, Duration
from tui.runs.model import Best, Checkpoint, Run, Saved, Verdict

NOW = 1_796_000_000.0


def checkpoint(
    name: str, saved_epoch: int | None = None, *, current: bool = False, age: float = 0.0
) -> Checkpoint:
    saved = None
    if saved_epoch is not None:
        saved = Saved("hf://o/r/" + name, "a" * 64, "c0ffee", NOW - age, current, saved_epoch)
    return Checkpoint(name, 100, NOW, True, saved)


def run(epoch: int, *files: Checkpoint, verdict: Verdict = "running") -> Run:
    best = Best("mAP50-95", 0.5, epoch - 1)
    return Run(id="r", path="/r", verdict=verdict, epoch=epoch, best=best, checkpoints=files)


EVERY_10 = AutoPush(every_epochs=10)
BEST_EVERY_20_MIN = AutoPush(best_every=Duration(1200))
ON_END = AutoPush(on_end=True)


def test_without_a_rule_nothing_is_ever_pushed() -> None:
    assert not asks_for_anything(AutoPush())
    assert due(run(50, checkpoint("best.pt"), checkpoint("last.pt")), AutoPush(), NOW) is None


@pytest.mark.parametrize(
    ("epoch", "saved_epoch", "pushed"),
    [
        *((9, None, False), (10, None, True), (19, 10, False), (20, 10, True), (25, 9, True)),
        *((9, 95, False), (10, 95, True)),
    ],
)
def test_a_milestone_is_a_multiple_passed_since_the_saved_epoch(
    epoch: int, saved_epoch: int | None, pushed: bool
) -> None:
    found = due(run(epoch, checkpoint("last.pt", saved_epoch)), EVERY_10, NOW)
    assert (found is not None) is pushed


def test_a_milestone_takes_the_best_along_unless_that_is_saved() -> None:
    both = due(run(10, checkpoint("best.pt"), checkpoint("last.pt")), EVERY_10, NOW)
    assert both is not None and both.names == ("best.pt", "last.pt")
    saved = checkpoint("best.pt", 8, current=True)
    one = due(run(10, saved, checkpoint("last.pt")), EVERY_10, NOW)
    assert one is not None and one.names == ("last.pt",)
    assert one.reason == "epoch 10"


def test_a_new_best_waits_until_the_last_push_is_old_enough() -> None:
    early = run(12, checkpoint("best.pt", 5, age=1199))
    late = run(12, checkpoint("best.pt", 5, age=1200))
    assert due(early, BEST_EVERY_20_MIN, NOW) is None
    found = due(late, BEST_EVERY_20_MIN, NOW)
    assert found is not None and found.names == ("best.pt",)
    assert found.reason == "a new best at epoch 11"


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        ("completed", "the run completed"),
        ("failed", "the run failed"),
        ("dead", "the run died"),
        ("stopped", "the run was stopped"),
        ("running", None),
        ("stalled", None),
    ],
)
def test_the_end_pushes_whatever_is_not_saved(verdict: Verdict, reason: str | None) -> None:
    found = due(run(7, checkpoint("last.pt", 6), verdict=verdict), ON_END, NOW)
    assert (found.reason if found else None) == reason


def test_what_is_saved_or_damaged_is_never_pushed_again() -> None:
    saved = checkpoint("last.pt", 7, current=True)
    damaged = Checkpoint("best.pt", 0, NOW, False)
    assert due(run(7, saved, damaged, verdict="completed"), ON_END, NOW) is None
