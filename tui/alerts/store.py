"""The memory of alerts on disk: ``alerts.json`` in the data directory, of one boxtop at a time.

A boxtop that watches one box alone, beside others, has a part of its own, ``alerts-NAME.json``;
whoever owns the whole takes it over when that boxtop is gone, and notes in ``alerts.boxes`` whose
boxes it tells of.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from tui.alerts.event import Event
from tui.alerts.memory import Memory, joined, key_of
from tui.runs.mirror import decode, encode, replace

NAME = "alerts.json"
LOCK = "alerts.lock"
BOXES = "alerts.boxes"
READ_MOST = 8 << 20


class Store:
    """``data`` is the data directory, None for nowhere: then all is forgotten at the end.

    Of several boxtops with one data directory the first one owns it, and sends; ``own`` asks
    whether it is this one by now. With a ``part``, a name of any content, it is the same for the
    boxtops of that part.
    """

    def __init__(self, data: Path | None, part: str | None = None) -> None:
        self._data = data
        self._is_part = part is not None
        self._stem = "alerts" if part is None else _stem_of(part)
        self._name, self._lock_name = f"{self._stem}.json", f"{self._stem}.lock"
        self._lock: int | None = None
        self._claimed: list[str] | None = None
        self._taken: dict[Path, int] = {}

    def own(self) -> bool:
        """Try to be the one who remembers and sends. Without a place to keep anything it is."""
        if self._lock is not None or self._data is None:
            return True
        try:
            self._data.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = _locked(self._data / self._lock_name)
            if not self._is_part:  # what another owner told of is not what this one does
                (self._data / BOXES).unlink(missing_ok=True)
        except OSError as error:
            return not isinstance(error, BlockingIOError)  # nobody else can own it either
        return True

    def claim(self, parts: Iterable[str]) -> None:
        """Note whose boxes the owner of the whole tells of, as others would name their parts."""
        claimed = sorted(map(_stem_of, parts))
        if self._lock is None or self._is_part or self._data is None or claimed == self._claimed:
            return
        self._claimed = claimed
        with suppress(OSError):  # then it is taken to tell of all
            replace(self._data / BOXES, "\n".join(claimed).encode())

    def tells_all(self) -> bool:
        """Whether nobody else tells of the same boxes: whoever owns the whole may tell of a part's.

        It is taken to do so until it has said of which boxes it tells.
        """
        if not self._is_part or self._data is None:
            return True
        try:
            os.close(_locked(self._data / LOCK, fcntl.LOCK_SH))
        except BlockingIOError:
            return not self._is_claimed()
        except OSError:
            return True
        return True

    def _is_claimed(self) -> bool:
        assert self._data is not None
        try:
            with (self._data / BOXES).open("rb") as file:
                return self._stem.encode() in file.read(READ_MOST).split()
        except OSError:
            return True

    def load(self) -> Memory:
        """Return what is remembered; what cannot be read is begun anew.

        What others told counts as told. The owner of the whole takes over all else of a part that
        nobody has now.
        """
        if self._data is None:
            return Memory()
        memory = self._read(self._data / self._name)
        for path in sorted(self._others()):
            is_left = not self._is_part and self._take(path)
            memory = joined(memory, self._read(path), whole=is_left)
        return memory

    def past(self) -> tuple[Event, ...]:
        """Return what was told, by this boxtop and all others, the oldest first."""
        if self._data is None:
            return ()
        memory = self._read(self._data / self._name)
        for path in self._others():
            memory = joined(memory, self._read(path), whole=True)
        return tuple(sorted(memory.past, key=lambda event: event.at))

    def save(self, memory: Memory) -> None:
        """Keep a memory, so that a crash leaves the old or the new one. Raises OSError."""
        if self._data is None:
            return
        self._data.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace(self._data / self._name, encode(memory))
        for path, lock in self._taken.items():
            with suppress(OSError):
                path.unlink()
            os.close(lock)
        self._taken.clear()

    def close(self) -> None:
        """Let another boxtop be the one."""
        for lock in (*self._taken.values(), *([] if self._lock is None else [self._lock])):
            os.close(lock)
        self._taken.clear()
        self._lock = None

    def _others(self) -> Iterator[Path]:
        """Yield the files of all parts, and that of the whole, but for its own."""
        assert self._data is not None
        for path in (self._data / NAME, *self._data.glob("alerts-*.json")):
            if path.name != self._name:
                yield path

    def _take(self, path: Path) -> bool:
        """Hold the lock of a part that nobody has; it is removed once its memory is kept here."""
        if self._lock is None or path in self._taken:
            return path in self._taken
        try:
            self._taken[path] = _locked(path.with_suffix(".lock"))
        except OSError:
            return False
        return True

    def _read(self, path: Path) -> Memory:
        try:
            with path.open("rb") as file:
                found = decode(file.read(READ_MOST), Memory)
        except (OSError, ValueError, RecursionError):
            return Memory()
        return found if found.version == Memory().version else Memory()


def _stem_of(part: str) -> str:
    """Return the name of a part's files, which tells nothing of the part."""
    return key_of("alerts", part).replace(":", "-")


def _locked(path: Path, how: int = fcntl.LOCK_EX) -> int:
    """Return the handle of a lock. Raises BlockingIOError where another has it, and OSError."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle
