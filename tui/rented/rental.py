"""Keeps a fleet and its providers together while people watch.

Each provider is asked in a thread of its own, as often as it allows; what it tells goes to the
boxes, an instance nobody named becomes a box, and a box whose connection fails is asked for anew.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tui.boxes import Box, InstanceName, SshTarget
from tui.clock import Clock
from tui.debug import record_fault
from tui.providers.account import Accounts, AccountsView, ProviderView, Watched
from tui.providers.base import Instance
from tui.providers.errors import ProviderError
from tui.rent import RentView
from tui.rented.tie import Place, billed_alone, reach, still, tie, typed_place, unnamed
from tui.rented.view import gone_view, told_of
from tui.watch.fleet import Fleet

if TYPE_CHECKING:
    from tui.rented.book import Book

ASK_AGAIN_SECONDS = 5.0
"""A failed connection asks the provider again, but no more often than this."""

TURN_ATTEMPTS = 2
"""An address that failed so often makes room for the instance's next one."""

JOIN_SECONDS = 1.0


class Rental:
    """``adds`` says whether instances that are no box yet are watched too, below ``roots``.

    ``problems`` are providers that cannot be used, with the reason. ``places`` tells where an
    address leads, ``silent_from`` since when an instance is silent by what boxtop did (epoch
    seconds). Nothing is asked before ``start``.
    """

    def __init__(
        self,
        fleet: Fleet,
        accounts: Accounts,
        *,
        roots: Sequence[str] = (),
        adds: bool = True,
        problems: Mapping[str, ProviderError] | None = None,
        places: Callable[[SshTarget], frozenset[Place]] = typed_place,
        clock: Clock | None = None,
        book: Book | None = None,
        silent_from: Callable[[InstanceName], float | None] = lambda name: None,
    ) -> None:
        self.accounts = accounts
        self.today: float | None = None
        """What was paid today (UTC), in US dollars; None while nothing is known of it."""
        self._fleet = fleet
        self._roots = tuple(roots)
        self._adds = adds
        self._problems = dict(problems or {})
        self._places = places
        self._clock = clock or Clock()
        self._book = book
        self._silent_from = silent_from
        if book is not None:
            accounts.remember(book.listings.earlier)
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._wakes = {one.provider.name: threading.Event() for one in accounts.watched}
        self._woken: dict[str, float] = {}
        self._last: dict[str, RentView] = {}
        self._turns: dict[str, int] = {}
        self._failed: dict[str, int] = {}
        self._threads = [
            threading.Thread(target=self._watch, args=(one,), name=one.provider.name, daemon=True)
            for one in accounts.watched
        ]
        fleet.subscribe(self._look_at_link)

    def start(self) -> None:
        """Begin to ask."""
        self.publish()
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Ask nothing more; what was sent to a provider goes on there."""
        self._closed.set()
        for wake in self._wakes.values():
            wake.set()
        self.accounts.close()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(JOIN_SECONDS)
        if self._book is not None:
            for provider in self.accounts.view.providers:
                # What was stopped a moment ago bills less from now on.
                self._book.take(provider, self._alone())

    def ask_soon(self, provider: str) -> None:
        """Ask a provider now, unless that was done in the last seconds."""
        now = self._clock.steady()
        with self._lock:
            if now - self._woken.get(provider, float("-inf")) < ASK_AGAIN_SECONDS:
                return
            self._woken[provider] = now
        wake = self._wakes.get(provider)
        if wake is not None:
            wake.set()

    def instance_of(self, box: str) -> InstanceName | None:
        """Return which instance a box is at this moment, None for one that nobody rents out."""
        rent = self._last.get(box)
        return None if rent is None else InstanceName(rent.provider, rent.id)

    def publish(self) -> None:
        """Give every box what is known of it, and watch the instances that are none yet."""
        with self._lock:
            view = self.accounts.view
            instances = [seen.instance for seen in view.seen]
            boxes = self._fleet.boxes_watched()
            tied = self._tied(boxes, view)
            if self._adds:
                names = [box.name for box in boxes]
                awaited = self.accounts.awaited
                for box in unnamed(instances, tied, self._roots, names, awaited):
                    self._fleet.add(box, self._told(box.instance))
                boxes = self._fleet.boxes_watched()
                tied = self._tied(boxes, view)
            for box in boxes:
                name = tied.get(box.name)
                if name is not None:
                    self._tell(box, name, view.provider(name.provider))
                elif self._last.pop(box.name, None) is not None:
                    self._fleet.rent(box.name, None)

    def _tied(self, boxes: Sequence[Box], view: AccountsView) -> Mapping[str, InstanceName]:
        """Return which instance each box is, also one that tells no address while it is off."""
        tied = tie(boxes, [seen.instance for seen in view.seen], self._places)
        known: dict[str, InstanceName] = {}
        for box in boxes:
            rent = None if box.name in tied else self._rent_of(box.name)
            told = None if rent is None else view.provider(rent.provider)
            if rent is not None and told is not None and (told.error or told.listed_at):
                known[box.name] = InstanceName(rent.provider, rent.id)
        return {**tied, **still(known, view, tied.values())}

    def _was_ended_here(self, box: str, name: InstanceName) -> bool:
        """Whether boxtop ended it, and it has not been heard of since: nobody else took it."""
        silent_from, view = self._silent_from(name), self._fleet.box(box)
        if silent_from is None or view is None:
            return False
        age = view.link.age_s
        return age is None or self._clock.wall() - age <= silent_from

    def _told(self, name: InstanceName | None) -> RentView | None:
        return None if name is None else told_of(name, self.accounts, self._problems)

    def _rent_of(self, name: str) -> RentView | None:
        """Return what was told of a box last, maybe in an earlier session."""
        found = self._last.get(name)
        if found is None and (box := self._fleet.box(name)) is not None:
            found = box.rent
        return found

    def _tell(self, box: Box, name: InstanceName, provider: ProviderView | None) -> None:
        seen = self.accounts.view.find(name.provider, name.id)
        rent = told_of(name, self.accounts, self._problems)
        if seen is not None:
            self._reach(box, seen.instance)
        elif provider is not None and name.id in provider.gone and box.name in self._last:
            rent = gone_view(self._last[box.name])
            self._lose(box)
        elif box.from_provider and box.fault is not None:
            self._fleet.readdress(box.name, SshTarget(""), rent.reason, rent.hint)
        rent = replace(rent, ended_here=rent.is_off and self._was_ended_here(box.name, name))
        self._last[box.name] = rent
        self._fleet.rent(box.name, rent)

    def _reach(self, box: Box, instance: Instance) -> None:
        if box.from_provider:
            target, fault, hint = reach(instance, self._turns.get(box.name, 0))
            self._fleet.readdress(box.name, target, fault, hint)

    def _lose(self, box: Box) -> None:
        if box.from_provider:
            gone = "it is gone: its provider lists it no more"
            hint = "what was mirrored stays; `boxtop open` shows it any time"
            self._fleet.readdress(box.name, SshTarget(""), gone, hint)

    def _look_at_link(self, name: str) -> None:
        """From a link's thread: an address that fails is looked up anew."""
        rent = self._last.get(name)
        if rent is None:
            return
        box = self._fleet.box(name)
        if box is None or box.link.state == "live" or box.link.attempt == 0:
            self._failed.pop(name, None)
            return
        if box.link.attempt == self._failed.get(name) or box.link.retry_in_s is None:
            return
        self._failed[name] = box.link.attempt
        if box.link.attempt % TURN_ATTEMPTS == 0:
            self._turn(name, rent)
        self.ask_soon(rent.provider)

    def _turn(self, name: str, rent: RentView) -> None:
        """Take the instance's next address at the next attempt."""
        with self._lock:
            self._turns[name] = self._turns.get(name, 0) + 1
            seen = self.accounts.view.find(rent.provider, rent.id)
            for box in self._fleet.boxes_watched():
                if box.name == name and box.from_provider and seen is not None:
                    self._fleet.readdress(name, *reach(seen.instance, self._turns[name]), now=False)

    def _watch(self, watched: Watched) -> None:
        """In a thread: ask one provider again and again."""
        name = watched.provider.name
        wake = self._wakes[name]
        asked = False
        while not self._closed.is_set():
            try:
                self._take(watched.refresh_list(now=asked))
                self._take(watched.refresh_credit())
            except Exception as error:  # noqa: BLE001 - a fault here must not end the watch
                record_fault(error)
            asked = wake.wait(watched.provider.capabilities.list_seconds)
            wake.clear()

    def _take(self, provider: ProviderView) -> None:
        """Write down and show what a provider just told."""
        if self._closed.is_set():
            return
        self.publish()
        if self._book is not None:
            self._book.take(provider, self._alone())
            self.today = self._book.today()

    def _alone(self) -> Mapping[str, bool]:
        """Return whether nobody but its own price bills each box, as far as that was told."""
        with self._lock:
            told = {name: InstanceName(rent.provider, rent.id) for name, rent in self._last.items()}
        return billed_alone((box for box in self._fleet.boxes_watched() if box.name in told), told)
