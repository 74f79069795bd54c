"""The screen of boxtop: holds what all screens share, and brings news of boxes to them."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import App, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.filter import LineFilter
from textual.timer import Timer

from tui import keys
from tui.driver import end_on_signals, steady
from tui.screens.asker import ScreenAsker
from tui.screens.copying import ssh_command
from tui.screens.feed import BoxesChanged, Feed, QuestionWaits
from tui.screens.filters import own_filters, with_colours
from tui.screens.fleet import FleetScreen
from tui.screens.in_order import InOrderApp
from tui.screens.monitor import MonitorScreen
from tui.screens.options import ScreenOptions
from tui.screens.questions import Questions
from tui.screens.rows import Key, Row
from tui.screens.run import RunScreen
from tui.screens.settings import Settings
from tui.text import one_line
from tui.theme import Palette, theme_name, themes
from tui.view import BoxView
from tui.widgets.chart import ChartPanel
from tui.widgets.glyphs import Glyphs, glyphs

if TYPE_CHECKING:
    from textual.command import Provider

REPAINT_SECONDS = 0.25
"""News is shown at most this often: four times a second is as fast as anyone reads."""

QUIET_SECONDS = 0.1
"""Mirrors are read in this time: the first true picture does not wait for the network's code."""

TICK_SECONDS = 1.0
"""Ages and times to go are counted on this long after anything was shown."""

MESSAGE_SECONDS = 4.0

OBJECTS_BEFORE_COLLECTION = 2_000
"""Once all is imported. Imports alone are spared collections; a pane that is open for days is not:
a log that streams would hold 4.5 MB of garbage more."""


def _commands() -> type[Provider]:
    """Return the palette's commands, imported when somebody opens it."""
    from tui.screens.palette import Commands

    return Commands


