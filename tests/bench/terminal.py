"""A program on a real terminal (a pty): what it paints and when, and keys for it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

from tests.bench.processes import kill

_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # CSI: colours, moves, modes
    rb"|\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC: titles, clipboard
    rb"|[P_^X][^\x1b]*\x1b\\"  # DCS and other strings
    rb"|[()][0-9A-Z]|[ -~])"
)


class Terminal:
    """A program on a pty of ``columns`` x ``rows``; all it writes is read at once by a thread."""

    def __init__(
        self,
        command: Sequence[str],
        columns: int = 140,
        rows: int = 40,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._chunks: list[tuple[float, bytes]] = []
        self._grown = threading.Condition()
        self.began = time.monotonic()
        self._process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
        os.close(slave)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        kill(self._process.pid)
        self._process.wait()
        self._thread.join(5)
        os.close(self._master)

    @property
    def pid(self) -> int:
        """The program's process."""
        return self._process.pid

    @property
    def written(self) -> int:
        """How many bytes the program has written so far."""
        with self._grown:
            return sum(len(data) for _, data in self._chunks)

    def press(self, keys: str) -> float:
        """Type keys; returns when."""
        at = time.monotonic()
        os.write(self._master, keys.encode())
        return at

    def text_since(self, at: float = 0.0) -> str:
        """What was written since a moment, without escape sequences."""
        with self._grown:
            data = b"".join(data for when, data in self._chunks if when >= at)
        return _ESCAPES.sub(b"", data).decode("utf-8", "replace")

    def wait_for(self, text: str, seconds: float = 20.0, since: float = 0.0) -> float:
        """Wait until a text is painted; returns when. Raises AssertionError when it never is."""
        until = time.monotonic() + seconds
        with self._grown:
            while True:
                gathered = b""
                for when, data in self._chunks:
                    if when >= since:
                        gathered += data
                        if text in _ESCAPES.sub(b"", gathered).decode("utf-8", "replace"):
                            return when
                left = until - time.monotonic()
                if left <= 0 or self._process.poll() is not None:
                    break
                self._grown.wait(left)
        shown = self.text_since(since)[-2000:]
        raise AssertionError(f"{text!r} was not painted within {seconds:g} s: {shown!r}")

    def wait_for_output(self, since: float, seconds: float = 5.0) -> float:
        """Wait for any output after a moment; returns when it came."""
        until = time.monotonic() + seconds
        with self._grown:
            while True:
                for when, _ in self._chunks:
                    if when > since:
                        return when
                if not self._grown.wait(max(0.0, until - time.monotonic())):
                    raise AssertionError(f"nothing was painted within {seconds:g} s")

    def forget(self) -> None:
        """Drop what was written so far."""
        with self._grown:
            self._chunks.clear()

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while data := os.read(self._master, 65536):
                with self._grown:
                    self._chunks.append((time.monotonic(), data))
                    self._grown.notify_all()
