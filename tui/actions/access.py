"""The boxes of a watched fleet, as transfers reach them."""

from __future__ import annotations

from tui.actions.errors import ActionError
from tui.actions.shell import Shell, make_shell
from tui.links.base import Asker
from tui.links.ssh.link import SshLink
from tui.runs.files import PUSHED
from tui.runs.proofs import ProofFile
from tui.watch.box_state import BoxState
from tui.watch.fleet import Fleet


class WatchedBox:
    """One box: its live link carries what is small, a connection of its own what is large."""

    def __init__(self, state: BoxState, link: object, asker: Asker) -> None:
        self._state = state
        self._link = link
        self._asker = asker

    def shell(self) -> Shell:
        """Return a shell of the box, to be closed. Raises ActionError for a box that has none."""
        box = self._state.box
        if box.fault is not None:
            raise ActionError("unreachable", f"{box.name}: {box.fault}", box.hint)
        files = self._link.files if isinstance(self._link, SshLink) else None
        return make_shell(self._state.box.target, self._asker, self._link, files)

    def proofs(self, run: str) -> ProofFile:
        """Return where the proofs of a run, by its path, are kept. Raises LookupError."""
        found = self._state.proofs(run)
        if found is None:
            raise LookupError(f"no run at {run}")
        return found

    def changed(self, run: str) -> None:
        """Let the next view tell of new proofs."""
        self._state.judge_anew(run)


class FleetAccess:
    """Finds the boxes of a fleet by their names; ``asker`` is asked where a key needs a person."""

    def __init__(self, fleet: Fleet, asker: Asker) -> None:
        self._fleet = fleet
        self._asker = asker

    def __call__(self, name: str) -> WatchedBox | None:
        """Return a watched box, None when no box has that name."""
        found = self._fleet.watched(name)
        return None if found is None else WatchedBox(*found, self._asker)

    def claimed(self, box: str, run: str) -> bytes | None:
        """Return what a run's own callback says that it has pushed, None where it says nothing."""
        found = self._fleet.watched(box)
        return None if found is None else found[0].told(run, PUSHED)
