"""Reads a log on from where it was read before, whole lines only."""

from __future__ import annotations

from tui.runs.log import LogTail


class LogCursor:
    """A place in a log; ``newest`` limits what the first reading returns."""

    def __init__(self, newest: int | None = None) -> None:
        self._newest = newest
        self._log: LogTail | None = None
        self._next = 0

    def read(self, log: LogTail, *, to_end: bool = False) -> list[str]:
        """Return the lines that are new; the last one waits for its end unless ``to_end``.

        A log that began anew, or is another one than before, is read from its beginning.
        """
        lines = log.lines
        whole = len(lines) - (1 if log.is_open and not to_end else 0)
        end = log.first + whole
        if self._log is None:
            kept = whole if self._newest is None else min(whole, self._newest)
            self._next = end - kept
        elif self._log is not log:
            self._next = log.first
        self._log = log
        start = max(0, self._next - log.first)
        if whole <= start:
            return []
        self._next = end
        return list(lines[start:whole])
