"""Asks for the passphrase of a private key, without showing it."""

from __future__ import annotations

from collections.abc import Iterable

from textual.widget import Widget
from textual.widgets import Button, Input

from tui.screens.dialog import Dialog, line
from tui.text import one_line
from tui.widgets.field import Field


class PassphraseDialog(Dialog[str | None]):
    """Three attempts are the link's to count; an empty answer is none."""

    heading = "passphrase"

    def __init__(self, key_path: str, attempt: int) -> None:
        super().__init__()
        self.key_path = key_path
        self.attempt = attempt

    def body(self) -> Iterable[Widget]:
        """Say which key it is for."""
        yield line("The private key is locked:")
        yield line(one_line(self.key_path), "dialog-strong")
        if self.attempt > 1:
            yield line(f"That was not it. Attempt {self.attempt} of 3.", "dialog-bad")
        yield line("")
        yield Field(password=True, placeholder="passphrase", id="passphrase")

    def buttons(self) -> Iterable[Button]:
        """Cancel, or unlock."""
        yield Button("Cancel", id="cancel")
        yield Button("Unlock", id="unlock", variant="primary")

    def first_focus(self) -> Widget:
        """Type at once: nothing dangerous can be answered here."""
        return self.query_one(Input)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Try what was typed."""
        event.stop()
        self.dismiss(event.value or None)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Try what was typed, or give up."""
        event.stop()
        typed = self.query_one(Input).value
        self.dismiss(typed or None if event.button.id == "unlock" else None)
