"""How the command line looks at the runs of an instance before the gate decides."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.gate import Loses
from tui.actions.gate_eyes import BoxEyes, Listing
from tui.actions.gate_facts import BoxFacts, FoundRun
from tui.actions.gate_gather import gather
from tui.actions.hub_problem import HubError
from tui.actions.hub_remote import RemoteHub
from tui.actions.hub_token import find_token
from tui.actions.instance_gate import Sight, no_way
from tui.actions.shell import make_shell
from tui.boxes import Box
from tui.cli.instance_choice import Chosen
from tui.cli.session import Session
from tui.cli.status import LOOK_SECONDS
from tui.runs.mirrors import Mirrors
from tui.runs.proofs import ProofFile
from tui.text import one_line, said
from tui.view import BoxView
from tui.watch.proofs import proof_file


def sight_of(session: Session, chosen: Chosen) -> Sight:
    """Return how the box of a chosen instance is looked at; nothing is connected yet."""
    if chosen.box is None:
        return no_way(chosen.bound, chosen.why)
    looks = _Looks(session, replace(chosen.box, name=chosen.bound.name, run=None))
    return Sight(looks.look, looks.remembered)


class _Looks:
    """Looks at one box anew each time it is asked: nothing that was seen before counts."""

    def __init__(self, session: Session, box: Box) -> None:
        self._session = session
        self._box = box
        self._data = session.keeping([box])

    def look(self, loses: Loses | None, cancel: Cancel) -> BoxFacts:
        """Collect the facts of the gate; what keeps from it is in them."""
        box = self._box
        try:
            shell = make_shell(box.target, self._session.asker)
        except ActionError as error:
            return BoxFacts(box.name, time.monotonic(), unreachable=str(error))
        cancel.ends(shell.close)
        try:
            view = self._view()
            eyes = BoxEyes(shell, lambda: view, self._proofs, box.roots, _hub())
            facts = gather(box.name, eyes, loses=loses)
        finally:
            shell.close()
        if facts.unreachable is not None:
            return facts
        return replace(facts, notes=(_where(box, view), *facts.notes))

    def remembered(self) -> Sequence[FoundRun]:
        """Return the runs of its mirror."""
        if self._data is None:
            return ()
        mirror = Mirrors(self._data).box(self._box.kept_as, one_line(self._box.text))
        return [FoundRun(run.meta.path, run.meta.id) for run in mirror.runs()]

    def _view(self) -> BoxView:
        from tui.watch.look import look

        (view,) = look([self._box], self._session.asker, self._data, timeout=LOOK_SECONDS)
        return view

    def _proofs(self, run: str) -> ProofFile:
        return proof_file(self._data or self._session.data, self._box, run)


def _hub() -> Listing | None:
    """Return how the Hub is asked for what a commit lists, None without a token."""
    try:
        return RemoteHub(find_token()).listing
    except HubError:
        return None


def _where(box: Box, view: BoxView) -> str:
    """Say where was looked: a run that lies elsewhere is seen by nobody."""
    places = dict.fromkeys([*view.searched, *box.roots])
    return f"looked for runs below {', '.join(said(place, 80) for place in places)}"
