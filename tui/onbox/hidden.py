"""The hidden directory beside the checkpoints that holds a snapshot, and what becomes of it.

Its name starts with a dot, so nobody takes what lies in it for a checkpoint. It is the one thing
that boxtop ever writes to a box.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat

from tui.onbox.owners import is_left, lives, own, owner_in, owner_of
from tui.onbox.places import Refused, Weights, raw, text

PREFIX = ".boxtop-"
_NAME = re.compile(r"\.boxtop-[0-9a-f]{16}\Z")


class Hidden:
    """One such directory, made by ``make``; ``number`` names it in requests."""

    def __init__(self, weights: Weights, number: str = "") -> None:
        """Raises Refused("usage") for a number that names none."""
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
            self.own()
        except OSError:
            self.remove()
            raise

    def own(self, pid: int = 0) -> None:
        """Say that a process (this one: 0) uses the snapshot. Raises OSError."""
        own(self.path, pid)

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

    def let_go(self) -> bool:
        """Remove it unless another process uses it by now; returns whether it is gone."""
        owner = owner_in(self.path)
        if owner != owner_of() and lives(owner) is not False and owner is not None:
            return False
        return self.remove()


def sweep(weights: Weights) -> int:
    """Remove what others left behind: of a process that is gone, or nobody's for a day.

    Returns how many directories went.
    """
    removed = 0
    try:
        names = os.listdir(weights.real)
    except OSError:
        return 0
    for name in names:
        path = os.path.join(weights.real, name)
        if _NAME.match(text(name)) and _is_directory(path) and is_left(path):
            removed += _remove(path)
    return removed


def _is_directory(path: bytes) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


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
