"""The instances that a word may mean: of the lists of now, and of earlier ones where none came."""

from __future__ import annotations

from collections.abc import Callable

from tui.money import hours_text
from tui.providers.account import Accounts, ProviderView
from tui.providers.base import Instance
from tui.providers.errors import ProviderError
from tui.text import one_line, said

_NEVER_ASKED = ("no_key", "bad_key", "usage", "unsupported")


class Listed:
    """``tell`` gets a line where an earlier list says who is meant.

    What only an earlier list has is asked for anew, by its id: an old row alone names nobody.
    """

    def __init__(self, accounts: Accounts, tell: Callable[[str], object]) -> None:
        self._accounts = accounts
        self._tell = tell
        self.all = [one.instance for one in accounts.view.seen if not one.gone_maybe]

    def of_now(self, provider: str, id: str) -> Instance | None:
        """Return an instance of a list of now."""
        for one in self.all:
            if (one.provider, one.id) == (provider, id) and self._old(one) is None:
                return one
        return None

    def found(self, is_meant: Callable[[Instance], bool]) -> list[Instance]:
        """Return those that are meant as they are now.

        Raises the ProviderError of the only one, where its provider cannot be asked.
        """
        told = [self._now(one) for one in self.all if is_meant(one)]
        found = [(one, error) for one, error in told if one is not None and is_meant(one)]
        if len(found) == 1:
            one, error = found[0]
            if error is not None:
                raise error
            if (old := self._old(one)) is not None:
                self._tell(_old_text(one, old))
        return [one for one, _ in found]

    def doubt(self, name: str, instance: Instance) -> ProviderError | None:
        """Return why nobody knows whether an instance is the only one of its name, None if it is.

        An account of which no list ever came may hold another; one without a key holds none that
        boxtop ever showed.
        """
        for view in self._accounts.view.providers:
            error, is_known = view.error, view.listed_at is not None or view.earlier_s is not None
            if error is None or is_known or view.provider == instance.provider:
                continue
            if error.kind in _NEVER_ASKED:
                continue
            message = f"{one_line(name, 80)!r} may be at {view.provider}, too: {error}"
            own = f"{instance.provider}:{one_line(instance.id, 80)}"
            return ProviderError(error.kind, message, f"name it as {own}")
        return None

    def _old(self, one: Instance) -> ProviderView | None:
        """Return the view that has an instance from an earlier session, None for a list of now."""
        view = self._accounts.view.provider(one.provider)
        return view if view is not None and view.listed_at is None else None

    def _now(self, one: Instance) -> tuple[Instance | None, ProviderError | None]:
        """Return an instance as it is now, or as it was and why its provider cannot be asked."""
        old, provider = self._old(one), self._accounts.provider(one.provider)
        if old is None or provider is None:
            return one, None
        if old.error is not None and old.error.kind != "rate":
            return one, old.error
        try:
            return provider.get(one.id), None
        except ProviderError as error:
            return one, error


def _old_text(one: Instance, view: ProviderView) -> str:
    why = f" ({said(str(view.error), 160)})" if view.error is not None else ""
    age = "" if view.earlier_s is None else f" of {hours_text(view.earlier_s)} ago"
    own = f"{one.provider}:{one_line(one.id, 80)}"
    return f"{one.provider} tells no list now{why}; by its list{age} this is {own}"
