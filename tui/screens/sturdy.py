"""An app that its own faults do not end where anything else can be done."""

from __future__ import annotations

from collections.abc import Mapping

from textual._context import active_message_pump
from textual.actions import ActionParseResult
from textual.app import App, ScreenStackError
from textual.dom import DOMNode, NoScreen
from textual.screen import Screen

from tui.debug import fault_line, record_fault
from tui.screens.once import AnsweredOnce


class SturdyApp(App[str], inherit_bindings=False):
    """A fault costs a line at the bottom, at most a dialog; else the app leaves with one line."""

    _is_failing = False

    def say(self, message: str) -> None:
        """Show a message for a while."""
        self.notify(message, markup=False)

    def tell_fault(self, error: Exception) -> None:
        """Say that something of boxtop's own went wrong, and record it for --debug."""
        record_fault(error)
        self.say(f"boxtop erred: {type(error).__name__}; it goes on (--debug keeps the details)")

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Do what a key of a Textual widget is bound to, whatever comes of it."""
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except Exception as error:  # noqa: BLE001  # a key that fails must not end the watch
            self.tell_fault(error)
            return True

    def _handle_exception(self, error: Exception) -> None:
        """A fault in a message handler ends its widget: close its dialog, or leave with one line.

        Never a traceback, and never a second line: what fails while the app ends is recorded only.
        """
        dialog = _failing_dialog()
        if dialog is not None and dialog in self.screen_stack[-1:]:
            self.tell_fault(error)
            dialog.dismiss(None)
        elif self.is_headless:
            super()._handle_exception(error)
        else:
            self._leave(error)

    def _leave(self, error: Exception) -> None:
        record_fault(error)
        if not self._is_failing:
            self._is_failing = True
            self.exit(return_code=1, message=fault_line(error))


def _failing_dialog() -> Screen[object] | None:
    """Return the dialog whose handler runs now."""
    pump = active_message_pump.get(None)
    try:
        screen = pump.screen if isinstance(pump, DOMNode) else None
    except (NoScreen, ScreenStackError):  # what fails as the app begins or ends has none
        return None
    return screen if isinstance(screen, AnsweredOnce) else None
