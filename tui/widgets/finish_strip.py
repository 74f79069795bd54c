"""One row for what happens when a box is done: what it waits for, and the countdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from tui.text import one_line
from tui.widgets.spans import Spans, spread
from tui.widgets.strip import Strip

if TYPE_CHECKING:
    from tui.actions.finish_line import FinishView


NARROW = 70
EDGE = 4
"""Cells before the words, and one behind them."""


class FinishStrip(Strip["FinishView"]):
    """The finish line that matters most; hidden while there is none."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.styles.height = 1

    def row_of(self, view: FinishView, more: str) -> Spans:
        """Return the row: what it is about, in the colour of its danger, and its key."""
        from tui.actions.finish_words import short_text, view_text

        tone = self.style(_tone(view), "surface", bold=True)
        text = self.style("bright", "surface", bold=view.phase in ("counting", "acting"))
        key = self.boxtop.key_of("finish")
        end = f" {more}{key} {_word(view)} "
        told, room = one_line(view_text(view)), self.size.width - len(end) - EDGE
        is_short = view.left_s is not None or self.size.width < NARROW
        if is_short and cell_len(told) > room:
            told = _set_to(view) + one_line(short_text(view))
        spans = [(f" {self.glyphs.cursor} ", tone), (told, text)]
        fill = self.style("text", "surface")
        return spread(spans, [(end, self.style("faint", "surface"))], self.size.width, fill)


def _set_to(view: FinishView) -> str:
    """Return what will be done at the end, while it waits: of a narrow row the end is cut."""
    end = view.setting.wish.end
    return f"set to {end.upper()} " if end and not view.is_over and view.left_s is None else ""


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
