"""A real terminal (a pty) with boxtop in it: keys go in, what is drawn comes out."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.cli.conftest import PROJECT
from tests.waiting import wait_until


class Terminal:
    """boxtop in a terminal of 100 columns and 30 lines."""

    def __init__(self, *arguments: object, **environment: str) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tui", *map(str, arguments)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "PYTHONPATH": str(PROJECT), **environment},
            start_new_session=True,
        )
        os.close(slave)
        self._seen = bytearray()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def shown(self) -> str:
        """Everything the terminal was sent so far."""
        return bytes(self._seen).decode("utf-8", "replace")

    @property
    def echoes(self) -> bool:
        """Whether the terminal shows what is typed."""
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def wait_for(self, text: str) -> None:
        """Wait until a text was drawn; fail at once when boxtop ends without it."""
        wait_until(lambda: text in self.shown or not self._reader.is_alive(), 30, repr(text))
        assert text in self.shown

    def press(self, keys: str) -> None:
        """Type keys."""
        os.write(self._master, keys.encode())

    def end(self) -> int:
        """Wait for the end and return the exit code."""
        code = self.process.wait(30)
        self._reader.join(30)
        return code

    def close(self) -> None:
        """Take the terminal away."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)

    def _read(self) -> None:
        try:
            while chunk := os.read(self._master, 65536):
                self._seen += chunk
        except OSError:  # the last writer is gone
            return


@contextmanager
def terminal(*arguments: object, **environment: str) -> Iterator[Terminal]:
    """Run boxtop in a terminal for the length of a block."""
    opened = Terminal(*arguments, **environment)
    try:
        yield opened
    finally:
        opened.close()
