"""The last row: the keys that matter where the focus is, from the one table of keys.

A message that is longer than the row has more of them while it is shown: its end may be what to do.
"""

from __future__ import annotations

from tui import keys
from tui.keys import Place
from tui.widgets.panel import Sheet
from tui.widgets.spans import Span, Spans, flowed, spread, width_of

MESSAGE_ROWS = 4
"""A message has at most so many, and a third of the screen."""


class Footer(Sheet):
    """Key and label of at most seven actions; a message takes their place for a while."""

    place: Place = "runs"
    message = ""
    news = 0
    is_bad = False

    def show(self, place: Place) -> None:
        """Show the keys of a place."""
        if place != self.place:
            self.place = place
            self.refresh()

    def count(self, news: int, *, is_bad: bool) -> None:
        """Say how many alerts nobody has looked at, and whether there is trouble among them."""
        if (news, is_bad) != (self.news, self.is_bad):
            self.news, self.is_bad = news, is_bad
            self.refresh()

    def say(self, message: str) -> None:
        """Show a message instead of the keys; "" brings them back."""
        if message != self.message:
            self.message = message
            self.make_room()
            self.refresh()

    def on_resize(self) -> None:
        """See anew how many rows the message needs."""
        self.make_room()

    def make_room(self) -> None:
        """Take as many rows as the message needs."""
        self.styles.height = len(self._told()) if self.message else 1

    def _told(self) -> list[list[Span]]:
        screen = self.boxtop.size
        told = [(self.message, self.style("bright", "surface"))]
        return flowed(told, screen.width - 1, max(1, min(MESSAGE_ROWS, screen.height // 3)))

    def row(self, y: int) -> Spans:
        """Return the row; entries that do not fit are left out whole, help is kept.

        What nobody has looked at stands at its end, also beside a message that leaves it room.
        """
        width = self.size.width
        fill = self.style("text", "surface")
        end = self._count()
        if self.message:
            rows = self._told()
            told = [(" ", fill), *rows[y]] if y < len(rows) else []
            is_last = y == len(rows) - 1 and width_of(told) + width_of(end) <= width
            return spread(told, end if is_last else [], width, fill)
        entries = [self._entry(action) for action in self.boxtop.keymap.footer(self.place)]
        kept: list[Span] = [(" ", fill)]
        last = entries[-1:]
        for entry in entries[:-1]:
            if width_of(kept) + width_of(entry) + width_of(last[0]) + width_of(end) + 4 > width:
                break
            kept += [*entry, ("  ", fill)]
        kept += last[0] if last else []
        return spread(kept, end, width, fill)

    def _count(self) -> list[Span]:
        if not self.news:
            return []
        key = keys.shown(self.boxtop.keymap["alerts"].key, self.boxtop.ascii_only)
        return [
            (f" {key}", self.style("accent", "surface", bold=True)),
            (f" {self.news} new ", self.style("bad" if self.is_bad else "muted", "surface")),
        ]

    def _entry(self, action: keys.Action) -> list[Span]:
        key = keys.shown(action.key, self.boxtop.ascii_only)
        return [
            (key, self.style("accent", "surface", bold=True)),
            (f" {action.label}", self.style("muted", "surface")),
        ]
