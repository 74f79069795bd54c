"""One push, from the files on the box to the proof that the Hub has them."""

from __future__ import annotations

import os
import posixpath
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.hub_problem import HubError, HubProblem
from tui.actions.hub_program import HubProgram, Outcome, push_request
from tui.actions.hub_proof import PushedFile
from tui.actions.hub_remote import RemoteHub
from tui.actions.hub_token import Token
from tui.actions.progress import Progress
from tui.actions.push_plan import MANIFEST, PushPlan, is_checkpoint, manifest
from tui.actions.relay import relayed
from tui.actions.shell import HereShell, Shell
from tui.actions.snapshot import SMALL_FILES, Rules, Snapshot, Stage, TakenFile, snapshot
from tui.runs.pending import PendingPush, Sent
from tui.runs.proofs import Proof

Tell = Callable[[Progress], None]
STAGES = {"wait": "waiting for", "copy": "copying", "check": "checking"}
"""What the box does with a file, as people are told."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """A push whose every file the Hub was seen to list; ``refused`` are checkpoints left out."""

    commit: str
    private: bool | None
    proofs: tuple[Proof, ...]
    refused: Mapping[str, ActionError] = field(default_factory=dict)


class Unproven(HubError):
    """The upload is over, or may be, and the Hub could not be asked from here what it has."""


class Pusher:
    """Pushes the runs of one box with one token.

    ``remember`` is called with every push before it begins: keep it until it was settled.
    """

    def __init__(
        self,
        shell: Shell,
        token: Token,
        remote: RemoteHub,
        remember: Callable[[PendingPush], None],
        *,
        endpoint: str | None = None,
        here: Shell | None = None,
        rules: Rules | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._shell = shell
        self._here = here or HereShell()
        self._token = token
        self._remote = remote
        self._remember = remember
        self._endpoint = endpoint
        self._rules = rules
        self._now = now

    def push(self, plan: PushPlan, tell: Tell, cancel: Cancel) -> Pushed:
        """Snapshot, upload and prove; may take hours, and ends soon after ``cancel``.

        Raises ActionError when the files cannot be had or the link broke (the upload may go on:
        see ``settle``), HubError when the Hub refused or does not list what was sent, Unproven when
        it could not be asked.
        """
        tell(Progress("looking at", plan.run.id))

        def staged(stage: Stage) -> None:
            cancel.check()
            word = STAGES.get(stage.stage, stage.stage)
            tell(Progress(word, stage.name, stage.done, stage.total))

        with snapshot(
            self._shell,
            plan.run.path,
            plan.names,
            files=SMALL_FILES,
            console=plan.console,
            rules=self._rules,
            tell=staged,
            bulk=plan.via == "here",
            cancel=cancel,
            keep=plan.via == "box",
        ) as held:
            _refuse_nothing(held, plan)
            if plan.via == "here":
                with relayed(self._shell, held, tell, cancel) as (folder, taken):
                    return self._send(plan, held, taken, str(folder), tell, cancel)
            taken = [*held.checkpoints.values(), *held.files.values()]
            copies = [file for file in taken if not file.in_place]
            folder_on_box = posixpath.dirname(copies[0].path) if copies else None
            return self._send(plan, held, taken, folder_on_box, tell, cancel)

    def settle(self, push: PendingPush, tell: Tell, cancel: Cancel) -> Pushed:
        """Learn how a push ended that was begun earlier, and prove it. Raises as ``push`` does.

        A push that the box knows nothing of any more is looked for on the Hub.
        """
        program = self._program(push.via, push.repo)
        try:
            outcome = program.attach(push.job, tell, cancel)
        except HubError as error:
            if error.problem.kind != "usage":
                raise
            with _unproven():
                found = self._remote.find(push.repo, _expected(push))
            if found is None:
                raise HubError(_vanished(push)) from error
            return Pushed(found.commit, None, push.proofs(found.commit, self._now()))
        return self._prove(push, outcome, program, tell)

    def _program(self, via: str, repo: str) -> HubProgram:
        shell = self._here if via == "here" else self._shell
        return HubProgram(shell, self._endpoint, self._remote.asked(repo))

    def _send(
        self,
        plan: PushPlan,
        held: Snapshot,
        taken: list[TakenFile],
        cleanup: str | None,
        tell: Tell,
        cancel: Cancel,
    ) -> Pushed:
        paths = plan.paths(taken)
        at = datetime.fromtimestamp(self._now(), UTC).isoformat(timespec="seconds")
        pending = PendingPush(
            job=os.urandom(8).hex(),
            box=plan.box,
            run=plan.run.path,
            repo=plan.place.repo,
            via=plan.via,
            at=self._now(),
            files=tuple(_sent(file, paths[file.name]) for file in taken),
        )
        request = push_request(
            token=self._token.secret,
            repo=plan.place.repo,
            job=pending.job,
            files=[
                *(_asked_file(file, paths[file.name]) for file in taken),
                {"path_in_repo": paths[MANIFEST], "text": manifest(plan, taken, at)},
            ],
            message=plan.message,
            private=plan.private,
            public=plan.public,
            cleanup=cleanup,
        )
        cancel.check()
        self._remember(pending)
        held.handed_over = plan.via == "box" and cleanup is not None
        program = self._program(plan.via, plan.place.repo)
        outcome = program.push(request, tell, cancel)
        pushed = self._prove(pending, outcome, program, tell)
        return Pushed(pushed.commit, pushed.private, pushed.proofs, _without_checkpoints(held))

    def _prove(
        self, push: PendingPush, outcome: Outcome, program: HubProgram, tell: Tell
    ) -> Pushed:
        """Look at the Hub from here: only what it lists counts, whatever the box said."""
        tell(Progress("verifying", push.repo))
        expected = _expected(push, outcome.files)
        commit = outcome.commit if outcome.ok else None
        if commit is None and outcome.landed is None:
            with _unproven():
                found = self._remote.find(push.repo, expected)
            commit = found.commit if found is not None else None
        if commit is None:
            with suppress(ActionError, HubError):
                program.forget(push.job)
            raise HubError(outcome.problem or _vanished(push))
        with _unproven():
            verified = self._remote.verify(push.repo, commit, expected)
        with suppress(ActionError, HubError):
            program.forget(push.job)
        if not verified.saved:
            raise HubError(_differs(push.repo, [str(one) for one in verified.differences]))
        return Pushed(commit, outcome.private, push.proofs(commit, self._now()))


@contextmanager
def _unproven() -> Iterator[None]:
    try:
        yield
    except HubError as error:
        raise Unproven(error.problem) from error


def _refuse_nothing(held: Snapshot, plan: PushPlan) -> None:
    """Raise the first reason when no checkpoint at all could be taken."""
    if held.checkpoints:
        return
    for name in plan.names:
        raise held.refused[name]


def _without_checkpoints(held: Snapshot) -> dict[str, ActionError]:
    return {name: error for name, error in held.refused.items() if is_checkpoint(name)}


def _sent(file: TakenFile, path: str) -> Sent:
    identity = file.identity
    return Sent(
        file.name,
        path,
        file.size,
        file.sha256,
        identity.mtime_ns / 1e9,
        identity.inode,
        file.epoch,
        is_checkpoint(file.name),
    )


def _asked_file(file: TakenFile, path: str) -> dict[str, Any]:
    return {
        "path_in_repo": path,
        "local_path": file.path,
        "size": file.size,
        "sha256": file.sha256,
    }


def _expected(push: PendingPush, told: Iterable[PushedFile] = ()) -> list[PushedFile]:
    """Return what the Hub has to list: sizes and hashes of the snapshot, git's names as told.

    A small file's git name comes from where it was read; one that nobody told is left out unless
    it is a checkpoint, which is never taken for saved then.
    """
    blobs = {file.path: file.blob_oid for file in told}
    return [
        PushedFile(file.path, file.size, file.sha256, blobs.get(file.path))
        for file in push.files
        if file.checkpoint or blobs.get(file.path) is not None
    ]


def _vanished(push: PendingPush) -> HubProblem:
    message = f"the upload to {push.repo} ended without a result"
    return HubProblem("vanished", message, "push again: nothing of it is on the Hub")


def _differs(repo: str, how: list[str]) -> HubProblem:
    more = f" and {len(how) - 1} more" if len(how) > 1 else ""
    message = f"{repo} lists other bytes than were sent: NOT saved ({how[0]}{more})"
    return HubProblem("wrong_hash", message, "push again; do not stop the box")
