"""How the command line looks at the runs of an instance before the gate decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.gate import Loses
from tui.actions.gate_eyes import BoxEyes, seen_earlier
from tui.actions.gate_facts import BoxFacts, FoundRun, steady_now
from tui.actions.gate_gather import gather
from tui.actions.gate_proofs import KeptProofs
from tui.actions.gate_words import looked_text
from tui.actions.hub_listing import hub_listing
from tui.actions.instance_gate import Sight
from tui.actions.shell import make_shell
from tui.boxes import Box
from tui.cli.instance_choice import Chosen
from tui.cli.session import Session
from tui.cli.status import LOOK_SECONDS
from tui.providers.base import Instance
from tui.runs.mirrors import Mirrors
from tui.runs.proofs import ProofFile
from tui.text import one_line
from tui.view import BoxView
from tui.watch.proofs import proof_file


def sight_of(session: Session, chosen: Chosen) -> Sight:
    """Return how the box of a chosen instance is looked at; nothing is connected yet."""
    looks = _Looks(session, chosen)
    return Sight(looks.look, looks.remembered)


class _Looks:
    """Looks at one box anew each time it is asked: nothing that was seen before counts."""

    def __init__(self, session: Session, chosen: Chosen) -> None:
        self._session = session
        self._chosen = chosen

    def look(self, instance: Instance, loses: Loses | None, cancel: Cancel) -> BoxFacts:
        """Collect the facts of the gate; what keeps from it is in them."""
        box = replace(self._chosen.box_for(instance), name=self._chosen.bound.name, run=None)
        if box.fault is not None:
            return BoxFacts(box.name, steady_now(), unreachable=box.fault)
        try:
            shell = make_shell(box.target, self._session.asker)
        except ActionError as error:
            return BoxFacts(box.name, steady_now(), unreachable=str(error))
        cancel.ends(shell.close)
        try:
            view = self._view(box)
            eyes = BoxEyes(
                shell,
                lambda: view,
                self._proofs(box),
                box.roots,
                hub_listing(),
                seen_earlier(self._session.data, box),
                KeptProofs(self._session.data),
            )
            facts = gather(box.name, eyes, loses=loses)
        finally:
            shell.close()
        if facts.unreachable is not None:
            return facts
        looked = looked_text([*view.searched, *box.roots])
        return replace(facts, notes=(looked, *facts.notes))

    def remembered(self) -> Sequence[FoundRun]:
        """Return the runs of its mirror."""
        mirrors = Mirrors(self._session.data)
        mirror = mirrors.box(self._chosen.kept_as, one_line(self._chosen.text))
        return [FoundRun(run.meta.path, run.meta.id) for run in mirror.runs()]

    def _view(self, box: Box) -> BoxView:
        from tui.watch.look import look

        data = self._session.keeping([box])
        (view,) = look([box], self._session.asker, data, timeout=LOOK_SECONDS)
        return view

    def _proofs(self, box: Box) -> Callable[[str], ProofFile]:
        return lambda run: proof_file(self._session.data, box, run)
