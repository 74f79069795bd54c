"""Asks what to pull, and into which directory of this machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from tui.screens.dialog import Dialog, line
from tui.text import one_line


@dataclass(frozen=True, slots=True)
class PullWish:
    """What a person asked for."""

    names: tuple[str, ...]
    directory: Path


class PullDialog(Dialog[PullWish | None]):
    """One field for the directory, and a button that turns through the files."""

    heading = "pull weights to this machine"

    def __init__(
        self, title: str, choices: Sequence[tuple[tuple[str, ...], str]], directory: str
    ) -> None:
        super().__init__()
        self.run_title = title
        self.choices = list(choices)
        self.directory = directory
        self._choice = 0

    def body(self) -> Iterable[Widget]:
        """The run, the files, the directory."""
        yield line(self.run_title, "dialog-strong")
        yield Button(self._what(), id="what")
        yield line("into the directory:")
        yield Input(self.directory, id="place")
        yield Static("", id="target-error", markup=False)

    def buttons(self) -> Iterable[Button]:
        """Cancel, or pull."""
        yield Button("Cancel", id="cancel")
        yield Button("Pull", id="go", variant="primary")

    def cancel(self) -> None:
        """Pull nothing."""
        self.dismiss(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Pull."""
        event.stop()
        self._go()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Turn the choice, or answer."""
        event.stop()
        match event.button.id:
            case "what":
                self._choice = (self._choice + 1) % len(self.choices)
                event.button.label = self._what()
            case "go":
                self._go()
            case _:
                self.cancel()

    def _what(self) -> Content:
        return Content(f"what: {one_line(self.choices[self._choice][1])}")

    def _go(self) -> None:
        text = self.query_one(Input).value.strip()
        try:
            directory = Path(text).expanduser()
        except RuntimeError:
            directory = None
        if not text or directory is None:
            wrong = f"there is no {text.partition('/')[0]}" if text else "name a directory"
            self.query_one("#target-error", Static).update(Content(one_line(wrong)))
            return
        self.dismiss(PullWish(self.choices[self._choice][0], directory))
