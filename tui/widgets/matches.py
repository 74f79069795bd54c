"""Where a word stands in a log that grows: each line is looked at once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from tui.runs.log import LogTail


class Matches:
    """Running numbers of the lines that hold a word; small letters match both cases."""

    def __init__(self) -> None:
        self.query = ""
        self._found: list[int] = []
        self._next = 0
        self._revision = -1
        self._tail: LogTail | None = None

    @property
    def count(self) -> int:
        """How many lines match."""
        return len(self._found)

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Return begin and end of each place in a line where the word stands."""
        if not self.query:
            return []
        text = line if self._is_exact else line.lower()
        found: list[tuple[int, int]] = []
        begin = text.find(self.query)
        while begin >= 0:
            found.append((begin, begin + len(self.query)))
            begin = text.find(self.query, begin + len(self.query))
        return found

    def search(self, query: str) -> None:
        """Look for another word, from the start."""
        if query != self.query:
            self.query = query
            self._forget()

    def update(self, tail: LogTail) -> None:
        """Look at what is new in the log; its last line may still change and is looked at again."""
        if tail is not self._tail:
            self._tail = tail
            self._forget()
        if not self.query or tail.revision == self._revision:
            return
        self._revision = tail.revision
        first, lines = tail.first, tail.lines
        end = first + len(lines)
        if end < self._next:
            self._forget()
        del self._found[: bisect_left(self._found, first)]
        start = max(first, self._next)
        while self._found and self._found[-1] >= start:
            self._found.pop()
        new = lines[start - first :]
        exact = self._is_exact
        self._found += [
            start + i
            for i, line in enumerate(new)
            if self.query in (line if exact else line.lower())
        ]
        self._next = max(first, end - 1)

    def after(self, line: int) -> int | None:
        """Return the next matching line after ``line``, from the top again at the end."""
        if not self._found:
            return None
        at = bisect_right(self._found, line)
        return self._found[at] if at < len(self._found) else self._found[0]

    def before(self, line: int) -> int | None:
        """Return the matching line before ``line``, from the bottom again at the top."""
        if not self._found:
            return None
        at = bisect_left(self._found, line)
        return self._found[at - 1]

    def position(self, line: int) -> int | None:
        """Return which match a line is, counted from 1."""
        at = bisect_left(self._found, line)
        return at + 1 if at < len(self._found) and self._found[at] == line else None

    @property
    def _is_exact(self) -> bool:
        return self.query != self.query.lower()

    def _forget(self) -> None:
        self._found, self._next, self._revision = [], 0, -1
