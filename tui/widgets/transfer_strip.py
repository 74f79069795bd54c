"""One row for weights on their way: what, where to, how far, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.text import one_line
from tui.widgets.spans import Spans, spread
from tui.widgets.strip import Strip

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


class TransferStrip(Strip["TransferView"]):
    """The transfer that matters most; hidden while there is none."""

    def row_of(self, view: TransferView, more: str) -> Spans:
        """Return the row: a meter while bytes move, then the words."""
        from tui.actions.transfer import transfer_text  # only where weights are moved

        tone = self.style(TONES[view.state], "surface", bold=True)
        spans = [(f" {self.glyphs.cursor} ", tone), *self._meter(view)]
        spans.append((one_line(transfer_text(view)), self.style("bright", "surface")))
        if view.hint and view.state in ("failed", "waiting"):
            spans.append((f"  {one_line(view.hint)}", self.style("muted", "surface")))
        key = self.boxtop.key_of("end_transfer")
        word = "tells why" if view.state == "failed" else "hides" if view.is_over else "cancels"
        end = f"{more}{key} {word} "
        fill = self.style("text", "surface")
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
