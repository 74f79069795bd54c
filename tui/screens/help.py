"""All keys on one page, made from the key table."""

from __future__ import annotations

from collections.abc import Iterable

from rich.style import Style
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Click, Key
from textual.screen import ModalScreen
from textual.widgets import Static

from tui import keys
from tui.keys import KeyMap
from tui.screens.dialog import DIALOGS_CSS
from tui.screens.once import AnsweredOnce
from tui.theme import Palette

_KEYS_WIDTH = 12
_TEXT_WIDTH = 46


class HelpScreen(ModalScreen[None], AnsweredOnce[None]):
    """Groups of keys in as many columns as fit; any key closes it but those that scroll."""

    CSS_PATH = DIALOGS_CSS

    def __init__(self, keymap: KeyMap, palette: Palette, *, ascii_only: bool) -> None:
        super().__init__()
        self.keymap = keymap
        self.palette = palette
        self.ascii_only = ascii_only

    def compose(self) -> ComposeResult:
        """A frame that scrolls."""
        with Vertical(id="help") as frame:
            frame.border_title = Content("keys")
            frame.border_subtitle = Content("esc closes")
            with VerticalScroll(id="help-body"):
                yield Static(id="help-text", markup=False)

    def on_mount(self) -> None:
        """Fill the page and let it scroll."""
        self.query_one("#help-body").focus()
        self._fill()

    def on_resize(self) -> None:
        """Fill the page anew."""
        self._fill()

    def on_key(self, event: Key) -> None:
        """Scroll, or close."""
        body = self.query_one("#help-body", VerticalScroll)
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

    def _fill(self) -> None:
        width = min(108, self.size.width) - 8
        two = width >= 2 * _TEXT_WIDTH
        columns = _columns(list(self._groups()), 2 if two else 1)
        each = width // 2 if two else width
        rows: list[Content] = []
        for index in range(max(map(len, columns))):
            cells = [column[index] if index < len(column) else Content("") for column in columns]
            rows.append(
                Content("").join(cell.pad_right(max(0, each - cell.cell_length)) for cell in cells)
            )
        self.query_one("#help-text", Static).update(Content("\n").join(rows))

    def _groups(self) -> Iterable[list[Content]]:
        names = dict.fromkeys(action.group for action in self.keymap.actions)
        for name in names:
            actions = [action for action in self.keymap.actions if action.group == name]
            yield [
                Content.styled(name, _css(self.palette.style("accent", bold=True))),
                *(self._row(action) for action in actions),
                Content(""),
            ]

    def _row(self, action: keys.Action) -> Content:
        palette = f"{keys.shown(self.keymap['palette'].key, self.ascii_only)} {action.id}"
        shown = " ".join(keys.shown(key, self.ascii_only) for key in action.keys) or palette
        return Content.assemble(
            (f"{shown:<{_KEYS_WIDTH}}", _css(self.palette.style("bright", bold=True))),
            (action.help, _css(self.palette.style("text"))),
        )


def _columns(groups: list[list[Content]], count: int) -> list[list[Content]]:
    """Share groups between columns so that they are about equally long."""
    if count == 1:
        return [[row for group in groups for row in group]]
    total = sum(map(len, groups))
    left: list[Content] = []
    right: list[Content] = []
    for group in groups:
        target = left if not right and len(left) + len(group) // 2 <= total // 2 else right
        target += group
    return [left, right]


def _css(style: Style) -> str:
    """Return a style of the palette for Content, which has its own kind."""
    colour = style.color.name if style.color else ""
    return f"{'bold ' if style.bold else ''}{colour}"
