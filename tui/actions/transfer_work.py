"""What one try of a transfer does, and what its failure means for the next."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from tui.actions.abandon import abandon
from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.hub_names import paths_in_repo
from tui.actions.hub_problem import HubError, HubProblem
from tui.actions.hub_token import Token
from tui.actions.progress import Progress
from tui.actions.push import Pushed, Unproven
from tui.actions.push_plan import PushPlan
from tui.actions.saving import Saving
from tui.actions.shell import Shell
from tui.actions.transfer import BoxAccess, Pull, Settle, Task, run_of, saved_text
from tui.debug import record_fault
from tui.errors import UserError
from tui.links.base import LinkError
from tui.runs.embargo import Embargo
from tui.runs.pending import PendingFile, PendingPush
from tui.text import said

Tell = Callable[[Progress], None]


class Failed(Exception):
    """A transfer ended without saving; ``wait`` in seconds when another try may heal it."""

    def __init__(self, message: str, hint: str | None = None, wait: float | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        self.wait = wait


class Worker:
    """Does transfers, one try at a time, from any thread; parameters as ``Transfers`` has them."""

    def __init__(
        self,
        access: Callable[[str], BoxAccess | None],
        token: Callable[[], Token],
        saving: Callable[[Shell, BoxAccess], Saving] | None = None,
        embargo: Embargo | None = None,
    ) -> None:
        self._access = access
        self._token = token
        self._saving = saving or (lambda shell, box: Saving(shell, box.proofs))
        self._embargo = embargo

    def do(self, task: Task, tell: Tell, cancel: Cancel, begun: float) -> str:
        """Do it once, and return what is said of it. Raises Failed, ActionError("cancelled").

        ``begun`` is when the transfer was asked for: what was pushed since is its own.
        """
        cancel.check()
        box = self._access(task.box)
        if box is None:
            raise Failed(f"{said(task.box)} is not watched any more")
        try:
            saving = self._saving(box.shell(), box)
            try:
                return self._moved(task, saving, tell, cancel, begun)
            finally:
                saving.close()
                box.changed(run_of(task)[0])
        except HubError as error:
            self._heed(task, error.problem)
            raise _failed(task, error) from error
        except (ActionError, LinkError) as error:
            cancel.check()
            heals = error.heals if isinstance(error, ActionError) else error.retried
            raise Failed(str(error), error.hint, 0.0 if heals else None) from error
        except UserError as error:
            raise Failed(str(error), error.hint) from error
        except Failed:
            raise
        except Exception as error:
            record_fault(error)
            raise Failed(f"boxtop erred: {type(error).__name__}", "--debug tells more") from error

    def abandon(self, task: Task, begun: float) -> str:
        """End the uploads that a task began since ``begun``; returns how that went."""
        box = self._access(task.box)
        if isinstance(task, Pull) or box is None:
            return "cancelled"
        try:
            notes = PendingFile(box.proofs(run_of(task)[0]))
            pushes = [push for push in notes.all() if _is_of(push, task, begun)]
            if not pushes:
                return "cancelled"
            token, shell = self._token(), box.shell()
            try:
                ended = [abandon(shell, token, push, notes) for push in pushes]
            finally:
                shell.close()
        except (ActionError, HubError, LinkError, LookupError, OSError):
            ended = [False]
        if all(ended):
            return "cancelled; nothing of it is on the Hub"
        return "no longer followed; the upload goes on, and its end is learned of later"

    def _moved(self, task: Task, saving: Saving, tell: Tell, cancel: Cancel, begun: float) -> str:
        match task:
            case PushPlan():
                return self._pushed(task, saving, tell, cancel, begun)
            case Settle():
                return _all_saved(saving.settle(self._token(), task.push, tell, cancel))
            case Pull():
                report = saving.pull(task.run, task.names, task.directory, tell, cancel)
                for name, error in report.failed.items():
                    if error.kind == "cancelled":
                        raise error
                    wait = 0.0 if error.heals else None
                    raise Failed(f"{said(name)} is NOT saved: {error}", error.hint, wait)
                return saved_text(len(report.pulled), sum(one.size for one in report.pulled))

    def _pushed(
        self, plan: PushPlan, saving: Saving, tell: Tell, cancel: Cancel, begun: float
    ) -> str:
        self._wait_for(plan)
        token = self._token()
        tell(Progress("asking", "the Hub"))
        found = saving.check(token, plan.place, plan.via)
        if found.place.private is False and not plan.public:
            message = f"{plan.place.repo} is public: everybody could read these weights"
            raise Failed(message, "push it by hand and agree, or name another repository")
        earlier = self._earlier(token, plan, saving, tell, cancel, begun)
        if earlier is not None:
            return earlier
        pushed = saving.push(token, replace(plan, client=found.client), tell, cancel)
        for name, why in pushed.refused.items():
            raise Failed(f"{said(name)} is NOT saved: {why}", why.hint)
        return _all_saved(pushed)

    def _earlier(
        self,
        token: Token,
        plan: PushPlan,
        saving: Saving,
        tell: Tell,
        cancel: Cancel,
        begun: float,
    ) -> str | None:
        """Learn first how earlier pushes of the run to this repository ended.

        Returns what is said when one of this transfer's own tries has saved it all: one from
        before has older bytes. Raises Unproven while that cannot be told: pushing again would only
        commit the same twice.
        """
        for push in list(saving.unsettled(plan.run.path)):
            if push.repo.casefold() != plan.place.repo.casefold():
                continue
            try:
                settled = saving.settle(token, push, tell, cancel)
            except Unproven:
                raise
            except HubError:
                continue  # it failed for good: this push is what is left to do
            if _is_of(push, plan, begun) and set(push.names) >= set(plan.names):
                return _all_saved(settled)
        return None

    def _heed(self, task: Task, problem: HubProblem) -> None:
        """Keep how long the Hub wants to be left alone; a full disk here loses only that."""
        if self._embargo is not None and problem.retry_after_s and isinstance(task, PushPlan):
            with suppress(OSError):
                self._embargo.keep(task.place.repo, time.time() + problem.retry_after_s)

    def _wait_for(self, plan: PushPlan) -> None:
        """Raise Failed while the Hub wants to be left alone, whoever was told so."""
        until = self._embargo.until(plan.place.repo) if self._embargo is not None else None
        if until is not None:
            message = f"the Hub wants {plan.place.repo} to be left alone for a while"
            raise Failed(message, None, max(0.0, until - time.time()))


def _all_saved(pushed: Pushed) -> str:
    text = saved_text(len(pushed.proofs), sum(one.bytes for one in pushed.proofs))
    if not pushed.left_out:
        return text
    return f"{text}, without {', '.join(said(name, 40) for name in pushed.left_out)}"


def _is_of(push: PendingPush, task: Task, begun: float) -> bool:
    """Whether a push was begun by a task that was asked for at ``begun``."""
    if isinstance(task, Settle):
        return push.job == task.push.job
    if not isinstance(task, PushPlan) or push.at < begun or push.repo != task.place.repo:
        return False
    return {file.path for file in push.files if file.checkpoint} <= set(_paths(task).values())


def _paths(plan: PushPlan) -> dict[str, str]:
    names, _ = plan.pushable()
    return paths_in_repo(plan.place, names)


def _failed(task: Task, error: HubError) -> Failed:
    """Return a failure with the earliest next try, None where only a person can heal it.

    The end of an earlier push that was learned of is final, whatever it was.
    """
    problem = error.problem
    is_open = isinstance(error, Unproven)
    heals = is_open or (problem.retryable and not isinstance(task, Settle))
    return Failed(problem.message, problem.hint, problem.retry_after_s or 0.0 if heals else None)
