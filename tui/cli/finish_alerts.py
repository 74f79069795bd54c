"""Alerts of a finish line without a screen: those of the screen, told to the same addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tui.actions.transfers import Transfers
from tui.alerts.channels import channels_of
from tui.alerts.check import url_warnings
from tui.alerts.ends import KINDS, Ended
from tui.alerts.event import Message
from tui.alerts.terminal import notification
from tui.alerts.watcher import AlertWatcher
from tui.boxes import Box
from tui.cli.session import Session
from tui.watch.fleet import Fleet

LAST_SECONDS = 15.0
"""How long boxtop stays for what its addresses did not take yet, once its finish line is over."""


class LogPerson:
    """Whoever reads stderr, and sits at the terminal where stdout is one. Any thread may call."""

    def __init__(self, session: Session) -> None:
        self._console = session.console

    def show(self, message: Message, *, loud: bool) -> None:
        """Say each alert; how the finish line ended is said there anyhow."""
        for event in message.events:
            if event.kind not in KINDS:
                self._console.tell(f"alert: {event.text}")

    def notify(self, message: Message) -> None:
        """Hand a message to the terminal, which hands it to the desktop."""
        out = self._console.out
        if out.isatty() and (text := notification(message)):
            out.write(text)
            out.flush()

    def tell(self, line: str) -> None:
        """Say a line."""
        self._console.tell(line)


@contextmanager
def alerting(
    session: Session,
    fleet: Fleet,
    box: Box,
    transfers: Transfers,
    data: Path | None,
    ends: Callable[[], Sequence[Ended]],
) -> Iterator[None]:
    """Tell what a person should know while a block runs, and how it ended.

    Nobody else may watch other boxes for this boxtop, so its memory is a part of its own.
    """
    settings, person = session.configuration.settings.alerts, LogPerson(session)
    for warning in url_warnings(settings.urls):
        person.tell(warning)
    watcher = AlertWatcher(
        fleet,
        settings,
        channels_of(settings.urls),
        person,
        data,
        transfers=transfers.views,
        ends=ends,
        part=box.kept_as,
    )
    watcher.start()
    try:
        yield
        watcher.last_look(LAST_SECONDS)
    finally:
        watcher.close()
