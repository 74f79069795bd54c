"""Pushes of one run of this machine, which is the box, to a Hub on loopback."""

from __future__ import annotations

import json
from pathlib import Path

from tests.hub.accounts import Json
from tests.hub.program import pushes
from tests.hub.server import Hub
from tests.onbox.checkpoints import make_weights, write_status
from tui.actions.cancel import Cancel
from tui.actions.hub_names import Destination
from tui.actions.hub_token import Token
from tui.actions.progress import Progress
from tui.actions.push import Pushed
from tui.actions.push_plan import PushPlan
from tui.actions.saving import Saving
from tui.actions.shell import HereShell, Shell
from tui.actions.snapshot import Rules
from tui.runs.model import Run
from tui.runs.pending import PendingFile, PendingPush
from tui.runs.proofs import Proof, ProofFile

REPO = "my-org/my-run"


class Pushing:
    """One completed run below ``folder``; ``told`` is all progress."""

    def __init__(
        self, hub: Hub, folder: Path, rules: Rules, shell: Shell | None = None, **weights: bytes
    ) -> None:
        self.hub = hub
        self.path = make_weights(folder / "run1", **weights)
        write_status(self.path, state="completed", completed_epochs=9, start_epoch=1)
        self.told: list[Progress] = []
        self._names = tuple(f"{name}.pt" for name in weights)
        self._run = Run(id="run1", path=str(self.path), verdict="completed", epoch=9)
        self._proofs = ProofFile(folder / "mirror" / ".boxtop-saved.jsonl")
        self._saving = Saving(shell or HereShell(), lambda _run: self._proofs, rules=rules)
        self._token = Token(hub.token, "HF_TOKEN")

    def push(self) -> Pushed:
        plan = PushPlan("box", self._run, self._names, Destination(REPO), client="2.4.0")
        return self._saving.push(self._token, plan, self.told.append, Cancel())

    def settle(self) -> Pushed:
        """Learn of the one push whose end is not known."""
        (push,) = self.noted
        return self._saving.settle(self._token, push, self.told.append, Cancel())

    def about(self) -> Json:
        """Return what boxtop.json says at the Hub."""
        found: Json = json.loads(self.hub.store.repos[REPO].head.entries["boxtop.json"].data)
        return found

    @property
    def noted(self) -> list[PendingPush]:
        return list(PendingFile(self._proofs).all())

    @property
    def proofs(self) -> tuple[Proof, ...]:
        return self._proofs.all()

    @property
    def result(self) -> Path:
        """Where the box keeps how the one upload ended."""
        (job,) = (path for path in pushes().iterdir() if path.name[0] != ".")
        return job / "result.json"
