"""What the dialogs of push and pull offer of a run."""

from __future__ import annotations

from tui.runs.model import Checkpoint
from tui.runs.saved import MATTER, by_weight, epoch_of
from tui.runs.words import size_text
from tui.screens.rows import Row
from tui.text import one_line
from tui.view import RunView


def title(row: Row) -> str:
    """Return which run it is about."""
    assert row.run is not None
    return f"{one_line(row.run.run.id)} on {one_line(row.box.name)}"


def choices(view: RunView) -> list[tuple[tuple[str, ...], str]]:
    """Return sets of checkpoints to choose from, each with its description."""
    files = by_weight(view.run.checkpoints)
    usual = [file for file in files if file.name in MATTER]
    sets = [usual] if len(usual) > 1 else []
    sets += [[file] for file in files]
    if len(files) > 2:
        sets.append(files)
    return [(tuple(file.name for file in chosen), _described(view, chosen)) for chosen in sets]


def _described(view: RunView, files: list[Checkpoint]) -> str:
    size = size_text(sum(file.bytes for file in files))
    if len(files) == 1:
        epoch = epoch_of(files[0], view.run)
        return f"{files[0].name} ({f'epoch {epoch}, ' if epoch else ''}{size})"
    if len(files) == 2:
        return f"{files[0].name} and {files[1].name} ({size})"
    return f"all {len(files)} checkpoints ({size})"
