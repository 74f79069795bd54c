"""Who uses a directory or a note: a process, told from any other that has its number later."""

from __future__ import annotations

import json
import os
import time
from typing import Any

FILE = "owner"
OLD_SECONDS = 86400.0
_SIZE = 256
"""Every record has this size, so that one is replaced without room on the disk."""


def owner_of(pid: int = 0) -> dict[str, Any]:
    """Return what tells a process (this one: 0) from all others, fit for JSON."""
    number = pid or os.getpid()
    return {**_place(), "pid": number, "since": _started(number)}


def lives(owner: object) -> bool | None:
    """Whether a process is still there; None when that cannot be seen from here, or is none."""
    if not isinstance(owner, dict) or type(owner.get("pid")) is not int:
        return None
    if any(owner.get(key) != value for key, value in _place().items()):
        return None  # another container's processes cannot be seen from here
    return bool(owner.get("since")) and _started(owner["pid"]) == owner["since"]


def own(directory: bytes | str, pid: int = 0) -> None:
    """Say that a process (this one: 0) uses a directory. Raises OSError."""
    record = json.dumps(owner_of(pid)).encode("ascii").ljust(_SIZE)
    handle = os.open(_file(directory), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.pwrite(handle, record, 0)
        os.ftruncate(handle, len(record))
    finally:
        os.close(handle)
    os.utime(directory)


def owner_in(directory: bytes | str) -> object:
    """Return who uses a directory, None when that is not written there."""
    try:
        with open(_file(directory), "rb") as file:
            return json.loads(file.read(4 * _SIZE).decode("utf-8"))
    except (OSError, ValueError):
        return None


def is_left(directory: bytes | str) -> bool:
    """Whether nobody uses a directory any more; where that cannot be seen, after a day."""
    alive = lives(owner_in(directory))
    if alive is not None:
        return not alive
    try:
        return time.time() - os.lstat(directory).st_mtime > OLD_SECONDS
    except OSError:
        return False


def _file(directory: bytes | str) -> str:
    return os.path.join(os.fsdecode(directory), FILE)


def _place() -> dict[str, str]:
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
        return fields[19] if len(fields) > 19 and fields[0] not in "ZX" else ""
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
