"""One row to type a filter or a search into; it takes the footer's place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.events import Key
from textual.message import Message

if TYPE_CHECKING:
    from textual.widgets import Input


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
        self._early = ""
        self._is_early_done = False
        self._is_filling = self._is_ready = False
        self.display = False

    async def _fill(self) -> None:
        """Make the field when it is first asked for: the first picture need not wait for it."""
        from textual.widgets import Static

        from tui.widgets.field import Field

        label = Static("", markup=False, id="search-label")
        await self.mount(label, Field(id="search-input", compact=True, select_on_focus=False))
        self._is_ready = True
        if self.is_open:
            is_done = self._is_early_done
            self.open(self.asks, self._early)
            if is_done:
                self._finish()
            elif self._early:
                self.post_message(self.Typed(self._early, is_final=False))

    @property
    def _input(self) -> Input:
        from textual.widgets import Input

        return self.query_one("#search-input", Input)

    @property
    def is_open(self) -> bool:
        """Whether a person is typing."""
        return bool(self.display)

    def open(self, label: str, text: str) -> None:
        """Ask for text, starting from what was asked last."""
        self.asks, self._early, self._is_early_done = label, text, False
        self.display = True
        if not self._is_ready:
            if not self._is_filling:
                self._is_filling = True
                self.call_next(self._fill)
            return
        from textual.widgets import Input, Static

        self.query_one("#search-label", Static).update(f" {label} ")
        with self.prevent(Input.Changed):
            self._input.value = text
        self._input.cursor_position = len(text)
        self._input.focus()

    def type_early(self, key: Key) -> None:
        """Take a key that came before the field had the focus: fast hands lose no letter."""
        if not self._is_ready:
            self._early += (key.character or "") if key.is_printable else ""
            self._is_early_done |= key.key == "enter"
        elif key.key == "enter":
            self._finish()
        elif key.is_printable and key.character:
            self._input.insert_text_at_cursor(key.character)

    def type_text(self, text: str) -> None:
        """Take the first line of what came at once; it is not finished by that."""
        line = (text.splitlines() or [""])[0]
        if not self._is_ready:
            self._early += line
        else:
            self._input.insert_text_at_cursor(line)

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
        self._finish()

    def _finish(self) -> None:
        self.display = False
        self.post_message(self.Typed(self._input.value, is_final=True))
