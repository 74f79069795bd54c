"""The shape of a channel: something that takes a message, and says whether it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tui.alerts.event import Message


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a message: ``text`` is one line for people, without secrets.

    ``heals`` says that another try may help, ``retry_after_s`` not before when.
    """

    ok: bool
    text: str
    heals: bool = False
    retry_after_s: float | None = None


class Channel(Protocol):
    """One address that alerts go to. ``name`` is for people and holds no secret."""

    @property
    def name(self) -> str:
        """What it is called: ``ntfy at ntfy.sh``."""
        ...

    def send(self, message: Message) -> Answer:
        """Send a message once, within seconds; never raises."""
        ...
