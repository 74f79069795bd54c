"""Where the screen gets its boxes from, and how changes reach it without flooding it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from textual.message import Message

from tui.boxes import Box
from tui.view import BoxView


class Feed(Protocol):
    """What the screen needs of a watcher; ``tui.watch.Fleet`` is one."""

    def boxes(self) -> tuple[BoxView, ...]:
        """Every box at this moment."""
        ...

    def start(self) -> None:
        """Begin to connect: called once, after the first picture."""
        ...

    def subscribe(self, callback: Callable[[str], None]) -> None:
        """Call back, from any thread, with the name of a box that changed."""
        ...

    def reconnect(self, name: str | None = None) -> None:
        """Open the link of one box (or of all) anew now."""
        ...

    def add(self, box: Box) -> None:
        """Watch one more box."""
        ...


class BoxesChanged(Message):
    """Something changed; a newer one in the queue makes an older one superfluous."""

    def can_replace(self, message: Message) -> bool:
        """Take the place of any other of its kind."""
        return isinstance(message, BoxesChanged)


class QuestionWaits(Message):
    """A link has a question for a person."""
