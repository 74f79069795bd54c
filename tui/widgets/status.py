"""The facts of the selected run: a list where there is room, flowing lines where there is not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import ClassVar

from tui.keys import Place
from tui.runs.order import live_sibling, sibling_text
from tui.runs.told import own_error
from tui.screens.rows import Row
from tui.text import one_line
from tui.view import LinkView
from tui.widgets import cells
from tui.widgets.box_word import box_word
from tui.widgets.cells import Pen
from tui.widgets.facts import facts_of
from tui.widgets.known import Known
from tui.widgets.panel import Panel, Sheet
from tui.widgets.spans import Span, Spans, fit, flowed, width_of

_LABEL = 8

LEAST_NAME = 12
"""A run's state is read before all of its name, but a name there has to be."""


class StatusPanel(Panel):
    """Label and fact in each row; the first facts stay when there are too many."""

    place: ClassVar[Place] = "status"
    jump: int | None = 1

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._facts: list[Known] = []

    def show(self, row: Row | None) -> None:
        """Show the facts of a row."""
        facts = [] if row is None else list(facts_of(row, self._pen(row), self.boxtop.keymap))
        if facts != self._facts:
            before = _kept(self._facts, self.inner[1])
            self._facts = facts
            pairs = enumerate(zip_longest(before, _kept(facts, self.inner[1])))
            self.redraw(y + 1 for y, (old, new) in pairs if old != new)

    def title(self) -> Spans:
        """Return the panel's name."""
        return [("status", self.style("bright", bold=True))]

    def content(self, y: int, width: int) -> Spans:
        """Return a fact."""
        rows = _kept(self._facts, self.inner[1])
        if y >= len(rows):
            return []
        label = f"{rows[y].label:<{_LABEL}}"
        return [(label, self.style("muted")), *rows[y].spans]

    def _pen(self, row: Row) -> Pen:
        return Pen(self.palette, self.glyphs, self.boxtop.ascii_only, stale=row.is_stale)


