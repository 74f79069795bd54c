"""Textual's own Log, fed in batches: ``python -m tests.bench.apps.log HELD PER_SECOND``."""

from __future__ import annotations

import sys
from itertools import islice

from textual.app import App, ComposeResult
from textual.widgets import Log

from tests.bench.run_files import log_lines

BATCHES_PER_SECOND = 10


class LogApp(App[None]):
    """Holds so many lines and goes on at a pace."""

    def __init__(self, held: int, per_second: int) -> None:
        super().__init__()
        self._held = held
        self._batch = per_second // BATCHES_PER_SECOND
        self._lines = log_lines(sys.maxsize)

    def compose(self) -> ComposeResult:
        """Only the log."""
        yield Log(max_lines=self._held)

    def on_mount(self) -> None:
        """Fill it, then go on."""
        self._write(self._held)
        self.set_interval(1 / BATCHES_PER_SECOND, lambda: self._write(self._batch))

    def _write(self, count: int) -> None:
        self.query_one(Log).write_lines([line.rstrip() for line in islice(self._lines, count)])


if __name__ == "__main__":
    LogApp(int(sys.argv[1]), int(sys.argv[2])).run()
