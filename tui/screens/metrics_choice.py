"""Chooses which metrics the chart shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.content import Content
from textual.events import Key
from textual.widget import Widget
from textual.widgets import Button, SelectionList
from textual.widgets.selection_list import Selection

from tui.charts.cells import LINES
from tui.screens.dialog import Dialog
from tui.text import one_line


class MetricsDialog(Dialog[tuple[str, ...] | None]):
    """A list to tick; more than the chart can tell apart are not taken."""

    heading = f"metrics (up to {len(LINES)})"

    def __init__(self, names: Sequence[str], chosen: Sequence[str]) -> None:
        super().__init__()
        self.names = list(names)
        self.chosen = set(chosen)

    def body(self) -> Iterable[Widget]:
        """Every metric of the run."""
        yield SelectionList[str](
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

    def cancel(self) -> None:
        """Leave the chart as it is."""
        self.dismiss(None)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer."""
        event.stop()
        answers = {"show": self._ticked(), "usual": ()}
        self.dismiss(answers.get(event.button.id or ""))

    def _ticked(self) -> tuple[str, ...]:
        ticked = self.query_one(SelectionList).selected
        return tuple(name for name in self.names if name in ticked)[: len(LINES)]
