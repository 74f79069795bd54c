"""One kill as it goes on: signal, wait, look, and nothing more once the line broke."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.kill_plan import Agree, KillMoment, KillPlan, KillReport, KillRules, Unconfirmed
from tui.actions.kill_program import EndProgram, Key, SignalName
from tui.actions.kill_tree import GpuMemory, Member, Seen
from tui.actions.shell import Shell


class Steps:
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
