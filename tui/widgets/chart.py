"""A chart in a panel: drawn by plotext, kept until its data, size or options change."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from tui.charts.cells import Drawing, Role, Run
from tui.charts.model import Options, Plot
from tui.keys import Place
from tui.text import said
from tui.widgets.panel import Panel
from tui.widgets.spans import Span, Spans

_NAMES = {
    Role.BLANK: "text",
    Role.AXIS: "line",
    Role.LABEL: "muted",
    Role.GRID: "line",
    Role.BEST: "best",
    Role.NOTE: "muted",
    Role.TITLE: "bright",
    Role.LINE_1: "line1",
    Role.LINE_2: "line2",
    Role.LINE_3: "line3",
    Role.LINE_4: "line4",
    Role.LINE_5: "line5",
    Role.LINE_6: "line6",
}

MakePlot = Callable[[], Plot]


class ChartPanel(Panel):
    """One chart. ``show`` is cheap: nothing is drawn before a row is asked for."""

    place: ClassVar[Place] = "chart"

    def __init__(self, name: str, number: int, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.caption = name
        self.jump = number
        self.is_stale = False
        self._make: MakePlot | None = None
        self._options = Options()
        self._data: object = None
        self._kept: tuple[object, Drawing] | None = None

    def show(self, data: object, make: MakePlot | None, options: Options, is_stale: bool) -> None:
        """Show what ``make`` plots; ``data`` changes whenever the plot would.

        Without ``make`` there is nothing to plot yet.
        """
        if (data, options, is_stale) == (self._data, self._options, self.is_stale):
            return
        self._data, self._make, self._options, self.is_stale = data, make, options, is_stale
        self.refresh()

    def drawing(self) -> Drawing:
        """Return the chart for this size, drawn anew only when something changed."""
        key = (self._data, self._options, self.inner, self.boxtop.can_plot)
        if self._kept is None or self._kept[0] != key:
            self._kept = (key, self._draw())
        return self._kept[1]

    def _draw(self) -> Drawing:
        if self._make is None or not self.boxtop.can_plot:
            return Drawing(((self.caption, Role.TITLE),), ())
        from tui.charts.draw import draw

        return draw(self._make(), *self.inner, self._options)

    def title(self) -> Spans:
        """Return the chart's name and its legend, with the newest values where they fit."""
        runs = [run for run in self.drawing().title if run[1] is not Role.BEST]
        room = self.size.width - (9 if self.framed else 3)
        if sum(len(text) for text, _ in runs) > room:
            runs = without_values(runs)
        return [self._span(run) for run in runs]

    def foot(self) -> Spans:
        """Return the best epoch, and how the values are shown."""
        drawing, options = self.drawing(), self._options
        words = [drawing.note] if drawing.note else []
        words += [f"smooth {options.smoothing:g}"] if options.smoothing else []
        words += ["log"] if options.log_y else []
        spans = [self._span(run) for run in drawing.title if run[1] is Role.BEST]
        if words:
            spans.insert(0, (" ".join(words) + ("  " if spans else ""), self.style("muted")))
        return spans

    def aside(self) -> Spans:
        """Return the foot where there is no frame to hold it."""
        return () if self.framed else self.foot()

    def content(self, y: int, width: int) -> Spans:
        """Return a row of the chart."""
        rows = self.drawing().rows
        return [self._span(run) for run in rows[y]] if y < len(rows) else []

    def _span(self, run: Run) -> Span:
        text, role = run
        name = _NAMES[role]
        is_name = role is Role.TITLE
        if self.is_stale and role not in (Role.BLANK, Role.AXIS, Role.GRID):
            name = "faint"
        return said(text) if role is Role.LABEL else text, self.style(name, bold=is_name)


def without_values(runs: list[Run]) -> list[Run]:
    """Return a legend of signs and labels alone."""
    values = {i + 1 for i, (_, role) in enumerate(runs) if role is Role.LABEL}
    kept = [run for i, run in enumerate(runs) if i not in values]
    return [(text.rstrip() if role is Role.LABEL else text, role) for text, role in kept]