class BoxtopApp(InOrderApp, inherit_bindings=False):
    """Watches the boxes of a feed; ``run`` returns ``questions.DEMO`` or None."""

    CSS_PATH = Path(__file__).with_name("boxtop.tcss")
    TITLE = "boxtop"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_commands}
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "quit", show=False, priority=True)]

    def __init__(
        self,
        feed: Feed,
        options: ScreenOptions | None = None,
        *,
        asker: ScreenAsker | None = None,
        now: Callable[[], float] = time.time,
        steady_time: Callable[[], float] = time.monotonic,
    ) -> None:
        self.options = options or ScreenOptions()
        self.is_dark = self.options.theme == "dark"
        self.palette = Palette(theme_name(self.options.colours, dark=self.is_dark))
        self.ascii_only = self.options.ascii_only
        self.glyphs: Glyphs = glyphs(self.ascii_only)
        super().__init__(ansi_color=True if self.options.colours in ("16", "none") else None)
        self.no_color = self.options.colours == "none"
        self._own_filters = own_filters(colourless=self.no_color, ascii_only=self.ascii_only)
        self.feed = feed
        self.asker = asker or ScreenAsker()
        self.now = now
        self.steady_time = steady_time
        self.keymap, self.key_errors = keys.bind(self.options.keys)
        self.settings = Settings(ascii_only=self.ascii_only)
        self.selected: Key | None = None
        self.is_paused = False
        self.can_plot = False
        self.boxes: tuple[BoxView, ...] = ()
        self._repaint: Timer | None = None
        self._tick: Timer | None = None
        self._news_shown = 0.0
        self._message: Timer | None = None
        self.questions = Questions(self)
        for theme in themes():
            self.register_theme(theme)
        self.set_reactive(App.theme, self.palette.theme)  # set later, the style sheet is read twice
        self.stylesheet.set_variables(self.get_css_variables())

    def get_driver_class(self) -> type[Driver]:
        """Return a driver that survives bytes which are no UTF-8."""
        return steady(super().get_driver_class())

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what every row goes through before it is written."""
        return [*with_colours(super().get_line_filters()), *self._own_filters]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return our own colours, which Textual's themes do not know."""
        return themes()[0].variables

    def get_default_screen(self) -> FleetScreen:
        """Return the screen that everything begins with and comes back to."""
        return FleetScreen()

    def on_mount(self) -> None:
        """Show what is known at once, then what comes."""
        self.set_class(self.ascii_only, "-ascii")
        if not self.is_headless:
            end_on_signals(lambda code: self.exit(return_code=code))
        self.feed.subscribe(self._post_news)
        self._show()
        self.asker.attach(lambda: self.post_message(QuestionWaits()))
        if not self.feed.boxes() and self.options.parse is not None:
            self.questions.welcome(self.options.parse)
        if self.key_errors:
            self.call_after_refresh(self.say, self.key_errors[0])

    def on_ready(self) -> None:
        """After the first picture, let what is known be shown before anything else is begun."""
        self.set_timer(QUIET_SECONDS, self._begin)

    def _begin(self) -> None:
        """Connect, and load what charts are drawn with."""
        self.feed.start()
        self.run_worker(self._load_plotter, thread=True, exit_on_error=False)

    def _load_plotter(self) -> None:
        with suppress(ImportError):  # a chart says itself that it cannot be drawn
            import_module("plotext")
        self.call_from_thread(self._draw_charts)
        self.questions.open_desks()
        gc.set_threshold(OBJECTS_BEFORE_COLLECTION)  # all is imported: what comes now may go
        gc.collect()

    def _draw_charts(self) -> None:
        self.can_plot = True
        for screen in self.screen_stack:
            screen.query(ChartPanel).refresh()

    def action_command_palette(self) -> None:
        """Open the palette of commands."""
        from tui.screens.palette import open_palette

        open_palette(self)

    def on_unmount(self) -> None:
        """Let no link wait for an answer that nobody will give."""
        self.asker.close()
        self.questions.close()

    def _post_news(self, name: str) -> None:
        self.post_message(BoxesChanged())

    def on_boxes_changed(self, event: BoxesChanged) -> None:
        """Show news, but not more often than anyone can read."""
        event.stop()
        wait = self._news_shown + REPAINT_SECONDS - time.monotonic()
        if wait <= 0:
            self._show_news()
        elif self._repaint is None:
            self._repaint = self.set_timer(wait, self._show_news)

    def _show_news(self) -> None:
        self._repaint, self._news_shown = None, time.monotonic()
        self._show()

    def _show(self) -> None:
        """Show what is now, and again when ages have grown."""
        if self._tick is not None:
            self._tick.stop()
        self._tick = self.set_timer(TICK_SECONDS, self._show)
        self.refresh_views()

    def refresh_views(self) -> None:
        """Let the screen that is seen show what the boxes are now; held still while paused.

        Whatever goes wrong is one line at the bottom: the app goes on.
        """
        try:
            if not self.is_paused or not self.boxes:
                self.boxes = self.feed.boxes()
            for screen in reversed(self.screen_stack):
                if isinstance(screen, MonitorScreen):
                    screen.show(self.boxes)
                    return
        except Exception as error:  # noqa: BLE001  # a fault must not end the watch
            self.tell_fault(error)

    def use_theme(self, *, dark: bool) -> None:
        """Take the dark or the light theme that fits the terminal."""
        name = theme_name(self.options.colours, dark=dark)
        self.is_dark, self.palette = dark, Palette(name)
        self.theme = name
        for screen in self.screen_stack:
            screen.query("*").refresh()

    def toggle_theme(self) -> None:
        """Dark or light."""
        self.use_theme(dark=not self.is_dark)
        self.refresh_views()

    def say(self, message: str, seconds: float = MESSAGE_SECONDS) -> None:
        """Show a message in the last row for a while."""
        self._write(one_line(message))
        if self._message is not None:
            self._message.stop()
        self._message = self.set_timer(seconds, self.hush)

    def hush(self) -> None:
        """Give the last row back to the keys."""
        self._write("")

    def _write(self, message: str) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, MonitorScreen):
                screen.footer.say(message)

    def open_run(self, key: Key, panel: int = 4) -> None:
        """Open a run on the whole screen, with a panel in focus."""
        self.selected = key
        if isinstance(self.screen, RunScreen):
            self.pop_screen()
        self.push_screen(RunScreen(key, panel))

    def key_of(self, action_id: str) -> str:
        """Return the key of an action as people read it, whoever bound it."""
        return keys.shown(self.keymap[action_id].key, self.ascii_only)

    def toggle_pause(self) -> None:
        """Hold the screen still, or go on."""
        self.is_paused = not self.is_paused
        self.say(f"paused: {self.key_of('pause')} goes on" if self.is_paused else "going on")
        self.refresh_views()

    def reconnect(self, row: Row | None) -> None:
        """Connect a row's box anew."""
        if row is not None:
            self.feed.reconnect(row.box.name)
            self.say(f"connecting {row.box.name} anew")

    def copy(self, text: str | None) -> None:
        """Copy a text and say so."""
        if text:
            self.copy_to_clipboard(text)
            self.say(f"copied: {text}")
        else:
            self.say("nothing to copy here")

    def ssh_command(self, box: BoxView) -> str:
        """Return the command that opens a shell on a box."""
        return ssh_command(box, self.options.parse)

    def show_plain(self, lines: list[str]) -> None:
        """Show lines on a plain screen, to be copied by hand."""
        if self._exit:  # a signal came while the key was on its way
            return
        from tui.screens.plain import Ended, print_plainly

        try:
            with self.suspend():
                print_plainly(lines)
        except SuspendNotSupported:
            self.say("this terminal has no plain screen")
        except Ended as ended:
            self.exit(return_code=ended.code)

    def on_question_waits(self, event: QuestionWaits) -> None:
        """Ask what a link wants to know."""
        event.stop()
        self.questions.ask_next()

    def show_help(self) -> None:
        """Show all keys."""
        from tui.screens.help import HelpScreen

        self.push_screen(HelpScreen(self.keymap, ascii_only=self.ascii_only))
