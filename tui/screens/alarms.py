"""Alerts on the screen and, by the terminal, on the desktop: the watcher's way to the person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tui.actions.finish_line import FinishView
from tui.actions.transfers import Transfers
from tui.alerts.channel import Channel
from tui.alerts.check import url_warnings
from tui.alerts.ends import ended_of
from tui.alerts.event import Message
from tui.alerts.terminal import notification
from tui.alerts.watcher import AlertWatcher
from tui.boxes import LocalTarget, RecordingTarget
from tui.config.settings import AlertSettings
from tui.watch.fleet import Fleet

if TYPE_CHECKING:
    from tui.app import BoxtopApp

SHOWN_SECONDS = 15.0
"""An alert stands in the last row for longer than an answer to a key: nobody expects it."""


class ScreenPerson:
    """Whoever sits at an app. Any thread may call."""

    def __init__(self, app: BoxtopApp) -> None:
        self._app = app

    def show(self, message: Message, *, loud: bool) -> None:
        """Show a message in the last row, and ring the bell for trouble."""
        self._app.call_later(self._show, message, loud and message.is_trouble)

    def notify(self, message: Message) -> None:
        """Hand a message to the terminal, which hands it to the desktop."""
        self._app.call_later(self._notify, message)

    def tell(self, line: str) -> None:
        """Say a line."""
        self._app.call_later(self._app.say, line, SHOWN_SECONDS)

    def _show(self, message: Message, rings: bool) -> None:
        if self._app._exit:
            return
        count = len(message.events)
        first = message.lines[0]
        self._app.say(first if count == 1 else f"{count} alerts: {first}", SHOWN_SECONDS)
        if rings:
            self._app.bell()

    def _notify(self, message: Message) -> None:
        driver = self._app._driver
        if driver is not None and not self._app._exit and not self._app.is_headless:
            driver.write(notification(message))


def open_alarms(
    app: BoxtopApp,
    fleet: Fleet,
    settings: AlertSettings,
    transfers: Transfers | None,
    data: Path | None,
    finishes: Callable[[], Sequence[FinishView]] = tuple,
) -> AlertWatcher:
    """Begin to watch a fleet, and its finish lines, for what its person should be told; to be
    closed."""
    person, real = ScreenPerson(app), _Real(fleet)

    def parts() -> Sequence[str]:
        whole = [box for box in fleet.boxes_watched() if box.run is None]
        return [box.kept_as for box in whole if real(box.name)]

    for warning in url_warnings(settings.urls):
        person.tell(warning)
    watcher = AlertWatcher(
        fleet,
        settings,
        channels(settings),
        person,
        data,
        transfers=transfers.views if transfers is not None else tuple,
        ends=lambda: [end for view in finishes() if (end := ended_of(view)) is not None],
        real=real,
        parts=parts,
    )
    watcher.start()
    return watcher


def channels(settings: AlertSettings) -> Sequence[Channel]:
    """Return the channels of the settings; what they are made of is imported when there are any."""
    if not settings.urls:
        return ()
    from tui.alerts.channels import channels_of

    return channels_of(settings.urls)


class _Real:
    """Whether a box is one: what happened in a recording, or to a copy, is no news."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._known: dict[str, bool] = {}

    def __call__(self, name: str) -> bool:
        """Ask by a box's name."""
        if name not in self._known:
            for box in self._fleet.boxes_watched():
                target = box.target
                is_copy = isinstance(target, LocalTarget) and target.mirror
                self._known[box.name] = not isinstance(target, RecordingTarget) and not is_copy
        return self._known.get(name, False)
