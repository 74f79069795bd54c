"""One row for what goes on beside watching: shown while there is something, hidden else."""

from __future__ import annotations

from typing import Generic, TypeVar

from tui.widgets.panel import Sheet
from tui.widgets.spans import Spans, spread

View = TypeVar("View")


class Strip(Sheet, Generic[View]):
    """The thing that matters most; ``more`` counts the others."""

    view: View | None = None
    more = 0

    def show(self, view: View | None, more: int = 0) -> None:
        """Take what to show, None for nothing."""
        self.view, self.more = view, more
        self.display = view is not None
        if view is not None:
            self.redraw()

    def row(self, y: int) -> Spans:
        """Return the row, empty where there is nothing to show."""
        if self.view is None:
            return spread([], [], self.size.width, self.style("text", "surface"))
        return self.row_of(self.view, f"+{self.more}  " if self.more else "")

    def row_of(self, view: View, more: str) -> Spans:
        """Return the row of a view; ``more`` tells in words of the others."""
        return ()
