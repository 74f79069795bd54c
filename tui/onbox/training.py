"""What the files beside the weights tell of the training that writes them."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from tui.onbox.places import open_plain, text

STATUS = b"status.json"
METRICS = b"metrics.jsonl"
_MAX_STATUS = 1 << 20
_LAST_ROW_BYTES = 64 << 10
_EPOCH_NAME = re.compile(r"epoch_(\d{1,9})\.pt\Z")


class Training:
    """The training of one run, as its files have it at each question."""

    def __init__(self, run: bytes) -> None:
        self._status = os.path.join(run, STATUS)
        self._metrics = os.path.join(run, METRICS)

    def tick(self) -> tuple[int, int]:
        """Return what changes with each status: inode and mtime in ns, zeros without one."""
        try:
            info = os.stat(self._status)
        except OSError:
            return (0, 0)
        return (info.st_ino, info.st_mtime_ns)

    def alive(self) -> bool:
        """Whether the status says running and its process lives, as far as can be seen."""
        return self.process() is not None

    def process(self) -> int | None:
        """Return the pid of a training that is alive in that sense."""
        status = self._read_status()
        pid = status.get("pid")
        if status.get("state") != "running" or type(pid) is not int or not 1 < pid < 1 << 22:
            return None
        try:
            os.kill(pid, 0)
        except PermissionError:
            return pid
        except OSError:
            return None
        return None if _is_zombie(pid) else pid

    def covers(self, mtime_ns: int) -> bool:
        """Whether a status was written since: the weights of its epoch were complete by then."""
        return self.tick()[1] >= mtime_ns

    def epoch_of(self, name: str, mtime_ns: int) -> int | None:
        """Return the epoch that a checkpoint holds, None where the files do not tell.

        At an epoch's end the weights are written first, then the metrics row, then the status: what
        is older than a file tells nothing of it.
        """
        named = _EPOCH_NAME.match(name)
        if named:
            return int(named.group(1))
        if name not in ("best.pt", "last.pt"):
            return None
        key = "best_epoch" if name == "best.pt" else "epoch"
        told = _whole(self._last_row(mtime_ns).get(key))
        if told is not None or not self.covers(mtime_ns):
            return told
        status = self._read_status()
        if name == "best.pt":
            return _whole(status.get("best_epoch"))
        return _finished_epoch(status)

    def _read_status(self) -> dict[str, Any]:
        try:
            with open_plain(self._status) as file:
                return _json(file.read(_MAX_STATUS))
        except OSError:
            return {}

    def _last_row(self, mtime_ns: int) -> dict[str, Any]:
        """Return the last whole row of the metrics, empty where they or the status are older."""
        try:
            with open_plain(self._metrics) as file:
                info = os.fstat(file.fileno())
                if max(info.st_mtime_ns, self.tick()[1]) < mtime_ns:
                    return {}
                file.seek(max(0, info.st_size - _LAST_ROW_BYTES))
                rows = file.read(_LAST_ROW_BYTES).split(b"\n")[:-1]
        except OSError:
            return {}
        return _json(rows[-1]) if rows else {}


def _finished_epoch(status: dict[str, Any]) -> int | None:
    if status.get("state") == "running":
        return _whole(status.get("current_epoch"))
    start, done = _whole(status.get("start_epoch")), _whole(status.get("completed_epochs"))
    if status.get("state") != "completed" or start is None or done is None:
        return None
    return start - 1 + done


def _whole(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < 1 << 40 else None


def _json(data: bytes) -> dict[str, Any]:
    try:
        values = json.loads(text(data))
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _is_zombie(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read(4096).rpartition(b")")[2].split()[:1] == [b"Z"]
    except OSError:
        return False
