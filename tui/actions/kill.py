"""Ending a training: the launcher first and gently, the rest later, and SIGKILL after a second yes.

Nothing is assumed: what counts is what the box's process table shows afterwards. Ending a training
saves nothing by itself, and the box bills on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.journal import Entry, Journal, now_text
from tui.actions.kill_plan import Agree, KillMoment, KillPlan, KillReport, KillRules
from tui.actions.kill_program import EndProgram, SignalName, Target
from tui.actions.kill_steps import Steps
from tui.actions.shell import Shell
from tui.runs.ended import Ended, EndedFile
from tui.runs.model import Run
from tui.text import said


class Killing:
    """Ends trainings of one box. ``ended`` says where the record of a run (by its path) is kept.

    ``rules`` are the waits; ``journal`` is None where nothing is kept.
    """

    def __init__(
        self,
        shell: Shell,
        ended: Callable[[str], EndedFile | None] = lambda run: None,
        journal: Journal | None = None,
        rules: KillRules | None = None,
    ) -> None:
        self._shell = shell
        self._ended = ended
        self._journal = journal
        self.rules = rules or KillRules()

    def plan(self, box: str, run: Run, cancel: Cancel) -> KillPlan:
        """Look at the run's processes; nothing is signalled.

        Raises NothingToEnd when none lives, ActionError("refused") for a pid that is not this
        training's any more, and what else keeps from looking.
        """
        if run.pid is None:
            message = f"nothing says which process trains {said(run.id, 80)}: its status names none"
            raise ActionError("usage", message, "end it where it was started")
        file = self._ended(run.path)
        record = file.record() if file is not None else None
        known = record.left if record and record.is_of(run.pid, run.started_at) else ()
        target = Target(run.path, run.pid, run.started_at, known)
        with EndProgram(self._shell, target, cancel) as program:
            tree = program.look()
        if tree.kernel and tree.top.ignores:
            raise ActionError("refused", "the notebook that trains ignores SIGINT: end it there")
        first: SignalName = "TERM" if tree.orphans or tree.top.ignores else "INT"
        return KillPlan(box, run, target, tree, first)

    def kill(
        self,
        plan: KillPlan,
        agree: Agree,
        tell: Callable[[KillMoment], None],
        cancel: Cancel,
    ) -> KillReport:
        """Do what was planned; ``agree`` is asked before SIGKILL, with those who would get it.

        Raises NothingToEnd, ActionError("changed") when the training is another than was planned
        for, Unconfirmed; "cancelled" leaves the training as it is then. All of it is journalled.
        """
        steps = Steps(self._shell, plan, self.rules, agree, tell, cancel, self._begun)
        report: KillReport | None = None
        try:
            report = steps.run()
        finally:
            with contextlib.suppress(OSError):
                self._note(plan, steps, report)
        return report

    def _begun(self, plan: KillPlan, at: float) -> None:
        """Keep that this training is told to end, before it is."""
        file = self._ended(plan.run.path)
        record = Ended(pid=plan.target.pid, started_at=plan.target.started_at, at=at)
        if file is not None:
            with contextlib.suppress(OSError):
                file.write(record)

    def _note(self, plan: KillPlan, steps: Steps, report: KillReport | None) -> None:
        """Write down how it ended. Raises OSError."""
        file = self._ended(plan.run.path) if steps.sent else None
        if report is not None and file is not None:
            _settle(file, plan, steps.at, report)
        if self._journal is not None:
            self._journal.add(_entry(plan, steps, report))


def _settle(file: EndedFile, plan: KillPlan, at: float, report: KillReport) -> None:
    """Keep that the training was told to end, and who of it did not. Raises OSError."""
    left = () if report.ended else tuple(member.key for member in report.seen.left)
    target = plan.target
    file.write(
        Ended(pid=target.pid, started_at=target.started_at, at=at, seen=report.ended, left=left)
    )


def _entry(plan: KillPlan, steps: Steps, report: KillReport | None) -> Entry:
    asked = {
        "pid": plan.target.pid,
        "top": plan.tree.top.pid,
        "processes": len(plan.tree.members),
        "first": plan.first,
    }
    seen: dict[str, object] = {"sent": list(steps.sent)}
    outcome = "unknown" if steps.sent else "refused"
    if report is not None:
        outcome = "done" if report.ended else "left"
        seen |= {
            "left": [member.pid for member in report.seen.left],
            "zombies": list(report.seen.zombies),
            "state": report.seen.state,
            "error": report.seen.error,
            "gpu_memory": {str(gpu.index): gpu.used for gpu in report.seen.gpus},
            "lost": report.lost,
        }
    return Entry(
        at=now_text(),
        action="kill",
        box=plan.box,
        run=plan.run.path,
        outcome=outcome,
        asked=asked,
        seen=seen,
    )
