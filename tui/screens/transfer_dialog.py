"""What both transfers ask: which checkpoints, by a button that turns, and a place, in a field."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from tui.screens.dialog import Dialog, line
from tui.text import one_line
from tui.widgets.field import Field

Wish = TypeVar("Wish")

Choice = tuple[tuple[str, ...], str]
"""Names of checkpoints, and their description."""


class TransferDialog(Dialog[Wish | None], Generic[Wish]):
    """The run, the files, the place. ``choices`` begins with the usual one."""

    asks = ""
    """What the field is for."""
    example = ""
    yes = ""

    def __init__(self, title: str, choices: Sequence[Choice], place: str) -> None:
        super().__init__()
        self.run_title = title
        self.choices = list(choices)
        self.place = place
        self._choice = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The checkpoints that are chosen now."""
        return self.choices[self._choice][0]

    @property
    def typed(self) -> str:
        """What stands in the field."""
        return self.query_one(Input).value.strip()

    def body(self) -> Iterable[Widget]:
        """The run, the files, the place, what a transfer has to ask beyond, what is wrong."""
        yield line(self.run_title, "dialog-strong")
        yield Button(self._what(), id="what")
        yield line(self.asks)
        yield Field(self.place, placeholder=self.example, id="place")
        yield from self.more()
        yield Static("", id="target-error", markup=False)

    def more(self) -> Iterable[Widget]:
        """Yield what else is asked."""
        return ()

    def buttons(self) -> Iterable[Button]:
        """Cancel, or go on."""
        yield Button("Cancel", id="cancel")
        yield Button(self.yes, id="go", variant="primary")

    def wish(self) -> Wish | str:
        """Return what a person asks for, or what is wrong with it."""
        return "nothing is asked for"

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on."""
        event.stop()
        self._go()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Turn the choice, or answer."""
        event.stop()
        if event.button.id == "what":
            self._choice = (self._choice + 1) % len(self.choices)
            event.button.label = self._what()
        elif event.button.id == "go":
            self._go()
        elif event.button.id == "cancel":
            self.cancel()

    def _what(self) -> Content:
        return Content(f"what: {one_line(self.choices[self._choice][1])}")

    def _go(self) -> None:
        wish = self.wish()
        if isinstance(wish, str):
            self.query_one("#target-error", Static).update(Content(one_line(wish)))
        else:
            self.dismiss(wish)
