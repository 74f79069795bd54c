"""The questions that boxtop asks in dialogs: a link's, the first start's, and a person's own."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from tui.alerts.past import Past
from tui.boxes import Box
from tui.screens.asker import Pending
from tui.screens.feed import BoxesChanged
from tui.screens.rows import Row

if TYPE_CHECKING:
    from tui.app import BoxtopApp
    from tui.screens.ending import Ending
    from tui.screens.finish import Finishing
    from tui.screens.instance_dialog import Way
    from tui.screens.instances import InstanceDesk, Instances
    from tui.screens.past_page import Told
    from tui.screens.weights import Weights
    from tui.screens.welcome import ParseTarget

DEMO = "demo"
"""What the app returns when a person wants to see the demo."""


class Questions:
    """Opens dialogs over an app and acts on their answers; a link's questions come one by one."""

    def __init__(self, app: BoxtopApp) -> None:
        self.app = app
        self.weights: Weights | None = None
        self.ending: Ending | None = None
        self.instances: Instances | None = None
        self.finishing: Finishing | None = None
        self.told: Told | None = None
        self._asking: Pending | None = None

    def open_desks(self) -> None:
        """In a thread: make what is done beside watching; what fails costs nothing else."""
        self._tried(self._make_weights)
        self._tried(self._make_instances)
        self._tried(self._make_finishing)
        self._tried(self._make_alarms)

    def _tried(self, make: Callable[[], None]) -> None:
        try:
            make()
        except Exception as error:  # noqa: BLE001 - one line, and the screen goes on
            if self.app.is_running:
                self.app.call_from_thread(self.app.tell_fault, error)

    def _make_weights(self) -> None:
        if self.app.options.desk is not None:
            import_module("tui.screens.weights")
            self.app.call_from_thread(self.open_weights)

    def _make_instances(self) -> None:
        rents = self.app.options.rents() if self.app.options.rents is not None else None
        if rents is not None:
            self.app.call_from_thread(self.open_instances, rents)

    def _make_finishing(self) -> None:
        self.app.call_from_thread(self.open_finishing)

    def _make_alarms(self) -> None:
        if self.app.options.alarms is not None:
            self.told = self.app.options.alarms(self.app)
            self.app.post_message(BoxesChanged())

    def open_weights(self) -> None:
        """Make what moves weights, where there is any."""
        if self.weights is None and self.app.options.desk is not None:
            from tui.screens.ending import Ending
            from tui.screens.weights import Weights

            desk = self.app.options.desk()
            self.weights, self.ending = Weights(self.app, desk), Ending(self.app, desk)

    def open_instances(self, desk: InstanceDesk) -> None:
        """Take what instances are stopped, started and destroyed with."""
        from tui.screens.instances import Instances

        self.instances = Instances(self.app, desk)

    def open_finishing(self) -> None:
        """Make what ends boxes whose training is done, when all that it needs is there."""
        if self.app.options.finish is not None:
            self.finishing = self.app.options.finish(self.app)

    def spent_today(self) -> float | None:
        """What all boxes cost today (UTC), in US dollars, as far as boxtop knows."""
        return self.instances.desk.rental.today if self.instances is not None else None

    def news(self) -> Past:
        """Return what was told, and how much of it nobody has looked at."""
        return self.told.past() if self.told is not None else Past()

    def show_past(self) -> None:
        """Show what was told, and take it as looked at."""
        from tui.screens.past_page import PastScreen

        past = self.told.read() if self.told is not None else None
        self.app.push_screen(PastScreen(past, self.app.now()))
        self.app.refresh_views()

    def help_with(self, way: Way, row: Row) -> None:
        """Save a run's weights, or end its training, before its box is given back."""
        self.open_weights()
        if way == "kill" and self.ending is not None:
            self.ending.kill(row)
        elif way == "push" and self.weights is not None:
            self.weights.push(row)
        elif way == "pull" and self.weights is not None:
            self.weights.pull(row)

    def choose_metrics(self, row: Row | None) -> None:
        """Ask which metrics the chart shows."""
        from tui.charts.plots import metric_names, usual_metrics
        from tui.screens.metrics_choice import MetricsDialog

        names = metric_names(row.run.metrics) if row and row.run else []
        if row is None or row.run is None or not names:
            self.app.say("nothing was validated yet")
            return
        chosen = self.app.settings.metrics or tuple(usual_metrics(row.run.metrics))
        self.app.push_screen(MetricsDialog(names, chosen), self._take_metrics)

    def _take_metrics(self, chosen: tuple[str, ...] | None) -> None:
        if chosen is not None:
            self.app.settings.metrics = chosen
            self.app.refresh_views()

    def ask_for_box(self) -> None:
        """Ask for one more box."""
        from tui.screens.welcome import AddBoxDialog

        if self.app.options.parse is None:
            self.app.say("no box can be added here")
        else:
            self.app.push_screen(AddBoxDialog(self.app.options.parse), self._take_box)

    def welcome(self, parse: ParseTarget) -> None:
        """Ask for the first box, or offer the demo."""
        from tui.screens.welcome import WelcomeScreen

        screen = WelcomeScreen(
            parse, ascii_only=self.app.ascii_only, has_demo=self.app.options.has_demo
        )
        self.app.push_screen(screen, self._take_box)

    def _take_box(self, answer: Box | str | None) -> None:
        if isinstance(answer, Box):
            self.app.feed.add(answer)
            self.app.say(f"watching {answer.name}")
            self.app.refresh_views()
        elif answer == DEMO:
            self.app.exit(DEMO)

    def leave(self) -> None:
        """Leave boxtop; where that ends or loses sight of something, only after a yes."""
        undone: list[str] = []
        for one in (self.finishing, self.instances, self.ending, self.weights):
            undone += one.undone() if one is not None else []
        if not undone:
            self.app.exit()
            return
        from tui.screens.push_dialog import AskDialog

        lines = ["not all is done yet", *undone, "ctrl+c leaves without a question"]
        dialog = AskDialog("leave boxtop", lines, "Leave")
        self.app.push_screen(dialog, lambda yes: self.app.exit() if yes else None)

    def close(self) -> None:
        """Answer what is asked with no, and signal nothing more."""
        if self.ending is not None:
            self.ending.close()
        if self.instances is not None:
            self.instances.close()
        if self._asking is not None:
            self._asking.settle(None)

    def ask_next(self) -> None:
        """Ask the next question of a link, one at a time."""
        if self._asking is not None:
            return
        pending = self._asking = self.app.asker.next()
        if pending is None:
            return
        if pending.host_key is not None:
            from tui.screens.host_key import HostKeyDialog

            self.app.push_screen(HostKeyDialog(pending.host_key), self._answered)
        elif pending.changed_key is not None:
            from tui.screens.changed_key import ChangedKeyDialog

            self.app.push_screen(ChangedKeyDialog(pending.changed_key), self._answered)
        else:
            from tui.screens.passphrase import PassphraseDialog

            self.app.push_screen(
                PassphraseDialog(pending.key_path, pending.attempt), self._answered
            )

    def _answered(self, answer: bool | str | None) -> None:
        if self._asking is not None:
            self._asking.settle(answer)
            self._asking = None
        self.ask_next()
