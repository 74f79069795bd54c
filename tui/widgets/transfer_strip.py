"""One row for weights on their way: what, where to, how far, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.text import one_line
from tui.widgets.panel import Sheet
from tui.widgets.spans import Spans, spread

if TYPE_CHECKING:
    from tui.actions.transfer import TransferState, TransferView

METER = 10
TONES: dict[TransferState, str] = {
    "waiting": "warning",
    "running": "accent",
    "saved": "good",
    "failed": "bad",
    "cancelled": "muted",
}


class TransferStrip(Sheet):
    """The transfer that matters most; hidden while there is none."""

    view: TransferView | None = None
    more = 0

    def show(self, view: TransferView | None, more: int = 0) -> None:
        """Take the transfer to show, None for none."""
        self.view, self.more = view, more
        self.display = view is not None
        if view is not None:
            self.redraw()

    def row(self, y: int) -> Spans:
        """Return the row: a meter while bytes move, then the words."""
        view = self.view
        fill = self.style("text", "surface")
        if view is None:
            return spread([], [], self.size.width, fill)
        from tui.actions.transfer import transfer_text  # only where weights are moved

        tone = self.style(TONES[view.state], "surface", bold=True)
        spans = [(f" {self.glyphs.cursor} ", tone), *self._meter(view)]
        spans.append((one_line(transfer_text(view)), self.style("bright", "surface")))
        if view.hint and view.state in ("failed", "waiting"):
            spans.append((f"  {one_line(view.hint)}", self.style("muted", "surface")))
        more = f"+{self.more}  " if self.more else ""
        key = self.boxtop.keymap["end_transfer"].key
        word = "tells why" if view.state == "failed" else "hides" if view.is_over else "cancels"
        end = f"{more}{key} {word} "
        return spread(spans, [(end, self.style("faint", "surface"))], self.size.width, fill)

    def _meter(self, view: TransferView) -> Spans:
        progress = view.progress
        if progress is None or progress.done is None or not progress.total:
            return []
        done = min(METER, METER * progress.done // progress.total)
        return [
            (self.glyphs.full * done, self.style("accent", "surface")),
            (self.glyphs.rest * (METER - done) + " ", self.style("line", "surface")),
        ]
