"""Until when the Hub wants to be left alone, by repository: one small file each.

All of boxtop on this machine heeds it, also after a restart.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from tui.runs.mirror import decode, encode, replace

FOLDER = "embargo"
LONGEST_SECONDS = 86400.0
"""No longer is believed: the Hub counts by the hour, and a clock may have been wrong."""


class _Kept(msgspec.Struct, frozen=True):
    repo: str
    until: float


class Embargo:
    """What is known of it; ``data`` is the data directory, times are seconds since the epoch."""

    def __init__(self, data: Path, now: Callable[[], float] = time.time) -> None:
        self._folder = data / FOLDER
        self._now = now

    def until(self, repo: str) -> float | None:
        """Return the earliest next try at a repository, None when it may be now."""
        try:
            kept = decode(self._path(repo).read_bytes(), _Kept)
        except (OSError, ValueError):
            return None
        now = self._now()
        return kept.until if now < kept.until <= now + LONGEST_SECONDS else None

    def keep(self, repo: str, until: float) -> None:
        """Remember what the Hub said last. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        until = min(until, self._now() + LONGEST_SECONDS)
        replace(self._path(repo), encode(_Kept(repo, until)))

    def _path(self, repo: str) -> Path:
        import hashlib  # not for every start: it costs 2 ms

        digest = hashlib.sha256(repo.casefold().encode("utf-8", "replace")).hexdigest()[:32]
        return self._folder / f"{digest}.json"
