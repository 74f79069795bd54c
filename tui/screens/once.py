"""A screen that is left once: what else was pressed or clicked meanwhile answers nothing more."""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import Screen

Answer = TypeVar("Answer")


class AnsweredOnce(Screen[Answer], Generic[Answer]):
    """The base of every screen that gives an answer or is closed by a key."""

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Leave with an answer; without effect when it was left, or lies below another screen.

        Keys and clicks queue up faster than screens close, and a screen that is not the topmost
        would take the wrong one away.
        """
        if not self.is_attached or self.app.screen is not self:
            return AwaitComplete()
        return super().dismiss(result)
