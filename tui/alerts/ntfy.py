"""Alerts to a topic of ntfy, as its JSON: its headers would take no other letters than ASCII."""

from __future__ import annotations

from tui.alerts.channel import Answer
from tui.alerts.event import Message
from tui.alerts.post import post
from tui.alerts.urls import Address

HIGH, USUAL = 4, 3
BODY_BYTES = 4000
"""A longer body becomes an attachment."""


class Ntfy:
    """One topic of one server."""

    def __init__(self, address: Address) -> None:
        self._address = address

    @property
    def name(self) -> str:
        """What it is called."""
        return self._address.name

    def send(self, message: Message) -> Answer:
        """Publish a message once."""
        body = message.text.encode("utf-8", "replace")[:BODY_BYTES].decode("utf-8", "ignore")
        return post(
            self._address,
            {
                "topic": self._address.topic,
                "title": message.title,
                "message": body,
                "priority": HIGH if message.is_trouble else USUAL,
                "tags": ["warning" if message.is_trouble else "white_check_mark"],
            },
        )
