"""The terminal driver with a longer life, and a certain end.

A terminal that was re-attached may still send mouse positions in the old X10 way, whose bytes
beyond column 95 are no UTF-8; Textual's input thread ends the app on the first one
(Textualize/textual#6668). And when a terminal is gone, Textual's output thread dies of it, its
queue fills, and the app waits for ever: nobody could end it any more.
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
from textual.drivers._writer_thread import WriterThread

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


class SteadyWriter(WriterThread):
    """Writes while there is a terminal that takes it; what comes later is dropped."""

    when_gone: Callable[[], object] | None = None

    def write(self, text: str) -> None:
        """Write, unless nobody would: a queue that nobody empties would block the app."""
        if self.is_alive():
            super().write(text)

    def run(self) -> None:
        """Write until stopped; when the terminal is gone, say so and drop the rest."""
        try:
            super().run()
        except (OSError, ValueError):
            if self.when_gone is not None:
                self.when_gone()
            while self._queue.get() is not None:
                pass


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

    # The driver makes its decoder inside its input loop, its writer when it starts: these names
    # are the only way in.
    linux_driver.getincrementaldecoder = lenient  # type: ignore[assignment, attr-defined]  # same call, same result
    linux_driver.WriterThread = SteadyWriter  # type: ignore[attr-defined]  # the same, steadier

    class SteadyDriver(linux_driver.LinuxDriver):
        """Asks the terminal for its size, and ends the app when the terminal is gone.

        With COLUMNS in the environment Textual would believe that, and follow no change.
        """

        def _get_terminal_size(self) -> tuple[int, int]:
            with suppress(OSError):
                width, height = os.get_terminal_size(self.fileno)
                if width > 0 and height > 0:
                    return width, height
            return super()._get_terminal_size()

        def start_application_mode(self) -> None:
            super().start_application_mode()  # type: ignore[no-untyped-call]  # takes nothing
            if isinstance(self._writer_thread, SteadyWriter):
                self._writer_thread.when_gone = self._leave

        def _run_input_thread(self) -> None:
            try:
                self.run_input_thread()
            except OSError:
                self._leave()
            except Exception as error:  # noqa: BLE001  # as any other fault of the app
                self._app.call_later(self._app._handle_exception, error)

        def _leave(self) -> None:
            self._app.call_later(self._app.exit, return_code=TERMINAL_GONE)

    return SteadyDriver
