"""Which instance a word means by the last lists that could be read, where none can be now."""

from __future__ import annotations

from tui.boxes import InstanceName
from tui.cli.remembered import remembered
from tui.cli.session import Session
from tui.clock import Clock
from tui.errors import UserError
from tui.providers.base import Instance
from tui.rented.listings import Listings
from tui.rented.places import places_of
from tui.rented.tie import box_of, tie
from tui.targets import configured_box


def last_listed(session: Session, word: str) -> tuple[Instance, float] | None:
    """Return the instance that a word names, and how many seconds ago a list told of it.

    None where no list that is kept has it, or several instances are called so.
    """
    listings, now = Listings(session.data), Clock().wall()
    found: dict[str, tuple[Instance, float]] = {}
    for provider, section in session.names.settings.providers.items():
        earlier = listings.earlier(provider) if section.enabled else None
        if earlier is not None:
            age = max(0.0, now - earlier.at)
            found |= {_own_name(one.instance): (one.instance, age) for one in earlier.seen}
    meant = _meant(session, word, [one for one, _ in found.values()])
    return None if meant is None else found.get(meant)


def _meant(session: Session, word: str, instances: list[Instance]) -> str | None:
    """Return ``provider:id`` of the instance that a word names, None for none or several."""
    if word in session.names.settings.box:
        try:
            box = configured_box(word, session.names)
        except UserError:
            return None
        tied = tie([box], instances, places_of).get(box.name)
        tied = tied or next(remembered(session.data, box), None)
        return None if tied is None else str(tied)
    if word in map(_own_name, instances):
        return word
    called = [one for one in instances if word in (one.id, one.name, box_of(one, ()).name)]
    return _own_name(called[0]) if len(called) == 1 else None


def _own_name(instance: Instance) -> str:
    return str(InstanceName(instance.provider, instance.id))
