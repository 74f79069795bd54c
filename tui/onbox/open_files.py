"""Which files processes hold open for writing, as far as whoever looks may see that."""

from __future__ import annotations

import os
import stat
from typing import Set, Tuple

_WRITES = os.O_WRONLY | os.O_RDWR

FileKey = Tuple[int, int]
"""Device and inode."""


def written_files() -> Set[FileKey]:
    """Return all regular files that any process has open for writing; none without /proc."""
    found = set()
    for process in listed("/proc"):
        if not process.isdigit():
            continue
        pid = int(process)
        for descriptor in listed("/proc/%d/fd" % pid):
            try:
                info = os.stat(b"/proc/%d/fd/%s" % (pid, descriptor))
            except OSError:
                continue
            if stat.S_ISREG(info.st_mode) and is_for_writing(pid, descriptor):
                found.add((info.st_dev, info.st_ino))
    return found


def is_for_writing(pid: int, descriptor: bytes) -> bool:
    """Whether a process has opened one of its descriptors for writing."""
    try:
        with open(b"/proc/%d/fdinfo/%s" % (pid, descriptor), "rb") as file:
            for line in file:
                if line.startswith(b"flags:"):
                    return bool(int(line.split()[1], 8) & _WRITES)
    except (OSError, ValueError, IndexError):
        pass
    return False


def listed(path: str) -> Tuple[bytes, ...]:
    """Return the names in a directory, none where it cannot be read."""
    try:
        return tuple(os.listdir(os.fsencode(path)))
    except OSError:
        return ()
