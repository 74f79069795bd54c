"""Which instances boxtop itself stopped or destroyed, as the journal tells."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from tui.actions.journal import Entry, Journal
from tui.boxes import InstanceName

_ACTIONS = frozenset({"stop", "start", "destroy"})


class Deeds:
    """What was asked of each instance last; reads the journal again only when that has grown."""

    def __init__(self, data: Path) -> None:
        self._journal = Journal(data)
        self._read: tuple[int, int] | None = None
        self._last: dict[InstanceName, Entry] = {}

    def ended_at(self, name: InstanceName) -> float | None:
        """Return when an instance was told to stop or go (epoch seconds), None where it was not.

        A start after that, or a refusal, takes it back.
        """
        self._look()
        entry = self._last.get(name)
        if entry is None or entry.action == "start":
            return None
        try:
            return datetime.fromisoformat(entry.at).timestamp()
        except ValueError:
            return None

    def _look(self) -> None:
        try:
            found = self._journal.path.stat()
        except OSError:
            return
        size_and_time = (found.st_size, found.st_mtime_ns)
        if size_and_time == self._read:
            return
        self._read, self._last = size_and_time, {}
        for entry in self._journal.entries():
            provider, id = entry.asked.get("provider"), entry.asked.get("id")
            if entry.action in _ACTIONS and isinstance(provider, str) and isinstance(id, str):
                self._take(InstanceName(provider, id), entry)

    def _take(self, name: InstanceName, entry: Entry) -> None:
        if entry.outcome == "refused":
            self._last.pop(name, None)
        else:
            self._last[name] = entry
