"""Below the first row: the one thing that matters most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tui.bills import box_idle_text, priced
from tui.money import hours_text, usd_text
from tui.runs.idle import idle_s
from tui.runs.told import cause_text
from tui.runs.words import clock_text, rough_text
from tui.screens.rows import Key, Row
from tui.text import one_line
from tui.view import BoxView
from tui.widgets.bill import ending_keys
from tui.widgets.panel import Sheet
from tui.widgets.spans import Span, Spans, flowed

WORDY = 70
"""From this width on there is room to say where."""

UNUSED_SECONDS = 900.0
"""A box without any run is being set up for so long, and forgotten after."""


class Headline(Sheet):
    """What a person should know first: trouble, then waste, then what ends next."""

    spans: Spans = ()
    most_rows = 2
    """A narrow screen has one more row for it: the cause and the keys stand at its end."""

    def show(self, rows: Sequence[Row], now: float = 0.0, selected: Key | None = None) -> None:
        """Choose from rows in order of attention; ``selected`` is what keys are about."""
        spans = self._choose(rows, now, selected[0] if selected else "")
        if spans != self.spans:
            self.spans = spans
            self.make_room()
            self.refresh()

    def on_resize(self) -> None:
        """See anew how many rows it needs."""
        self.make_room()

    def make_room(self) -> None:
        """Take as many rows as it needs."""
        self.styles.height = len(self._rows(self.boxtop.size.width))

    def row(self, y: int) -> Spans:
        """Return a line of it."""
        rows = self._rows(self.size.width)
        return [(" ", self.style("text")), *rows[y]] if y < len(rows) else []

    def _rows(self, width: int) -> Sequence[Spans]:
        most = self.most_rows if width < WORDY else 1
        return flowed(self.spans, width - 1, most)

    def _choose(self, rows: Sequence[Row], now: float, selected: str) -> Spans:
        timed = [(row.done_in_s, row) for row in rows if row.done_in_s is not None]
        eta, first = min(timed, key=lambda pair: pair[0], default=(0.0, None))
        follows = "" if first is None else f"  {_name(first)} is done next, in {clock_text(eta)}"
        urgent = self._urgent(rows, now, selected)
        if urgent is not None:
            is_alone = any(row.needs_a_person for row in rows)
            return urgent if is_alone else [*urgent, (follows, self.style("muted"))]
        if first is not None:
            sign = self.glyphs.verdicts["completed"]
            return [(f"{sign} all well", self.style("good")), (follows, self.style("muted"))]
        late = next((row for row in rows if row.is_overdue and row.run), None)
        if late is not None and late.run is not None:
            return [(f"{_name(late)} is {late.run.run.eta_text}", self.style("warning"))]
        if not rows:
            return [("no box is watched", self.style("muted"))]
        return self._untimed(rows)

    def _untimed(self, rows: Sequence[Row]) -> Spans:
        """Return what is at work without anybody knowing for how long, if anything is."""
        at_work = [row for row in rows if row.is_at_work]
        heard = next((row for row in at_work if not row.is_stale), None)
        if heard is not None and heard.run is not None:
            sign = self.glyphs.verdicts["completed"]
            word = f"  {_name(heard)} is {heard.run.run.verdict}"
            return [(f"{sign} all well", self.style("good")), (word, self.style("muted"))]
        if at_work and at_work[0].run is not None:
            word = f"{_name(at_work[0])} was {at_work[0].run.run.verdict} when it was last seen"
            return [(word, self.style("muted"))]
        away = next(
            (row.box for row in rows if row.box.link.state == "offline" and not row.box.is_off),
            None,
        )
        if away is not None:
            why = f": {one_line(away.link.error)}" if away.link.error else ""
            return self._told(away, f"is not reached{why}")
        if all(row.box.link.state == "connecting" for row in rows):
            return [("no box has answered yet", self.style("muted"))]
        return [("nothing trains now", self.style("muted"))]

    def _urgent(self, rows: Sequence[Row], now: float, selected: str) -> Spans | None:
        """Return the trouble or the waste that somebody should know of first.

        A run that failed before the next one on its box began is known to somebody: what wastes
        money now comes before that.
        """
        wanted = [row for row in rows if row.needs_a_person]
        new = next((row for row in wanted if not row.is_followed), None)
        if new is not None:
            return self._trouble(new)
        boxes = {row.box.name: row.box for row in rows}.values()
        money = (self._away(boxes), self._cut_off(rows), self._waste(boxes, now, selected))
        for found in (*money, self._lost(rows)):
            if found is not None:
                return found
        return self._trouble(wanted[0]) if wanted else None

    def _away(self, boxes: Iterable[BoxView]) -> Spans | None:
        """Return which box does not answer though it bills, the dearest one."""
        away = [box for box in boxes if box.link.state == "offline" and not box.is_off]
        worst = max(away, key=lambda box: box.usd_per_hour or 0.0, default=None)
        if worst is None or not worst.usd_per_hour:
            return None
        age, rent = worst.link.age_s, worst.rent
        since = "" if age is None else f" for {rough_text(age)}"
        bills = "; if it runs, it bills " + usd_text(worst.usd_per_hour) + "/h"
        if rent is not None and rent.is_listed and rent.state != "unknown":
            bills = f", and still bills {priced(rent.rate_now)}"
        return self._told(worst, f"is not reached{since}{bills}")

    def _lost(self, rows: Sequence[Row]) -> Spans | None:
        """Return which run was at work on a box that does not answer, whatever that costs."""
        lost = (row for row in rows if row.is_at_work and row.box.link.state == "offline")
        row = next(lost, None)
        if row is None or row.run is None:
            return None
        age = row.box.link.age_s
        since = "" if age is None else f" for {rough_text(age)}"
        return self._told(row.box, f"is not reached{since}: {one_line(row.run.run.id)} was at work")

    def _cut_off(self, rows: Sequence[Row]) -> Spans | None:
        """Return which run was at work when its provider took the box."""
        row = next((row for row in rows if row.is_cut_off and not row.is_ended_here), None)
        if row is None or row.run is None or row.box.rent is None:
            return None
        run = row.run.run
        at = f" in epoch {run.epoch + 1}" if run.epoch is not None else ""
        return self._told(row.box, f"is {row.box.rent.state}: {one_line(run.id)} was at work{at}")

    def _waste(self, boxes: Iterable[BoxView], now: float, selected: str) -> Spans | None:
        """Return what the dearest idle box wastes, and the keys that end it."""
        found = max(self._idle(boxes, now), key=lambda pair: pair[0], default=None)
        if found is None:
            return None
        _, box, text = found
        ways = "" if box.rent is None else ending_keys(box.rent, self.boxtop.keymap)
        if ways and box.name != selected:
            ways = f"select it: {ways}"
        return [*self._told(box, text), (f"  {ways}" if ways else "", self.style("muted"))]

    def _idle(self, boxes: Iterable[BoxView], now: float) -> Iterator[tuple[float, BoxView, str]]:
        """Yield what idle boxes have wasted, in US dollars, and how that is said."""
        for box in boxes:
            text, usd = box_idle_text(box), box.usd_per_hour or 0.0
            if text is not None:
                yield usd * (idle_s(view.run for view in box.runs) or 0.0), box, text
            elif (age := _unused_s(box, now)) > UNUSED_SECONDS:
                yield (
                    usd * age,
                    box,
                    f"bills {usd_text(usd)}/h and has no run for {hours_text(age)}",
                )

    def _told(self, box: BoxView, text: str) -> list[Span]:
        name = (f"{self.glyphs.warning} {one_line(box.name)} ", self.style("bad", bold=True))
        return [name, (text, self.style("bad"))]

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
        idle = box_idle_text(row.box)
        wasted = f"; {idle}" if idle is not None else ""
        spans: list[Span] = [
            (f"{self.glyphs.warning} {_name(row)} ", self.style("bad", bold=True)),
            (f"{verdict}{ago}{wasted}: ", self.style("bad")),
            (said, self.style("text")),
        ]
        if hint:
            spans.append((f"  {one_line(hint)}", self.style("muted")))
        return spans


class Elsewhere(Headline):
    """Above an opened run: trouble and waste of the others; hidden while there is none."""

    def show(
        self, rows: Sequence[Row], now: float = 0.0, selected: Key | None = None, room: bool = True
    ) -> None:
        """Choose from all rows but the opened run, whose own panels say what its box costs."""
        others = [row for row in rows if _is_other(row, selected)]
        self.spans = self._urgent(others, now, "") or ()
        self.display = room and bool(self.spans)
        self.redraw()

    most_rows = 1

    def row(self, y: int) -> Spans:
        """Return the line; where there is room it says that it is not of the run below."""
        head = " elsewhere " if self.size.width >= WORDY else " "
        return [(head, self.style("muted")), *self.spans]


def _is_other(row: Row, opened: Key | None) -> bool:
    if opened is None or row.box.name != opened[0]:
        return True
    return row.key != opened and row.run is not None and row.needs_a_person


def _unused_s(box: BoxView, now: float) -> float:
    """Return how old a box is that answers, bills and never had a run, else 0."""
    rent = box.rent
    if rent is None or box.runs or box.link.state != "live" or not box.usd_per_hour:
        return 0.0
    is_paid = rent.is_listed and rent.bills and rent.state == "running"
    return now - rent.created_at if is_paid and rent.created_at is not None else 0.0


def _name(row: Row) -> str:
    run = f" / {one_line(row.run.run.id)}" if row.run else ""
    return one_line(row.box.name) + run
