"""What of a box lies in memory: gone with its power, also where a stop keeps the whole disk."""

from __future__ import annotations

import os
from typing import Iterable, Set

VOLATILE = (b"tmpfs", b"ramfs")
MOUNTS = "/proc/self/mountinfo"


def in_memory(paths: Iterable[bytes]) -> bool:
    """Whether any of some real paths lies on no disk; False where that cannot be told."""
    devices = _devices()
    return any(_device(path) in devices for path in paths) if devices else False


def _devices() -> Set[bytes]:
    """Return the devices of what is mounted from memory, as ``major:minor``."""
    found = set()
    try:
        with open(MOUNTS, "rb") as file:
            for line in file:
                fields, _, kind = line.partition(b" - ")
                if kind.split(b" ")[0] in VOLATILE and len(fields.split()) > 2:
                    found.add(fields.split()[2])
    except OSError:
        pass
    return found


def _device(path: bytes) -> bytes:
    try:
        device = os.stat(path).st_dev
    except OSError:
        return b""
    return b"%d:%d" % (os.major(device), os.minor(device))
