"""Asks what to push, where to and which way; then shows what will happen, and asks again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from tui.actions.hub_names import Destination, destination
from tui.actions.push_plan import Via
from tui.errors import UserError
from tui.screens.dialog import Dialog, line
from tui.screens.transfer_dialog import Choice, TransferDialog
from tui.text import one_line
from tui.widgets.field import Field

WAYS: dict[Via, str] = {
    "box": "the box uploads, and is given the token",
    "here": "through this machine; the token stays here",
}
PUBLIC = "public"


@dataclass(frozen=True, slots=True)
class PushWish:
    """What a person asked for."""

    names: tuple[str, ...]
    place: Destination
    via: Via


class PushDialog(TransferDialog[PushWish]):
    """The place is a repository; a second button turns the way."""

    heading = "push weights to the Hugging Face Hub"
    asks = "to ORG/REPO or ORG/REPO/FOLDER:"
    example = "my-org/my-run"
    yes = "Go on"

    def __init__(self, title: str, choices: Sequence[Choice], place: str, via: Via) -> None:
        super().__init__(title, choices, place)
        self.via: Via = via

    def more(self) -> Iterable[Widget]:
        """Yield the way."""
        yield Button(self._way(), id="way")

    def first_focus(self) -> Widget:
        """Ready to type; ready to go on when the configuration says where."""
        return self.query_one("#go", Button) if self.place else self.query_one(Input)

    def wish(self) -> PushWish | str:
        """Return the files, the repository and the way."""
        try:
            return PushWish(self.names, destination(self.typed), self.via)
        except UserError as error:
            return f"{error}; {error.hint}" if error.hint else str(error)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Turn the way; the base class knows the other buttons."""
        if event.button.id == "way":
            self.via = "here" if self.via == "box" else "box"
            event.button.label = self._way()

    def _way(self) -> Content:
        return Content(f"way: {WAYS[self.via]}")


class ConfirmPush(Dialog[bool]):
    """What will happen, in words. A repository that everybody can read needs the word typed."""

    heading = "push"
    is_guarded = True

    def __init__(self, lines: Sequence[str], *, is_public: bool) -> None:
        super().__init__()
        self.lines = list(lines)
        self.is_public = is_public

    def body(self) -> Iterable[Widget]:
        """The lines; for a public repository a field."""
        for text in self.lines:
            yield line(one_line(text.strip(), 600))
        if self.is_public:
            yield line(f"Everybody will be able to read them. Type {PUBLIC}:", "dialog-bad")
            yield Field(id="agreed")
            yield Static("", id="target-error", markup=False)

    def buttons(self) -> Iterable[Button]:
        """Cancel, or push."""
        yield Button("Cancel", id="cancel")
        yield Button("Push", id="push", variant="primary")

    def typed_field(self) -> Input | None:
        """Typing is the word's, though Cancel has the focus."""
        return self.query_one("#agreed", Input) if self.is_public else None

    def cancel(self) -> None:
        """Push nothing."""
        self.dismiss(False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Push, if the word was typed."""
        event.stop()
        self._take()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer; a public repository without the word is no."""
        event.stop()
        if event.button.id == "push":
            self._take()
        else:
            self.cancel()

    def _take(self) -> None:
        if self.is_public and self.query_one(Input).value.strip().lower() != PUBLIC:
            self.query_one(Input).focus()
            self.query_one("#target-error", Static).update(Content(f"type {PUBLIC} to push there"))
        else:
            self.dismiss(True)


class AskDialog(Dialog[bool]):
    """A few lines, and yes or no; without a question they are only told."""

    is_guarded = True

    def __init__(self, heading: str, lines: Sequence[str], yes: str = "") -> None:
        super().__init__()
        self.heading = heading
        self.lines = [text for text in lines if text]
        self.yes = yes

    def body(self) -> Iterable[Widget]:
        """The lines, the first one strong."""
        for number, text in enumerate(self.lines):
            yield line(one_line(text, 600), "" if number else "dialog-strong")

    def buttons(self) -> Iterable[Button]:
        """No, or yes; Close where there is nothing to answer."""
        yield Button("No" if self.yes else "Close", id="no")
        if self.yes:
            yield Button(self.yes, id="yes", variant="primary")

    def cancel(self) -> None:
        """No."""
        self.dismiss(False)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer."""
        event.stop()
        self.dismiss(event.button.id == "yes")
