"""What keys do on both watching screens: to the log, to the charts, and to boxtop itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tui.keys import Place
from tui.rent import RentAction
from tui.screens.rows import Row
from tui.widgets.chart import ChartPanel
from tui.widgets.log_panel import LogPanel
from tui.widgets.panel import Panel
from tui.widgets.run_pane import RunPane

if TYPE_CHECKING:
    from tui.app import BoxtopApp
    from tui.screens.weights import Weights


class Watching(Protocol):
    """What the actions need of their screen."""

    pane: RunPane

    @property
    def boxtop(self) -> BoxtopApp:
        """The app."""
        ...

    @property
    def row(self) -> Row | None:
        """The row that actions are about."""
        ...

    @property
    def panel(self) -> Panel | None:
        """The panel that has the focus."""
        ...

    @property
    def place(self) -> Place:
        """Where keys are pressed."""
        ...


class LogActions:
    """Following, searching and turning the log."""

    def do_follow(self: Watching) -> None:
        """Follow the end of the log, or stop."""
        log = self.pane.log_panel
        log.follow()
        again = f"{self.boxtop.key_of('bottom')} or {self.boxtop.key_of('follow')} follows again"
        self.boxtop.say("following the log" if log.follows else f"not following; {again}")

    def do_other_log(self: Watching) -> None:
        """Show the other log of the run."""
        self.pane.log_panel.toggle_source()

    def do_left(self: Watching) -> None:
        """Scroll a log to the left."""
        self.pane.log_panel.sideways(-1)

    def do_right(self: Watching) -> None:
        """Scroll a log to the right."""
        self.pane.log_panel.sideways(1)

    def do_next_match(self: Watching) -> None:
        """Go to the next match of the search."""
        _match(self, backwards=False)

    def do_previous_match(self: Watching) -> None:
        """Go to the match before."""
        _match(self, backwards=True)


class ChartActions:
    """Smoothing, scales and the choice of metrics."""

    def do_smooth_more(self: Watching) -> None:
        """Make charts smoother."""
        _smooth(self, 1)

    def do_smooth_less(self: Watching) -> None:
        """Make charts less smooth."""
        _smooth(self, -1)

    def do_smooth_none(self: Watching) -> None:
        """Show charts as measured."""
        _smooth(self, -100)

    def do_log_y(self: Watching) -> None:
        """Logarithmic height of the losses, or linear."""
        settings = self.boxtop.settings
        settings.log_y = not settings.log_y
        self.boxtop.refresh_views()

    def do_axis(self: Watching) -> None:
        """Charts by time, or by epoch."""
        settings = self.boxtop.settings
        settings.by_time = not settings.by_time
        self.boxtop.say("by time of training" if settings.by_time else "by epoch")
        self.boxtop.refresh_views()

    def do_metrics(self: Watching) -> None:
        """Choose the metrics of the chart."""
        self.boxtop.questions.choose_metrics(self.row)


class WeightActions:
    """Getting weights out."""

    def do_push(self: Watching) -> None:
        """Push the selected run's weights to the Hub."""
        if (weights := _weights(self)) is not None:
            weights.push(self.row)

    def do_pull(self: Watching) -> None:
        """Pull the selected run's weights to this machine."""
        if (weights := _weights(self)) is not None:
            weights.pull(self.row)

    def do_end_transfer(self: Watching) -> None:
        """Cancel the transfer that is shown, or hide it."""
        if (weights := _weights(self)) is not None:
            weights.end()


class EndActions:
    """Ending what costs money."""

    def do_kill(self: Watching) -> None:
        """End the selected run's training; the box bills on."""
        self.boxtop.questions.open_weights()
        if self.boxtop.questions.ending is None:
            self.boxtop.say("no training can be ended here")
        else:
            self.boxtop.questions.ending.kill(self.row)

    def do_stop(self: Watching) -> None:
        """Stop the selected box's instance."""
        _instance(self, "stop")

    def do_start(self: Watching) -> None:
        """Start the selected box's instance."""
        _instance(self, "start")

    def do_destroy(self: Watching) -> None:
        """Destroy the selected box's instance."""
        _instance(self, "destroy")

    def do_finish(self: Watching) -> None:
        """Set what is done when all training on the selected box is done, or cancel it."""
        if self.boxtop.questions.finishing is None:
            self.boxtop.say("no finish line can be set here")
        else:
            self.boxtop.questions.finishing.key(self.row)


class OwnActions:
    """Pausing, connecting, copying, and what concerns boxtop itself."""

    def do_alerts(self: Watching) -> None:
        """Show what was told while nobody looked."""
        self.boxtop.questions.show_past()

    def do_pause(self: Watching) -> None:
        """Hold the screen still, or go on."""
        self.boxtop.toggle_pause()

    def do_reconnect(self: Watching) -> None:
        """Connect the selected row's box anew."""
        self.boxtop.reconnect(self.row)

    def do_copy(self: Watching) -> None:
        """Copy what is selected here."""
        self.boxtop.copy(copied(self))

    def do_plain(self: Watching) -> None:
        """Show what is selected here on a plain screen."""
        self.boxtop.show_plain(plain(self))

    def do_add(self: Watching) -> None:
        """Watch one more box."""
        self.boxtop.questions.ask_for_box()

    def do_theme(self: Watching) -> None:
        """Dark or light."""
        self.boxtop.toggle_theme()

    def do_palette(self: Watching) -> None:
        """Open the command palette."""
        self.boxtop.action_command_palette()

    def do_help(self: Watching) -> None:
        """Show all keys."""
        self.boxtop.show_help()

    def do_quit(self: Watching) -> None:
        """Leave; every training goes on. What would not is asked about first."""
        self.boxtop.questions.leave()


def _weights(screen: Watching) -> Weights | None:
    screen.boxtop.questions.open_weights()
    weights = screen.boxtop.questions.weights
    if weights is None:
        screen.boxtop.say("no weights can be moved here")
    return weights


def _instance(screen: Watching, action: RentAction) -> None:
    instances = screen.boxtop.questions.instances
    if instances is None:
        screen.boxtop.say(f"nothing to {action}: no provider is known ([providers] in boxtop.toml)")
    else:
        instances.ask(action, screen.row)


def _match(screen: Watching, *, backwards: bool) -> None:
    log = screen.pane.log_panel
    if not log.matches.query:
        screen.boxtop.say(
            f"nothing was searched yet: {screen.boxtop.key_of('search')} asks for a word"
        )
    elif not log.next_match(backwards=backwards):
        screen.boxtop.say(f"no line holds {log.matches.query}")


def _smooth(screen: Watching, steps: int) -> None:
    weight = screen.boxtop.settings.smoother(steps)
    screen.boxtop.say(f"smoothing {weight:g}" if weight else "no smoothing")
    screen.boxtop.refresh_views()


def copied(screen: Watching) -> str | None:
    """Return what ``y`` copies: a line of the log, a path, or an ssh command."""
    if isinstance(screen.panel, LogPanel):
        return screen.panel.current_line
    row = screen.row
    if row is None:
        return None
    if row.run is not None and (screen.place == "status" or isinstance(screen.panel, ChartPanel)):
        return row.run.run.path
    return screen.boxtop.ssh_command(row.box)


def plain(screen: Watching) -> list[str]:
    """Return the lines that ``Y`` shows."""
    tail = screen.pane.log_panel.tail
    if isinstance(screen.panel, LogPanel) and tail is not None:
        return list(tail.lines[-500:])
    row = screen.row
    lines = [] if row is None else [screen.boxtop.ssh_command(row.box)]
    return lines + ([row.run.run.path] if row and row.run else [])