class StatusLines(Sheet):
    """The same facts without a frame, as many as flow into the lines that are there."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._facts: list[Known] = []

    def show(self, row: Row | None) -> None:
        """Show the facts of a row."""
        pen = (
            None
            if row is None
            else Pen(self.palette, self.glyphs, self.boxtop.ascii_only, stale=row.is_stale)
        )
        facts = [] if row is None or pen is None else list(facts_of(row, pen, self.boxtop.keymap))
        if facts != self._facts:
            self._facts = facts
            self.redraw()

    def row(self, y: int) -> Spans:
        """Return a line of facts."""
        lines = self._flow(max(1, self.size.width - 2), max(1, self.size.height))
        return [(" ", self.style("text")), *lines[y]] if y < len(lines) else []

    def _flow(self, width: int, height: int) -> list[list[Span]]:
        gap: Span = ("   ", self.style("text"))
        lines: list[list[Span]] = [[] for _ in range(height)]
        for known in sorted(self._facts, key=lambda known: known.weight):
            spans: list[Span] = [(f"{known.label} ", self.style("muted")), *known.spans]
            need = width_of(spans) + 3
            line = next((one for one in lines if not one or width_of(one) + need <= width), None)
            if line is not None:
                line += ([gap] if line else []) + spans
        return lines


class RunTitle(Sheet):
    """One row: box, run, model, verdict, progress and the time that is left."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._row: Row | None = None

    def show(self, row: Row | None) -> None:
        """Show a row's name and state."""
        self._row = row
        self.redraw()

    def row(self, y: int) -> Spans:
        """Return the line."""
        return self._spans(self.size.width)

    def _spans(self, width: int) -> Spans:
        row = self._row
        if row is None:
            return [(" no run is selected", self.style("muted"))]
        pen = Pen(self.palette, self.glyphs, self.boxtop.ascii_only, stale=row.is_stale)
        spans: list[Span] = []
        sign, word = cells.state(row, 12, pen)
        if row.run is None:
            word_of_box = box_word(row.box, pen, self.boxtop.keymap)
            name = cells.name(row, width, pen)
            return [
                (" ", pen.fill),
                *name,
                ("  ", pen.fill),
                sign,
                word,
                ("  ", pen.fill),
                *word_of_box,
            ]
        run = row.run.run
        says_it = run.headline.lower().startswith(run.verdict)
        if row.is_cut_off:
            word = (f"{word[0]}  was {'' if says_it else run.verdict + ', '}", word[1])
            spans += [sign, word]
        else:
            spans += [sign, (" ", pen.fill)] if says_it else [sign, word, ("  ", pen.fill)]
        spans.append((one_line(run.headline), pen.style(run.verdict if says_it else "text")))
        if run.progress is not None and width >= 70:
            spans += [("  ", pen.fill), *cells.progress(row, min(24, width // 6), pen)]
            spans.append((f" {int(run.progress * 100)}%", pen.style("text")))
        if run.eta_text != "-" and not row.is_cut_off:
            eta = [("  eta ", pen.style("muted")), (run.eta_text, pen.style("text", bold=True))]
            spans += eta if width_of([*spans, *eta]) + LEAST_NAME + 3 <= width else []
        name = cells.name(row, max(LEAST_NAME, width - width_of(spans) - 3), pen)
        spans = [(" ", pen.fill), *name, ("  ", pen.fill), *spans]
        words = f"  {one_line(run.model or '')} {one_line(run.task or '')}"
        if width_of(spans) + len(words) < width:
            spans.append((words, pen.style("muted")))
        return fit(spans, width, pen.fill, pen.glyphs.more)


class Trouble(Sheet):
    """Why a run failed, what to do next, and the lines of the log that say so; then warnings."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines: list[Spans] = []

    def show(self, row: Row | None, most: int) -> None:
        """Show at most ``most`` lines; nothing at all when all is well."""
        first, rest = ([], []) if row is None else self._lines(row)
        lines = [*first, *rest]
        kept = lines[:most]
        if len(first) < most < len(lines):  # of an excerpt the last line says most
            kept[-1] = lines[-1]
        if kept != self.lines:
            self.lines = kept
            self.styles.height = len(kept)
            self.refresh()
        self.display = bool(kept)

    def row(self, y: int) -> Spans:
        """Return a line behind a bar in the colour of trouble."""
        return self.lines[y] if y < len(self.lines) else []

    def _lines(self, row: Row) -> tuple[list[Spans], list[Spans]]:
        """Return what has to be known, and what more there is."""
        if row.run is None:
            return self._link(row.box.link), []
        run = row.run.run
        bad, text, muted = self.style("bad"), self.style("text"), self.style("muted")
        bar: Span = (f" {self.glyphs.cursor} ", bad)
        soft: Span = (f" {self.glyphs.cursor} ", self.style("warning"))
        lines: list[Spans] = []
        found = run.diagnosis
        if found is not None:
            own = own_error(run)
            if own:
                lines += self._whole(bar, (own, self.style("bad", bold=True)))
            lines += self._whole(bar, (one_line(found.summary), self.style("bad", bold=not own)))
            if found.hint:
                lines += self._whole(bar, ("next: ", muted), (one_line(found.hint), text))
        elif row.needs_a_person and run.reason:
            lines += self._whole(bar, (one_line(run.reason), self.style("bad", bold=True)))
        rest: list[Spans] = []
        sibling = live_sibling((view.run for view in row.box.runs), run)
        if sibling is not None:
            rest.append([soft, (sibling_text(sibling), self.style("warning", bold=True))])
        rest += [
            [soft, (self.glyphs.warning + " ", self.style("warning")), (one_line(line), text)]
            for line in run.warnings
        ]
        if found is not None and found.excerpt:
            if found.source:
                rest.append([bar, (f"from {one_line(found.source)}", self.style("faint"))])
            rest += [[bar, (one_line(line), muted)] for line in found.excerpt]
        return lines, rest

    def _link(self, link: LinkView) -> list[Spans]:
        """Return why a box without runs is not reached, and what to do."""
        bar: Span = (f" {self.glyphs.cursor} ", self.style("warning"))
        lines = self._whole(bar, (one_line(link.error), self.style("text"))) if link.error else []
        if link.hint:
            next_step = (one_line(link.hint), self.style("text"))
            lines += self._whole(bar, ("next: ", self.style("muted")), next_step)
        return lines

    def _whole(self, bar: Span, *spans: Span) -> list[Spans]:
        """Return what somebody has to know in as many rows as it needs, but three at most."""
        width = self.boxtop.size.width - width_of([bar])
        return [[bar, *row] for row in flowed(spans, width, 3)]


def _kept(facts: Sequence[Known], height: int) -> list[Known]:
    """Leave out the facts that matter least until the rest fits."""
    kept = list(facts)
    while len(kept) > height:
        heaviest = max(known.weight for known in kept)
        last = max(i for i, known in enumerate(kept) if known.weight == heaviest)
        del kept[last]
    return kept
