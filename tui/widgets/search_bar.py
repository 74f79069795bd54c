"""One row to type a filter or a search into; it takes the footer's place."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static


class SearchBar(Horizontal):
    """Hidden until opened; says every change, and how it ended."""

    class Typed(Message):
        """The text changed; ``is_final`` after enter, ``is_cancelled`` after escape."""

        def __init__(self, text: str, *, is_final: bool, is_cancelled: bool = False) -> None:
            super().__init__()
            self.text = text
            self.is_final = is_final
            self.is_cancelled = is_cancelled

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.asks = ""
        self._label = Static("", markup=False, id="search-label")
        self._input = Input(id="search-input", compact=True, select_on_focus=False)

    def compose(self) -> ComposeResult:
        """A label and a field."""
        yield self._label
        yield self._input

    def on_mount(self) -> None:
        """Start hidden."""
        self.display = False

    @property
    def is_open(self) -> bool:
        """Whether a person is typing."""
        return bool(self.display)

    def open(self, label: str, text: str) -> None:
        """Ask for text, starting from what was asked last."""
        self.asks = label
        self.display = True
        self._label.update(f" {label} ")
        with self.prevent(Input.Changed):
            self._input.value = text
        self._input.cursor_position = len(text)
        self._input.focus()

    def cancel(self) -> None:
        """Close without an answer."""
        self.display = False
        self.post_message(self.Typed("", is_final=True, is_cancelled=True))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say what stands there so far."""
        event.stop()
        if self.is_open:
            self.post_message(self.Typed(event.value, is_final=False))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Say the answer and close."""
        event.stop()
        self.display = False
        self.post_message(self.Typed(event.value, is_final=True))
