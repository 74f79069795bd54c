"""What stands in each column of the list of runs."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

import msgspec
from rich.style import Style

from tui.charts.sparkline import arrow, sparkline, trend
from tui.runs.metrics import Metrics
from tui.runs.model import Run
from tui.runs.saved import MATTER, epochs_behind, saved_state
from tui.screens.rows import Row
from tui.text import one_line
from tui.theme import Palette
from tui.view import BoxView
from tui.widgets import formats
from tui.widgets.glyphs import Glyphs
from tui.widgets.spans import Span, Spans, fit, right

IDLE_UTIL = 20.0
"""Per cent of a GPU below which a running training hardly uses what is paid for."""

FULL_DISK, NEARLY_FULL_DISK = 0.98, 0.90


class Pen(msgspec.Struct, frozen=True):
    """How a row is written: its colours on its ground, faint when the data may be old."""

    palette: Palette
    glyphs: Glyphs
    ascii_only: bool
    ground: str = "background"
    stale: bool = False

    def style(self, name: str, *, bold: bool = False) -> Style:
        """Return a style on the row's ground."""
        return self.palette.style(name, self.ground, bold=bold, dim=self.stale)

    @property
    def fill(self) -> Style:
        """The style of empty cells."""
        return self.palette.style("text", self.ground)


Cell = Callable[[Row, int, Pen], Spans]


def state(row: Row, width: int, pen: Pen) -> Spans:
    """Glyph and word of the verdict, or of the link for a box."""
    if row.run is None:
        link = row.box.link.state
        if row.box.rent is not None and row.box.is_off and link != "live":
            style = pen.palette.style("muted", pen.ground)
            return [(pen.glyphs.links["offline"], style), (f" {row.box.rent.state}", style)]
        name = {"refused": "bad", "offline": "warning", "connecting": "starting"}.get(link, "muted")
        word = "no runs" if link == "live" else link
        style = pen.palette.style(name, pen.ground)
        return [(pen.glyphs.links[link], style), (f" {word}", style)]
    if row.is_cut_off and row.box.rent is not None:
        style = pen.palette.style("warning", pen.ground)
        return [(pen.glyphs.links["offline"], style), (f" {row.box.rent.state}", style)]
    verdict = row.run.run.verdict
    style = pen.style(verdict, bold=row.needs_a_person)
    return [(pen.glyphs.verdicts[verdict], style), (f" {verdict}", style)]


def name(row: Row, width: int, pen: Pen) -> Spans:
    """Box and run; the box is cut first when both do not fit, in its midst: ends differ."""
    box = one_line(row.box.name)
    if row.run is None:
        return [(box, pen.style("text"))]
    run = one_line(row.run.run.id)
    between = " / " if width > 16 or len(box) + 3 + len(run) <= width else "/"
    room = max(4, width - len(run) - len(between))
    if len(box) > room:
        head = (room - 1) // 3
        box = box[:head] + pen.glyphs.more + box[len(box) - (room - 1 - head) :]
    return [
        (box, pen.style("muted")),
        (between, pen.style("faint")),
        (run, pen.style("bright", bold=not pen.stale)),
    ]


def progress(row: Row, width: int, pen: Pen) -> Spans:
    """A thin bar as far as the run is, where there is room for one."""
    run = row.run.run if row.run else None
    if run is None or run.progress is None:
        return [(pen.glyphs.rest * width, pen.style("line"))]
    done = min(width, max(0, round(run.progress * width)))
    if run.progress > 0 and done == 0:
        done = 1
    return [
        (pen.glyphs.full * done, pen.style(run.verdict)),
        (pen.glyphs.rest * (width - done), pen.style("line")),
    ]


def epoch(row: Row, width: int, pen: Pen) -> Spans:
    """Finished epochs of planned ones."""
    run = row.run.run if row.run else None
    if run is None or run.epoch is None:
        return right([(formats.UNKNOWN, pen.style("faint"))], width, pen.fill)
    total = f"/{run.total_epochs}" if run.total_epochs is not None else ""
    spans = [(str(run.epoch), pen.style("text")), (total, pen.style("muted"))]
    return right(spans, width, pen.fill)


def eta(row: Row, width: int, pen: Pen) -> Spans:
    """Time to the end while it runs; how late it is when it is overdue."""
    text = row.run.run.eta_text if row.run and not row.is_cut_off else formats.UNKNOWN
    overdue = row.is_overdue
    if overdue and len(text) > width:
        text = text.removeprefix("overdue ")
    known = text != formats.UNKNOWN
    name = "warning" if overdue else "text" if known else "faint"
    return right([(text, pen.style(name))], width, pen.fill)


def best(row: Row, width: int, pen: Pen) -> Spans:
    """The best value of the watched metric and where it is going."""
    run = row.run.run if row.run else None
    if row.run is None or run is None or run.best is None or run.best.value is None:
        return right([(formats.UNKNOWN + " ", pen.style("faint"))], width, pen.fill)
    direction = _trend(row.run.metrics, _metric_column(run))
    tone = {1: "good", -1: "warning"}.get(direction or 0, "muted")
    spans: list[Span] = [(formats.value(run.best.value), pen.style("text"))]
    if width >= 12 and run.best.epoch is not None:
        spans.append((f" @{run.best.epoch}", pen.style("muted")))
    spans.append((" " + arrow(direction, pen.ascii_only), pen.style(tone)))
    return right(spans, width, pen.fill)


