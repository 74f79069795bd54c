"""One transfer of weights as others see it: what it is about, and how far it has come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from tui.actions.progress import Progress, progress_text
from tui.actions.push_plan import PushPlan
from tui.actions.shell import Shell
from tui.runs.pending import PendingPush
from tui.runs.proofs import ProofFile
from tui.runs.words import clock_text, size_text
from tui.text import said

TransferState = Literal["waiting", "running", "saved", "failed", "cancelled"]
"""``waiting``: for its turn, or for the next try."""


class BoxAccess(Protocol):
    """What a transfer needs of its box."""

    def shell(self) -> Shell:
        """Return a shell of the box, to be closed. Raises ActionError, LinkError."""
        ...

    def proofs(self, run: str) -> ProofFile:
        """Return where the proofs of a run, by its path, are kept."""
        ...

    def changed(self, run: str) -> None:
        """Take note that there are new proofs of a run."""
        ...


@dataclass(frozen=True, slots=True)
class Pull:
    """Checkpoints of a run to a directory of this machine."""

    box: str
    run: str
    run_id: str
    names: tuple[str, ...]
    directory: Path


@dataclass(frozen=True, slots=True)
class Settle:
    """A push that was begun earlier and whose end is not known."""

    box: str
    run_id: str
    push: PendingPush


Task = PushPlan | Pull | Settle


@dataclass(frozen=True, slots=True)
class TransferView:
    """One moment of a transfer. ``number`` tells it from others; ``run`` is the run's path.

    ``text`` says how it stands or how it ended, ``hint`` what to do next, ``retry_in_s`` when the
    next try comes. ``at`` is when this state began, on a steady clock.
    """

    number: int
    kind: Literal["push", "pull"]
    box: str
    run: str
    run_id: str
    names: tuple[str, ...]
    where: str
    state: TransferState
    text: str
    hint: str | None = None
    progress: Progress | None = None
    retry_in_s: float | None = None
    automatic: bool = False
    at: float = 0.0

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it by itself."""
        return self.state in ("saved", "failed", "cancelled")


def kind_of(task: Task) -> Literal["push", "pull"]:
    """Return whether weights go to the Hub or come home."""
    return "pull" if isinstance(task, Pull) else "push"


def run_of(task: Task) -> tuple[str, str]:
    """Return the path and the id of the run that a task is about."""
    match task:
        case PushPlan():
            return task.run.path, task.run.id
        case Pull():
            return task.run, task.run_id
        case Settle():
            return task.push.run, task.run_id


def names_of(task: Task) -> tuple[str, ...]:
    """Return the checkpoints that a task is about."""
    return task.push.names if isinstance(task, Settle) else task.names


def where_to(task: Task) -> str:
    """Return where the weights go."""
    match task:
        case PushPlan():
            return str(task.place)
        case Pull():
            return str(task.directory)
        case Settle():
            return task.push.repo


def transfer_text(view: TransferView) -> str:
    """Return a transfer as one line: ``push best.pt to my-org/run1: uploading  57 %  …``.

    Of one that failed the reason comes first: there may be no room for more.
    """
    names = ", ".join(said(name, 40) for name in view.names)
    what = f"{view.kind} {names} to {said(view.where, 100)}"
    if view.state == "running" and view.progress is not None:
        return f"{what}: {progress_text(view.progress)}"
    if view.retry_in_s is not None:
        return f"next try in {clock_text(view.retry_in_s)}: {what}: {view.text}"
    if view.state == "failed":
        return f"{view.kind} failed: {view.text} ({names} to {said(view.where, 100)})"
    return f"{what}: {view.text}"


def saved_text(count: int, size: int) -> str:
    """Return what is said of a transfer that ended well."""
    return f"saved {'both' if count == 2 else count} ({size_text(size)})" if count > 1 else "saved"


Subscriber = Callable[[TransferView], object]
