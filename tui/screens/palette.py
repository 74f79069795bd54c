"""The command palette: every action of the key table, every box and every run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.types import IgnoreReturnCallbackType

from tui import keys
from tui.screens.dialog import DIALOGS_CSS
from tui.screens.monitor import MonitorScreen
from tui.screens.rows import rows_of
from tui.text import one_line

if TYPE_CHECKING:
    from tui.app import BoxtopApp


class Palette(CommandPalette):
    """The palette in our own dress."""

    CSS_PATH = DIALOGS_CSS


def open_palette(app: BoxtopApp) -> None:
    """Open the palette, unless it is open."""
    if not isinstance(app.screen, Palette):
        app.push_screen(Palette(id="--command-palette"))


_HIDDEN = frozenset({"up", "down", "left", "right", "page_up", "page_down", "palette", "back"})


class Commands(Provider):
    """Names are text, never markup: a run may be called ``[red]``."""

    async def discover(self) -> Hits:
        """Offer everything before anything is typed."""
        for text, act in self._commands():
            yield DiscoveryHit(Content(text), act, text)

    async def search(self, query: str) -> Hits:
        """Offer what matches, best first."""
        matcher = self.matcher(query)
        for text, act in self._commands():
            score = matcher.match(text)
            if score > 0:
                yield Hit(score, matcher.highlight(text), act, text)

    def _commands(self) -> list[tuple[str, IgnoreReturnCallbackType]]:
        app = cast("BoxtopApp", self.app)
        screen = self.screen
        found: list[tuple[str, IgnoreReturnCallbackType]] = []
        if isinstance(screen, MonitorScreen):
            for action in app.keymap.actions:
                if action.id not in _HIDDEN and hasattr(screen, f"do_{action.id}"):
                    key = keys.shown(action.key, app.ascii_only)
                    found.append((f"{action.help}  ({key})", partial(screen.perform, action.id)))
        for row in rows_of(app.boxes):
            if row.run is not None:
                text = f"open {one_line(row.box.name)} / {one_line(row.run.run.id)}"
                found.append((text, partial(app.open_run, row.key)))
        for box in app.boxes:
            text = f"reconnect {one_line(box.name)}"
            found.append((text, partial(app.feed.reconnect, box.name)))
        return found
