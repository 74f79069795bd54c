"""What push and pull share on the command line: which run, which way, and how an error ends."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from tui.actions.cancel import Cancel
from tui.actions.choice import choose
from tui.actions.errors import ActionError
from tui.actions.hub_problem import HubError
from tui.actions.push import Unproven
from tui.actions.saving import Saving
from tui.actions.shell import make_shell
from tui.boxes import Box
from tui.cli.choice import one_run
from tui.cli.reaching import box_to_act_on
from tui.cli.session import Session
from tui.errors import UserError
from tui.report.exit_code import BOX_NOT_READ, NOT_CONFIRMED, USAGE
from tui.runs.model import Checkpoint
from tui.runs.saved import epoch_of
from tui.runs.words import size_text
from tui.text import said
from tui.view import RunView
from tui.watch.proofs import proof_file


@dataclass(frozen=True, slots=True)
class Chosen:
    """A run of a box, and the checkpoints of it that are meant."""

    box: Box
    view: RunView
    files: tuple[Checkpoint, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The checkpoints' names."""
        return tuple(file.name for file in self.files)

    def described(self) -> str:
        """Return ``best.pt (epoch 37, 21 MB) and last.pt (epoch 40, 21 MB)``."""
        parts = []
        for file in self.files:
            epoch = epoch_of(file, self.view.run)
            held = f"epoch {epoch}, " if epoch else ""
            parts.append(f"{said(file.name)} ({held}{size_text(file.bytes)})")
        return _joined(parts)


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def choose_run(session: Session, target: str, what: tuple[str, ...], action: str) -> Chosen:
    """Look at a target and return what is meant. Raises UserError, LinkError."""
    if session.read_only:
        raise UserError(f"--read-only forbids {action}")
    box = box_to_act_on(session, target)
    _, view = one_run(session, target, box)
    return Chosen(box, view, choose(what, view.run))


def saving_of(session: Session, box: Box) -> Saving:
    """Return what moves the weights of a box. Raises ActionError for a box that has none."""
    shell = make_shell(box.target, session.asker)
    return Saving(shell, lambda run: proof_file(session.data, box, run))


def guarded(session: Session, act: Callable[[Cancel], int]) -> int:
    """Run an action; whatever ends it becomes lines and an exit code. Ctrl-C cancels it."""
    cancel = Cancel()
    try:
        return act(cancel)
    except ActionError as error:
        session.console.tell_error(UserError(str(error), error.hint))
        return USAGE if error.kind == "usage" else BOX_NOT_READ
    except HubError as error:
        problem = error.problem
        session.console.tell_error(UserError(problem.message, problem.hint))
        if isinstance(error, Unproven):
            session.console.tell("the next push of this run learns how it ended")
        return NOT_CONFIRMED
    finally:
        cancel.cancel()


def asked(session: Session, question: str, expected: tuple[str, ...] = ("y", "yes")) -> bool:
    """Ask the person at the terminal; anything but an expected answer is no."""
    session.console.err.write(f"{question} ")
    session.console.err.flush()
    return sys.stdin.readline().strip().lower() in expected


def somebody_is_there() -> bool:
    """Whether a question can be asked."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))
