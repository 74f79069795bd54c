"""Everything about the selected run: facts, charts and log, arranged for the room there is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.events import Resize

from tui.charts.model import Best, Options, Plot
from tui.charts.plots import best, loss, metrics, rate
from tui.runs.model import Run
from tui.screens.rows import Row
from tui.screens.settings import Settings
from tui.view import RunView
from tui.widgets.chart import ChartPanel
from tui.widgets.log_panel import LogPanel
from tui.widgets.panel import Panel
from tui.widgets.status import RunTitle, StatusLines, StatusPanel, Trouble

WIDE = 100
"""From this width on all three charts stand side by side."""

SIDE_WIDTH, SIDE_HEIGHT = 116, 19
"""From this size on the facts stand in a panel beside the log instead of in lines above it."""

STATUS_WIDTH = 48
_BOTH = 10
"""Rows below which only one of charts and log is shown: the focused one."""


class _Beside(Horizontal):
    """Panels beside each other. Textual would keep and join every one of its empty rows."""

    BLANK: ClassVar[bool] = True


class RunPane(Vertical):
    """Title, facts, trouble, charts and log of one run."""

    BLANK: ClassVar[bool] = True

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.row: Row | None = None
        self.zoomed: Panel | None = None
        self._focused: Panel | None = None
        self.run_title = RunTitle(id="run-title")
        self.lines = StatusLines(id="status-lines")
        self.trouble = Trouble(id="trouble")
        self.loss = ChartPanel("loss", 2, id="loss")
        self.metrics = ChartPanel("metrics", 3, id="metrics")
        self.rate = ChartPanel("learning rate", 4, id="rate")
        self.log_panel = LogPanel(id="log")
        self.status = StatusPanel(id="status")
        self._charts = _Beside(self.loss, self.metrics, self.rate, id="charts")
        self._lower = _Beside(self.log_panel, self.status, id="lower")

    def compose(self) -> ComposeResult:
        """Lay the parts below each other."""
        yield self.run_title
        yield self.lines
        yield self.trouble
        yield self._charts
        yield self._lower

    @property
    def panels(self) -> tuple[Panel, ...]:
        """The panels that can take the focus, in order of their numbers."""
        return (self.status, self.loss, self.metrics, self.rate, self.log_panel)

    @property
    def visible_panels(self) -> Iterator[Panel]:
        """The panels that are on the screen now."""
        return (p for p in self.panels if p.display and p.parent and p.parent.display)

    def show(self, row: Row | None, settings: Settings) -> None:
        """Show a row; every part draws only what changed in it."""
        is_other = (row.key if row else None) != (self.row.key if self.row else None)
        self.row = row
        self.run_title.show(row)
        self.lines.show(row)
        self.status.show(row)
        before = len(self.trouble.lines)
        self._show_trouble()
        view = row.run if row else None
        is_stale = row.is_stale if row else False
        self.log_panel.show(view, is_stale)
        self._show_charts(view, settings, is_stale)
        if is_other or before != len(self.trouble.lines):
            self.place_parts()

    def focus_on(self, panel: Panel) -> None:
        """Bring a panel on the screen and give it the focus."""
        self._focused = panel
        if self.zoomed is not None:
            self.zoomed = panel
        self.place_parts()
        if panel.display:
            panel.focus()

    def zoom(self, panel: Panel | None) -> None:
        """Give a panel the whole pane, or all of them their places again."""
        self.zoomed = panel
        self.place_parts()

    def on_resize(self, event: Resize) -> None:
        """Arrange the parts anew."""
        self._show_trouble()
        self.place_parts()

    def _show_trouble(self) -> None:
        """Show what went wrong in a quarter of the room, cause and next step also in a low one."""
        self.trouble.show(self.row, max(4, min(12, self.size.height // 4)))

    def place_parts(self) -> None:
        """Decide what is shown and how high, from the room and the focus."""
        width, height = self.size
        if width < 1 or height < 1:
            return
        is_zoomed = self.zoomed is not None
        has_side = width >= SIDE_WIDTH and height >= SIDE_HEIGHT
        free = height - len(self.trouble.lines)
        lines = 0 if has_side or is_zoomed else 3 if free >= 20 else 2 if free >= 16 else 1
        self.run_title.display = height >= 2
        self.lines.display = bool(lines) and height >= 4
        self.lines.styles.height = lines
        self.trouble.display = bool(self.trouble.lines) and not is_zoomed and height >= 8
        taken = 1 + (lines if self.lines.display else 0)
        taken += len(self.trouble.lines) if self.trouble.display else 0
        rest = height - taken
        self._show_panels(self._chosen(width, rest, has_side), rest)

    def _chosen(self, width: int, rest: int, has_side: bool) -> set[Panel]:
        """Return the panels there is room for."""
        if self.zoomed is not None:
            return {self.zoomed}
        focused = self._focused
        charts = (self.loss, self.metrics, self.rate)
        most = 3 if width >= WIDE else 2 if width >= 64 else 1
        shown = list(charts[:most])
        if isinstance(focused, ChartPanel) and focused not in shown:
            shown = [*shown[1:], focused]
        if focused is self.status and not has_side:
            return {self.status, self.log_panel} if rest >= _BOTH + 4 else {self.status}
        if rest < _BOTH:
            return set(shown) if isinstance(focused, ChartPanel) else {self.log_panel}
        chosen: set[Panel] = {*shown, self.log_panel}
        return chosen | {self.status} if has_side else chosen

    def _show_panels(self, chosen: set[Panel], rest: int) -> None:
        for panel in self.panels:
            panel.display = panel in chosen
            panel.framed = rest >= 5
        charts = [panel for panel in (self.loss, self.metrics, self.rate) if panel in chosen]
        has_lower = bool({self.log_panel, self.status} & chosen)
        self._charts.display, self._lower.display = bool(charts), has_lower
        share = rest if not has_lower else max(6, rest * 11 // 20)
        self._charts.styles.height = share
        self._lower.styles.height = "1fr"
        is_alone = self.log_panel not in chosen
        self.status.styles.width = "1fr" if is_alone else STATUS_WIDTH

    def _show_charts(self, view: RunView | None, settings: Settings, is_stale: bool) -> None:
        if view is None:
            for chart in (self.loss, self.metrics, self.rate):
                chart.show(None, None, settings.options(), is_stale)
            return
        history, mark, by_time = view.metrics, view.run.best, settings.by_time
        data = (id(history), history.revision, by_time, mark, settings.metrics)
        losses = settings.options(losses=True)
        self.loss.show(data, partial(_loss, view, by_time), losses, is_stale)
        chosen = partial(_metrics, view, settings.metrics, by_time)
        self.metrics.show(data, chosen, settings.options(), is_stale)
        as_set = Options(ascii_only=settings.ascii_only)  # a schedule has no noise to smooth
        self.rate.show(data, partial(rate, history, time=by_time), as_set, is_stale)


def _loss(view: RunView, by_time: bool) -> Plot:
    return loss(view.metrics, _best(view.run, view), time=by_time)


def _metrics(view: RunView, chosen: tuple[str, ...], by_time: bool) -> Plot:
    return metrics(view.metrics, _best(view.run, view), chosen=chosen, time=by_time)


def _best(run: Run, view: RunView) -> Best | None:
    if run.best is None:
        return None
    return best(view.metrics, run.best.name, run.best.value, run.best.epoch)
