"""Ending a training: the launcher first and gently, the rest later, and SIGKILL after a second yes.

Nothing is assumed: what counts is what the box's process table shows afterwards. Ending a training
saves nothing by itself, and the box bills on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.journal import Entry, Journal, now_text
from tui.actions.kill_program import EndProgram, Key, SignalName, Target
from tui.actions.kill_tree import GpuMemory, Member, Seen, Tree
from tui.actions.shell import Shell
from tui.runs.ended import Ended, EndedFile
from tui.runs.model import Run

Stage = Literal["looking", "signalling", "waiting", "looking again"]
Agree = Callable[[tuple[Member, ...]], bool]


@dataclass(frozen=True, slots=True)
class KillRules:
    """Seconds to wait after the first signal, after SIGTERM to the tree, and after SIGKILL."""

    first: float = 30.0
    tree: float = 15.0
    hard: float = 10.0

    @classmethod
    def waiting(cls, seconds: float) -> KillRules:
        """Return rules that wait so long after the first signal, and never longer later."""
        usual = cls()
        return cls(seconds, min(seconds, usual.tree), usual.hard)


@dataclass(frozen=True, slots=True)
class KillPlan:
    """What will be signalled: ``first`` to ``tree.top`` (to all, where only orphans are left).

    Then, unless a notebook holds the training, SIGTERM to what is left of the tree.
    """

    box: str
    run: Run
    target: Target
    tree: Tree
    first: SignalName


@dataclass(frozen=True, slots=True)
class KillMoment:
    """One moment for people to see: ``left`` processes live, ``seconds`` are waited at most."""

    stage: Stage
    signal: SignalName | None = None
    left: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class KillReport:
    """What was done, and what was seen after it.

    ``sent`` are the signals that went out, in order; ``denied`` the pids that this user may not
    signal. ``before`` is the GPUs' memory before. ``lost`` says that the connection broke on the
    way: from there on nothing was sent, only looked.
    """

    plan: KillPlan
    sent: tuple[SignalName, ...]
    seen: Seen
    denied: tuple[int, ...] = ()
    before: tuple[GpuMemory, ...] = ()
    lost: str | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing of the training lives any more."""
        return self.seen.over or not self.seen.left


class Unconfirmed(ActionError):
    """A signal went out, and nobody could look what came of it."""

    def __init__(self, sent: tuple[SignalName, ...], error: ActionError) -> None:
        signals = " and ".join(f"SIG{one}" for one in sent)
        super().__init__(
            "lost",
            f"{signals} went out, then the box was lost: {error}. How it ended is not known",
            "look again with `boxtop status`; nothing more is sent by itself",
        )
        self.sent = sent


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
            raise ActionError("usage", "the run's status names no process")
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
        steps = _Steps(self._shell, plan, self.rules, agree, tell, cancel, self._begun)
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

    def _note(self, plan: KillPlan, steps: _Steps, report: KillReport | None) -> None:
        """Write down how it ended. Raises OSError."""
        file = self._ended(plan.run.path) if steps.sent else None
        if report is not None and file is not None:
            _settle(file, plan, steps.at, report)
        if self._journal is not None:
            self._journal.add(_entry(plan, steps, report))


