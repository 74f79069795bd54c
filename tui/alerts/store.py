"""The memory of alerts on disk: ``alerts.json`` in the data directory, of one boxtop at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from tui.alerts.memory import Memory
from tui.runs.mirror import decode, encode, replace

NAME = "alerts.json"
LOCK = "alerts.lock"
READ_MOST = 8 << 20


class Store:
    """``data`` is the data directory, None for nowhere: then all is forgotten at the end.

    Of several boxtops with one data directory the first one owns it, and sends; ``own`` asks
    whether it is this one by now.
    """

    def __init__(self, data: Path | None) -> None:
        self._data = data
        self._lock: int | None = None

    def own(self) -> bool:
        """Try to be the one who remembers and sends. Without a place to keep anything it is."""
        if self._lock is not None or self._data is None:
            return True
        try:
            self._data.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(self._data / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return True  # nobody else can own it either
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(handle)
            return not isinstance(error, BlockingIOError)
        self._lock = handle
        return True

    def load(self) -> Memory:
        """Return what is remembered; what cannot be read is begun anew."""
        if self._data is None:
            return Memory()
        try:
            with (self._data / NAME).open("rb") as file:
                found = decode(file.read(READ_MOST), Memory)
        except (OSError, ValueError, RecursionError):
            return Memory()
        return found if found.version == Memory().version else Memory()

    def save(self, memory: Memory) -> None:
        """Keep a memory, so that a crash leaves the old or the new one. Raises OSError."""
        if self._data is None:
            return
        self._data.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace(self._data / NAME, encode(memory))

    def close(self) -> None:
        """Let another boxtop be the one."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
