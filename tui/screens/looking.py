"""What stands between a key and its question while boxtop looks: a way out, and no other key.

What is typed on meanwhile was meant for the question, and would be commands of the list below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Static

from tui.actions.cancel import Cancel
from tui.screens.dialog import Dialog, line
from tui.text import one_line


class Looking(Dialog[bool]):
    """Answers True when the look has ended, None when nobody waits for it any more.

    ``stop`` ends the look itself, however this screen is left.
    """

    is_guarded = True

    def __init__(self, heading: str, what: str, step: str) -> None:
        super().__init__()
        self.heading = heading
        self.stop = Cancel()
        self._what = what
        self._step = step
        self._then: Callable[[], None] | None = None

    def body(self) -> Iterable[Widget]:
        """Yield what is looked at, and the step that is done."""
        yield line(one_line(self._what, 300), "dialog-strong")
        yield Static(Content(one_line(self._step, 300)), id="step", markup=False)

    def buttons(self) -> Iterable[Button]:
        """Only a way out."""
        yield Button("Cancel", id="cancel")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Leave."""
        event.stop()
        self.cancel()

    def on_unmount(self) -> None:
        """Look no more, whatever has closed this."""
        self.stop.cancel()

    def tell(self, step: str) -> None:
        """Show the step that is done now."""
        self._step = step
        for shown in self.query("#step").results(Static):
            shown.update(Content(one_line(step, 300)))

    def then(self, act: Callable[[], None]) -> None:
        """Close, and go on with ``act`` at once; not when it was left, and under another screen
        only when that one is gone.
        """
        if self not in self.app.screen_stack:
            return
        if self.app.screen is not self:
            self._then = act
            return
        with self.app.batch_update():
            self.dismiss(True)
            act()

    def on_screen_resume(self) -> None:
        """Go on with what had to wait for a question above this."""
        if self._then is not None:
            act, self._then = self._then, None
            self.app.call_later(self.then, act)  # an answer to a question of this is never told