def loss(row: Row, width: int, pen: Pen) -> Spans:
    """The history of the loss in a line, and its value now."""
    if row.run is None:
        return []
    text = formats.value(row.run.run.train_loss)
    figure = right([(text, pen.style("text" if text != "-" else "faint"))], 6, pen.fill)
    room = width - 7
    if room < 4:
        return figure
    line = _spark(row.run.metrics, room, pen.ascii_only)
    return [*fit([(line, pen.style("line1"))], room, pen.fill), (" ", pen.fill), *figure]


def gpu(row: Row, width: int, pen: Pen) -> Spans:
    """Use and memory of the box's GPUs, for runs that can use them."""
    box = row.box
    verdict = row.run.run.verdict if row.run else None
    if verdict not in (None, "running", "starting", "stalled", "diverged") or row.is_cut_off:
        return []
    if box.gpu_error:
        return [("not answering", pen.style("warning"))]
    if not box.gpus:
        return [(formats.UNKNOWN, pen.style("faint"))]
    util, memory = gpu_use(box)
    idle = verdict == "running" and util is not None and util < IDLE_UTIL / 100
    spans = [*_gauge(util, "warning" if idle else "good", pen)]
    spans += [(" ", pen.fill), *_gauge(memory, "line1", pen)]
    if len(box.gpus) > 1 and width >= 15:
        spans.append((f" x{len(box.gpus)}", pen.style("muted")))
    return spans


def disk(row: Row, width: int, pen: Pen) -> Spans:
    """Free space of the run's file system."""
    space = row.run.disk if row.run else None
    if space is None:
        return right([(formats.UNKNOWN, pen.style("faint"))], width, pen.fill)
    used = formats.share(space.total - space.free, space.total) or 0.0
    tone = "bad" if used >= FULL_DISK else "warning" if used >= NEARLY_FULL_DISK else "muted"
    mark = pen.glyphs.warning if used >= NEARLY_FULL_DISK else ""
    return right([(mark + formats.size(space.free), pen.style(tone))], width, pen.fill)


def price(row: Row, width: int, pen: Pen) -> Spans:
    """What the box bills an hour now."""
    usd = row.box.usd_per_hour
    return right([(formats.money(usd), pen.style("muted" if usd else "faint"))], width, pen.fill)


def saved(row: Row, width: int, pen: Pen) -> Spans:
    """Whether best.pt and last.pt would outlive the box: ``yes``, ``9 ep old``, ``no``."""
    if row.run is None:
        return []
    run = row.run.run
    files = [file for file in run.checkpoints if file.name in MATTER]
    states = {saved_state(file) for file in files}
    behind = max((epochs_behind(file, run) or 0 for file in files), default=0)
    if "damaged" in states:
        text, tone = "damaged", "bad"
    elif "unsaved" in states:
        text, tone = "no", "warning"
    elif "older" in states:
        text, tone = f"{behind} ep old" if behind else "old", "warning"
    else:
        text, tone = ("yes", "good") if files else ("-", "muted")
    return right([(text, pen.style(tone))], width, pen.fill)


def age(row: Row, width: int, pen: Pen) -> Spans:
    """How old the newest sign of the run is; a box that is not live says so itself."""
    link = row.box.link
    if row.is_stale:
        glyph = pen.glyphs.links[link.state]
        style = pen.palette.style("warning", pen.ground)
        return right([(f"{glyph} {formats.age(link.age_s)}", style)], width, pen.fill)
    seconds = row.run.run.age_s if row.run else link.age_s
    return right([(formats.age(seconds), pen.style("muted"))], width, pen.fill)


def gpu_use(box: BoxView) -> tuple[float | None, float | None]:
    """Return the mean use and the share of memory in use of a box's GPUs, 0 to 1."""
    utils = [gpu.util for gpu in box.gpus if gpu.util is not None]
    used = [gpu.memory_used for gpu in box.gpus if gpu.memory_used is not None]
    total = [gpu.memory_total for gpu in box.gpus if gpu.memory_total is not None]
    util = sum(utils) / len(utils) / 100 if utils else None
    return util, formats.share(sum(used), sum(total)) if used and total else None


def _gauge(level: float | None, tone: str, pen: Pen) -> Spans:
    if level is None:
        return [("   -", pen.style("faint"))]
    levels = pen.glyphs.levels
    glyph = levels[min(len(levels) - 1, int(level * len(levels)))]
    return [(glyph, pen.style(tone)), (f"{level * 100:3.0f}%", pen.style("text"))]


def _metric_column(run: Run) -> str:
    metric = run.best.name if run.best else None
    return f"metrics/{metric}"


_sparks: WeakKeyDictionary[Metrics, tuple[tuple[int, int, bool], str]] = WeakKeyDictionary()
_trends: WeakKeyDictionary[Metrics, tuple[tuple[int, str], int | None]] = WeakKeyDictionary()


def _spark(metrics: Metrics, width: int, ascii_only: bool) -> str:
    key = (metrics.revision, width, ascii_only)
    known = _sparks.get(metrics)
    if known is None or known[0] != key:
        names = metrics.names()
        line = (
            sparkline(metrics.series("train/loss"), width, ascii_only)
            if "train/loss" in names
            else ""
        )
        known = _sparks[metrics] = (key, line)
    return known[1]


def _trend(metrics: Metrics, column: str) -> int | None:
    key = (metrics.revision, column)
    known = _trends.get(metrics)
    if known is None or known[0] != key:
        names = metrics.names()
        known = _trends[metrics] = (key, trend(metrics.series(column)) if column in names else None)
    return known[1]
