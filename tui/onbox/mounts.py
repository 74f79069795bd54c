"""What a path lies on: a disk, memory that is gone with the power, or a disk of another machine."""

from __future__ import annotations

import os
import re
from typing import Dict, FrozenSet, Iterable, List, Tuple

VOLATILE = ("tmpfs", "ramfs")
OVER_SSH = ("fuse.sshfs",)
FOREIGN = (
    *("afs", "beegfs", "ceph", "cifs", "glusterfs", "lustre", "nfs", "nfs4", "smb3", "virtiofs"),
    *("fuse.ceph", "fuse.gcsfuse", "fuse.geesefs", "fuse.glusterfs", "fuse.goofys"),
    *("fuse.juicefs", "fuse.JuiceFS", "fuse.mount-s3", "fuse.mountpoint-s3", "fuse.rclone"),
    *("fuse.s3fs", "fuse.sshfs", "fuse.blobfuse", "fuse.blobfuse2"),
)
"""Kinds of disks that other machines keep."""

MOUNTS = "/proc/self/mountinfo"


def in_memory(paths: Iterable[bytes]) -> bool:
    """Whether any of some real paths lies on no disk; False where that cannot be told."""
    kinds = _kinds()
    return any(kinds.get(_device(path)) in VOLATILE for path in paths)


def is_over_ssh(path: str) -> bool:
    """Whether a path lies on a disk of another machine that is mounted over SSH."""
    return _kinds().get(_device(os.fsencode(path))) in OVER_SSH


def foreign_mounts() -> FrozenSet[bytes]:
    """Return where disks of other machines are mounted, which outlive the box."""
    return frozenset(
        _unescaped(fields[4]) for fields, kind in _mounts() if len(fields) > 4 and kind in FOREIGN
    )


def _kinds() -> Dict[str, str]:
    """Return the kind of each mounted file system by its device, ``major:minor``."""
    return {fields[2]: kind for fields, kind in _mounts() if len(fields) > 2}


def _mounts() -> List[Tuple[List[str], str]]:
    """Return the fields of each mount, and the kind of its file system."""
    found = []
    try:
        with open(MOUNTS, "rb") as file:
            for line in file.read().decode("utf-8", "surrogateescape").splitlines():
                mount, _, system = line.partition(" - ")
                found.append((mount.split(), system.split(" ")[0]))
    except OSError:
        pass
    return found


def _unescaped(path: str) -> bytes:
    """Return a mount's path; its odd characters stand there as octal numbers."""
    data = path.encode("utf-8", "surrogateescape")
    return re.sub(rb"\\([0-7]{3})", lambda found: bytes([int(found.group(1), 8) & 255]), data)


def _device(path: bytes) -> str:
    try:
        device = os.stat(path).st_dev
    except (OSError, ValueError):
        return ""
    return "%d:%d" % (os.major(device), os.minor(device))
