"""A field to type into: where its text is longer, the cursor is seen and not the beginning."""

from __future__ import annotations

from rich.cells import cell_len
from textual.geometry import Region
from textual.widgets import Input


class Field(Input):
    """Textual's own leaves the first text it gets at its beginning, the end of a path unseen."""

    def watch_value(self) -> None:
        """Show the end of what was pasted or filled in, once it has its place."""
        self.call_after_refresh(self._show_cursor)

    def on_resize(self) -> None:
        """Show it in the room that there is now."""
        self._show_cursor()

    def _show_cursor(self) -> None:
        at = cell_len(self.value[: self.cursor_position])
        self.scroll_to_region(Region(at, 0, 1, 1), force=True, animate=False)
