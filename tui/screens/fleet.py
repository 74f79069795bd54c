"""All boxes and runs; beneath them, where there is room, the selected run."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.events import Resize

from tui.screens.monitor import MonitorScreen
from tui.screens.rows import Row, arrange, rows_of, summary
from tui.text import one_line
from tui.view import BoxView
from tui.widgets.header import Header
from tui.widgets.headline import Headline
from tui.widgets.panel import Panel
from tui.widgets.runs_table import RunsTable
from tui.widgets.search_bar import SearchBar

WIDE, TALL = 100, 30
"""From this size on the selected run stands beneath the list."""

ROOMY = (40, 8)
"""Below this size only rows are shown."""


class FleetScreen(MonitorScreen):
    """The list of runs, and the selected run beneath it."""

    def __init__(self) -> None:
        super().__init__()
        self.header = Header(id="header")
        self.headline = Headline(id="headline")
        self.table = RunsTable(id="runs")
        self.pane.status.jump = None
        self._zoomed: Panel | None = None

    def compose(self) -> ComposeResult:
        """The rows from top to bottom."""
        yield self.header
        yield self.headline
        yield self.table
        yield self.pane
        yield self.transfer
        yield self.footer
        yield self.search_bar

    def on_mount(self) -> None:
        """Start in the list, with what is known."""
        self.table.focus()
        self.refresh_views()

    @property
    def row(self) -> Row | None:
        """The selected row."""
        return self.table.selected_row

    @property
    def panels(self) -> Sequence[Panel]:
        """The list, and the panels of the selected run."""
        return (self.table, self.pane.loss, self.pane.metrics, self.pane.rate, self.pane.log_panel)

    @property
    def is_wide(self) -> bool:
        """Whether the selected run is shown beneath the list."""
        return self.size.width >= WIDE and self.size.height >= TALL

    def show(self, boxes: Sequence[BoxView]) -> None:
        """Take what the boxes are now."""
        settings = self.boxtop.settings
        everything = rows_of(boxes)
        rows = arrange(everything, settings.order, reverse=settings.reverse, words=settings.words)
        self.header.show(
            summary(boxes, self.boxtop.questions.spent_today(), self.boxtop.now()),
            self.boxtop.now(),
            self.boxtop.is_paused,
        )
        of = f" of {len(everything)}" if settings.words else ""
        order = settings.order + (" reversed" if settings.reverse else "")
        remark = f"/{settings.words}  by {order}" if settings.words else f"by {order}"
        if self.table.selected is None:
            self.table.selected = self.boxtop.selected
        all_again = f"{self.boxtop.key_of('back')} shows all"
        none_said = f"no run matches {one_line(settings.words)}; {all_again}" if of else ""
        self.table.show(rows, f"runs {len(rows)}{of}", remark, none_said)
        self.headline.show(arrange(everything), self.boxtop.now(), self.table.selected)
        super().show(boxes)
        self.place_parts()
        self._show_pane()

    def on_resize(self, event: Resize) -> None:
        """Arrange the parts anew."""
        self.place_parts()
        self._show_pane()

    def place_parts(self) -> None:
        """Decide what is shown from the size of the screen."""
        width, height = self.size
        is_roomy = width >= ROOMY[0] and height >= ROOMY[1]
        zoomed = self._zoomed
        self.header.display = is_roomy
        self.headline.display = is_roomy and height >= 12 and zoomed is None
        self.footer.display = is_roomy and not self.search_bar.is_open
        self.table.display = zoomed in (None, self.table)
        self.table.framed = self.is_wide
        self.table.is_bare = not is_roomy
        self.pane.display = (self.is_wide or zoomed is not None) and zoomed is not self.table
        rows = len(self.table.rows) + 3
        room = height - 3
        share = max(8, room * 2 // 5)
        is_shared = self.pane.display and self.table.display
        self.table.styles.height = min(rows, share) if is_shared else "1fr"
        if not self.pane.display and self.panel is not self.table:
            self.table.focus()

    def _show_pane(self) -> None:
        if self.pane.display:
            self.pane.show(self.row, self.boxtop.settings)

    def on_runs_table_selected(self, event: RunsTable.Selected) -> None:
        """Show the run that is selected now."""
        event.stop()
        self.boxtop.selected = self.table.selected
        self._show_pane()

    def on_runs_table_opened(self, event: RunsTable.Opened) -> None:
        """Open the selected run."""
        event.stop()
        self.do_open()

    def go_to(self, index: int) -> None:
        """Focus a panel; one that is not shown here is shown by opening the run."""
        panel = self.panels[index]
        if panel is self.table:
            self._zoom(None)
            self.table.focus()
        elif self.pane.display:
            super().go_to(index)
        elif self.row is not None:
            self.boxtop.open_run(self.row.key, index)

    def do_open(self) -> None:
        """Open the selected run on the whole screen."""
        if self.row is not None:
            self.boxtop.open_run(self.row.key)

    def do_back(self) -> None:
        """Close the topmost thing: a zoom, a filter, the focus on a panel."""
        if self._zoomed is not None:
            self._zoom(None)
        elif self.panel is not self.table:
            self.table.focus()
        elif self.boxtop.settings.words:
            self.boxtop.settings.words = ""
            self.refresh_views()

    def do_zoom(self) -> None:
        """Give the focused panel the whole screen, or end that."""
        self._zoom(None if self._zoomed is not None else self.panel)

    def _zoom(self, panel: Panel | None) -> None:
        self._zoomed = panel
        self.pane.zoom(None if panel is self.table else panel)
        self.place_parts()
        self._show_pane()

    def do_sort(self) -> None:
        """Take the next order of the list."""
        self.boxtop.say(f"by {self.boxtop.settings.next_order()}")
        self.refresh_views()

    def do_reverse(self) -> None:
        """Turn the order around."""
        self.boxtop.settings.reverse = not self.boxtop.settings.reverse
        self.refresh_views()

    def do_filter(self) -> None:
        """Ask which runs to show."""
        super().do_filter()
        self.place_parts()

    def typed(self, event: SearchBar.Typed) -> None:
        """Filter the list while a person types; in the log, search."""
        if self.search_bar.asks == "search":
            super().typed(event)
        else:
            self.boxtop.settings.words = event.text
            self.refresh_views()

    def after_typing(self) -> None:
        """Bring back the footer and the focus."""
        self.place_parts()
        super().after_typing()
