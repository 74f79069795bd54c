"""What a path lies on: a disk, memory that is gone with the power, or a disk of another machine."""

from __future__ import annotations

import os
from typing import Dict, Iterable

VOLATILE = ("tmpfs", "ramfs")
OVER_SSH = ("fuse.sshfs",)
MOUNTS = "/proc/self/mountinfo"


def in_memory(paths: Iterable[bytes]) -> bool:
    """Whether any of some real paths lies on no disk; False where that cannot be told."""
    kinds = _kinds()
    return any(kinds.get(_device(path)) in VOLATILE for path in paths)


def is_over_ssh(path: str) -> bool:
    """Whether a path lies on a disk of another machine that is mounted over SSH."""
    return _kinds().get(_device(os.fsencode(path))) in OVER_SSH


def _kinds() -> Dict[str, str]:
    """Return the kind of each mounted file system by its device, ``major:minor``."""
    found = {}
    try:
        with open(MOUNTS, "rb") as file:
            for line in file.read().decode("utf-8", "replace").splitlines():
                mount, _, system = line.partition(" - ")
                fields = mount.split()
                if len(fields) > 2:
                    found[fields[2]] = system.split(" ")[0]
    except OSError:
        pass
    return found


def _device(path: bytes) -> str:
    try:
        device = os.stat(path).st_dev
    except (OSError, ValueError):
        return ""
    return "%d:%d" % (os.major(device), os.minor(device))
