"""Runs outside of the roots: a training that nobody watched may have written anywhere at home.

Only what is surely a run counts here, a directory with a marker and checkpoints. What is closed or
takes too long is left out: ``partly`` names the places that were not searched to their end.
"""

from __future__ import annotations

import os
import time
from typing import Callable, FrozenSet, Iterable, Iterator, List, Set, Tuple

from tui.onbox.places import SUFFIX, WEIGHTS, raw

MAX_DIRECTORIES = 60000
MAX_ENTRIES = 10000
"""A directory with more entries is data: it is not read to its end."""

LIMIT_SECONDS = 6.0
LIBRARIES = frozenset([b"site-packages", b"dist-packages"])


class Sweep:
    """Looks below several places within one limit; follows no links."""

    def __init__(
        self,
        markers: FrozenSet[bytes],
        pruned: FrozenSet[bytes],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._closed: Set[bytes] = set()
        self._markers = markers
        self._left_out = pruned | LIBRARIES
        self._clock = clock
        self._until = clock() + LIMIT_SECONDS
        self._looked = 0
        self.partly: List[bytes] = []

    def leave_out(self, places: Iterable[bytes]) -> None:
        """Enter none of these from now on."""
        self._closed.update(places)

    def below(self, *places: bytes) -> List[bytes]:
        """Return the runs below some places, the nearest to any of them first.

        What was searched once is searched no more.
        """
        found: List[bytes] = []
        level = [(place, place) for place in places if place not in self._closed]
        while level:
            deeper: List[Tuple[bytes, bytes]] = []
            for number, (place, path) in enumerate(level):
                if self._is_over():
                    left = [place for place, _ in [*level[number:], *deeper]]
                    self.partly += dict.fromkeys(left)
                    return found
                names = self._directories(path)
                if WEIGHTS in names and self._is_run(path):
                    found.append(path)
                inner = [os.path.join(path, name) for name in names if self._is_searched(name)]
                deeper += [(place, each) for each in inner if each not in self._closed]
            level = deeper
        self._closed.update(places)
        return found

    def _is_searched(self, name: bytes) -> bool:
        return not name.startswith(b".") and name not in self._left_out

    def _is_over(self) -> bool:
        return self._looked >= MAX_DIRECTORIES or self._clock() > self._until

    def _directories(self, path: bytes) -> List[bytes]:
        """Return the names of the directories in one, as far as its time allows."""
        self._looked += 1
        found = []
        for count, entry in enumerate(_entries(path)):
            if count >= MAX_ENTRIES or (count % 100 == 99 and self._is_over()):
                break
            if _is_directory(entry):
                found.append(entry.name)
        return found

    def _is_run(self, path: bytes) -> bool:
        if not any(os.path.lexists(os.path.join(path, marker)) for marker in self._markers):
            return False
        weights = _entries(os.path.join(path, WEIGHTS))
        return any(entry.name.endswith(raw(SUFFIX)) for entry in weights)


def _entries(path: bytes) -> Iterator[os.DirEntry[bytes]]:
    try:
        with os.scandir(path) as entries:
            yield from entries
    except OSError:
        return


def _is_directory(entry: os.DirEntry[bytes]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
