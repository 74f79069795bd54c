"""What would be lost if the box vanished now: each checkpoint against its newest proof."""

from __future__ import annotations

import re
from typing import Literal

from tui.runs.model import Checkpoint, Run
from tui.runs.words import count_text

SavedState = Literal["saved", "older", "unsaved", "damaged"]
"""``older``: an earlier version was saved, the file was written again since."""

MATTER = ("best.pt", "last.pt")
"""The checkpoints without which a run was for nothing."""

_EPOCH = re.compile(r"epoch_(\d{1,9})\.pt")


def by_weight(files: tuple[Checkpoint, ...]) -> list[Checkpoint]:
    """Return checkpoints with those that matter first, the others from the newest epoch down."""
    return sorted(
        files, key=lambda file: (MATTER.index(file.name) if file.name in MATTER else 9, _age(file))
    )


def saved_state(file: Checkpoint) -> SavedState:
    """Whether a checkpoint is out of danger."""
    if file.complete is False:
        return "damaged"
    if file.saved is None:
        return "unsaved"
    return "saved" if file.saved.current else "older"


def epoch_of(file: Checkpoint, run: Run) -> int | None:
    """Return the epoch that a checkpoint on the box holds, None where nothing says."""
    numbered = _EPOCH.fullmatch(file.name)
    if numbered:
        return int(numbered[1])
    if file.name == "last.pt":
        return run.epoch
    if file.name == "best.pt" and run.best is not None:
        return run.best.epoch
    return None


def epochs_behind(file: Checkpoint, run: Run) -> int | None:
    """Return how many epochs a checkpoint has gone on since its saved version, None if unknown."""
    now, then = epoch_of(file, run), file.saved.epoch if file.saved else None
    return now - then if now is not None and then is not None and now > then else None


def saved_text(file: Checkpoint, run: Run) -> str:
    """Return the state in words: ``saved``, ``12 epochs older``, ``not saved``, ``damaged``."""
    match saved_state(file):
        case "saved":
            return "saved"
        case "damaged":
            return "damaged"
        case "unsaved":
            return "not saved"
        case "older":
            behind = epochs_behind(file, run)
            return f"copy {count_text(behind, 'epoch')} older" if behind else "copy is older"


def _age(file: Checkpoint) -> tuple[int, str]:
    numbered = _EPOCH.fullmatch(file.name)
    return (-int(numbered[1]) if numbered else 0, file.name)
