"""The command palette: every action of the key table, every box and every run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.fuzzy import FuzzySearch
from textual.style import Style

from tui import keys
from tui.screens.dialog import DIALOGS_CSS
from tui.screens.monitor import MonitorScreen
from tui.screens.once import AnsweredOnce
from tui.screens.rows import rows_of
from tui.text import one_line

if TYPE_CHECKING:
    from tui.app import BoxtopApp


class Palette(CommandPalette, AnsweredOnce[None]):
    """The palette in our own dress."""

    CSS_PATH = DIALOGS_CSS

    def __init__(self) -> None:
        super().__init__(placeholder="find a command, a run or a box", id="--command-palette")

    def _action_command_list(self, action: str) -> None:
        """Move in the list, as soon as there is one: it counts its lines when it is drawn."""
        with suppress(LookupError):
            super()._action_command_list(action)


def open_palette(app: BoxtopApp) -> None:
    """Open the palette, unless it is open."""
    if not isinstance(app.screen, Palette):
        app.push_screen(Palette())


_HIDDEN = frozenset({"up", "down", "left", "right", "page_up", "page_down", "palette", "back"})


class Commands(Provider):
    """Names are text, never markup: a run may be called ``[red]``."""

    _is_done = False

    async def discover(self) -> Hits:
        """Offer everything before anything is typed."""
        for text, act in self._commands():
            yield DiscoveryHit(Content(text), partial(self._do, act), text)

    async def search(self, query: str) -> Hits:
        """Offer what matches, best first."""
        finder = FuzzySearch()
        for text, act in self._commands():
            score, offsets = finder.match(query, text)
            if score > 0:
                yield Hit(score, self._highlighted(text, offsets), partial(self._do, act), text)

    def _do(self, act: Callable[[], object]) -> None:
        """Do what was chosen; a second enter, faster than the palette closes, does it no more."""
        if not self._is_done:
            self._is_done = True
            act()

    def _highlighted(self, text: str, offsets: Sequence[int]) -> Content:
        """Return a text with what was found in it; Textual's own way reads it as markup."""
        style = self.match_style or Style(reverse=True)
        content = Content(text)
        for offset in offsets:
            if not text[offset].isspace():
                content = content.stylize(style, offset, offset + 1)
        return content

    def _commands(self) -> list[tuple[str, Callable[[], object]]]:
        app = cast("BoxtopApp", self.app)
        screen = self.screen
        found: list[tuple[str, Callable[[], object]]] = []
        if isinstance(screen, MonitorScreen):
            for action in app.keymap.actions:
                if action.id not in _HIDDEN and hasattr(screen, f"do_{action.id}"):
                    key = keys.shown(action.key, app.ascii_only)
                    text = f"{action.help}  ({key})" if key else action.help
                    found.append((text, partial(screen.perform, action.id)))
        for row in rows_of(app.boxes):
            if row.run is not None:
                text = f"open {one_line(row.box.name)} / {one_line(row.run.run.id)}"
                found.append((text, partial(app.open_run, row.key)))
        for box in app.boxes:
            text = f"reconnect {one_line(box.name)}"
            found.append((text, partial(app.feed.reconnect, box.name)))
        return found
