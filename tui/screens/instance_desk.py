"""What the screen asks of providers, and does to their instances."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tui.actions.access import FleetAccess
from tui.actions.hub_listing import hub_listing
from tui.actions.instance import InstanceActions
from tui.actions.instance_deeds import Deeds
from tui.actions.instance_gate import Sight
from tui.actions.instance_watched import watched_sight
from tui.links.base import Asker
from tui.rented.book import Book
from tui.rented.opening import Rents
from tui.rented.places import places_of
from tui.rented.rental import Rental
from tui.screens.instances import InstanceDesk
from tui.watch.fleet import Fleet


def open_instance_desk(
    fleet: Fleet,
    asker: Asker,
    rents: Rents,
    data: Path | None,
    *,
    roots: Sequence[str],
    read_only: bool,
) -> InstanceDesk:
    """Begin to ask the providers of a fleet. Without ``data`` nothing can be done to instances.

    ``roots`` are where runs are looked for on boxes that nobody named.
    """
    accounts = rents.opened.accounts
    rental = Rental(
        fleet,
        accounts,
        roots=roots,
        adds=rents.adds,
        problems=rents.opened.problems,
        places=places_of,
        book=None if data is None else Book(data),
        silent_from=(lambda name: None) if data is None else Deeds(data).silent_from,
    )
    rental.start()
    actions = None
    if data is not None:
        actions = InstanceActions(accounts, data, read_only=read_only)
    access = FleetAccess(fleet, asker)

    def sight(name: str) -> Sight:
        assert data is not None
        same = rents.same_machine
        return watched_sight(fleet, access, name, data, hub_listing, same_machine=same)

    return InstanceDesk(rental, actions, sight, read_only=read_only)
