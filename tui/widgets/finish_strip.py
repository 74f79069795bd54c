"""One row for what happens when a box is done: what it waits for, and the countdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from tui.keys import shown
from tui.text import one_line
from tui.widgets.panel import Sheet
from tui.widgets.spans import Spans, spread

if TYPE_CHECKING:
    from tui.actions.finish_line import FinishView


NARROW = 70
EDGE = 4
"""Cells before the words, and one behind them."""


class FinishStrip(Sheet):
    """The finish line that matters most; hidden while there is none."""

    view: FinishView | None = None
    more = 0

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.styles.height = 1

    def show(self, view: FinishView | None, more: int = 0) -> None:
        """Take the finish line to show, None for none."""
        self.view, self.more = view, more
        self.display = view is not None
        if view is not None:
            self.redraw()

    def row(self, y: int) -> Spans:
        """Return the row: what it is about, in the colour of its danger, and its key."""
        from tui.actions.finish_words import short_text, view_text

        view = self.view
        fill = self.style("text", "surface")
        if view is None:
            return spread([], [], self.size.width, fill)
        tone = self.style(_tone(view), "surface", bold=True)
        text = self.style("bright", "surface", bold=view.phase in ("counting", "acting"))
        more = f"+{self.more}  " if self.more else ""
        key = shown(self.boxtop.keymap["finish"].key, self.boxtop.ascii_only)
        end = f" {more}{key} {_word(view)} "
        told, room = one_line(view_text(view)), self.size.width - len(end) - EDGE
        is_short = view.left_s is not None or self.size.width < NARROW
        if is_short and cell_len(told) > room:
            told = one_line(short_text(view))
        spans = [(f" {self.glyphs.cursor} ", tone), (told, text)]
        return spread(spans, [(end, self.style("faint", "surface"))], self.size.width, fill)


def _tone(view: FinishView) -> str:
    if view.phase == "over":
        return {"done": "good", "cancelled": "muted"}.get(view.result or "", "bad")
    if view.stuck:
        return "bad"
    return "warning" if view.phase in ("counting", "acting") else "accent"


def _word(view: FinishView) -> str:
    if view.phase == "over":
        return "hides" if view.result in ("done", "cancelled") else "tells why"
    return "CANCELS" if view.phase in ("counting", "acting") else "cancels"
