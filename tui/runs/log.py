"""The end of a log, line by line, fed with bytes as they arrive."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from tui.runs.lines import Lines
from tui.text import clean, redact

MAX_LINE = 4096
"""Characters that are kept of a line; what follows is replaced by a mark."""

CUT_MARK = " … [line cut]"

_MAX_RAW = 4 * MAX_LINE  # escape sequences take room and show nothing
_BLOCK = 1 << 18


class LogTail:
    """The newest lines of a log, clean of control bytes and tokens.

    ``first`` is the running number of the first kept line, so that a view can tell what is new: it
    goes on when the log begins anew, however many lines that one has. ``revision`` changes with
    every change of content. ``\\r`` bars collapse to their last state, characters split between two
    reads survive, very long lines are cut with a mark. Only the last line can still change, and
    only while ``is_open``.
    """

    def __init__(self, max_lines: int = 100_000) -> None:
        self.max_lines = max(1, max_lines)
        self.first = 0
        self.revision = 0
        self._lines = Lines()
        self._open = _OpenLine()
        self._shown_open = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def lines(self) -> Sequence[str]:
        """The kept lines, oldest first; a last line that has no newline yet is among them."""
        return self._lines

    @property
    def is_open(self) -> bool:
        """Whether the last line has no newline yet."""
        return self._shown_open

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the log."""
        for start in range(0, len(data), _BLOCK):
            self._take(self._decoder.decode(data[start : start + _BLOCK]))

    def reset(self) -> None:
        """Forget everything: the log began anew."""
        self.first += len(self._lines)
        self._lines = Lines()
        self._open = _OpenLine()
        self._shown_open = False
        self._decoder.reset()
        self.revision += 1

    def _take(self, text: str) -> None:
        if not text:
            return
        if self._shown_open:
            self._lines.pop()
        first, *others = text.split("\n")
        self._open.extend(first)
        for piece in others:
            self._lines.append(self._open.text())
            self._open.clear()
            self._open.extend(piece)
        self._shown_open = not self._open.is_empty
        if self._shown_open:
            self._lines.append(self._open.text())
        excess = len(self._lines) - self.max_lines
        if excess > 0:
            self._lines.drop(excess)
            self.first += excess
        self.revision += 1


class _OpenLine:
    """A line that still grows: what stands after its last carriage return, up to a limit."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin a new line."""
        self._state = ""
        self._previous = ""
        self._cut = False
        self._previous_cut = False

    @property
    def is_empty(self) -> bool:
        """Whether the line has no character yet."""
        return not self._state and not self._previous

    def extend(self, piece: str) -> None:
        """Add characters; a carriage return begins the line's next state."""
        first, *others = piece.split("\r") if "\r" in piece else (piece,)
        self._add(first)
        for state in others:
            if self._state:
                self._previous, self._previous_cut = self._state, self._cut
            self._state, self._cut = "", False
            self._add(state)

    def _add(self, state: str) -> None:
        room = _MAX_RAW - len(self._state)
        self._cut |= len(state) > room
        self._state += state[:room]

    def text(self) -> str:
        """The line as it is shown."""
        raw, cut = (self._state, self._cut) if self._state else (self._previous, self._previous_cut)
        shown = clean(raw)
        if len(shown) > MAX_LINE or cut:
            shown = shown[:MAX_LINE] + CUT_MARK
        return redact(shown)
