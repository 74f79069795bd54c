"""All instances of all providers as one view that no fault of an API ever empties.

A list that could not be read leaves the last good one standing, with its age and the error beside
it. An instance that a good and complete list lacks is "gone?" until a second one lacks it too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from tui.clock import Clock
from tui.providers.account_view import AccountsView as AccountsView
from tui.providers.account_view import Earlier as Earlier
from tui.providers.account_view import ProviderView as ProviderView
from tui.providers.account_view import Seen as Seen
from tui.providers.base import Instance, Provider
from tui.providers.errors import ProviderError, as_provider_error
from tui.providers.pace import LONGEST_ASKED

ACCOUNT_SECONDS = 300.0
"""Differences of a credit over less time say nothing."""
CREDIT_SECONDS = 900.0
"""A credit that was read longer ago is not known any more: it was spent from since."""
MISSING_BEFORE_GONE = 2
RECENT_SECONDS = 900.0
"""What an older list of an earlier session had, and the first one now lacks, is gone for long."""

_NO_ACCOUNT = frozenset({"auth", "no_key", "bad_key"})
"""Faults of a key that stands for no account at all."""


class Watched:
    """One provider under watch. ``refresh`` may come from any thread; one at a time asks.

    ``owner`` is the mark of its key: what another key listed is another account's.
    """

    def __init__(self, provider: Provider, clock: Clock | None = None, owner: str = "") -> None:
        self.provider = provider
        self._clock = clock or Clock()
        self._asking = threading.Lock()
        self._view = ProviderView(provider.name, owner=owner)
        self._list_seconds = provider.capabilities.list_seconds
        self._missing: dict[str, int] = {}
        self._earlier: Earlier | None = None
        self._anothers: Earlier | None = None
        self._next_list = self._next_account = self._held_until = float("-inf")
        self._account_at = float("-inf")

    @property
    def view(self) -> ProviderView:
        """What is known; blocks for nothing."""
        return self._view

    def remember(self, earlier: Earlier | None) -> None:
        """Take what an earlier session was told: it is shown while no list can be read.

        What another key was told is shown only where this one is none, or not accepted.
        """
        own, other = self._view.owner, "" if earlier is None else earlier.owner
        is_own = not own or not other or own == other
        self._earlier, self._anothers = (earlier, None) if is_own else (None, earlier)

    @property
    def awaited(self) -> tuple[Instance, ...]:
        """What an earlier session was told, while no list of now says more."""
        told = self._view.listed_at is not None or self._view.seen or self._earlier is None
        return (
            ()
            if told or self._earlier is None
            else tuple(one.instance for one in self._earlier.seen)
        )

    def fall_back(self, error: ProviderError) -> None:
        """Show what is known with this error, unless a list came or failed meanwhile."""
        if self._view.listed_at is None and self._view.error is None:
            self._view = self._failed(error)

    def refresh(self, now: bool = False) -> ProviderView:
        """Ask for the list and the credit, each if it is time; raises nothing."""
        self.refresh_list(now)
        return self.refresh_credit()

    def refresh_list(self, now: bool = False) -> ProviderView:
        """Ask for the list if it is time, or at once for ``now``; raises nothing.

        While the API asks to wait, nobody is asked, not even for ``now``.
        """
        with self._asking:
            steady = self._clock.steady()
            if steady >= self._held_until and (now or steady >= self._next_list):
                self._refresh_list()
            return self._view

    def refresh_credit(self) -> ProviderView:
        """Ask for the credit if it is time; where the list fails nobody waits for that as well."""
        with self._asking:
            if self._view.error is None and self._clock.steady() >= self._next_account:
                self._refresh_account()
            return self._view

    def _refresh_list(self) -> None:
        try:
            listing = self.provider.list()
        except Exception as error:  # noqa: BLE001 - a provider's fault is shown, never an end
            problem = as_provider_error(error, self.provider.name)
            self._view = self._failed(problem)
            at = self._clock.steady()
            self._held_until = at + min(problem.retry_after_s or 0.0, LONGEST_ASKED)
            self._next_list = max(at + self._list_seconds, self._held_until)
            return
        at = self._clock.steady()
        self._next_list = at + self._list_seconds
        seen, gone = self._merged(listing.instances, listing.complete)
        self._view = replace(
            self._view,
            seen=seen,
            listed_at=at,
            error=None,
            warnings=listing.warnings,
            gone=gone,
            earlier_s=None,
        )

    def _failed(self, error: ProviderError) -> ProviderView:
        """Return the view with an error, and what was known before any list came."""
        earlier = self._earlier or (self._anothers if error.kind in _NO_ACCOUNT else None)
        if self._view.listed_at is not None or earlier is None:
            return replace(self._view, error=error)
        age = max(0.0, self._clock.wall() - earlier.at)
        return replace(self._view, error=error, seen=earlier.seen, earlier_s=age)

    def _known(self) -> tuple[Seen, ...]:
        """Return what a new list is compared with: an earlier session's only where it is recent."""
        earlier = self._earlier
        if self._view.listed_at is not None or self._view.seen or earlier is None:
            return self._view.seen
        if self._clock.wall() - earlier.at > RECENT_SECONDS:
            return ()
        self._missing = {one.instance.id: 1 for one in earlier.seen if one.gone_maybe}
        return earlier.seen

    def priced(self, listed: Iterable[Instance]) -> Iterator[Instance]:
        """Yield what is listed, each with the running price told before where none is told now."""
        earlier = () if self._earlier is None else self._earlier.seen
        known = {one.instance.id: one.instance.rate_running for one in (*earlier, *self._view.seen)}
        for one in listed:
            before = known.get(one.id)
            is_told = one.rate_running.usd_per_hour is not None
            yield one if is_told or before is None else replace(one, rate_running=before)

    def _merged(
        self, listed: Sequence[Instance], complete: bool
    ) -> tuple[tuple[Seen, ...], frozenset[str]]:
        """Return the new list with what it lacks at its old place, and the ids that are gone."""
        fresh = {instance.id: instance for instance in self.priced(listed)}
        gone = set(self._view.gone) - fresh.keys()
        merged: list[Seen] = []
        for old in self._known():
            id = old.instance.id
            instance = fresh.pop(id, None)
            if instance is not None:
                self._missing.pop(id, None)
                merged.append(Seen(instance))
                continue
            count = self._missing.get(id, 0) + int(complete)
            self._missing[id] = count
            if count >= MISSING_BEFORE_GONE:
                del self._missing[id]
                gone.add(id)
            else:
                merged.append(replace(old, gone_maybe=old.gone_maybe or complete))
        return (*merged, *(Seen(instance) for instance in fresh.values())), frozenset(gone)

    def _refresh_account(self) -> None:
        try:
            account = self.provider.account()
        except Exception as error:  # noqa: BLE001 - a key that may not read it still lists
            problem = as_provider_error(error, self.provider.name)
            is_old = self._clock.steady() - self._account_at > CREDIT_SECONDS
            known = None if is_old else self._view.account
            self._view = replace(self._view, account=known, account_error=problem)
        else:
            self._account_at = self._clock.steady()
            self._view = replace(self._view, account=account, account_error=None)
        self._next_account = self._clock.steady() + ACCOUNT_SECONDS