class _Steps:
    """One kill as it goes on; ``sent`` holds what has gone out so far."""

    def __init__(
        self,
        shell: Shell,
        plan: KillPlan,
        rules: KillRules,
        agree: Agree,
        tell: Callable[[KillMoment], None],
        cancel: Cancel,
        begun: Callable[[KillPlan, float], None],
    ) -> None:
        self._shell = shell
        self._plan = plan
        self._rules = rules
        self._agree = agree
        self._tell = tell
        self._cancel = cancel
        self._begun = begun
        self.sent: list[SignalName] = []
        self.at = 0.0
        self._members: tuple[Key, ...] = ()
        self._denied: set[int] = set()
        self._before: tuple[GpuMemory, ...] = ()
        self._over = False

    def run(self) -> KillReport:
        """Signal, wait and look. Raises as ``Killing.kill`` does."""
        try:
            with EndProgram(self._shell, self._plan.target, self._cancel) as program:
                self._check(program)
                return self._report(self._signal_all(program))
        except ActionError as error:
            if not self.sent or not error.heals:
                raise
            return self._look_again(error)

    def _check(self, program: EndProgram) -> None:
        """See that the training is still the one that was agreed on; its workers may be others."""
        self._tell(KillMoment("looking"))
        tree, planned = program.look(), self._plan.tree
        if (tree.top.key, tree.training.key) != (planned.top.key, planned.training.key):
            raise ActionError("changed", "the training is another one now; nothing was signalled")
        self._members = tuple(member.key for member in tree.members)
        self._before = tree.gpus
        self.at = tree.at

    def _signal_all(self, program: EndProgram) -> Seen:
        plan, rules = self._plan, self._rules
        self._begun(plan, self.at)
        first = self._members if plan.tree.orphans else (plan.tree.top.key,)
        left = self._send(program, plan.first, first, rules.first)
        if left and not plan.tree.kernel:
            left = self._send(program, "TERM", left, rules.tree)
            if left and self._agree(left):
                self._send(program, "KILL", left, rules.hard)
        self._tell(KillMoment("looking again"))
        return self._left(program)

    def _send(
        self, program: EndProgram, name: SignalName, to: tuple[Key, ...] | tuple[Member, ...],
        seconds: float,
    ) -> tuple[Member, ...]:  # fmt: skip
        """Send one signal and wait; returns who lives then."""
        keys = [one.key if isinstance(one, Member) else one for one in to]
        self._tell(KillMoment("signalling", name, len(keys)))
        self.sent.append(name)  # before: a line that breaks now may have carried it
        outcome = program.signal(name, keys)
        self._denied |= {pid for pid, word in outcome.items() if word == "denied"}
        seen = self._wait(program, name, seconds)
        return () if seen.over else seen.left

    def _wait(self, program: EndProgram, name: SignalName, seconds: float) -> Seen:
        def tell(left: int, rest: float) -> None:
            self._tell(KillMoment("waiting", name, left, rest))

        seen = program.wait(self._members, seconds, tell, self._plan.tree.kernel)
        self._members = seen.members or self._members
        self._over = seen.over
        return seen

    def _left(self, program: EndProgram) -> Seen:
        return replace(program.left(self._members), over=self._over)

    def _look_again(self, error: ActionError) -> KillReport:
        """The connection broke after a signal: look once more, and send nothing."""
        self._tell(KillMoment("looking again"))
        try:
            with EndProgram(self._shell, self._plan.target, self._cancel) as program:
                self._greet(program)
                seconds = self._rules.first if len(self.sent) == 1 else self._rules.tree
                self._wait(program, self.sent[-1], seconds)
                return self._report(self._left(program), str(error))
        except ActionError as again:
            if again.kind == "cancelled":
                raise
            raise Unconfirmed(tuple(self.sent), again) from again

    def _greet(self, program: EndProgram) -> None:
        """Take the first look for what it is: the training may be gone, or its pid another's."""
        try:
            program.look()
        except ActionError as error:
            if error.kind not in ("missing", "refused", "changed"):
                raise

    def _report(self, seen: Seen, lost: str | None = None) -> KillReport:
        denied = tuple(sorted(self._denied))
        return KillReport(self._plan, tuple(self.sent), seen, denied, self._before, lost)


def _settle(file: EndedFile, plan: KillPlan, at: float, report: KillReport) -> None:
    """Keep that the training was told to end, and who of it did not. Raises OSError."""
    left = () if report.ended else tuple(member.key for member in report.seen.left)
    target = plan.target
    file.write(
        Ended(pid=target.pid, started_at=target.started_at, at=at, seen=report.ended, left=left)
    )


def _entry(plan: KillPlan, steps: _Steps, report: KillReport | None) -> Entry:
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
