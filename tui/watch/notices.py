"""What a person should read once of a box, and which of it says that a root was not searched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui.config.settings import WatchSettings
from tui.text import one_line

NOTICES_KEPT = 20
_UNSEARCHED = "cannot search "
"""How the notice of a follower begins that could not look into a directory."""


class Notices:
    """The newest lines, each once."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def add(self, text: str) -> None:
        """Take a line."""
        line = one_line(text)
        if line not in self._lines:
            self._lines = [*self._lines, line][-NOTICES_KEPT:]

    def told(self, unsearched: Sequence[str] = ()) -> tuple[str, ...]:
        """Return all lines but those that are told as errors."""
        return tuple(line for line in self._lines if line not in unsearched)

    def unsearched(self, roots: Sequence[str], searched: Sequence[str]) -> Iterator[str]:
        """Yield the lines of roots that cannot be searched.

        Those that every box has are left out: the home of root is closed to everyone else.
        """
        usual = WatchSettings().runs
        for root, place in zip(roots, searched, strict=False):
            if root not in usual:
                begin = f"{_UNSEARCHED}{one_line(place)}: "
                yield from (line for line in self._lines if line.startswith(begin))
