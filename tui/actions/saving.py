"""Getting weights out of one box: every transfer leaves its proof where views look for it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.hub_account import Checked
from tui.actions.hub_begin import may_begin
from tui.actions.hub_kept import kept
from tui.actions.hub_names import Destination
from tui.actions.hub_problem import HubError
from tui.actions.hub_program import HubProgram
from tui.actions.hub_remote import RemoteHub
from tui.actions.hub_token import Token
from tui.actions.progress import Progress
from tui.actions.pull import Pulled, PullReport, pull
from tui.actions.push import Pushed, Pusher, Unproven
from tui.actions.push_plan import PushPlan, Via
from tui.actions.shell import HereShell, Shell
from tui.actions.snapshot import Rules
from tui.runs.pending import PendingFile, PendingPush
from tui.runs.proofs import Proof, ProofFile
from tui.text import one_line

ENDPOINT = "HF_ENDPOINT"
ROOM_HINT = "make room there, then do it again: what is saved already is not moved twice"

Tell = Callable[[Progress], None]


class Saving:
    """One box's weights. ``proofs`` says where the proofs of a run (by its path) are kept.

    ``endpoint`` is another Hub than the usual one; HF_ENDPOINT of this machine when None.
    """

    def __init__(
        self,
        shell: Shell,
        proofs: Callable[[str], ProofFile],
        *,
        endpoint: str | None = None,
        rules: Rules | None = None,
    ) -> None:
        self._shell = shell
        self._here = HereShell()
        self._proofs = proofs
        self._endpoint = endpoint or os.environ.get(ENDPOINT) or None
        self._rules = rules

    def check(self, token: Token, place: Destination, via: Via) -> Checked:
        """Ask the Hub, from where the upload will run, before any byte moves.

        Raises HubError for what stands against the push already, ActionError where the question
        cannot be asked.
        """
        found = self._program(token, place.repo, via).check(token.secret, place.repo)
        problem = found.problem(token.source)
        if problem is not None:
            raise HubError(problem)
        return found

    def install(self, token: Token, place: Destination) -> None:
        """Put huggingface_hub onto the box, beside no training. Raises HubError, ActionError."""
        self._program(token, place.repo, "box").install()

    def push(self, token: Token, plan: PushPlan, tell: Tell, cancel: Cancel) -> Pushed:
        """Push and prove; the proofs are kept. Raises as ``Pusher.push`` does."""
        begun: list[PendingPush] = []
        pending = self._pending(plan.run.path)

        def remember(push: PendingPush) -> None:
            with kept(f"the push cannot be noted in {_folder(pending.folder)}"):
                pending.add(push)
            begun.append(push)

        pusher = self._pusher(token, remember)
        try:
            pushed = pusher.push(plan, tell, cancel)
        except BaseException as error:
            for push in begun:
                if isinstance(error, HubError) and not isinstance(error, Unproven):
                    self._drop(pusher, push)
                else:  # how it ended is learned later, if it ever began; not by this call
                    with suppress(OSError):
                        pending.add(msgspec.structs.replace(push, owner=None))
            raise
        self._keep(pusher, begun[0], pushed)
        return pushed

    def unsettled(self, run: str) -> Iterator[PendingPush]:
        """Yield the pushes of a run whose end is not known."""
        return PendingFile(self._proofs(run)).all()

    def settle(self, token: Token, push: PendingPush, tell: Tell, cancel: Cancel) -> Pushed:
        """Learn how a push ended that was begun earlier. Raises as ``Pusher.push`` does.

        StillBeginning, which is Unproven, leaves one alone that somebody is about to begin.
        """
        pusher = self._pusher(token, lambda _push: None)
        pending = self._pending(push.run)

        def begins() -> bool:
            return pending.has(push.job) and may_begin(push, time.time())

        try:
            pushed = pusher.settle(push, tell, cancel, begins)
        except (Unproven, ActionError):
            raise
        except HubError:
            self._drop(pusher, push)
            raise
        self._keep(pusher, push, pushed)
        return pushed

    def pull(
        self, run: str, names: Sequence[str], directory: Path, tell: Tell, cancel: Cancel
    ) -> PullReport:
        """Pull checkpoints into a directory; each counts as saved as soon as it arrived whole.

        Raises ActionError for nothing that a single checkpoint's entry can tell.
        """
        proofs = self._proofs(run)
        unkept: dict[str, OSError] = {}

        def arrived(pulled: Pulled) -> None:
            try:
                proofs.add([_proof(pulled)])
            except OSError as error:
                unkept[one_line(pulled.name)] = error

        report = pull(
            *(self._shell, run, names, directory),
            tell=tell,
            cancel=cancel,
            rules=self._rules,
            may_replace=lambda path: _is_copy(path, proofs),
            arrived=arrived,
        )
        where = (
            f"{', '.join(unkept)} came whole to {one_line(str(directory))}, but the proof cannot"
        )
        with kept(f"{where} be kept in {_folder(proofs.path.parent)}", ROOM_HINT):
            for error in unkept.values():
                raise error
        return report

    def close(self) -> None:
        """End what runs on the connections of its own."""
        self._shell.close()
        self._here.close()

    def _pending(self, run: str) -> PendingFile:
        return PendingFile(self._proofs(run))

    def _keep(self, pusher: Pusher, push: PendingPush, pushed: Pushed) -> None:
        """Keep the proofs, and only then let everybody forget the push."""
        proofs = self._proofs(push.run)
        where = f"it is saved in commit {pushed.commit[:10]} of {push.repo}, but the proof cannot"
        with kept(f"{where} be kept in {_folder(proofs.path.parent)}", ROOM_HINT):
            proofs.add(pushed.proofs)
        self._drop(pusher, push)

    def _drop(self, pusher: Pusher, push: PendingPush) -> None:
        """Forget a push whose end was seen: the note first, then what the box keeps."""
        with suppress(OSError):
            self._pending(push.run).remove(push.job)
        with suppress(ActionError, HubError):
            pusher.forget(push)

    def _pusher(self, token: Token, remember: Callable[[PendingPush], None]) -> Pusher:
        return Pusher(
            self._shell,
            token,
            RemoteHub(token, self._endpoint),
            remember,
            endpoint=self._endpoint,
            here=self._here,
            rules=self._rules,
        )

    def _program(self, token: Token, repo: str, via: Via) -> HubProgram:
        shell = self._here if via == "here" else self._shell
        return HubProgram(shell, self._endpoint, RemoteHub(token, self._endpoint).asked(repo))


def _folder(path: Path) -> str:
    return one_line(str(path))


def _is_copy(path: Path, proofs: ProofFile) -> bool:
    """Whether what lies at a path is the run's proven copy, and nothing that was put there since.

    It may be the only copy of another run by now.
    """
    return str(path.absolute()) in {proof.where for proof in proofs.standing()}


def _proof(pulled: Pulled) -> Proof:
    identity = pulled.identity
    return Proof(
        name=pulled.name,
        where=str(pulled.path.absolute()),
        sha256=pulled.sha256,
        bytes=pulled.size,
        at=time.time(),
        epoch=pulled.epoch,
        mtime=identity.mtime_ns / 1e9,
        inode=identity.inode,
        copy_mtime_ns=pulled.copy.mtime_ns,
        copy_inode=pulled.copy.inode,
    )
