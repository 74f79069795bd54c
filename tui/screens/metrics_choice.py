"""Chooses which metrics the chart shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.segment import Segment
from textual.content import Content
from textual.events import Key
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Button, SelectionList
from textual.widgets._toggle_button import ToggleButton
from textual.widgets.selection_list import Selection

from tui.charts.cells import LINES
from tui.screens.dialog import Dialog
from tui.text import one_line


class Ticks(SelectionList[str]):
    """Says by a sign what is ticked: Textual's own list says it by a colour alone."""

    def render_line(self, y: int) -> Strip:
        """Return a row with ``[x]`` or ``[ ]`` before it."""
        strip = super().render_line(y)
        segments = list(strip)
        if len(segments) < 4 or segments[0].text != ToggleButton.BUTTON_LEFT:
            return strip
        option = self.get_option_at_index(self.scroll_offset.y + y)
        sign = "[x]" if option.value in self.selected else "[ ]"
        return Strip([Segment(sign, segments[1].style), *segments[3:]])


class MetricsDialog(Dialog[tuple[str, ...] | None]):
    """A list to tick; more than the chart can tell apart are not taken."""

    heading = f"metrics (up to {len(LINES)})"

    def __init__(self, names: Sequence[str], chosen: Sequence[str]) -> None:
        super().__init__()
        self.names = list(names)
        self.chosen = set(chosen)

    def body(self) -> Iterable[Widget]:
        """Every metric of the run."""
        yield Ticks(
            *(
                Selection(Content(one_line(name.partition("/")[2])), name, name in self.chosen)
                for name in self.names
            ),
            id="metrics-list",
        )

    def buttons(self) -> Iterable[Button]:
        """Leave it, or show them."""
        yield Button("Cancel", id="cancel")
        yield Button("Usual ones", id="usual")
        yield Button("Show", id="show", variant="primary")

    def first_focus(self) -> Widget:
        """Start in the list."""
        return self.query_one(SelectionList)

    def on_key(self, event: Key) -> None:
        """Take the choice with enter; space ticks."""
        if event.key == "enter" and isinstance(self.focused, SelectionList):
            event.stop()
            event.prevent_default()
            self.dismiss(self._ticked())

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer."""
        event.stop()
        answers = {"show": self._ticked(), "usual": ()}
        self.dismiss(answers.get(event.button.id or ""))

    def _ticked(self) -> tuple[str, ...]:
        ticked = self.query_one(SelectionList).selected
        return tuple(name for name in self.names if name in ticked)[: len(LINES)]
