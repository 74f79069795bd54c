"""One plot drawn into cells: its legend, then its canvas or a line that says why there is none."""

from __future__ import annotations

import math

from tui.charts import cells, ticks
from tui.charts.canvas import Line, canvas
from tui.charts.cells import Drawing, Role, Run
from tui.charts.model import PLAIN, Options, Plot
from tui.charts.series import Series, newest, numbers, segments, smooth

SMALLEST = (12, 4)
"""Width and height below which there is no room for an axis: the latest value stands alone."""


def draw(plot: Plot, width: int, height: int, options: Options = PLAIN) -> Drawing:
    """Return the chart in ``height`` rows of ``width`` cells; never raises for any data or size."""
    lines = [_line(i, s, plot, options) for i, s in enumerate(plot.series[: len(cells.LINES)])]
    dropped = sum(line.skipped for line in lines)
    note = f"{dropped} values <= 0 not drawn" if dropped else ""
    title = legend(plot, options)
    if width < 1 or height < 1:
        return Drawing(title, (), note)
    if not any(line.parts for line in lines):
        return Drawing(title, _message(plot.empty if not plot.xs else "no data yet", width, height))
    if width < SMALLEST[0] or height < SMALLEST[1]:
        return Drawing(title, _message(_latest(plot), width, height), note)
    try:
        rows = canvas(plot, lines, width, height, options)
    except Exception as error:  # noqa: BLE001  # plotext raises anything; a chart must not end the app
        return Drawing(title, _message(f"cannot draw ({type(error).__name__})", width, height))
    return Drawing(title, rows, note)


def legend(plot: Plot, options: Options = PLAIN) -> tuple[Run, ...]:
    """Return the title line: name, each series' sign, label and last value, and the best epoch."""
    marks = cells.ASCII_MARKS if options.ascii_only else cells.MARKS
    runs: list[Run] = [(plot.name, Role.TITLE)]
    for mark, role, series in zip(marks, cells.LINES, plot.series, strict=False):
        value = newest(series.values)
        shown = "-" if value is None else ticks.measured(value)
        runs += [("  ", Role.BLANK), (mark, role), (f" {series.label} ", Role.LABEL)]
        runs.append((shown, role))
    if plot.best is not None:
        mark = cells.ASCII_BEST_MARK if options.ascii_only else cells.BEST_MARK
        runs += [("  ", Role.BLANK), (f"{mark} {plot.best.label}", Role.BEST)]
    return tuple(runs)


def _line(index: int, series: Series, plot: Plot, options: Options) -> Line:
    values = smooth(numbers(series.values), options.smoothing)
    skipped = 0
    if options.log_y:
        skipped = sum(v is not None and v <= 0 for v in values)
        values = [math.log10(v) if v is not None and v > 0 else None for v in values]
    return Line(index, segments(plot.xs, values, series.skipped), skipped)


def _message(text: str, width: int, height: int) -> tuple[tuple[Run, ...], ...]:
    """Return rows that say one thing in their middle."""
    blank: tuple[Run, ...] = ((" " * width, Role.BLANK),)
    rows = [blank] * height
    rows[(height - 1) // 2] = ((text[:width].center(width), Role.NOTE),)
    return tuple(rows)


def _latest(plot: Plot) -> str:
    for series in plot.series:
        value = newest(series.values)
        if value is not None:
            return ticks.measured(value)
    return "-"
