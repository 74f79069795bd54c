"""What the two watching screens share: keys from the table, panels, search, copying."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual.events import DescendantFocus, Key, Paste
from textual.screen import Screen

from tui.bursts import Burst
from tui.keys import Place, shown
from tui.screens.actions import ChartActions, EndActions, LogActions, OwnActions, WeightActions
from tui.screens.rows import Row
from tui.view import BoxView
from tui.widgets.footer import Footer
from tui.widgets.log_panel import LogPanel
from tui.widgets.panel import Panel
from tui.widgets.run_pane import RunPane
from tui.widgets.runs_table import RunsTable
from tui.widgets.search_bar import SearchBar
from tui.widgets.transfer_strip import TransferStrip

if TYPE_CHECKING:
    from tui.app import BoxtopApp


_HARMLESS = frozenset({"up", "down", "left", "right", "top", "bottom"})
_ASKS = frozenset({"search", "filter"})


class MonitorScreen(Screen[None], LogActions, ChartActions, WeightActions, EndActions, OwnActions):
    """A screen whose keys come from the key table: action ``x`` is the method ``do_x``."""

    BLANK: ClassVar[bool] = True  # widgets cover it: no row of its own is worth keeping

    def __init__(self) -> None:
        super().__init__()
        self.pane = RunPane(id="pane")
        self.footer = Footer(id="footer")
        self.transfer = TransferStrip(id="transfer")
        self.search_bar = SearchBar(id="search")

    @property
    def boxtop(self) -> BoxtopApp:
        """The app."""
        return cast("BoxtopApp", self.app)

    @property
    def row(self) -> Row | None:
        """The row that actions are about."""
        return None

    @property
    def panels(self) -> Sequence[Panel]:
        """Panels by their numbers: the first is panel 1."""
        return self.pane.panels

    def show(self, boxes: Sequence[BoxView]) -> None:
        """Take what the boxes are now."""
        self.show_transfer()
        self.show_news()

    @property
    def panel(self) -> Panel | None:
        """The panel that has the focus; the first one while none has it yet."""
        if isinstance(self.focused, Panel):
            return self.focused
        return self.panels[0] if self.focused is None else None

    @property
    def place(self) -> Place:
        """Where keys are pressed."""
        return self.panel.place if self.panel else "runs"

    async def on_key(self, event: Key) -> None:
        """Run the action of a key; typing in the search bar is left alone but for escape.

        A key that was on its way here when another screen opened is that screen's.
        """
        current = self.app.screen
        if current is not self:
            event.stop()
            event.prevent_default()
            if isinstance(current, MonitorScreen):
                await current.on_key(event)
            else:
                self.app.post_message(Key(event.key, event.character))
            return
        if self.search_bar.is_open:
            if event.key == "escape":
                event.stop()
                self.search_bar.cancel()
            elif event.is_printable or self.search_bar not in (
                self.focused.ancestors if self.focused else ()
            ):  # the field keeps what is printable: it was on its way here before the field was
                event.stop()
                self.search_bar.type_early(event)
            return
        pressed = event.character if event.is_printable and event.character else event.key
        action = self.boxtop.keymap.find(pressed, self.place)
        if action is None and pressed != event.key:
            action = self.boxtop.keymap.find(event.key, self.place)
        if action is not None:
            event.stop()
            event.prevent_default()
            self.perform(action.id)

    def on_paste(self, event: Paste) -> None:
        """Obey nothing that was pasted; what came as keys may move and search, as fast hands do."""
        event.stop()
        if self.search_bar.is_open:  # it was on its way here before the field was
            self.search_bar.type_text(event.text)
            return
        text = event.text if isinstance(event, Burst) else ""
        for place, character in enumerate(text):
            action = self.boxtop.keymap.find(character, self.place)
            if action is None or action.id not in _HARMLESS | _ASKS:
                break
            self.perform(action.id)
            if action.id in _ASKS:
                self.search_bar.type_text(text[place + 1 :])
                return
        else:
            if text:
                return
        add = shown(self.boxtop.keymap["add"].key, self.boxtop.ascii_only)
        self.boxtop.say(f"pasted text is no keys; {add} asks for a box")

    def perform(self, action_id: str) -> None:
        """Do what an action of the key table says."""
        act = getattr(self, f"do_{action_id}", None)
        if act is None:
            return
        try:
            cast(Callable[[], None], act)()
        except Exception as error:  # noqa: BLE001  # a key that fails must not end the watch
            self.boxtop.tell_fault(error)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Let the footer name the keys of the place."""
        self.update_footer()

    def update_footer(self) -> None:
        """Show the keys that matter here."""
        self.footer.show(self.place)

    def show_transfer(self) -> None:
        """Show the weights that are on their way, where there is room."""
        weights = self.boxtop.questions.weights
        shown = weights.shown() if weights is not None and self.size.height >= 8 else None
        self.transfer.show(*(shown or (None, 0)))
        if self.boxtop.questions.finishing is not None:
            self.boxtop.questions.finishing.show(self)

    def show_news(self) -> None:
        """Say in the last row how many alerts nobody has looked at."""
        news = self.boxtop.questions.news()
        self.footer.count(news.unread, is_bad=news.has_trouble)

    def refresh_views(self) -> None:
        """Draw anew after a setting changed."""
        self.boxtop.refresh_views()

    def do_up(self) -> None:
        """One line up."""
        self._move(-1)

    def do_down(self) -> None:
        """One line down."""
        self._move(1)

    def do_page_up(self) -> None:
        """Half a page up."""
        self._move(-self._half_page())

    def do_page_down(self) -> None:
        """Half a page down."""
        self._move(self._half_page())

    def do_top(self) -> None:
        """To the first line."""
        self._move(-(1 << 40))

    def do_bottom(self) -> None:
        """To the last line; a log follows again."""
        if isinstance(self.panel, LogPanel):
            self.panel.to_bottom()
        else:
            self._move(1 << 40)

    def _half_page(self) -> int:
        return max(1, self.panel.inner[1] // 2) if self.panel else 1

    def _move(self, lines: int) -> None:
        if isinstance(self.panel, (LogPanel, RunsTable)):
            self.panel.move(lines)

    def do_next_panel(self) -> None:
        """Focus the next panel."""
        self._step(1)

    def do_previous_panel(self) -> None:
        """Focus the panel before."""
        self._step(-1)

    def _step(self, direction: int) -> None:
        panels = list(self.panels)
        at = panels.index(self.panel) if self.panel in panels else -direction
        self.go_to((at + direction) % len(panels))

    def do_panel_1(self) -> None:
        """Focus panel 1."""
        self.go_to(0)

    def do_panel_2(self) -> None:
        """Focus panel 2."""
        self.go_to(1)

    def do_panel_3(self) -> None:
        """Focus panel 3."""
        self.go_to(2)

    def do_panel_4(self) -> None:
        """Focus panel 4."""
        self.go_to(3)

    def do_panel_5(self) -> None:
        """Focus panel 5."""
        self.go_to(4)

    def go_to(self, index: int) -> None:
        """Focus a panel by its place."""
        self.pane.focus_on(self.panels[index])

    def do_zoom(self) -> None:
        """Give the focused panel the whole screen, or end that."""
        self.pane.zoom(None if self.pane.zoomed is not None else self.panel)

    def do_search(self) -> None:
        """Ask what to look for in the log."""
        self.search_bar.open("search", self.pane.log_panel.matches.query)

    def do_filter(self) -> None:
        """Ask which runs to show."""
        self.search_bar.open("filter", self.boxtop.settings.words)

    def on_search_bar_typed(self, event: SearchBar.Typed) -> None:
        """Search the log, or filter the list, while a person types."""
        event.stop()
        try:
            if event.is_final:
                self.after_typing()
            self.typed(event)
        except Exception as error:  # noqa: BLE001  # as above: a search, too, is what keys do
            self.boxtop.tell_fault(error)

    def typed(self, event: SearchBar.Typed) -> None:
        """Use what was typed: a word to find in the log."""
        log = self.pane.log_panel
        if event.is_cancelled:
            log.search("")
        elif event.is_final and event.text and not log.search(event.text):
            self.boxtop.say(f"no line holds {event.text}")

    def after_typing(self) -> None:
        """Give the focus back to where the question came from."""
        back = self.pane.log_panel if self.search_bar.asks == "search" else self.panels[0]
        if back.display:
            back.focus()
        self.update_footer()
