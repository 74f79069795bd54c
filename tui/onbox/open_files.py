"""Which files processes hold open for writing, as far as whoever looks may see that."""

from __future__ import annotations

import os
import stat
from typing import Iterator, List, Set, Tuple

from tui.onbox.training import METRICS, STATUS

_WRITES = os.O_WRONLY | os.O_RDWR

KEPT_OPEN = (b"train.log", METRICS)
"""What a training holds open beside its status."""

FileKey = Tuple[int, int]
"""Device and inode."""


def written_files() -> Set[FileKey]:
    """Return all regular files that any process has open for writing; none without /proc."""
    return {(info.st_dev, info.st_ino) for _, _, info in _written()}


def written_runs() -> List[bytes]:
    """Return the runs of all trainings that are at work, wherever they write.

    One of another container has the path of its own, as seen through its process.
    """
    found = []
    for pid, descriptor, info in _written():
        try:
            path = os.readlink(b"/proc/%d/fd/%s" % (pid, descriptor))
        except OSError:
            continue
        if os.path.basename(path) not in KEPT_OPEN:
            continue
        for way in (path, b"/proc/%d/root%s" % (pid, path)):
            run = os.path.dirname(way)
            if _is_file(way, info) and os.path.lexists(os.path.join(run, STATUS)):
                found.append(run)
                break
    return list(dict.fromkeys(found))


def _written() -> Iterator[Tuple[int, bytes, os.stat_result]]:
    """Yield process, descriptor and file of whatever is open for writing."""
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
                yield pid, descriptor, info


def _is_file(path: bytes, info: os.stat_result) -> bool:
    try:
        found = os.stat(path)
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == (info.st_dev, info.st_ino)


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
