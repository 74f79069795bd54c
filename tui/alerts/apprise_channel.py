"""Alerts through apprise, for every address that is neither a webhook nor ntfy (extra `notify`)."""

from __future__ import annotations

import logging
from importlib import import_module

from tui.alerts.channel import Answer
from tui.alerts.check import MISSING
from tui.alerts.event import Message
from tui.alerts.urls import Address


class AppriseChannel:
    """One address that apprise knows. It says that it failed, but not why."""

    def __init__(self, address: Address) -> None:
        self._address = address

    @property
    def name(self) -> str:
        """What it is called."""
        return self._address.name

    def send(self, message: Message) -> Answer:
        """Send a message once."""
        try:
            apprise = import_module("apprise")
        except ImportError:
            return Answer(False, MISSING)
        _hush()
        try:
            courier = apprise.Apprise()
            if not courier.add(self._address.url):
                return Answer(False, "apprise does not understand this address")
            taken = courier.notify(title=message.title, body=message.text, body_format="text")
        except Exception as error:  # noqa: BLE001 - one of a hundred services must not end the watch
            return Answer(False, f"apprise failed ({type(error).__name__})", heals=True)
        if taken:
            return Answer(True, "taken by apprise")
        return Answer(False, "apprise could not send it there", heals=True)


def _hush() -> None:
    """Let apprise write nothing: its warnings would stand in the middle of the screen."""
    log = logging.getLogger("apprise")
    log.propagate = False
    if not log.handlers:
        log.addHandler(logging.NullHandler())
