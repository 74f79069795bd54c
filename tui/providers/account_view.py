"""What is known of each account at one moment: its instances, its credit, and how old that is."""

from __future__ import annotations

from dataclasses import dataclass

from tui.money import Rate
from tui.providers.base import Account, Instance, State
from tui.providers.errors import ProviderError


@dataclass(frozen=True, slots=True)
class Seen:
    """An instance as it was last listed. ``gone_maybe``: the newest good list lacks it."""

    instance: Instance
    gone_maybe: bool = False


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a list of an earlier session told, ``at`` so many seconds since the epoch.

    ``owner`` is the mark of the key that it was read with, "" where that is not known.
    """

    at: float
    seen: tuple[Seen, ...] = ()
    owner: str = ""


@dataclass(frozen=True, slots=True)
class ProviderView:
    """What is known of one provider.

    ``listed_at`` is the steady time of the last good list, None before the first: then ``seen`` is
    what an earlier session was told, ``earlier_s`` seconds ago, and without that an empty one means
    nothing. ``gone`` are the ids that two good lists lack.
    """

    provider: str
    seen: tuple[Seen, ...] = ()
    listed_at: float | None = None
    error: ProviderError | None = None
    warnings: tuple[str, ...] = ()
    account: Account | None = None
    account_error: ProviderError | None = None
    gone: frozenset[str] = frozenset()
    earlier_s: float | None = None
    owner: str = ""

    def age_s(self, now: float) -> float | None:
        """Return the seconds since the last good list, by the steady clock."""
        return None if self.listed_at is None else max(0.0, now - self.listed_at)

    @property
    def rates(self) -> tuple[Rate, ...]:
        """What bills now, stopped boxes and boxes that may be gone too."""
        return tuple(
            one.instance.rate_now for one in self.seen if one.instance.state is not State.GONE
        )


@dataclass(frozen=True, slots=True)
class AccountsView:
    """All providers, in the order they were given."""

    providers: tuple[ProviderView, ...]

    @property
    def seen(self) -> tuple[Seen, ...]:
        """All instances, by provider, then as listed."""
        return tuple(one for provider in self.providers for one in provider.seen)

    def provider(self, name: str) -> ProviderView | None:
        """Return one provider's view."""
        return next((view for view in self.providers if view.provider == name), None)

    def find(self, provider: str, id: str) -> Seen | None:
        """Return an instance by its provider and id; ids are compared as text."""
        for one in self.seen:
            if one.instance.provider == provider and one.instance.id == str(id):
                return one
        return None
