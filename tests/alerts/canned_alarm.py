"""Shows the canned fleet, and one alert: ``python -m tests.alerts.canned_alarm``."""

from __future__ import annotations

from tests.screens.feed import CannedFeed, small_fleet
from tests.screens.recorded import NOW
from tui.alerts.event import event, message_of
from tui.app import BoxtopApp
from tui.screens.alarms import ScreenPerson
from tui.screens.options import ScreenOptions

HOSTILE = "lab run1 is dead: \x1b]0;owned\x07;\x9c\n\x1bPtmux;x\x1b\\ läuft nicht"


def alarm(app: BoxtopApp) -> None:
    """Tell one event, as the watcher does from its thread."""
    message = message_of([event("dead", "lab", "run1", HOSTILE, NOW)], NOW)
    person = ScreenPerson(app)
    person.show(message, loud=True)
    person.notify(message)


if __name__ == "__main__":
    BoxtopApp(CannedFeed(small_fleet()), ScreenOptions(alarms=alarm), now=lambda: NOW).run()
