"""Keys are answered one after the other, each where the one before it has led."""

from __future__ import annotations

from textual.events import Event, Key

from tui.screens.monitor import MonitorScreen
from tui.screens.sturdy import SturdyApp


class InOrderApp(SturdyApp, inherit_bindings=False):
    """A key of a watching screen is answered before the next one is looked at.

    A widget's own queue would hold it back until keys that were pressed later have gone to the
    screen it opens.
    """

    async def on_event(self, event: Event) -> None:
        """Give a key to the watching screen at once; all else goes Textual's way."""
        top = self.screen_stack[-1] if self.screen_stack else None
        if (
            not isinstance(event, Key)
            or event.is_forwarded  # it has been to its screen, which left it
            or not isinstance(top, MonitorScreen)
            or top.search_bar.has_focus_within
        ):
            await super().on_event(event)
        elif not await self._check_bindings(event.key, priority=True):
            await top.on_key(event)
