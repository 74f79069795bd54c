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
from tui.text import one_line

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


class PushDialog(Dialog[PushWish | None]):
    """One field for the repository, and two buttons that turn: which files, which way.

    ``choices`` are sets of checkpoints with their description, the usual one first.
    """

    heading = "push weights to the Hugging Face Hub"

    def __init__(
        self, title: str, choices: Sequence[tuple[tuple[str, ...], str]], place: str, via: Via
    ) -> None:
        super().__init__()
        self.run_title = title
        self.choices = list(choices)
        self.place = place
        self.via: Via = via
        self._choice = 0

    def body(self) -> Iterable[Widget]:
        """The run, the files, the repository, the way."""
        yield line(self.run_title, "dialog-strong")
        yield Button(self._what(), id="what")
        yield line("to ORG/REPO or ORG/REPO/FOLDER:")
        yield Input(self.place, placeholder="my-org/my-run", id="place")
        yield Button(self._way(), id="way")
        yield Static("", id="target-error", markup=False)

    def buttons(self) -> Iterable[Button]:
        """Cancel, or go on."""
        yield Button("Cancel", id="cancel")
        yield Button("Go on", id="go", variant="primary")

    def first_focus(self) -> Widget:
        """Ready to type; ready to go on when the configuration says where."""
        return self.query_one("#go", Button) if self.place else self.query_one(Input)

    def cancel(self) -> None:
        """Push nothing."""
        self.dismiss(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on."""
        event.stop()
        self._go()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Turn a choice, or answer."""
        event.stop()
        match event.button.id:
            case "what":
                self._choice = (self._choice + 1) % len(self.choices)
                event.button.label = self._what()
            case "way":
                self.via = "here" if self.via == "box" else "box"
                event.button.label = self._way()
            case "go":
                self._go()
            case _:
                self.cancel()

    def _what(self) -> Content:
        return Content(f"what: {one_line(self.choices[self._choice][1])}")

    def _way(self) -> Content:
        return Content(f"way: {WAYS[self.via]}")

    def _go(self) -> None:
        try:
            place = destination(self.query_one(Input).value)
        except UserError as error:
            hint = f"; {error.hint}" if error.hint else ""
            self.query_one("#target-error", Static).update(Content(one_line(f"{error}{hint}")))
            return
        self.dismiss(PushWish(self.choices[self._choice][0], place, self.via))


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
            yield Input(id="agreed")

    def buttons(self) -> Iterable[Button]:
        """Cancel, or push."""
        yield Button("Cancel", id="cancel")
        yield Button("Push", id="push", variant="primary")

    def cancel(self) -> None:
        """Push nothing."""
        self.dismiss(False)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer; a public repository without the word is no."""
        event.stop()
        if event.button.id != "push":
            self.cancel()
        elif self.is_public and self.query_one(Input).value.strip().lower() != PUBLIC:
            self.query_one(Input).focus()
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
