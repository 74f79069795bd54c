"""What tells a file that was copied here from every other file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from tui.actions.snapshot import Identity


class Copy(NamedTuple):
    """What tells a proven copy from whatever is put in its place later."""

    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, handle: int) -> Copy:
        """The copy that is open. Raises OSError."""
        info = os.fstat(handle)
        return cls(info.st_mtime_ns, info.st_ino)


def is_itself(path: Path, identity: Identity) -> bool:
    """Whether a file of this machine is the very file that a box told of.

    A box may be this machine, or share a disk with it.
    """
    try:
        info = path.stat()
    except OSError:
        return False
    return Identity(info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns) == identity
