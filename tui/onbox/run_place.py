"""One run as the gate sees it: where it lies, which weights matter, and who may be writing them."""

from __future__ import annotations

import json
import os
import stat
import time
from typing import Any, NamedTuple, Optional, Set

from tui.onbox.mounts import in_memory
from tui.onbox.open_files import FileKey
from tui.onbox.places import SUFFIX, WEIGHTS, explained, open_plain, raw, text
from tui.onbox.training import METRICS, STATUS

MATTER = ("best.pt", "last.pt")
MAX_STATUS = 1 << 20
OTHERS_NAMED = 3
WRITTEN = (STATUS, METRICS, b"results.csv", b"train.log")
QUIET_SECONDS = 12 * 3600.0
"""No epoch takes longer, and LibreYOLO writes at the end of each."""


class _Weights(NamedTuple):
    kind: str
    real: bytes | None = None
    reason: str | None = None


def place_of(path: bytes, written: Set[FileKey]) -> dict[str, Any]:
    """Return what is told of a run: where it and its weights lie, and which files matter."""
    weights = _weights(path)
    names: list[str] = []
    reason = weights.reason
    if weights.kind == "there" and weights.real is not None:
        names, reason = list_checkpoints(weights.real)
    matter = [name for name in MATTER if name in names] or names[:1]
    real = weights.real or b""
    files = [_entry(name, os.path.join(real, raw(name))) for name in matter]
    real_run = os.path.realpath(path)
    places = [real_run, real or real_run, *(raw(file["real"]) for file in files)]
    status = _status(path)
    pid = status.get("pid")
    return {
        "path": text(path),
        "real": text(real_run),
        "exists": os.path.isdir(path),
        "weights": weights.kind if reason is None else "unreadable",
        "reason": reason,
        "real_weights": None if weights.real is None else text(weights.real),
        "files": files,
        "others": [name for name in names if name not in matter][:OTHERS_NAMED],
        "others_count": len(names) - len(matter),
        "in_memory": in_memory(places),
        "state": status.get("state") if isinstance(status.get("state"), str) else None,
        "pid": pid if type(pid) is int else None,
        "pid_lives": _lives(pid),
        "quiet": _is_quiet(path, files),
        "written": any(_is_written(each, written) for each in (path, real) if each),
    }


def _weights(path: bytes) -> _Weights:
    """Return what stands for the weights of a run: there, none, or unreadable and why."""
    place = os.path.join(path, WEIGHTS)
    if not os.path.lexists(place):
        try:
            os.lstat(place)
        except (FileNotFoundError, NotADirectoryError):
            return _Weights("none")
        except OSError as error:
            return _Weights("unreadable", os.path.realpath(place), str(explained(error, place)))
    try:
        if stat.S_ISDIR(os.stat(place).st_mode):
            return _Weights("there", os.path.realpath(place))
        return _Weights("none")  # a file of that name holds no checkpoints
    except OSError as error:
        kind = "it is a link that leads nowhere" if os.path.islink(place) else error.strerror
        return _Weights("unreadable", os.path.realpath(place), "weights: %s" % kind)


def list_checkpoints(weights: bytes) -> tuple[list[str], str | None]:
    """Return the names of checkpoints, the newest first, and why they cannot be told."""
    rows = []
    try:
        with os.scandir(weights) as entries:
            for entry in entries:
                name = text(entry.name)
                if name.endswith(SUFFIX) and not name.startswith("."):
                    rows.append((_changed(entry), name))
    except OSError as error:
        return [], str(explained(error, weights))
    return [name for _, name in sorted(rows, reverse=True)], None


def _entry(name: str, path: bytes) -> dict[str, Any]:
    """Return what is told of a checkpoint: a link's bytes lie where it leads."""
    return {"name": name, "identity": _identity(path), "real": text(os.path.realpath(path))}


def _identity(path: bytes) -> list[int] | None:
    """Return what changes when a file is written, also when its old time is set again."""
    try:
        info = os.stat(path)
    except OSError:
        return None
    return [info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns]


def _status(path: bytes) -> dict[str, Any]:
    try:
        with open_plain(os.path.join(path, STATUS)) as file:
            values = json.loads(text(file.read(MAX_STATUS)))
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _is_written(run: bytes, written: Set[FileKey]) -> bool:
    """Whether a process has a file in there open: a training keeps its log open, and its weights
    while it saves them."""
    try:
        with os.scandir(run) as entries:
            return any(_key(entry) in written for entry in entries)
    except OSError:
        return False


def _key(entry: os.DirEntry[bytes]) -> Optional[FileKey]:
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    return (info.st_dev, info.st_ino)


def _is_quiet(run: bytes, files: list[dict[str, Any]]) -> bool:
    """Whether nothing of a run was written for so long that no training can be writing it."""
    paths = [os.path.join(run, name) for name in WRITTEN] + [raw(file["real"]) for file in files]
    times = []
    for path in paths:
        try:
            times.append(os.stat(path).st_mtime)
        except OSError:
            continue
    return bool(times) and max(times) < time.time() - QUIET_SECONDS


def _lives(pid: object) -> bool | None:
    """Whether there is a process of that number, whatever it is now; None without a number."""
    if type(pid) is not int or not 1 < pid < 1 << 22:
        return None
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def _changed(entry: os.DirEntry[bytes]) -> int:
    try:
        return entry.stat().st_mtime_ns
    except OSError:
        return 0
