"""One run on the whole screen: its facts, charts and log."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.events import Resize

from tui.screens.monitor import MonitorScreen
from tui.screens.rows import Key, Row, arrange, rows_of
from tui.view import BoxView
from tui.widgets.headline import Elsewhere

ROOMY = 12
"""Below this height all rows are for the run itself."""


class RunScreen(MonitorScreen):
    """Shows the run of a key, also while its box is away."""

    def __init__(self, key: Key, panel: int = 4) -> None:
        super().__init__()
        self.elsewhere = Elsewhere(id="elsewhere")
        self.key = key
        self._start = panel
        self._row: Row | None = None

    def compose(self) -> ComposeResult:
        """Trouble elsewhere, the run, and the keys below it."""
        yield self.elsewhere
        yield self.pane
        yield self.transfer
        yield self.footer
        yield self.search_bar

    def on_mount(self) -> None:
        """Start where the person wanted to go."""
        self.refresh_views()
        self.pane.focus_on(self.panels[self._start])

    @property
    def row(self) -> Row | None:
        """The row of the run."""
        return self._row

    def show(self, boxes: Sequence[BoxView]) -> None:
        """Take what the boxes are now."""
        rows = rows_of(boxes)
        self._row = next((row for row in rows if row.key == self.key), None) or self._row
        super().show(boxes)
        is_roomy = self.size.height >= ROOMY and self.pane.zoomed is None
        self.elsewhere.show(arrange(rows), self.boxtop.now(), self.key, is_roomy)
        self.pane.show(self._row, self.boxtop.settings)

    def on_resize(self, event: Resize) -> None:
        """Leave out the footer where every row counts."""
        self.footer.display = self.size.height >= 8 and not self.search_bar.is_open

    def do_back(self) -> None:
        """End a zoom, else go back to all runs."""
        if self.pane.zoomed is not None:
            self.pane.zoom(None)
        else:
            self.boxtop.pop_screen()

    def do_search(self) -> None:
        """Ask what to look for in the log."""
        super().do_search()
        self.footer.display = False

    def do_filter(self) -> None:
        """Search the log: there is no list here."""
        self.do_search()

    def after_typing(self) -> None:
        """Bring back the footer."""
        self.footer.display = self.size.height >= 8
        super().after_typing()
