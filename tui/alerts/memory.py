"""What was told already, so that nothing is told twice: also not after a restart. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

import msgspec

from tui.alerts.event import Event

Kept = TypeVar("Kept")

TOLD_MOST = 4000
RUNS_MOST = 4000
BOXES_MOST = 1000
HELD_MOST = 200
"""Bounds of the file: what was used least lately is forgotten first."""


class RunMemory(msgspec.Struct):
    """A run as it was seen last, ``since`` a time: ``best`` is the epoch and value told of last.

    ``was_at_work`` says that its end would be news.
    """

    since: float
    seen_at: float
    was_at_work: bool = False
    best: tuple[int | None, float | None] | None = None
    best_at: float = 0.0


class Memory(msgspec.Struct):
    """``told``: key of what is so and was told → when. ``boxes``: when a box last answered.

    ``held`` are events that no channel was given yet, ``past`` those that were told, of which
    nobody has looked at the last ``unread``. All times are this machine's.
    """

    version: int = 1
    told: dict[str, float] = {}
    runs: dict[str, RunMemory] = {}
    boxes: dict[str, float] = {}
    held: list[Event] = []
    past: tuple[Event, ...] = ()
    unread: int = 0

    def prune(self) -> None:
        """Forget the oldest above the bounds."""
        _bound(self.told, lambda at: at, TOLD_MOST)
        _bound(self.runs, lambda run: run.seen_at, RUNS_MOST)
        _bound(self.boxes, lambda at: at, BOXES_MOST)
        del self.held[:-HELD_MOST]


def _bound(table: dict[str, Kept], age: Callable[[Kept], float], most: int) -> None:
    for key in sorted(table, key=lambda key: age(table[key]))[: max(0, len(table) - most)]:
        del table[key]


@lru_cache(maxsize=8192)
def key_of(what: str, *names: str) -> str:
    """Return a short key for names of any length and content."""
    whole = "\0".join(names).encode("utf-8", "surrogatepass")
    return f"{what}:{hashlib.blake2b(whole, digest_size=12).hexdigest()}"


def joined(own: Memory, other: Memory, *, whole: bool) -> Memory:
    """Return a memory that knows what another boxtop told; with ``whole`` all that it left, too."""
    found = Memory(
        told={**other.told, **own.told},
        runs={**other.runs, **own.runs},
        boxes={**other.boxes, **own.boxes},
        held=list(own.held),
        past=own.past,
        unread=own.unread,
    )
    for key in own.runs.keys() & other.runs.keys():
        found.runs[key] = max(other.runs[key], own.runs[key], key=lambda run: run.seen_at)
    for key in own.boxes.keys() & other.boxes.keys():
        found.boxes[key] = max(other.boxes[key], own.boxes[key])
    if whole:
        found.held += other.held
        (read, new), (other_read, other_new) = _parts(own), _parts(other)
        found.past = (*_by_time(read, other_read), *_by_time(new, other_new))
        found.unread = len(new) + len(other_new)
    return found


def _parts(memory: Memory) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """Return what somebody has looked at, and what nobody has."""
    first = len(memory.past) - memory.unread
    return memory.past[:first], memory.past[first:]


def _by_time(*events: tuple[Event, ...]) -> list[Event]:
    return sorted((one for some in events for one in some), key=lambda one: one.at)
