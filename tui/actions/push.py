"""One push, from the files on the box to the proof that the Hub has them."""

from __future__ import annotations

import os
import posixpath
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import msgspec

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.hub_problem import HubError
from tui.actions.hub_program import HubProgram, push_request
from tui.actions.hub_prove import Prover
from tui.actions.hub_prove import Pushed as Pushed
from tui.actions.hub_prove import StillBeginning as StillBeginning
from tui.actions.hub_prove import Unproven as Unproven
from tui.actions.hub_remote import RemoteHub
from tui.actions.hub_sent import asked_file, sent
from tui.actions.hub_token import Token
from tui.actions.progress import Progress, Rate, measured
from tui.actions.push_plan import MANIFEST, PushPlan, is_checkpoint, manifest
from tui.actions.relay import relayed
from tui.actions.shell import HereShell, Shell
from tui.actions.snapshot import SMALL_FILES, Rules, Snapshot, Stage, TakenFile, snapshot
from tui.onbox.owners import owner_of
from tui.runs.pending import Owner, PendingPush
from tui.text import one_line

Tell = Callable[[Progress], None]
STAGES = {"wait": "waiting for", "copy": "copying", "check": "checking"}
"""What the box does with a file, as people are told."""


class Pusher:
    """Pushes the runs of one box with one token.

    ``remember`` is called with every push before it begins: keep it until it was settled, then
    ``forget`` the push.
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
        self._prover = Prover(remote, now)

    def push(self, plan: PushPlan, tell: Tell, cancel: Cancel) -> Pushed:
        """Snapshot, upload and prove; may take hours, and ends soon after ``cancel``.

        Raises ActionError when the files cannot be had or the link broke (the upload may go on:
        see ``settle``), HubError when the Hub refused or does not list what was sent, Unproven when
        it could not be asked.
        """
        tell(Progress("looking at", one_line(plan.run.id)))
        names, odd = plan.pushable()

        rates: dict[tuple[str, str], Rate] = {}

        def staged(stage: Stage) -> None:
            cancel.check()
            word = STAGES.get(stage.stage, stage.stage)
            rate = rates.setdefault((stage.stage, stage.name), Rate())
            tell(measured(rate, word, stage.name, stage.done, stage.total))

        _need_one(names, plan.names, odd)
        with snapshot(
            self._shell,
            plan.run.path,
            names,
            files=SMALL_FILES,
            console=plan.console,
            rules=self._rules,
            tell=staged,
            bulk=plan.via == "here",
            cancel=cancel,
        ) as held:
            _need_one(held.checkpoints, names, held.refused)
            if plan.via == "here":
                with relayed(self._shell, held, tell, cancel) as relay:
                    way = (str(relay.folder), relay.hand_over)
                    pushed = self._send(plan, held, relay.files, *way, tell, cancel)
            else:
                files = [*held.checkpoints.values(), *held.files.values()]
                pushed = self._send(plan, held, files, _folder(files), lambda: None, tell, cancel)
            refused = {name: why for name, why in held.refused.items() if is_checkpoint(name)}
            return replace(pushed, refused={**odd, **refused}, left_out=_left_out(held))

    def settle(
        self,
        push: PendingPush,
        tell: Tell,
        cancel: Cancel,
        begins: Callable[[], bool] = lambda: False,
    ) -> Pushed:
        """Learn how a push ended that was begun earlier, and prove it. Raises as ``push`` does.

        A push that the box knows nothing of is looked for on the Hub, but StillBeginning is raised
        where ``begins`` says that somebody may be about to begin it.
        """
        program = self._program(push.via, push.repo)
        try:
            outcome = program.attach(push.job, tell, cancel)
        except HubError as error:
            if error.problem.kind != "no_job":
                raise Unproven(error.problem) from error
            if begins():
                raise StillBeginning(push) from error
            return self._prover.look(push, cancel)
        tell(Progress("verifying", push.repo))
        return self._prover.prove(push, outcome, cancel)

    def forget(self, push: PendingPush) -> None:
        """Remove what is kept of a push where it ran. Raises ActionError, HubError."""
        self._program(push.via, push.repo).forget(push.job)

    def _program(self, via: str, repo: str) -> HubProgram:
        shell = self._here if via == "here" else self._shell
        return HubProgram(shell, self._endpoint, self._remote.asked(repo))

    def _send(
        self,
        plan: PushPlan,
        held: Snapshot,
        files: Sequence[TakenFile],
        cleanup: str | None,
        hand_over: Callable[[], None],
        tell: Tell,
        cancel: Cancel,
    ) -> Pushed:
        """Note the push, then upload and prove; ``hand_over`` once the uploader has ``cleanup``."""
        pending = self._pending(plan, files)
        request = push_request(
            token=self._token.secret,
            repo=plan.place.repo,
            job=pending.job,
            files=self._asked(plan, held, files),
            message=plan.message,
            private=plan.private,
            public=plan.public,
            cleanup=cleanup,
        )
        cancel.check()
        self._remember(pending)
        program = self._program(plan.via, plan.place.repo)
        began: list[bool] = []

        def started() -> None:
            began.append(True)
            hand_over()

        try:
            outcome = program.push(request, tell, cancel, started)
        except HubError as error:
            if not began:
                raise
            if error.problem.kind != "no_job":
                raise Unproven(error.problem) from error
            return self._prover.look(pending, cancel)  # somebody else has learned of its end
        tell(Progress("verifying", plan.place.repo))
        return self._prover.prove(pending, outcome, cancel)

    def _pending(self, plan: PushPlan, files: Sequence[TakenFile]) -> PendingPush:
        paths = plan.paths(files)
        return PendingPush(
            job=os.urandom(8).hex(),
            box=plan.box,
            run=plan.run.path,
            repo=plan.place.repo,
            via=plan.via,
            at=self._now(),
            files=tuple(sent(file, paths[file.name]) for file in files),
            owner=msgspec.convert(owner_of(), Owner),
        )

    def _asked(
        self, plan: PushPlan, held: Snapshot, files: Sequence[TakenFile]
    ) -> list[dict[str, Any]]:
        """Return the files as the uploader is asked for them."""
        paths = plan.paths(files)
        at = datetime.fromtimestamp(self._now(), UTC).isoformat(timespec="seconds")
        asked = [
            {"path_in_repo": paths[file.name], "text": held.texts[file.name]}
            if file.name in held.texts
            else asked_file(file, paths[file.name])
            for file in files
        ]
        about = manifest(plan, files, at, held.versions)
        return [*asked, {"path_in_repo": paths[MANIFEST], "text": about}]


def _folder(files: Sequence[TakenFile]) -> str | None:
    """Return the directory of the snapshot on the box, None when all is used where it lies."""
    copies = [file for file in files if not file.in_place]
    return posixpath.dirname(copies[0].path) if copies else None


def _need_one(had: object, names: Sequence[str], refused: Mapping[str, ActionError]) -> None:
    """Raise the first reason when no checkpoint at all can be had."""
    if had:
        return
    for name in names:
        raise refused[name]


def _left_out(held: Snapshot) -> dict[str, ActionError]:
    """Return why small files that are there were not taken."""
    return {
        name: why
        for name, why in held.refused.items()
        if not is_checkpoint(name) and why.kind != "missing"
    }
