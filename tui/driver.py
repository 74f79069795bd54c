"""The terminal driver with a longer life: bytes that are no UTF-8 must not end the app.

A terminal that was re-attached may still send mouse positions in the old X10 way, whose bytes
beyond column 95 are no UTF-8; Textual's input thread ends the app on the first one
(Textualize/textual#6668).
"""

from __future__ import annotations

import asyncio
import codecs
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from textual.driver import Driver


def end_on_signals(end: Callable[[int], None]) -> None:
    """Call ``end`` with an exit code where the terminal or the system ends us.

    The app then leaves as ``q`` does, and every mode of the terminal is restored.
    """
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        try:
            loop.add_signal_handler(number, end, 128 + number)
        except (NotImplementedError, RuntimeError, ValueError):
            return  # no signals here, or not the main thread: the default action stays


def steady(driver: type[Driver]) -> type[Driver]:
    """Return a driver that shows bytes it cannot decode as such, and asks the terminal its size."""
    try:
        from textual.drivers import linux_driver
    except ImportError:
        return driver
    if driver is not linux_driver.LinuxDriver:
        return driver

    def lenient(encoding: str) -> partial[codecs.IncrementalDecoder]:
        return partial(codecs.getincrementaldecoder(encoding), errors="replace")

    # The driver makes its decoder inside its input loop: this name is the only way in.
    linux_driver.getincrementaldecoder = lenient  # type: ignore[assignment, attr-defined]  # same call, same result

    class SteadyDriver(linux_driver.LinuxDriver):
        """Asks the terminal for its size.

        With COLUMNS in the environment Textual would believe that, and follow no change.
        """

        def _get_terminal_size(self) -> tuple[int, int]:
            with suppress(OSError):
                width, height = os.get_terminal_size(self.fileno)
                if width > 0 and height > 0:
                    return width, height
            return super()._get_terminal_size()

    return SteadyDriver
