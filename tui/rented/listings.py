"""The last list of each account, kept on this machine: what was there, for when nobody tells.

``listings/PROVIDER.json`` in the data directory, written anew as a whole. A process that cannot
read an account's list shows this one, with its age, instead of nothing.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from tui.clock import Clock
from tui.providers.account import Earlier, ProviderView, Seen
from tui.runs.mirror import decode, encode, replace

FOLDER = "listings"
SAVE_SECONDS = 60.0
"""A list that says nothing new is written no more often than this: only its age changes."""


class Kept(msgspec.Struct):
    """A list as it is written: ``at`` is when it came, in seconds since the epoch.

    ``owner`` is the mark of the key that it was read with.
    """

    at: float
    seen: list[Seen] = []
    owner: str = ""


class Listings:
    """The lists of one data directory; of several boxtops the last one to write counts."""

    def __init__(self, data: Path, clock: Clock | None = None) -> None:
        self._folder = data / FOLDER
        self._clock = clock or Clock()
        self._kept: dict[str, ProviderView] = {}

    def keep(self, view: ProviderView) -> None:
        """Write a good list down. Raises OSError where that is not possible."""
        if view.listed_at is None:
            return
        known = self._kept.get(view.provider)
        if known is not None and known.listed_at is not None:
            is_soon = view.listed_at - known.listed_at < SAVE_SECONDS
            if view.listed_at == known.listed_at or (is_soon and view.seen == known.seen):
                return
        self._kept[view.provider] = view
        at = self._clock.wall() - (self._clock.steady() - view.listed_at)
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        kept = Kept(at, list(view.seen), view.owner)
        replace(self._path(view.provider), encode(kept), by=f"{os.getpid()}-{id(self):x}")

    def earlier(self, provider: str) -> Earlier | None:
        """Return the last list of a provider, None where none is kept or it cannot be read."""
        try:
            kept = decode(self._path(provider).read_bytes(), Kept)
        except (OSError, ValueError):
            return None
        seen = tuple(one for one in kept.seen if one.instance.provider == provider)
        return Earlier(kept.at, seen, kept.owner)

    def _path(self, provider: str) -> Path:
        return self._folder / f"{provider}.json"
