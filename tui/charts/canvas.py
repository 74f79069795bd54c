"""The canvas of a chart, built by plotext: axes, ticks, grid, lines, and the best epoch."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from tui.charts import cells, ticks
from tui.charts.cells import Role, Run
from tui.charts.model import Options, Plot
from tui.charts.series import Segment, reduce

_TINTS = 64
"""plotext looks at every point's colour until it has seen this many different ones; giving the
first points colours of their own (same role, other green) ends that search early: half the time."""


class Line(msgspec.Struct, frozen=True):
    """A series on its way to the canvas, in axis units (log10 already taken)."""

    index: int
    parts: list[Segment]
    skipped: int


class _Frame(msgspec.Struct, frozen=True):
    """Limits and ticks of both axes; ``columns`` x ``lines`` is the canvas inside them."""

    x: tuple[float, float]
    y: tuple[float, float]
    x_ticks: ticks.Ticks
    y_ticks: ticks.Ticks
    columns: int
    lines: int

    @property
    def dot(self) -> float:
        """Height of a braille dot and a half: closer points cannot be told apart."""
        return (self.y[1] - self.y[0]) / max(1, self.lines * 4) * 1.5


def _frame(plot: Plot, lines: Sequence[Line], width: int, height: int, options: Options) -> _Frame:
    low = min(min(part.ys) for line in lines for part in line.parts)
    high = max(max(part.ys) for line in lines for part in line.parts)
    pad = (high - low) * 0.04 or abs(high) * 0.1 or 0.5
    y = (low - pad, high + pad) if high or low else (0.0, 1.0)
    rows = height - 2
    scale = ticks.decades if options.log_y else ticks.linear
    y_ticks = scale(*y, max(2, min(6, rows // 2)))
    gutter = max(y_ticks.width, options.gutter)
    y_ticks = ticks.Ticks(y_ticks.positions, tuple(t.rjust(gutter) for t in y_ticks.labels))
    columns = max(1, width - gutter - 1)
    first, last = float(plot.xs[0]), float(plot.xs[-1])
    x = (first, last) if last > first else (first - 0.5, first + 0.5)
    along = ticks.clock if plot.time else ticks.whole
    most = max(2, columns // 9)
    return _Frame(x, y, along(*x, most), y_ticks, columns, rows)


def canvas(
    plot: Plot, lines: Sequence[Line], width: int, height: int, options: Options
) -> tuple[tuple[Run, ...], ...]:
    """Return the rows of a chart that has at least one point; the size leaves room for the axes."""
    import plotext

    frame = _frame(plot, lines, width, height, options)
    plotext.terminal.limit(False, False)
    figure = plotext.figure
    figure.clear()
    figure.plot_size(width, height)
    figure.canvas("default")
    figure.legend(False)
    figure.axes(True, pixel=plotext.pixel((Role.AXIS, 0, 0)))
    figure.axes(False, axis=0, side=1)
    figure.axes(False, axis=1, side=1)
    label = plotext.pixel((Role.LABEL, 0, 0))
    for axis, limits, scale in (("x", frame.x, frame.x_ticks), ("y", frame.y, frame.y_ticks)):
        ruler = figure.ruler(axis, 0)
        ruler.lim(*limits)
        ruler.pixel(label)
        ruler.ticks(list(scale.positions), list(scale.labels))
    figure.ruler("y", 0).grid(True, style="dotted", pixel=plotext.pixel((Role.GRID, 0, 0)))
    if plot.best is not None and frame.x[0] <= plot.best.x <= frame.x[1]:
        pixel = plotext.pixel((Role.GRID, 0, 0))
        figure.line(plot.best.x, orientation=1, pixel=pixel, style="dotted")
    _signal(plot, lines, frame, options)
    return cells.rows(figure.build().string(), options.ascii_only)


class _Points:
    """Points of all series in one signal; the first of a segment is not joined to the last."""

    def __init__(self, frame: _Frame, options: Options) -> None:
        self.frame = frame
        self.ascii_only = options.ascii_only
        self.xs: list[float] = []
        self.ys: list[float] = []
        self.markers: list[object] = []
        self.breaks: list[int] = []
        self.taken: set[tuple[int, int]] = set()

    def add(self, part: Segment, role: Role) -> None:
        """Add one segment; a lone point gets the series' sign, or nobody would see it."""
        import plotext

        alone = len(part.xs) == 1
        sign = (cells.ASCII_MARKS if self.ascii_only else cells.MARKS)[cells.LINES.index(role)]
        name = sign if alone or self.ascii_only else "braille"
        shared = plotext.marker(name, plotext.pixel((role, 0, 0)))
        self.breaks.append(len(self.xs))
        tints = range(len(self.xs), min(_TINTS, len(self.xs) + len(part.xs)))
        own = [plotext.marker(name, plotext.pixel((role, tint, 0))) for tint in tints]
        self.xs += part.xs
        self.ys += part.ys
        self.markers += own + [shared] * (len(part.xs) - len(own))

    def sign(self, part: Segment, mark: str, role: Role) -> None:
        """Put the series' sign on its newest point whose cell is free."""
        import plotext

        marker = plotext.marker(mark, plotext.pixel((role, 0, 0)))
        for x, y in zip(reversed(part.xs), reversed(part.ys), strict=True):
            cell = self.cell(x, y)
            if cell not in self.taken:
                self.taken.add(cell)
                self.breaks.append(len(self.xs))
                self.xs.append(x)
                self.ys.append(y)
                self.markers.append(marker)
                return

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Return the canvas cell of a point."""
        frame = self.frame
        across = (x - frame.x[0]) / (frame.x[1] - frame.x[0])
        up = (y - frame.y[0]) / (frame.y[1] - frame.y[0])
        return int(across * (frame.columns - 1) + 0.5), int(up * (frame.lines - 1) + 0.5)


def _signal(plot: Plot, lines: Sequence[Line], frame: _Frame, options: Options) -> None:
    """Add every series, their signs and the best epoch to the figure as one signal."""
    import plotext

    points = _Points(frame, options)
    signs = cells.ASCII_MARKS if options.ascii_only else cells.MARKS
    for line in reversed(lines):
        for part in reduce(line.parts, *frame.x, frame.columns, frame.dot):
            points.add(part, cells.LINES[line.index])
    best = plot.best
    if best is not None and best.value is not None:
        height = best.value
        if not options.log_y or height > 0:
            height = math.log10(height) if options.log_y else height
            mark = cells.ASCII_BEST_MARK if options.ascii_only else cells.BEST_MARK
            points.sign(Segment((best.x,), (height,)), mark, Role.BEST)
    for line in lines:
        if line.parts:
            points.sign(line.parts[-1], signs[line.index], cells.LINES[line.index])
    spare = points.markers[-1:] * 2  # with fewer than two to spare plotext copies the whole list
    signal = plotext.figure.signal(points.xs, points.ys, marker=points.markers + spare)
    signal.lines(True)
    for index in points.breaks:
        signal.line(index, False)
    plotext.figure.draw(signal)
