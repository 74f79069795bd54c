"""Asks whether a host key that differs from the known one shall take its place."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from tui.links.base import ChangedKeyQuestion
from tui.screens.dialog import Dialog, line
from tui.text import one_line
from tui.widgets.field import Field


class ChangedKeyDialog(Dialog[bool]):
    """Cancel has the focus; yes takes the host's name, typed out."""

    heading = "host key CHANGED"
    is_guarded = True

    def __init__(self, question: ChangedKeyQuestion) -> None:
        super().__init__()
        self.question = question
        self.host = one_line(question.host)

    def body(self) -> Iterable[Widget]:
        """Show both keys, what it may mean, and the field."""
        yield line(f"{self.host} shows another key than the known one:", "dialog-strong")
        for known in self.question.known:
            yield line(f"- {one_line(known)}")
        yield line(f"+ {one_line(self.question.offered)}")
        yield line("A new box at an old address, or somebody in between.")
        yield line("The provider knows. To replace the key, type the host:")
        yield Field(placeholder=self.host, id="host")
        yield Static("", id="host-error", classes="dialog-bad", markup=False)

    def buttons(self) -> Iterable[Button]:
        """Cancel, or replace."""
        yield Button("Cancel", id="cancel")
        yield Button("Replace the key", id="replace", variant="primary")

    def typed_field(self) -> Input | None:
        """Typing is the name's, though Cancel has the focus."""
        return self.query_one("#host", Input)

    def cancel(self) -> None:
        """Leave the known key in its place."""
        self.dismiss(False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Replace, if the host was typed."""
        event.stop()
        self._take()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer."""
        event.stop()
        if event.button.id == "replace":
            self._take()
        else:
            self.cancel()

    def _take(self) -> None:
        if self.query_one("#host", Input).value.strip() == self.host:
            self.dismiss(True)
        else:
            self.query_one("#host-error", Static).update(Content(f"type {self.host} to replace"))
