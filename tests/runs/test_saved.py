"""What each checkpoint's danger is called."""

from __future__ import annotations

import pytest

from tui.runs.model import Best, Checkpoint, Run, Saved
from tui.runs.saved import by_weight, epoch_of, saved_state, saved_text

RUN = Run(id="r", path="/r", epoch=40, best=Best("mAP50-95", 0.5, 37))


def file(name: str, *, complete: bool | None = True, saved: Saved | None = None) -> Checkpoint:
    return Checkpoint(name, 21_000_000, 1_796_000_000.0, complete, saved)


def proven(epoch: int | None, *, current: bool) -> Saved:
    return Saved("hf://o/r/best.pt", "a" * 64, "c0ffee", 1_796_000_000.0, current, epoch)


@pytest.mark.parametrize(
    ("checkpoint", "state", "text"),
    [
        (file("best.pt", saved=proven(37, current=True)), "saved", "saved"),
        (file("last.pt", saved=proven(28, current=False)), "older", "copy 12 epochs older"),
        (file("best.pt", saved=proven(36, current=False)), "older", "copy 1 epoch older"),
        (file("best.pt", saved=proven(37, current=False)), "older", "copy is older"),
        (file("best.pt", saved=proven(None, current=False)), "older", "copy is older"),
        (file("average.pt"), "unsaved", "not saved"),
        (file("best.pt", complete=None), "unsaved", "not saved"),
        (file("best.pt", complete=False, saved=proven(37, current=True)), "damaged", "damaged"),
    ],
)
def test_a_checkpoint_says_how_safe_it_is(checkpoint: Checkpoint, state: str, text: str) -> None:
    assert saved_state(checkpoint) == state
    assert saved_text(checkpoint, RUN) == text


def test_a_checkpoint_tells_its_epoch_by_its_name_and_its_run() -> None:
    names = ("last.pt", "best.pt", "epoch_12.pt", "average.pt")
    assert [epoch_of(file(name), RUN) for name in names] == [40, 37, 12, None]


def test_best_and_last_stand_first_then_the_newest_epoch() -> None:
    files = tuple(file(name) for name in ("average.pt", "epoch_9.pt", "epoch_10.pt", "last.pt"))
    assert [one.name for one in by_weight(files)] == [
        "last.pt",
        "epoch_10.pt",
        "epoch_9.pt",
        "average.pt",
    ]
