"""Which instances boxtop itself stopped or destroyed, as the journal tells."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from tui.actions.journal import Entry, Journal
from tui.boxes import InstanceName

_ACTIONS = frozenset({"stop", "start", "destroy"})
_ASKED, _REFUSED, _DONE = "asked", "refused", "done"

STOP_SECONDS = 300.0
"""An instance that was told to stop or go may be heard of for so long."""

CONFIRMED_SECONDS = 30.0
"""And for so long once its provider's list has said that it is off: clocks differ."""


class Deeds:
    """What was asked of each instance last; reads the journal again only when that has grown."""

    def __init__(self, data: Path) -> None:
        self._journal = Journal(data)
        self._read: tuple[int, int] | None = None
        self._asked: dict[InstanceName, Entry] = {}
        self._last: dict[InstanceName, Entry] = {}

    def silent_from(self, name: InstanceName) -> float | None:
        """Return since when nothing can be heard of an instance (epoch seconds) by what boxtop did.

        None where it was not told to stop or go. A start after that takes it back; what was
        refused is as if nobody had asked.
        """
        self._look()
        entry = self._asked.get(name) or self._last.get(name)
        if entry is None or entry.action == "start":
            return None
        try:
            at = datetime.fromisoformat(entry.at).timestamp()
        except ValueError:
            return None
        return at + (CONFIRMED_SECONDS if entry.outcome == _DONE else STOP_SECONDS)

    def _look(self) -> None:
        try:
            found = self._journal.path.stat()
        except OSError:
            return
        size_and_time = (found.st_size, found.st_mtime_ns)
        if size_and_time == self._read:
            return
        self._read, self._asked, self._last = size_and_time, {}, {}
        for entry in self._journal.entries():
            provider, id = entry.asked.get("provider"), entry.asked.get("id")
            if entry.action in _ACTIONS and isinstance(provider, str) and isinstance(id, str):
                self._take(InstanceName(provider, id), entry)

    def _take(self, name: InstanceName, entry: Entry) -> None:
        """Take the next line of an instance; an action that has no end may have been done."""
        asked = self._asked.pop(name, None)
        if entry.outcome == _ASKED:
            self._asked[name] = entry
            if asked is not None:
                self._last[name] = asked
        elif entry.outcome != _REFUSED:
            self._last[name] = entry
