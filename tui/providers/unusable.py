"""A provider that cannot be used, as one whose every answer is why: its last list is kept."""

from __future__ import annotations

from typing import NoReturn

from tui.providers.base import Account, Capabilities, Instance, Listing, Reply
from tui.providers.errors import ProviderError


class Unusable:
    """Stands for a provider without a key, or with settings that cannot be used; asks nobody."""

    capabilities = Capabilities(list_seconds=300.0)

    def __init__(self, name: str, error: ProviderError) -> None:
        self.name = name
        self._error = error

    def list(self) -> Listing:
        """Raise why it cannot be used; so do all others."""
        self._fail()

    def get(self, id: str) -> Instance | None:
        """Raise ProviderError."""
        self._fail()

    def account(self) -> Account | None:
        """Raise ProviderError."""
        self._fail()

    def stop(self, id: str) -> Reply:
        """Raise ProviderError: nothing was sent."""
        self._fail()

    def start(self, id: str) -> Reply:
        """Raise ProviderError: nothing was sent."""
        self._fail()

    def destroy(self, id: str) -> Reply:
        """Raise ProviderError: nothing was sent."""
        self._fail()

    def logs(self, id: str, lines: int = 200) -> tuple[str, ...]:
        """Raise ProviderError."""
        self._fail()

    def close(self) -> None:
        """Do nothing: nothing waits."""

    def _fail(self) -> NoReturn:
        raise ProviderError(self._error.kind, str(self._error), self._error.hint)
