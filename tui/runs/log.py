"""The end of a log, line by line, fed with bytes as they arrive."""

from __future__ import annotations

from collections.abc import Sequence


class LogTail:
    """The newest lines of a log, clean of control bytes.

    ``first`` is the running number of the first kept line, so that a view can tell what is new;
    ``revision`` changes with every change of content. ``\\r`` bars collapse to their last state,
    characters split between two reads survive, very long lines are cut with a mark.
    """

    def __init__(self, max_lines: int = 100_000) -> None:
        self.max_lines = max_lines
        self.first = 0
        self.revision = 0

    @property
    def lines(self) -> Sequence[str]:
        """The kept lines, oldest first; a last line that has no newline yet is among them."""
        raise NotImplementedError

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the log."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forget everything: the log began anew."""
        raise NotImplementedError