class Accounts:
    """All providers in use, asked side by side: a slow one holds no other up."""

    def __init__(
        self,
        providers: Iterable[Provider],
        clock: Clock | None = None,
        owners: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.watched = tuple(Watched(one, clock, owners.get(one.name, "")) for one in providers)
        self._by_name = {watched.provider.name: watched for watched in self.watched}

    @property
    def view(self) -> AccountsView:
        """What is known; blocks for nothing."""
        return AccountsView(tuple(watched.view for watched in self.watched))

    @property
    def awaited(self) -> tuple[Instance, ...]:
        """What earlier sessions were told of accounts that tell nothing yet."""
        return tuple(one for watched in self.watched for one in watched.awaited)

    def remember(self, earlier: Callable[[str], Earlier | None]) -> None:
        """Show what earlier sessions were told, by the provider's name, where no list comes."""
        for watched in self.watched:
            watched.remember(earlier(watched.provider.name))

    def refresh(self, now: bool = False, only: Container[str] | None = None) -> AccountsView:
        """Ask every provider whose time has come and wait for all; raises nothing.

        ``only`` are the names of those that are needed; the others are left alone.
        """
        threads = [
            threading.Thread(target=watched.refresh, args=(now,), daemon=True)
            for watched in self.watched
            if only is None or watched.provider.name in only
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self.view

    def provider(self, name: str) -> Provider | None:
        """Return a provider by its name."""
        watched = self._by_name.get(name)
        return watched.provider if watched is not None else None

    def priced(self, instance: Instance) -> Instance:
        """Return an instance with the running price that was told before, where none is now."""
        watched = self._by_name.get(instance.provider)
        return instance if watched is None else next(watched.priced([instance]))

    def refresh_one(self, name: str) -> ProviderView | None:
        """Ask one provider at once, after something was done to it; None for no such provider."""
        watched = self._by_name.get(name)
        return watched.refresh(now=True) if watched is not None else None

    def close(self) -> None:
        """End all that waits."""
        for watched in self.watched:
            watched.provider.close()
