"""Alerts by webhook: JSON that chat services show as it is, and programs can read."""

from __future__ import annotations

import re
from typing import Any

from tui.alerts.channel import Answer
from tui.alerts.event import Message, event_document, utc_text
from tui.alerts.post import post
from tui.alerts.urls import Address

_MENTION = re.compile(r"@(?=everyone|here|channel|all)|<(?=[@!#])")
"""What would call everybody in a chat, where the name of a run holds it."""


class Webhook:
    """One address that takes a POST. Slack and Mattermost read ``text``, Discord ``content``."""

    def __init__(self, address: Address) -> None:
        self._address = address

    @property
    def name(self) -> str:
        """What it is called."""
        return self._address.name

    def send(self, message: Message) -> Answer:
        """Send a message once."""
        return post(self._address, document_of(message))


def document_of(message: Message) -> dict[str, Any]:
    """Return what is posted; ``schema_version`` 1 will only be extended. Times are UTC."""
    shown = _MENTION.sub(lambda found: f"{found[0]} ", f"{message.title}\n{message.text}")
    return {
        "schema_version": 1,
        "source": "boxtop",
        "title": message.title,
        "text": shown,
        "content": shown[:1990],
        "allowed_mentions": {"parse": []},
        "sent_at": utc_text(message.at),
        "events": [event_document(event) for event in message.events],
    }
