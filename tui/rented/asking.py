"""Providers asked once, beside a look at the boxes: for verbs that end by themselves."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace

from tui.boxes import Box, InstanceName
from tui.providers.account import AccountsView
from tui.providers.errors import ProviderError
from tui.rent import RentView
from tui.rented.book import Book
from tui.rented.opening import Opened
from tui.rented.places import places_of
from tui.rented.tie import billed_alone, reach, still, tie, unnamed
from tui.rented.view import told_of
from tui.targets.instances import awaits_address

ASK_SECONDS = 20.0
"""A provider that has not answered by then is shown with what was known of it before."""

_TICK_SECONDS = 0.1


class Asking:
    """Asks all providers at once, in the background. ``book`` keeps what was paid.

    ``only`` are the names of those that are needed, where not all are. ``known`` returns which
    instance a box was when it was seen last. ``priced`` are the boxes with a price of their own.
    ``seconds`` is how long they are waited for, at most ``ASK_SECONDS``.
    """

    def __init__(
        self,
        opened: Opened,
        book: Book | None = None,
        *,
        only: Container[str] | None = None,
        known: Callable[[Box], InstanceName | None] = lambda _: None,
        priced: Sequence[Box] = (),
        seconds: float = ASK_SECONDS,
    ) -> None:
        self.opened = opened
        self._book = book
        self._only = only
        self._known = known
        self._priced = priced
        if book is not None:
            opened.accounts.remember(book.listings.earlier)
        self._thread = threading.Thread(target=self._ask, name="ask providers", daemon=True)
        self._deadline = time.monotonic() + min(seconds, ASK_SECONDS)
        self._thread.start()

    def view(self) -> AccountsView:
        """Return what the providers told, once they did or their time is over."""
        while self._thread.is_alive() and (left := self._deadline - time.monotonic()) > 0:
            self._thread.join(min(left, _TICK_SECONDS))
        for watched in self.opened.accounts.watched:
            name = watched.provider.name
            if self.needs(name):
                watched.fall_back(
                    ProviderError("timeout", f"{name} has not answered in time", "look again")
                )
        return self.opened.accounts.view

    def needs(self, provider: str) -> bool:
        """Whether a provider is asked at all."""
        return self._only is None or provider in self._only

    def rent_of(self, box: Box) -> RentView | None:
        """Return what its provider tells of a box, None for one that nobody rents out."""
        name = self.name_of(box)
        return None if name is None else told_of(name, self.opened.accounts, self.opened.problems)

    def name_of(self, box: Box) -> InstanceName | None:
        """Return which instance a box is."""
        return self._tied([box], self.view()).get(box.name)

    def addressed(self, boxes: Sequence[Box]) -> tuple[Box, ...]:
        """Return boxes that wait for their provider as it says that they are reached."""
        return tuple(self._addressed(box) for box in boxes)

    def others(self, boxes: Sequence[Box], roots: Sequence[str]) -> tuple[Box, ...]:
        """Return a box for each instance that is none of these."""
        view = self.view()
        tied, names = self._tied(boxes, view), [box.name for box in boxes]
        return tuple(unnamed([seen.instance for seen in view.seen], tied, roots, names))

    def close(self) -> None:
        """Ask nothing more."""
        self.opened.accounts.close()

    def _tied(self, boxes: Sequence[Box], view: AccountsView) -> Mapping[str, InstanceName]:
        instances = [seen.instance for seen in view.seen]
        tied = tie(boxes, instances, places_of)
        found = {box.name: self._known(box) for box in boxes if box.name not in tied}
        known = {name: one for name, one in found.items() if one is not None}
        return {**tied, **still(known, view, tied.values())}

    def _addressed(self, box: Box) -> Box:
        if box.instance is None or not box.from_provider:
            return box
        if not awaits_address(box) and self.opened.accounts.provider(box.instance.provider) is None:
            return box
        seen = self.view().find(box.instance.provider, box.instance.id)
        if seen is not None:
            target, fault, hint = reach(seen.instance)
            return replace(box, target=target, fault=fault, hint=hint)
        rent = self.rent_of(box)
        assert rent is not None
        return replace(box, fault=rent.reason, hint=rent.hint)

    def _ask(self) -> None:
        view = self.opened.accounts.refresh(now=True, only=self._only)
        if self._book is None:
            return
        alone = billed_alone(self._priced, self._tied(self._priced, view))
        for provider in view.providers:
            self._book.take(provider, alone)
