"""The first start: asks for a pasted ssh line, or shows the demo; later, adds one more box."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Key
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from tui.boxes import Box
from tui.errors import UserError
from tui.screens.dialog import DIALOGS_CSS, LOW, Dialog, line, set_height_class
from tui.screens.once import AnsweredOnce
from tui.screens.questions import DEMO
from tui.text import one_line
from tui.widgets.field import Field

ParseTarget = Callable[[str], Box]
"""Makes a box of what a person typed; raises UserError."""

EXAMPLE = "ssh -p 41022 root@203.0.113.7"

WORDMARK = """\
█▄▄ █▀█ ▀▄▀ ▀█▀ █▀█ █▀█
█▄█ █▄█ █ █  █  █▄█ █▀▀"""

PLAIN_WORDMARK = "b o x t o p"


def parsed(parse: ParseTarget, text: str) -> tuple[Box | None, str]:
    """Return the box, or None and one line that says what is wrong and what helps."""
    try:
        return parse(text), ""
    except UserError as error:
        hint = f"; {error.hint}" if error.hint else ""
        return None, one_line(f"{error}{hint}")


class WelcomeScreen(AnsweredOnce[Box | str]):
    """Answers with a box, or with "demo"."""

    CSS_PATH = DIALOGS_CSS
    VERTICAL_BREAKPOINTS = [(0, "-low"), (LOW, "-high")]  # noqa: RUF012  # as Textual declares it

    def __init__(self, parse: ParseTarget, *, ascii_only: bool, has_demo: bool) -> None:
        super().__init__()
        self.parse = parse
        self.ascii_only = ascii_only
        self.has_demo = has_demo

    def compose(self) -> ComposeResult:
        """The name, one question, and the way to the demo."""
        set_height_class(self)
        with Vertical(id="welcome"):
            mark = PLAIN_WORDMARK if self.ascii_only else WORDMARK
            yield Static(Content(mark), id="wordmark", markup=False)
            yield line("Every LibreYOLO run on every rented box, in one terminal.", "welcome-lead")
            yield line("Paste the ssh line of your box, as the provider shows it:")
            yield Field(placeholder=EXAMPLE, id="target")
            yield Static("", id="target-error", markup=False)
            with Horizontal(id="welcome-buttons"):
                yield Button("Watch it", id="watch", variant="primary")
                if self.has_demo:
                    yield Button("Show the demo", id="demo")
            yield line("A host of ~/.ssh/config or a directory works too.")
            yield line("ctrl+c leaves", "dialog-faint")

    def on_mount(self) -> None:
        """Ready to paste."""
        self.query_one(Input).focus()

    def on_key(self, event: Key) -> None:
        """Escape clears what was typed; it never quits."""
        if event.key == "escape":
            event.stop()
            self.query_one(Input).value = ""

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Watch the box that was typed."""
        event.stop()
        self._take(event.value)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Watch the box, or start the demo."""
        event.stop()
        if event.button.id == "demo":
            self.dismiss(DEMO)
        else:
            self._take(self.query_one(Input).value)

    def _take(self, text: str) -> None:
        box, problem = parsed(self.parse, text)
        if box is not None:
            self.dismiss(box)
        self.query_one("#target-error", Static).update(Content(problem))


class AddBoxDialog(Dialog[Box | None]):
    """Asks for one more box."""

    heading = "add a box"

    def __init__(self, parse: ParseTarget) -> None:
        super().__init__()
        self.parse = parse

    def body(self) -> Iterable[Widget]:
        """One field, and a row for what is wrong."""
        yield line("An ssh line, user@host:port, a host of ~/.ssh/config, or a directory:")
        yield Field(placeholder=EXAMPLE, id="target")
        yield Static("", id="target-error", markup=False)

    def buttons(self) -> Iterable[Button]:
        """Cancel, or add."""
        yield Button("Cancel", id="cancel")
        yield Button("Add", id="add", variant="primary")

    def first_focus(self) -> Widget:
        """Ready to paste."""
        return self.query_one(Input)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Add the box that was typed."""
        event.stop()
        self._take(event.value)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer."""
        event.stop()
        if event.button.id == "cancel":
            self.cancel()
        else:
            self._take(self.query_one(Input).value)

    def _take(self, text: str) -> None:
        box, problem = parsed(self.parse, text)
        if box is not None:
            self.dismiss(box)
        self.query_one("#target-error", Static).update(Content(problem))
