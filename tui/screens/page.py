"""A page to read above everything else: it scrolls, and any other key closes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rich.style import Style
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Click, Key
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.screens.dialog import DIALOGS_CSS, LOW, set_height_class
from tui.screens.once import AnsweredOnce

if TYPE_CHECKING:
    from tui.app import BoxtopApp

WIDEST = 108


class Page(ModalScreen[None], AnsweredOnce[None]):
    """A frame with a heading; ``content`` says what is read in it."""

    CSS_PATH = DIALOGS_CSS
    VERTICAL_BREAKPOINTS = [(0, "-low"), (LOW, "-high")]  # noqa: RUF012  # as Textual declares it
    heading = ""

    @property
    def boxtop(self) -> BoxtopApp:
        """The app, with its palette and glyphs."""
        return cast("BoxtopApp", self.app)

    def content(self, width: int) -> Content:
        """Return what is read, in lines of at most ``width`` cells; nothing, unless a page says."""
        return Content()

    def compose(self) -> ComposeResult:
        """A frame that scrolls."""
        set_height_class(self)
        with Vertical(id="page") as frame:
            frame.border_title = Content(self.heading)
            frame.border_subtitle = Content("esc closes")
            with VerticalScroll(id="page-body"):
                yield Static(id="page-text", markup=False)

    def on_mount(self) -> None:
        """Fill the page and let it scroll."""
        self.query_one("#page-body").focus()
        self.fill()

    def on_resize(self) -> None:
        """Fill the page anew."""
        self.fill()

    def on_key(self, event: Key) -> None:
        """Scroll, or close."""
        body = self.query_one("#page-body", VerticalScroll)
        if event.key in ("down", "j"):
            body.scroll_down(animate=False)
        elif event.key in ("up", "k"):
            body.scroll_up(animate=False)
        elif event.key in ("pagedown", "pageup", "home", "end"):
            return
        else:
            event.stop()
            self.dismiss(None)

    def on_click(self, event: Click) -> None:
        """Close."""
        self.dismiss(None)

    def ink(self, name: str, *, bold: bool = False) -> str:
        """Return a style of the palette for Content, which has its own kind."""
        style: Style = self.boxtop.palette.style(name, bold=bold)
        colour = style.color.name if style.color else ""
        if colour and self.boxtop.palette.basic:  # yellow alone would be the web's, not its own
            colour = f"ansi_{colour}"
        return f"{'bold ' if style.bold else ''}{colour}"

    def fill(self) -> None:
        """Show what is read now, for the width there is."""
        width = max(8, min(WIDEST, self.size.width) - 8)
        self.query_one("#page-text", Static).update(self.content(width))
