"""Which checkpoints of a run a person means."""

from __future__ import annotations

from collections.abc import Sequence

from tui.errors import UserError, closest
from tui.runs.files import CHECKPOINT_SUFFIX
from tui.runs.model import Checkpoint, Run
from tui.runs.saved import MATTER, by_weight
from tui.text import said

ALL = "all"
USUAL = ("best", "last")
"""What is meant when nothing is named: what a run leaves that matters."""


def choose(what: Sequence[str], run: Run) -> tuple[Checkpoint, ...]:
    """Return the checkpoints that are meant, those that matter first, each once.

    ``what`` holds ``best``, ``last``, ``epoch_N``, ``all`` or whole names. Without any it is best
    and last, or the one of them that there is. Raises UserError naming what the run has instead.
    """
    there = by_weight(run.checkpoints)
    if not there:
        raise UserError(
            f"{said(run.id)} has no checkpoint yet",
            "the first one is written at the end of the first epoch",
        )
    if ALL in what:
        return tuple(there)
    if not what:
        usual = tuple(file for file in there if file.name in MATTER)
        return usual or tuple(there[:1])
    names = [_name(word) for word in what]
    for word, name in zip(what, names, strict=True):
        if all(file.name != name for file in there):
            raise _no_such(word, run, there)
    return tuple(file for file in there if file.name in names)


def _name(word: str) -> str:
    return word if word.endswith(CHECKPOINT_SUFFIX) else word + CHECKPOINT_SUFFIX


def _no_such(word: str, run: Run, there: Sequence[Checkpoint]) -> UserError:
    known = [file.name.removesuffix(CHECKPOINT_SUFFIX) for file in there]
    near = closest(word.removesuffix(CHECKPOINT_SUFFIX), known)
    guess = f"did you mean {said(near)}? " if near else ""
    listed = ", ".join(said(name, 40) for name in known[:10]) + (", …" if len(known) > 10 else "")
    return UserError(
        f"{said(run.id)} has no checkpoint {said(word)!r}", f"{guess}it has {listed}, or all"
    )
