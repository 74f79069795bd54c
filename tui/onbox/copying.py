"""Copying a file within a file system: sharing its blocks where possible, else in the kernel."""

from __future__ import annotations

import errno
import fcntl
import os
from typing import Callable

PIECE = 16 << 20
_FICLONE = 0x40049409
_UNSUPPORTED = (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF, errno.EPERM)

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""No room for a copy."""

FORBIDDEN = (errno.EROFS, errno.EACCES, errno.EPERM)
"""Nothing may be written there."""

Mover = Callable[[int, int, int], int]


def copy(source: int, target: int, size: int, tell: Callable[[int], None]) -> int:
    """Copy the first ``size`` bytes of one descriptor to another; return how many there were.

    ``tell`` is told the bytes done so far and may raise to stop. Raises OSError.
    """
    if _clone(source, target):
        return size
    done = 0
    movers = _movers()
    while done < size:
        try:
            moved = movers[0](source, target, min(PIECE, size - done))
        except OSError as error:
            if len(movers) == 1 or error.errno not in _UNSUPPORTED:
                raise
            movers = movers[1:]
            continue
        if moved == 0 and len(movers) > 1 and not done:
            movers = movers[1:]  # some file systems copy nothing instead of refusing
            continue
        if moved == 0:
            break
        done += moved
        tell(done)
    return done


def _movers() -> list[Mover]:
    """Return the ways to move bytes from where both descriptors stand, the best first."""
    if hasattr(os, "copy_file_range"):
        return [os.copy_file_range, _read_and_write]
    return [_read_and_write]


def _read_and_write(source: int, target: int, count: int) -> int:
    piece = os.read(source, count)
    view = memoryview(piece)
    while view:
        view = view[os.write(target, view) :]
    return len(piece)


def _clone(source: int, target: int) -> bool:
    """Share all blocks of the source (Btrfs, XFS, overlays on them)."""
    try:
        fcntl.ioctl(target, _FICLONE, source)
    except OSError:
        return False
    return True
