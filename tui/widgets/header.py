"""The first row: the fleet in a few numbers."""

from __future__ import annotations

from datetime import datetime

import msgspec

from tui.money import hours_text
from tui.money.account import SOON_SECONDS
from tui.screens.rows import Summary
from tui.widgets import formats
from tui.widgets.panel import Sheet
from tui.widgets.spans import Span, Spans, spread, width_of

GAP = 3
"""Cells between two figures."""
CLOCK = 4.0
"""When the time of day gets its place."""


class Part(msgspec.Struct, frozen=True):
    """A figure; ``turn`` is when it gets its place (0 first), however narrow the screen is."""

    turn: float
    spans: list[Span]


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
        """Return the row.

        Where it is narrow, a sign and a number have to do for those who need a person; then what
        matters least is left out, the money last of all.
        """
        width = self.size.width
        fill = self.style("text", "surface")
        end: list[Span] = []
        if self.is_paused:
            end.append((" PAUSED ", self.style("warning", "selected", bold=True)))
        clock = datetime.fromtimestamp(self.now).strftime("%H:%M:%S")
        room = width - width_of(end) + GAP
        parts = self._parts(wordy=True)
        if sum(width_of(part.spans) + GAP for part in parts) + len(clock) + GAP > room:
            parts = self._parts(wordy=False)
        kept: list[Part] = []
        for part in sorted([*parts, Part(CLOCK, [(clock, fill)])], key=lambda part: part.turn):
            if part.turn == 0 or width_of(part.spans) + GAP <= room:
                room -= width_of(part.spans) + GAP
                kept.append(part)
        if any(part.turn == CLOCK for part in kept):
            end.append((f"  {clock} ", self.style("muted", "surface")))
        line: list[Span] = []
        for part in parts:
            if part in kept:
                line += [*([(" " * GAP, fill)] if line else []), *part.spans]
        return spread(line, end, width, fill)

    def _brand(self) -> list[Span]:
        return [
            (f" {self.glyphs.cursor}", self.style("accent", "surface")),
            ("boxtop", self.style("bright", "surface", bold=True)),
        ]

    def _parts(self, *, wordy: bool) -> list[Part]:
        parts = [Part(0, self._brand())]
        given = self.summary
        if given is None:
            return parts
        muted = self.style("muted", "surface")
        parts.append(Part(7, self._count(given.boxes, "box", "boxes", "text")))
        parts.append(Part(5, self._count(given.live_runs, "run live", "runs live", "running")))
        if given.need_a_person:
            sign: Span = (f"{self.glyphs.warning} ", self.style("bad", "surface", bold=True))
            words = ("needs a person", "need a person")
            count = self._count(given.need_a_person, *words, "bad")
            parts.append(Part(2, [sign, *(count if wordy else count[:1])]))
        if given.unreachable:
            count = self._count(given.unreachable, "unreachable", "unreachable", "warning")
            parts.append(Part(3, count))
        if given.usd_per_hour is not None:
            rate = f"{formats.money(given.usd_per_hour)}/h"
            more = f" + {given.unpriced} unknown" if given.unpriced else ""
            spans: list[Span] = [(rate, self.style("text", "surface", bold=True)), (more, muted)]
            parts.append(Part(1, spans))
        if given.today:
            parts.append(Part(8, [(f"today {formats.money(given.today)}", muted)]))
        if given.runway_s is not None:
            soon = given.runway_s < SOON_SECONDS
            text = f"credit {hours_text(given.runway_s)}"
            style = self.style("warning", "surface") if soon else muted
            parts.append(Part(2.5 if soon else 6, [(text, style)]))
        if given.contract_s is not None and given.contract_s < SOON_SECONDS:
            text = f"contract {hours_text(given.contract_s)}"
            parts.append(Part(2.6, [(text, self.style("warning", "surface"))]))
        return parts

    def _count(self, count: int, one: str, many: str, name: str) -> list[Span]:
        return [
            (str(count), self.style(name if count else "muted", "surface", bold=True)),
            (f" {one if count == 1 else many}", self.style("muted", "surface")),
        ]
