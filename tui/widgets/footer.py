"""The last row: the keys that matter where the focus is, from the one table of keys."""

from __future__ import annotations

from tui import keys
from tui.keys import Place
from tui.widgets.panel import Sheet
from tui.widgets.spans import Span, Spans, spread, width_of


class Footer(Sheet):
    """Key and label of at most seven actions; a message takes their place for a while."""

    place: Place = "runs"
    message = ""
    remark = ""

    def show(self, place: Place, remark: str = "") -> None:
        """Show the keys of a place."""
        if (place, remark) != (self.place, self.remark):
            self.place, self.remark = place, remark
            self.refresh()

    def say(self, message: str) -> None:
        """Show a message instead of the keys; "" brings them back."""
        if message != self.message:
            self.message = message
            self.refresh()

    def row(self, y: int) -> Spans:
        """Return the row; entries that do not fit are left out whole, help is kept."""
        width = self.size.width
        fill = self.style("text", "surface")
        if self.message:
            return spread([(f" {self.message}", self.style("bright", "surface"))], [], width, fill)
        end = [(f"{self.remark} ", self.style("faint", "surface"))] if self.remark else []
        entries = [self._entry(action) for action in self.boxtop.keymap.footer(self.place)]
        kept: list[Span] = [(" ", fill)]
        last = entries[-1:]
        for entry in entries[:-1]:
            if width_of(kept) + width_of(entry) + width_of(last[0]) + 4 > width:
                break
            kept += [*entry, ("  ", fill)]
        kept += last[0] if last else []
        if width_of(kept) + width_of(end) + 2 > width:
            end = []
        return spread(kept, end, width, fill)

    def _entry(self, action: keys.Action) -> list[Span]:
        key = keys.shown(action.key, self.boxtop.ascii_only)
        return [
            (key, self.style("accent", "surface", bold=True)),
            (f" {action.label}", self.style("muted", "surface")),
        ]
