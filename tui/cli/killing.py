"""`boxtop kill` step by step: which training, the question, the way there, and what was seen."""

from __future__ import annotations

from dataclasses import dataclass

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.journal import Journal
from tui.actions.kill import Killing
from tui.actions.kill_plan import KillMoment, KillPlan, KillRules
from tui.actions.kill_program import NothingToEnd
from tui.actions.kill_tree import Member
from tui.actions.kill_words import hard_lines, moment_progress, plan_lines, report_lines
from tui.actions.shell import make_shell
from tui.boxes import Box
from tui.cli.choice import one_run
from tui.cli.progress import ProgressLine
from tui.cli.reaching import box_to_act_on
from tui.cli.saving import asked, somebody_is_there
from tui.cli.session import Session
from tui.errors import UserError
from tui.report.exit_code import INTERRUPTED, RUN_NEEDS_A_PERSON, WELL
from tui.runs.ended import EndedFile
from tui.runs.model import Run
from tui.runs.order import is_live
from tui.text import said
from tui.watch.proofs import proof_file


@dataclass(frozen=True, slots=True)
class Training:
    """The run whose training is to end, on its box."""

    box: Box
    run: Run


def choose_training(session: Session, target: str) -> Training:
    """Look at a target and return the training that is meant; among several none is guessed.

    Raises UserError, LinkError.
    """
    if session.read_only:
        raise UserError("--read-only forbids kill")
    box = box_to_act_on(session, target)
    seen, view = one_run(session, target, box)
    live = [one.run.id for one in seen.runs if is_live(one.run)]
    if box.run is None and len(live) > 1:
        names = ", ".join(said(name, 60) for name in live[:10])
        raise UserError(
            f"{len(live)} trainings run on {said(box.name)}: say which one is to end",
            f"`boxtop kill {said(target)}:RUN` with one of {names}",
        )
    return Training(box, view.run)


def kill_training(
    session: Session,
    training: Training,
    cancel: Cancel,
    *,
    yes: bool,
    force: bool,
    seconds: float,
) -> int:
    """Ask, end the training, tell what was seen; returns the exit code.

    ``seconds`` are waited after the first signal. Raises ActionError.
    """
    box, run = training.box, training.run
    shell = make_shell(box.target, session.asker)
    killing = Killing(
        shell,
        lambda path: EndedFile(proof_file(session.data, box, path)),
        Journal(session.data),
        KillRules.waiting(seconds),
    )
    try:
        plan = killing.plan(box.name, run, cancel)
        for line in plan_lines(plan, killing.rules, box.price_per_hour):
            session.console.err.write(f"{session.console.paper.plain(line)}\n")
        session.console.err.flush()
        if not _agreed(session, yes):
            session.console.tell("nothing was signalled")
            return WELL
        return _Kill(session, killing, plan, box.price_per_hour, force).do(cancel)
    except NothingToEnd as gone:
        session.console.tell(f"nothing to end: {said(str(gone))}")
        return WELL
    except ActionError as error:
        if error.kind not in ("refused", "changed", "denied"):
            raise
        session.console.tell_error(UserError(f"nothing was signalled: {error}", error.hint))
        return RUN_NEEDS_A_PERSON
    finally:
        shell.close()


def _agreed(session: Session, yes: bool) -> bool:
    if yes:
        return True
    if not somebody_is_there():
        raise UserError("nobody is there to say yes", "add --yes to end a training from a script")
    return asked(session, "End it? [y/N]")


class _Kill:
    """One kill on the terminal."""

    def __init__(
        self,
        session: Session,
        killing: Killing,
        plan: KillPlan,
        price_per_hour: float | None,
        force: bool,
    ) -> None:
        self._session = session
        self._killing = killing
        self._plan = plan
        self._price = price_per_hour
        self._force = force
        self._line = ProgressLine(session.console)
        self._sent: list[str] = []

    def do(self, cancel: Cancel) -> int:
        """End it. Raises ActionError."""
        console = self._session.console
        try:
            report = self._killing.kill(self._plan, self._agree, self._show, cancel)
        except KeyboardInterrupt:
            self._line.end()
            console.tell(self._interrupted())
            return INTERRUPTED
        finally:
            self._line.end()
        console.say_all(report_lines(report, self._price))
        if report.ended:
            return WELL
        if not self._force and "KILL" not in report.sent and not somebody_is_there():
            console.tell("SIGKILL needs --force in a script")
        return RUN_NEEDS_A_PERSON

    def _show(self, moment: KillMoment) -> None:
        if moment.stage == "signalling" and moment.signal is not None:
            self._sent.append(f"SIG{moment.signal}")
        self._line.show(moment_progress(moment))

    def _agree(self, members: tuple[Member, ...]) -> bool:
        """Ask for SIGKILL: the first yes was not for that."""
        self._line.end()
        console = self._session.console
        for line in hard_lines(members):
            console.err.write(f"{console.paper.plain(line)}\n")
        if self._force:
            return True
        return somebody_is_there() and asked(self._session, "Send SIGKILL? [y/N]")

    def _interrupted(self) -> str:
        if not self._sent:
            return "nothing was signalled: the training goes on"
        sent = " and ".join(dict.fromkeys(self._sent))
        return (
            f"{sent} went out before; nothing more is sent. The training is left as it is, "
            "and may still end from that: look with `boxtop status`"
        )
