"""Stopping an action from another thread."""

from __future__ import annotations

from collections.abc import Callable

from tui.actions.errors import ActionError
from tui.links.ssh.parts import Closed, Parts


class Cancel:
    """Hand it to an action, and call ``cancel`` from any thread: the action raises "cancelled"."""

    def __init__(self) -> None:
        self._parts = Parts()

    @property
    def cancelled(self) -> bool:
        """Whether ``cancel`` was called."""
        return self._parts.closed

    def cancel(self) -> None:
        """Stop what is being done; blocks for nothing."""
        self._parts.close()

    def check(self) -> None:
        """Raise ActionError("cancelled") when it was cancelled."""
        if self._parts.closed:
            raise ActionError("cancelled", "cancelled")

    def pause(self, seconds: float) -> None:
        """Wait; raises ActionError("cancelled") as soon as it was cancelled."""
        self._parts.wait(seconds)
        self.check()

    def ends(self, close: Callable[[], None]) -> None:
        """Have something closed when it is cancelled. Raises ActionError("cancelled")."""
        try:
            self._parts.add(close)
        except Closed:
            self.check()
