"""When what happened is told: together what happened together, and nothing in the quiet time. Pure.

No kind breaks through the quiet time; the screen, which disturbs nobody, shows all at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from tui.alerts.event import Event, Message, message_of
from tui.alerts.judge import Moment
from tui.alerts.memory import Memory
from tui.alerts.past import Past, with_events
from tui.alerts.quiet import QuietTime

GROUP_SECONDS = 6.0
"""Longer than between two looks: a box that dies takes its runs along, one after the other."""
OLD_SECONDS = 24 * 3600.0
"""What could not be sent for so long is no news any more."""


class Due(NamedTuple):
    """What is to be told now: on the ``screen``, and to every channel (``sent``)."""

    screen: Message | None
    sent: Message | None


class Outbox:
    """Holds events until their time; those for channels lie in ``memory``, and outlive boxtop."""

    def __init__(self, memory: Memory, quiet: QuietTime, off: Collection[str]) -> None:
        self.memory = memory
        self._quiet = quiet
        self._off = frozenset(off)
        self._shown: list[Event] = []
        self._began: float | None = None

    def add(self, events: Iterable[Event], at: Moment) -> None:
        """Take events; kinds that are switched off are dropped."""
        wanted = [event for event in events if event.kind not in self._off]
        if wanted and self._began is None:
            self._began = at.awake
        self._shown += wanted
        self.memory.held += wanted
        self._keep(with_events(self.past(), wanted))

    def past(self) -> Past:
        """Return what was told, also before this start."""
        return Past(self.memory.past, self.memory.unread)

    def read(self) -> None:
        """Note that somebody has looked at all of it."""
        self._keep(Past(self.memory.past))

    def _keep(self, past: Past) -> None:
        self.memory.past, self.memory.unread = past

    def is_quiet(self, at: Moment) -> bool:
        """Whether it is the quiet time."""
        return self._quiet.holds(at.wall)

    def hurry(self) -> None:
        """Let what waits for what may follow be due now."""
        self._began = None

    def due(self, at: Moment) -> Due:
        """Return what is to be told now, once."""
        if self._began is not None and 0 <= at.awake - self._began < GROUP_SECONDS:
            return Due(None, None)
        self._began = None
        shown, self._shown = self._shown, []
        screen = message_of(shown, at.wall) if shown else None
        if self.is_quiet(at):
            return Due(screen, None)
        held = [event for event in self.memory.held if at.wall - event.at < OLD_SECONDS]
        self.memory.held.clear()
        if not held:
            return Due(screen, None)
        was_quiet = all(self._quiet.holds(event.at) for event in held)
        return Due(screen, message_of(held, at.wall, held=was_quiet))
