"""Asks whether the key of a host that nobody has seen before may be trusted."""

from __future__ import annotations

from collections.abc import Iterable

from textual.widget import Widget
from textual.widgets import Button

from tui.links.base import HostKeyQuestion
from tui.screens.dialog import Dialog, line
from tui.text import one_line


class HostKeyDialog(Dialog[bool]):
    """Shows host, type and fingerprint; No has the focus."""

    heading = "unknown host key"
    is_guarded = True

    def __init__(self, question: HostKeyQuestion) -> None:
        super().__init__()
        self.question = question

    def body(self) -> Iterable[Widget]:
        """Say whose key it is, and what yes means."""
        yield line(f"{one_line(self.question.host)} shows a key that is not known yet.")
        yield line("")
        yield line(one_line(self.question.key_type), "dialog-strong")
        yield line(one_line(self.question.fingerprint), "dialog-strong")
        yield line("")
        yield line("Compare it with what the provider shows. A yes is remembered in known_hosts.")

    def buttons(self) -> Iterable[Button]:
        """No, or yes."""
        yield Button("No", id="no")
        yield Button("Yes, trust it", id="yes", variant="primary")

    def cancel(self) -> None:
        """Do not trust it."""
        self.dismiss(False)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer."""
        event.stop()
        self.dismiss(event.button.id == "yes")
