"""Textual's driver for terminals with a longer life, and a certain end.

A terminal that was re-attached may still send mouse positions in the old X10 way, whose bytes
beyond column 95 are no UTF-8; Textual's input thread ends the app on the first one
(Textualize/textual#6668). And when a terminal is gone, Textual's output thread dies of it, its
queue fills, and the app waits for ever: nobody could end it any more. What is pasted where the
terminal does not say so is no typing: its keys are taken together.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

from textual._xterm_parser import XTermParser
from textual.drivers import linux_driver
from textual.drivers._writer_thread import WriterThread
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from tui.bursts import without_bursts
from tui.driver import TERMINAL_GONE


def _lenient(encoding: str) -> partial[codecs.IncrementalDecoder]:
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")


class SteadyParser(XTermParser):
    """Makes events of what came from the terminal, and no keys of what was pasted."""

    def feed(self, data: str) -> Iterable[Message]:
        """Return the events of what was read at once."""
        return without_bursts(super().feed(data))


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


# The driver makes its decoder and its parser inside its input loop, its writer when it starts:
# these names are the only way in.
linux_driver.getincrementaldecoder = _lenient  # type: ignore[assignment, attr-defined]  # same call, same result
linux_driver.XTermParser = SteadyParser  # type: ignore[attr-defined]  # the same, with fewer keys
linux_driver.WriterThread = SteadyWriter  # type: ignore[attr-defined]  # the same, steadier


class SteadyDriver(LinuxDriver):
    """Asks the terminal for its size, and ends the app when the terminal is gone.

    With COLUMNS in the environment Textual would believe that, and follow no change.
    """

    _is_on = False

    def _get_terminal_size(self) -> tuple[int, int]:
        with suppress(OSError):
            width, height = os.get_terminal_size(self.fileno)
            if width > 0 and height > 0:
                return width, height
        return super()._get_terminal_size()

    def _sigcont_application(self, *_: object) -> None:
        """Begin anew after a stop; never after the end, nor beside what runs already.

        Who closes a terminal sends SIGCONT, too: a second input thread would never end.
        """
        if self._auto_restart and (self._is_on or self._must_signal_resume):
            if self._is_on:
                self.suspend_application_mode()
            self.resume_application_mode()

    def stop_application_mode(self) -> None:
        """Give the terminal back as it was."""
        self._is_on = False
        super().stop_application_mode()

    def start_application_mode(self) -> None:
        """Take the terminal, and hear when it goes."""
        self._is_on = True
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
