"""A question above everything else: fits 60x16, and a held key or a paste cannot answer it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Generic, cast

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from tui.screens.once import Answer, AnsweredOnce

if TYPE_CHECKING:
    from tui.app import BoxtopApp

DIALOGS_CSS = Path(__file__).with_name("dialogs.tcss")
"""Read when the first dialog opens: the first picture need not wait for it."""

GUARD_SECONDS = 1.0
"""Keys that come this soon were not meant for the dialog."""

LOW = 16
"""Below this height a dialog does without its empty rows: all of them are for what it says."""

RELEASE_SECONDS = 0.3
"""A key that is held keeps the guard up until it has been let go for this long."""


class Dialog(ModalScreen[Answer], AnsweredOnce[Answer], Generic[Answer]):
    """A frame with a heading, a body and buttons; the first button is the harmless one."""

    CSS_PATH = DIALOGS_CSS
    AUTO_FOCUS = ""  # Textual's first field would be scrolled to, away from the first line
    VERTICAL_BREAKPOINTS = [(0, "-low"), (LOW, "-high")]  # noqa: RUF012  # as Textual declares it
    heading = ""
    is_guarded = False

    def compose(self) -> ComposeResult:
        """The heading in the frame's edge, the body, the buttons."""
        set_height_class(self)
        with Vertical(id="dialog") as frame:
            frame.border_title = Content(self.heading)
            with VerticalScroll(id="dialog-body", can_focus=False):
                yield from self.body()
            with Horizontal(id="dialog-buttons"):
                yield from self.buttons()

    def body(self) -> Iterable[Widget]:
        """Yield what stands between heading and buttons."""
        return ()

    def buttons(self) -> Iterable[Button]:
        """Yield the buttons, the harmless one first."""
        return (Button("Close", id="close"),)

    def cancel(self) -> None:
        """Give the harmless answer."""
        self.dismiss(None)

    def _time(self) -> float:
        return cast("BoxtopApp", self.app).steady_time()

    def on_mount(self) -> None:
        """Focus the harmless button, and keep keys out for a moment."""
        self._opens_at = self._time() + GUARD_SECONDS if self.is_guarded else 0.0
        self.set_focus(self.first_focus())  # now: a key right behind the picture finds it
        body = self.query_one("#dialog-body", VerticalScroll)
        for change in ("scroll_y", "virtual_size"):
            self.watch(body, change, self._look_for_more)

    def first_focus(self) -> Widget:
        """Return what has the focus at first: the harmless button."""
        return self.query(Button).first()

    def typed_field(self) -> Input | None:
        """Return the field that typing is for, wherever the focus is."""
        field = self.first_focus()
        return field if isinstance(field, Input) else None

    def _type(self, character: str) -> bool:
        """Write into the field what was typed beside it; a space presses a button instead.

        A field keeps what it takes: what comes here was on its way before the field had the focus.
        """
        field = self.typed_field()
        if field is None or (character == " " and isinstance(self.focused, Button)):
            return False
        field.select_on_focus = False  # what was typed before the focus came would be replaced
        field.focus()
        field.insert_text_at_cursor(character)
        return True

    def on_key(self, event: Key) -> None:
        """Leave with escape; let arrows move between buttons; keep early keys out."""
        now = self._time()
        if event.key == "escape":
            event.stop()
            self.cancel()
        elif now < self._opens_at:
            event.stop()
            event.prevent_default()
            self._opens_at = max(self._opens_at, now + RELEASE_SECONDS)
        elif event.key in ("up", "down") and self._reads():
            event.stop()
            self._scroll(1 if event.key == "down" else -1)
        elif event.key in ("left", "up") and isinstance(self.focused, Button):
            event.stop()
            self.focus_previous()
        elif event.key in ("right", "down") and isinstance(self.focused, Button):
            event.stop()
            self.focus_next()
        elif event.key in ("pageup", "pagedown"):
            event.stop()
            page = max(1, self._body.size.height - 1)
            self._scroll(page if event.key == "pagedown" else -page)
        elif event.is_printable and event.character and self._type(event.character):
            event.stop()

    @property
    def _body(self) -> VerticalScroll:
        return self.query_one("#dialog-body", VerticalScroll)

    def _reads(self) -> bool:
        """Whether arrows scroll: there is more than fits, and the focus is not in the midst of it.

        Left, right and tab go from button to button in any case.
        """
        body, focused = self._body, self.focused
        is_below = isinstance(focused, Button) and body not in focused.ancestors
        return is_below and body.max_scroll_y > 0

    def _scroll(self, rows: int) -> None:
        """Show the part of the body that a small screen has no room for."""
        self._body.scroll_relative(y=rows, animate=False)

    def on_resize(self) -> None:
        """See anew what fits."""
        self._look_for_more()

    def _look_for_more(self) -> None:
        self.call_after_refresh(self._tell_more)

    def _tell_more(self) -> None:
        """Say in the frame's edge that there is more to read."""
        if not self.query("#dialog-body"):  # it was closed before this refresh
            return
        body = self._body
        is_more = round(body.scroll_y) < body.max_scroll_y
        arrow = "down" if cast("BoxtopApp", self.app).ascii_only else "↓"
        told = f"more: {arrow} or pgdn" if is_more else ""
        self.query_one("#dialog").border_subtitle = Content(told)


def set_height_class(screen: Screen[Answer]) -> None:
    """Arrange a screen for its height at once; Textual would after a first picture."""
    screen.set_class(screen.app.size.height < LOW, "-low")


def line(text: str, kind: str = "") -> Static:
    """Return a row of plain text: markup in it is shown, not obeyed."""
    return Static(Content(text), classes=f"dialog-line {kind}".strip(), markup=False)
