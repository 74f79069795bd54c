"""How the gate looks at a box that is being watched: anew each time, whatever was seen before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tui.actions.access import FleetAccess
from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.gate import Loses
from tui.actions.gate_eyes import BoxEyes, Listing, seen_earlier
from tui.actions.gate_facts import BoxFacts, FoundRun, steady_now
from tui.actions.gate_gather import gather
from tui.actions.gate_proofs import KeptProofs
from tui.actions.gate_words import looked_text
from tui.actions.instance_gate import Sight
from tui.boxes import Box, SshTarget
from tui.links.base import LinkError
from tui.providers.base import Instance, State
from tui.rent import COMMAND
from tui.rented.places import places_of
from tui.rented.tie import own_places
from tui.text import said
from tui.view import BoxView
from tui.watch.fleet import Fleet
from tui.watch.proofs import proof_file


def watched_sight(
    fleet: Fleet,
    access: FleetAccess,
    name: str,
    data: Path,
    hub: Callable[[], Listing | None],
    *,
    same_machine: bool | None = None,
) -> Sight:
    """Return how the gate looks at a watched box, by its name.

    ``data`` is where proofs lie, ``hub`` returns how the Hub is asked, None without a token.
    ``same_machine`` as in ``gather``.
    """
    looks = _Looks(fleet, access, name, data, hub, same_machine)
    return Sight(looks.look, looks.remembered)


class _Looks:
    def __init__(
        self,
        fleet: Fleet,
        access: FleetAccess,
        name: str,
        data: Path,
        hub: Callable[[], Listing | None],
        same_machine: bool | None,
    ) -> None:
        self._fleet = fleet
        self._access = access
        self._name = name
        self._data = data
        self._hub = hub
        self._same_machine = same_machine

    def look(self, instance: Instance, loses: Loses | None, cancel: Cancel) -> BoxFacts:
        """Collect the facts of the gate; what keeps from it is in them.

        A box is only looked at where it is what its provider says now: an old address may be
        somebody else's.
        """
        name = self._name
        box, watched = self._box(), self._access(name)
        if box is None or watched is None:
            return self._unreachable(f"{name} is not watched any more")
        if not is_box_of(box, instance):
            return self._unreachable(f"its provider does not tell that {box.text} leads to it now")
        try:
            shell = watched.shell()
        except (ActionError, LinkError) as error:
            return self._unreachable(str(error))
        cancel.ends(shell.close)
        try:
            eyes = BoxEyes(
                shell,
                self._view,
                lambda run: proof_file(self._data, box, run),
                box.roots,
                self._hub(),
                seen_earlier(self._data, box),
                KeptProofs(self._data),
            )
            facts = gather(name, eyes, loses=loses, same_machine=self._same_machine)
        finally:
            shell.close()
        if facts.unreachable is not None:
            return facts
        return replace(facts, notes=(looked_text(box.roots), *facts.notes))

    def remembered(self) -> Sequence[FoundRun]:
        """Return the runs that were seen there last."""
        view = self._fleet.box(self._name)
        return () if view is None else [FoundRun.of(one.run) for one in view.runs]

    def _view(self) -> BoxView:
        view = self._fleet.box(self._name)
        if view is None:
            raise ActionError("unreachable", f"{said(self._name)} is not watched any more")
        return view

    def _box(self) -> Box | None:
        found = [box for box in self._fleet.boxes_watched() if box.name == self._name]
        return found[0] if found else None

    def _unreachable(self, why: str) -> BoxFacts:
        return BoxFacts(self._name, steady_now(), unreachable=said(why, 300))


def is_box_of(box: Box, instance: Instance) -> bool:
    """Whether a box's address is one of the instance's.

    Where the provider tells no way in, a person's own counts while the instance runs: before and
    after that the address may be another's.
    """
    if instance.provider == COMMAND or not isinstance(box.target, SshTarget):
        return True
    if not any(address.runs_commands for address in instance.addresses):
        return instance.state is State.RUNNING
    aliases = {address.host for address in instance.addresses if address.kind == "alias"}
    if box.target.host in aliases:
        return True
    return bool(places_of(box.target) & own_places(instance))
