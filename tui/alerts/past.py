"""What was told, kept to be read again by who was away. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tui.alerts.event import GOOD, Event

PAST_MOST = 200
"""As many are kept: more than anyone reads, in a file that stays small."""


class Past(NamedTuple):
    """``events``, the oldest first; the last ``unread`` ones nobody has looked at yet."""

    events: tuple[Event, ...] = ()
    unread: int = 0

    @property
    def has_trouble(self) -> bool:
        """Whether something that nobody has looked at wants a person."""
        news = self.events[len(self.events) - self.unread :]
        return any(event.kind not in GOOD for event in news)


def with_events(past: Past, events: Iterable[Event]) -> Past:
    """Return the past with what was told now.

    Of a run's new bests the newest stands for all. Of too many the oldest best goes first, then
    the oldest of what is no trouble.
    """
    kept, unread = list(past.events), past.unread
    for event in events:
        if event.kind == "new_best":
            unread -= _drop(kept, _older_best(kept, event), unread)
        kept.append(event)
        unread += 1
    while len(kept) > PAST_MOST:
        unread -= _drop(kept, _least(kept), unread)
    return Past(tuple(kept), unread)


def _drop(kept: list[Event], index: int | None, unread: int) -> bool:
    """Take one out; return whether nobody had looked at it."""
    if index is None:
        return False
    was_unread = index >= len(kept) - unread
    del kept[index]
    return was_unread


def _older_best(kept: list[Event], event: Event) -> int | None:
    alike = (event.kind, event.box, event.run)
    return next((i for i, one in enumerate(kept) if (one.kind, one.box, one.run) == alike), None)


def _least(kept: list[Event]) -> int:
    def rank(index: int) -> int:
        kind = kept[index].kind
        return 0 if kind == "new_best" else 1 if kind in GOOD else 2

    return min(range(len(kept)), key=rank)
