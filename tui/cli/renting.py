"""Who bills the boxes that a verb watches: asked again and again, as the screen does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tui.cli.rented import book_of
from tui.cli.session import Session
from tui.rented.opening import open_accounts
from tui.rented.places import places_of
from tui.rented.rental import Rental
from tui.targets import default_roots
from tui.watch.fleet import Fleet


@contextmanager
def renting(session: Session, fleet: Fleet) -> Iterator[Rental | None]:
    """Ask who bills the boxes of a fleet, and tell it where they are reached."""
    settings = session.configuration.settings
    opened = open_accounts(settings)
    if opened is None:
        yield None
        return
    rental = Rental(
        fleet,
        opened.accounts,
        roots=default_roots(settings),
        adds=False,
        problems=opened.problems,
        places=places_of,
        book=book_of(session),
    )
    rental.start()
    try:
        yield rental
    finally:
        rental.close()
