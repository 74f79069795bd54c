"""How the app ends with its terminal, and which driver it has."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

from textual.driver import Driver

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
TERMINAL_GONE = 128 + signal.SIGHUP


def end_on_signals(end: Callable[[int], None]) -> None:
    """Call ``end`` with an exit code where the terminal or the system ends us.

    The app then leaves as ``q`` does, and every mode of the terminal is restored.
    """
    loop = asyncio.get_running_loop()
    for number in ENDING_SIGNALS:
        try:
            loop.add_signal_handler(number, end, 128 + number)
        except (NotImplementedError, RuntimeError, ValueError):
            return  # no signals here, or not the main thread: the default action stays


def steady(driver: type[Driver]) -> type[Driver]:
    """Return a steadier driver in the place of Textual's own for terminals."""
    if driver.__module__ != "textual.drivers.linux_driver":
        return driver
    from tui.linux_driver import SteadyDriver

    return SteadyDriver
