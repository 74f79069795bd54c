"""The first two rows: the fleet in a few numbers, and the one thing that matters most."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from tui.bills import box_idle_text
from tui.keys import shown
from tui.money import hours_text
from tui.money.account import SOON_SECONDS
from tui.runs.told import cause_text
from tui.runs.words import clock_text, rough_text
from tui.screens.rows import Row, Summary
from tui.text import one_line
from tui.view import BoxView
from tui.widgets import formats
from tui.widgets.panel import Sheet
from tui.widgets.spans import Span, Spans, spread, width_of


class Header(Sheet):
    """boxtop's name, the counts of boxes and runs, the money, and the time."""

    summary: Summary | None = None
    now = 0.0
    is_paused = False

    def show(self, summary: Summary, now: float, is_paused: bool) -> None:
        """Take new figures; drawn only when something that is visible changed."""
        before = (self.summary, int(self.now), self.is_paused)
        self.summary, self.now, self.is_paused = summary, now, is_paused
        if before != (summary, int(now), is_paused):
            self.refresh()

    def row(self, y: int) -> Spans:
        """Return the row, with fewer figures where it is narrow."""
        width = self.size.width
        fill = self.style("text", "surface")
        parts = [self._brand()]
        parts += self._counts() if self.summary else []
        end: list[Span] = []
        if self.is_paused:
            end.append((" PAUSED ", self.style("warning", "selected", bold=True)))
        clock = datetime.fromtimestamp(self.now).strftime("%H:%M:%S")
        end.append((f"  {clock} ", self.style("muted", "surface")))
        line: list[Span] = []
        for part in parts:
            if width_of(line) + width_of(part) + 2 > width - width_of(end) and line:
                break
            line += [*part, ("   ", fill)]
        return spread(line, end, width, fill)

    def _brand(self) -> list[Span]:
        return [
            (f" {self.glyphs.cursor}", self.style("accent", "surface")),
            ("boxtop", self.style("bright", "surface", bold=True)),
        ]

    def _counts(self) -> list[list[Span]]:
        assert self.summary is not None
        given = self.summary
        parts = [self._count(given.boxes, "box", "boxes", "text")]
        parts.append(self._count(given.live_runs, "run live", "runs live", "running"))
        if given.need_a_person:
            sign = self.glyphs.warning
            count = self._count(given.need_a_person, "needs a person", "need a person", "bad")
            parts.append([(f"{sign} ", self.style("bad", "surface", bold=True)), *count])
        if given.unreachable:
            parts.append(self._count(given.unreachable, "unreachable", "unreachable", "warning"))
        if given.usd_per_hour is not None:
            more = f" + {given.unpriced} unknown" if given.unpriced else ""
            parts.append(
                [
                    (
                        f"{formats.money(given.usd_per_hour)}/h",
                        self.style("text", "surface", bold=True),
                    ),
                    (more, self.style("muted", "surface")),
                ]
            )
        if given.today:
            text = f"today {formats.money(given.today)}"
            parts.append([(text, self.style("muted", "surface"))])
        if given.runway_s is not None:
            soon = given.runway_s < SOON_SECONDS
            text = f"credit {hours_text(given.runway_s)}"
            parts.append([(text, self.style("warning" if soon else "muted", "surface"))])
        return parts

    def _count(self, count: int, one: str, many: str, name: str) -> list[Span]:
        return [
            (str(count), self.style(name if count else "muted", "surface", bold=True)),
            (f" {one if count == 1 else many}", self.style("muted", "surface")),
        ]


class Headline(Sheet):
    """What a person should know first: the newest trouble, or what ends next."""

    spans: Spans = ()

    def show(self, rows: Sequence[Row]) -> None:
        """Choose from rows in order of attention."""
        spans = self._choose(rows)
        if spans != self.spans:
            self.spans = spans
            self.refresh()

    def row(self, y: int) -> Spans:
        """Return the line."""
        return [(" ", self.style("text")), *self.spans]

    def _choose(self, rows: Sequence[Row]) -> Spans:
        worst = next((row for row in rows if row.needs_a_person), None)
        if worst is not None:
            return self._trouble(worst)
        timed = [(row.done_in_s, row) for row in rows if row.done_in_s is not None]
        if timed:
            eta, first = min(timed, key=lambda pair: pair[0])
            return [
                (f"{self.glyphs.verdicts['completed']} all well", self.style("good")),
                (f"  {_name(first)} is done next, in {clock_text(eta)}", self.style("muted")),
            ]
        late = next((row for row in rows if row.is_overdue and row.run), None)
        if late is not None and late.run is not None:
            return [(f"{_name(late)} is {late.run.run.eta_text}", self.style("warning"))]
        idle = next(filter(None, (self._idle(row.box) for row in rows)), None)
        if idle is not None:
            return idle
        if not rows:
            return [("no box is watched", self.style("muted"))]
        return [("nothing trains now", self.style("muted"))]

    def _idle(self, box: BoxView) -> Spans | None:
        """Return what a box wastes: it bills, and nothing trains on it."""
        text = box_idle_text(box)
        if text is None:
            return None
        keys = self.boxtop.keymap
        ways = ", ".join(
            f"{shown(keys[action].key)} {keys[action].label}"
            for action in ("stop", "destroy")
            if box.rent is not None and action in box.rent.can and keys[action].key
        )
        return [
            (f"{self.glyphs.warning} {one_line(box.name)} ", self.style("bad", bold=True)),
            (text, self.style("bad")),
            (f"  {ways}", self.style("muted")),
        ]

    def _trouble(self, row: Row) -> Spans:
        if row.run is None:
            said = one_line(row.box.link.error or "the box refuses the connection")
            hint, verdict, since = row.box.link.hint, "refused", None
        else:
            run = row.run.run
            found = run.diagnosis
            said = one_line(cause_text(run))
            hint, verdict, since = (found.hint if found else None), run.verdict, run.age_s
        ago = f" {rough_text(since)} ago" if since is not None and verdict != "stalled" else ""
        spans: list[Span] = [
            (f"{self.glyphs.warning} {_name(row)} ", self.style("bad", bold=True)),
            (f"{verdict}{ago}: ", self.style("bad")),
            (said, self.style("text")),
        ]
        if hint:
            spans.append((f"  {one_line(hint)}", self.style("muted")))
        return spans


def _name(row: Row) -> str:
    run = f" / {one_line(row.run.run.id)}" if row.run else ""
    return one_line(row.box.name) + run
