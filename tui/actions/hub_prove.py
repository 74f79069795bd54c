"""Whether a push is on the Hub, as seen from here: only that counts, whatever the box said."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.hub_problem import HubError, HubProblem
from tui.actions.hub_program import Outcome
from tui.actions.hub_proof import PushedFile
from tui.actions.hub_remote import RemoteHub, Verified
from tui.actions.hub_sent import expected
from tui.actions.hub_words import BEGINNING
from tui.runs.pending import PendingPush
from tui.runs.proofs import Proof

LOOKS = 3
LOOK_SECONDS = 2.0
"""The Hub may still be at work on a commit whose answer got lost."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """A push whose every file the Hub was seen to list.

    ``refused`` are checkpoints left out, ``left_out`` small files that could not be had.
    """

    commit: str
    private: bool | None
    proofs: tuple[Proof, ...]
    refused: Mapping[str, ActionError] = field(default_factory=dict)
    left_out: Mapping[str, ActionError] = field(default_factory=dict)


class Unproven(HubError):
    """The upload is over, or may be, and the Hub could not be asked from here what it has."""


class StillBeginning(Unproven):
    """Somebody is about to begin this push, or was just now: its end is learned later."""

    def __init__(self, push: PendingPush) -> None:
        super().__init__(HubProblem("beginning", BEGINNING.format(push.repo)))


class Prover:
    """Looks at the Hub with one token."""

    def __init__(self, remote: RemoteHub, now: Callable[[], float] = time.time) -> None:
        self._remote = remote
        self._now = now

    def prove(self, push: PendingPush, outcome: Outcome, cancel: Cancel) -> Pushed:
        """Return a push that has ended, once all of it is seen there.

        Raises Unproven where that cannot be seen, HubError for what is not there.
        """
        files = expected(push, outcome.files)
        if outcome.commit is not None:
            verified = self._verified(push, outcome.commit, files)
            if verified is None:
                return self.look(push, cancel, _no_commit(push), outcome)
            if not verified.saved:
                raise HubError(_differs(push.repo, verified))
            return self._pushed(push, outcome.commit, outcome.private)
        if outcome.landed is False:
            raise HubError(outcome.problem or _vanished(push))
        problem = outcome.absent or _vanished(push)
        if problem.kind == "unknown":  # nothing of it is there, so another try harms nothing
            problem = replace(problem, kind="vanished", hint="nothing of it is on the Hub")
        return self.look(push, cancel, problem, outcome)

    def look(
        self,
        push: PendingPush,
        cancel: Cancel,
        problem: HubProblem | None = None,
        outcome: Outcome | None = None,
    ) -> Pushed:
        """Look for a push that nobody knows the commit of; HubError(problem) when it is not there.

        Raises Unproven where that cannot be seen.
        """
        files = expected(push, outcome.files if outcome is not None else ())
        seen: set[str] = set()
        for left in reversed(range(LOOKS)):
            with _unproven():
                found = self._remote.find(push.repo, files, seen)
            if found is not None:
                return self._pushed(push, found.commit, outcome.private if outcome else None)
            if left:
                cancel.pause(LOOK_SECONDS)
        raise HubError(problem or _vanished(push))

    def _verified(self, push: PendingPush, commit: str, files: list[PushedFile]) -> Verified | None:
        """Compare with what a commit lists; None where the Hub has no such commit, or none more."""
        with _unproven():
            try:
                return self._remote.verify(push.repo, commit, files)
            except HubError as error:
                if error.problem.kind != "missing":
                    raise
                return None

    def _pushed(self, push: PendingPush, commit: str, private: bool | None) -> Pushed:
        return Pushed(commit, private, push.proofs(commit, self._now()))


@contextmanager
def _unproven() -> Iterator[None]:
    try:
        yield
    except HubError as error:
        raise Unproven(error.problem) from error


def _vanished(push: PendingPush) -> HubProblem:
    message = f"the upload to {push.repo} ended without a result"
    return HubProblem("vanished", message, "push again: nothing of it is on the Hub")


def _no_commit(push: PendingPush) -> HubProblem:
    message = f"the Hub does not have the commit of the push to {push.repo}: NOT saved"
    return HubProblem("vanished", message, "push again; do not stop the box")


def _differs(repo: str, verified: Verified) -> HubProblem:
    how = [str(one) for one in verified.differences] or ["nothing is listed"]
    more = f" and {len(how) - 1} more" if len(how) > 1 else ""
    message = f"{repo} lists other bytes than were sent: NOT saved ({how[0]}{more})"
    return HubProblem("wrong_hash", message, "push again; do not stop the box")
