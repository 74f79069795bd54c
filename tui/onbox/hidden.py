"""The hidden directory beside the checkpoints that holds a snapshot, and what becomes of it.

Its name starts with a dot, so nobody takes what lies in it for a checkpoint. It is the one thing
that boxtop ever writes to a box.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import time
from typing import Any

from tui.onbox.places import Refused, Weights, raw, text

PREFIX = ".boxtop-"
OLD_SECONDS = 86400.0
_NAME = re.compile(r"\.boxtop-[0-9a-f]{16}\Z")
_OWNER = b"owner"
_MAX_OWNER = 4096


class Hidden:
    """One such directory, made by ``make``; ``number`` names it in requests."""

    def __init__(self, weights: Weights, number: str = "", kept: bool = False) -> None:
        """``kept`` outlives the process. Raises Refused("usage") for a number that names none."""
        self._kept = kept
        self.number = number or os.urandom(8).hex()
        self.made = bool(number)
        name = PREFIX + self.number
        if not _NAME.match(name):
            raise Refused("usage", f"no name of a snapshot: {number}")
        self.path = os.path.join(weights.real, raw(name))

    def make(self) -> None:
        """Make the directory, for its owner alone. Raises OSError."""
        if self.made:
            return
        os.mkdir(self.path, 0o700)
        self.made = True
        try:
            if not self._kept:
                self.own()
        except OSError:
            self.remove()
            raise

    def own(self, pid: int = 0) -> None:
        """Say that a process (this one: 0) uses the snapshot. Raises OSError."""
        owner = {**_place(), "pid": pid or os.getpid(), "since": _started(pid or os.getpid())}
        with open(os.path.join(self.path, _OWNER), "w", encoding="ascii") as file:
            json.dump(owner, file)

    def create(self, name: str) -> int:
        """Create a file in it, and return its descriptor. Raises OSError."""
        path = self.file(name)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)

    def file(self, name: str) -> bytes:
        """Return the path of a file in it. Raises Refused for a name that leads elsewhere."""
        if "/" in name or "\0" in name or name in ("", ".", ".."):
            raise Refused("refused", f"{name} is no name of a file")
        return os.path.join(self.path, raw(name))

    def discard(self, name: str) -> None:
        """Remove one file of it, if it is there."""
        with contextlib.suppress(OSError):
            os.unlink(self.file(name))

    def remove(self) -> bool:
        """Remove the directory and its files; returns whether it is gone. Follows no link."""
        self.made = False
        return _remove(self.path)


def sweep(weights: Weights) -> int:
    """Remove what others left behind: older than a day, or of a process that is gone.

    Returns how many directories went.
    """
    removed = 0
    try:
        names = os.listdir(weights.real)
    except OSError:
        return 0
    for name in names:
        path = os.path.join(weights.real, name)
        if _NAME.match(text(name)) and _is_left(path):
            removed += _remove(path)
    return removed


def _is_left(path: bytes) -> bool:
    try:
        info = os.lstat(path)
        if not stat.S_ISDIR(info.st_mode):
            return False
        age = time.time() - info.st_mtime
        with open(os.path.join(path, _OWNER), encoding="ascii") as file:
            owner = json.loads(file.read(_MAX_OWNER))
        pid, since, place = owner["pid"], owner["since"], {key: owner[key] for key in _place()}
    except (OSError, ValueError, KeyError, TypeError):
        return _age(path) > OLD_SECONDS
    if place != _place() or type(pid) is not int:
        return age > OLD_SECONDS  # another container's processes cannot be seen from here
    return age > OLD_SECONDS or _started(pid) != since


def _age(path: bytes) -> float:
    try:
        return time.time() - os.lstat(path).st_mtime
    except OSError:
        return 0.0


def _remove(path: bytes) -> bool:
    try:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            return False
        for name in os.listdir(path):
            os.unlink(os.path.join(path, name))
        os.rmdir(path)
    except OSError:
        return not os.path.lexists(path)
    return True


def _place() -> dict[str, Any]:
    """Return where process numbers mean the same: a machine since its start, a container."""
    return {
        "machine": _first_line("/proc/sys/kernel/random/boot_id") or os.uname().nodename,
        "container": _link("/proc/self/ns/pid"),
    }


def _started(pid: int) -> str:
    """Return when a process began, "" when there is none."""
    line = _first_line(f"/proc/{pid}/stat")
    if line:
        fields = line.rpartition(")")[2].split()
        return fields[19] if len(fields) > 19 and fields[0] != "Z" else ""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return "unknown"
    except (OSError, OverflowError):
        return ""
    return "unknown"


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline(4096).strip()
    except OSError:
        return ""


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""
