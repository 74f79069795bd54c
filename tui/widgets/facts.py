"""The facts of a run and its box, each a short label and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator

from tui.facts import Gpu
from tui.keys import KeyMap
from tui.runs.model import Run
from tui.runs.saved import MATTER, SavedState, by_weight, saved_state, saved_text
from tui.runs.words import pace_text, rough_text, size_text, used_percent
from tui.screens.rows import Row
from tui.text import one_line
from tui.view import BoxView, RunView
from tui.widgets import cells, formats
from tui.widgets.bill import bill_facts
from tui.widgets.cells import Pen
from tui.widgets.known import Known
from tui.widgets.spans import Span

METER = 10
"""Cells of a meter."""


SAVED_TONES: dict[SavedState, str] = {
    "saved": "good",
    "older": "warning",
    "unsaved": "warning",
    "damaged": "bad",
}


def facts_of(row: Row, pen: Pen, keys: KeyMap) -> Iterator[Known]:
    """Yield what is known, in the order people ask for it; what is unknown is left out.

    Of a box that is off, nothing is told that only a running one has.
    """
    if row.is_stale:
        yield _link(row.box, pen)
    if row.run is not None:
        yield from _run(row.run.run, pen)
    yield from bill_facts(row.box, pen, keys)
    if row.run is not None:
        yield from _cost(row.run.run, pen, goes_on=not row.is_cut_off)
    if not (row.is_stale and row.box.is_off):
        yield from _box(row, pen)
    if row.run is not None:
        yield from _rest(row.run, pen)


def _link(box: BoxView, pen: Pen) -> Known:
    link = box.link
    bold = pen.palette.style("warning", pen.ground)
    plain = pen.palette.style("muted", pen.ground)
    since = "" if link.age_s is None else f", last seen {rough_text(link.age_s)} ago"
    error = f": {one_line(link.error)}" if link.error else ""
    return Known("link", ((f"{link.state}{since}", bold), (error, plain)), 1)


def _run(run: Run, pen: Pen) -> Iterator[Known]:
    text, muted = pen.style("text"), pen.style("muted")
    if run.epoch_s is not None:
        price = None if run.cost is None else run.cost.per_epoch
        each = "" if price is None else f", {formats.money(price)}"
        yield Known("pace", ((pace_text(run.epoch_s), text), (f" an epoch{each}", muted)))
    if run.train_loss is not None:
        yield Known("loss", ((formats.value(run.train_loss), text),), 1)
    if run.best is not None and run.best.value is not None:
        name = one_line(run.best.name or "")
        epoch = "" if run.best.epoch is None else f" @ {run.best.epoch}"
        value = formats.value(run.best.value)
        yield Known("best", ((value, pen.style("best")), (f" {name}{epoch}", muted)), 1)
    if run.current is not None and run.current.value is not None:
        yield Known("now", ((formats.value(run.current.value), text),), 3)
    if run.age_s is not None:
        yield Known("updated", ((f"{rough_text(run.age_s)} ago", text),), 2)
    if run.pid is not None:
        alive = {True: " alive", False: " gone", None: ""}[run.pid_alive]
        tone = pen.style("muted" if run.pid_alive is not False else "warning")
        yield Known("pid", ((str(run.pid), text), (alive, tone)), 3)


def _box(row: Row, pen: Pen) -> Iterator[Known]:
    box = row.box
    if box.gpu_error:
        yield Known("gpu", ((one_line(box.gpu_error), pen.style("warning")),), 1)
    for number, gpu in enumerate(box.gpus):
        yield _gpu(gpu, pen, 4 if number else 1)  # eight of them would leave no room for money
    if row.run is not None and row.run.disk is not None:
        yield _disk(row.run, pen)
    if box.memory_used is not None and box.memory_total:
        used = f"{formats.size(box.memory_used)} of {formats.size(box.memory_total)}"
        yield Known("memory", ((used, pen.style("text")),), 4)
    if box.load1 is not None:
        of = f" of {box.cpus} cpus" if box.cpus else ""
        yield Known("load", ((f"{box.load1:.1f}", pen.style("text")), (of, pen.style("muted"))), 4)


def _gpu(gpu: Gpu, pen: Pen, weight: int) -> Known:
    level = None if gpu.util is None else gpu.util / 100
    spans = list(meter(level, "good", pen))
    spans.append((" -" if level is None else f"{level * 100:4.0f}%", pen.style("text")))
    if gpu.memory_used is not None and gpu.memory_total is not None:
        memory = f"  {formats.size(gpu.memory_used)}/{formats.size(gpu.memory_total)}"
        spans.append((memory, pen.style("text")))
    degree = "C" if pen.ascii_only else "°C"
    more = [] if gpu.temperature_c is None else [f"{gpu.temperature_c:.0f}{degree}"]
    more += [] if gpu.power_w is None else [f"{gpu.power_w:.0f}W"]
    spans.append((f"  {' '.join(more)}", pen.style("muted")))
    return Known(f"gpu {gpu.index}", tuple(spans), weight)


def _disk(view: RunView, pen: Pen) -> Known:
    assert view.disk is not None
    space = view.disk
    used = formats.share(space.total - space.free, space.total)
    percent = used_percent(space.free, space.total)
    tone = "line1"
    if used is not None and used >= cells.NEARLY_FULL_DISK:
        tone = "bad" if used >= cells.FULL_DISK else "warning"
    spans = list(meter(used, tone, pen))
    spans.append((" -" if percent is None else f"{percent:4d}%", pen.style("text")))
    word = " free" if view.disk_full_in_s is None else ""
    spans.append((f"  {formats.size(space.free)}{word}", pen.style("text")))
    if view.disk_full_in_s is not None:
        spans.append((f", full in {rough_text(view.disk_full_in_s)}", pen.style("warning")))
    return Known("disk", tuple(spans), 1)


def _cost(run: Run, pen: Pen, *, goes_on: bool) -> Iterator[Known]:
    """Yield what the run has wasted, has cost, and will cost: of a long row the end is cut."""
    if run.cost is None:
        return
    parts = [f"{formats.money(run.cost.so_far)} so far"] if run.cost.so_far is not None else []
    if run.cost.to_finish is not None and goes_on:
        parts.append(f"{formats.money(run.cost.to_finish)} to go")
    spans: list[Span] = [(", ".join(parts), pen.style("text"))]
    if run.cost.wasted:
        spans.insert(0, (f"{formats.money(run.cost.wasted)} wasted  ", pen.style("bad")))
    yield Known("cost", tuple(spans), 1)


def _rest(view: RunView, pen: Pen) -> Iterator[Known]:
    run, muted = view.run, pen.style("muted")
    yield from _weights(run, pen)
    yield Known("path", ((one_line(run.path), muted),), 4)
    if view.console_path:
        yield Known("console", ((one_line(view.console_path), muted),), 5)


def _weights(run: Run, pen: Pen) -> Iterator[Known]:
    """Yield the checkpoints that matter and what would be lost of them, the others as a count."""
    files = by_weight(run.checkpoints)
    first = [file for file in files if file.name in MATTER] or files[:1]
    for file in first:
        state = saved_state(file)
        tone = SAVED_TONES[state]
        size = (f"{size_text(file.bytes):>7}", pen.style("muted"))
        told = (f"  {saved_text(file, run)}", pen.style(tone, bold=tone == "bad"))
        yield Known(one_line(file.name, 10), (size, told), 2 if state == "saved" else 1)
    rest = files[len(first) :]
    if rest:
        saved = sum(saved_state(file) == "saved" for file in rest)
        damaged = sum(saved_state(file) == "damaged" for file in rest)
        more = f", {damaged} damaged" if damaged else ""
        spans = (
            (f"{len(rest)} more", pen.style("text")),
            (f"  {saved} saved{more}", pen.style("muted")),
        )
        yield Known("weights", spans, 3)


def meter(level: float | None, tone: str, pen: Pen) -> tuple[Span, ...]:
    """Return a bar of ``METER`` cells; an unknown level is an empty bar."""
    done = 0 if level is None else min(METER, max(0, round(level * METER)))
    if level and not done:
        done = 1
    return (
        (pen.glyphs.full * done, pen.style(tone)),
        (pen.glyphs.rest * (METER - done), pen.style("line")),
    )
