"""A transfer's progress on stderr: one line that moves on a terminal, stages elsewhere."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from tui.actions.progress import Progress, progress_text
from tui.cli.console import Console
from tui.text import said

REDRAW_SECONDS = 0.1
SPEAK_SECONDS = 15.0
"""Without a terminal, a stage that goes on says so this often."""


class ProgressLine:
    """Shows each moment it is given; ``end`` leaves the terminal's line free."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._moves = console.err.isatty()
        self._drawn = ""
        self._spoken: tuple[str, str] | None = None
        self._at = float("-inf")

    def show(self, progress: Progress) -> None:
        """Show a moment, or leave it out when the last one is too fresh."""
        now, stage = self._clock(), (progress.stage, progress.name)
        text = said(progress_text(progress))
        if self._moves:
            if now - self._at >= REDRAW_SECONDS or stage != self._spoken:
                self._draw(text)
                self._at = now
        elif stage != self._spoken or now - self._at >= SPEAK_SECONDS:
            self._console.tell(text)
            self._at = now
        self._spoken = stage

    def end(self) -> None:
        """Take the line away."""
        if self._drawn:
            self._draw("")
            self._drawn = ""

    def _draw(self, text: str) -> None:
        text = self._console.paper.plain(text)[: self._columns() - 1]
        blank = " " * max(0, len(self._drawn) - len(text))
        self._console.err.write(f"\r{text}{blank}" + ("" if text else "\r"))
        self._console.err.flush()
        self._drawn = text

    def _columns(self) -> int:
        try:
            return max(20, os.get_terminal_size(self._console.err.fileno()).columns)
        except (OSError, ValueError):
            return 80
