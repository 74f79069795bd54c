"""What tells that a process is the training of one run, and not another that looks like it.

The best sign is a file of the run that it has open for writing: LibreYOLO keeps the run's own
train.log open as long as it trains. Pid, start time and name alone can be another's.
"""

from __future__ import annotations

import json
import os
import stat
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from tui.onbox.end_table import Process, Table, exists, inner_pids, names, owner, started_at, table
from tui.onbox.open_files import is_for_writing, listed
from tui.onbox.places import Refused, explained, open_plain, raw, text
from tui.onbox.training import STATUS

REUSE_SECONDS = 60.0
"""A process that started so long after the training began is another one with the same pid."""

LAUNCHERS = ("python", "pypy", "libreyolo", "torchrun", "accelerate", "deepspeed")
LOG = b"train.log"
_MAX_STATUS = 1 << 20


class Written(NamedTuple):
    """Which runs a process has files open of, for writing."""

    own: bool = False
    other: Optional[str] = None


class Gone(Exception):
    """The training's process has ended; ``str`` says how that is known."""


class Run:
    """One run directory, and the process that its status names."""

    def __init__(self, path: str, pid: int, began: Optional[float]) -> None:
        """Raises Refused("usage") for a path that is none."""
        if not path.startswith("/") or "\0" in path:
            raise Refused("usage", "not an absolute path: %s" % path)
        self.path = os.path.realpath(raw(path))
        self.pid = pid
        self.began = began
        self._files: Set[Tuple[int, int]] = set()

    def status(self) -> Dict[str, Any]:
        """Return ``state``, ``pid`` and ``error`` of the status as it is now, what there is."""
        try:
            with open_plain(os.path.join(self.path, STATUS)) as file:
                values = json.loads(file.read(_MAX_STATUS).decode("utf-8", "replace"))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(values, dict):
            return {}
        error = values.get("error")
        kind = error.get("type") if isinstance(error, dict) else None
        return {"state": values.get("state"), "pid": values.get("pid"), "error": kind}

    def process(self) -> Process:
        """Return the training's process. Raises Gone, Refused("refused") for another's pid."""
        self._look_at_files()
        self._check_status()
        if self.pid <= 1:
            raise Refused("refused", "pid 1 is the box itself: ending it would end the box")
        processes = table()
        found = processes.get(self.pid)
        if found is not None and found.alive and self._refusal(found) is None:
            return found
        elsewhere = self._in_a_container(processes)
        if elsewhere is not None:
            return elsewhere
        if found is None:
            if exists(self.pid):
                raise Refused("denied", "process %d cannot be read by this user" % self.pid)
            raise Gone("there is no process %d any more" % self.pid)
        if not found.alive:
            raise Gone("process %d has ended, and its parent has not noticed" % self.pid)
        raise Refused("refused", self._refusal(found) or "")

    def written(self, pid: int) -> Written:
        """Say which runs a process writes; nothing where that cannot be seen."""
        own, other = False, None
        for name in listed("/proc/%d/fd" % pid):
            if not is_for_writing(pid, name):
                continue
            link = b"/proc/%d/fd/%s" % (pid, name)
            try:
                info, path = os.stat(link), os.readlink(link)
            except OSError:
                continue
            if (info.st_dev, info.st_ino) in self._files:
                own = True
            elif os.path.basename(path) == LOG and _is_run(os.path.dirname(path)):
                other = text(os.path.dirname(path))
        return Written(own, other)

    def writers(self, processes: Table) -> List[Process]:
        """Return the Pythons that have files of the run open although its process is gone."""
        found = []
        for one in processes.values():
            python = one.alive and one.pid > 1 and is_launcher(names(one.pid))
            if python and self.written(one.pid).own:
                found.append(one)
        return sorted(found)

    def writes_another(self, pid: int) -> bool:
        """Whether a process trains another run, and not this one."""
        written = self.written(pid)
        return written.other is not None and not written.own

    def _look_at_files(self) -> None:
        try:
            self._files = _files_of(self.path)
        except OSError as error:
            raise explained(error, self.path) from None

    def _check_status(self) -> None:
        """Raise Refused when the run has a newer process than the one that was named."""
        status = self.status()
        if status.get("state") == "completed":
            raise Gone("the run is completed")
        told = status.get("pid")
        if type(told) is int and told != self.pid:
            words = "the run has another process now: %d, not %d" % (told, self.pid)
            raise Refused("changed", words)

    def _refusal(self, found: Process) -> Optional[str]:
        """Return why a process is not this run's training, None when it is."""
        written = self.written(found.pid)
        if written.own:
            return None
        who = "process %d" % found.pid
        if written.other is not None:
            return "%s trains another run now: %s" % (who, written.other)
        called = names(found.pid)
        if not is_launcher(called):
            return "%s is another program now: %s" % (who, called[0] or "unknown")
        started = started_at(found.start)
        if started is not None and self.began and started > self.began + REUSE_SECONDS:
            return "%s started after the run did: another program has its pid now" % who
        user, keeper = owner(found.pid), self._owner()
        if user is not None and keeper is not None and user != keeper:
            return "%s is another user's" % who
        return None

    def _in_a_container(self, processes: Table) -> Optional[Process]:
        """Return the one process that has the pid in a namespace of its own and writes the run."""
        found = []
        for one in processes.values():
            inner = inner_pids(one.pid)
            same = len(inner) > 1 and inner[-1] == self.pid
            if same and one.alive and self.written(one.pid).own:
                found.append(one)
        return found[0] if len(found) == 1 else None

    def _owner(self) -> Optional[int]:
        try:
            return os.stat(os.path.join(self.path, STATUS)).st_uid
        except OSError:
            return None


def is_launcher(called: List[str]) -> bool:
    """Whether the names of a process are those of a program that trains, or starts trainings."""
    return called[0].startswith(LAUNCHERS) or called[-1].startswith(LAUNCHERS)


def _files_of(path: bytes) -> Set[Tuple[int, int]]:
    found = set()
    with os.scandir(path) as entries:
        for entry in entries:
            info = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(info.st_mode):
                found.add((info.st_dev, info.st_ino))
    return found


def _is_run(directory: bytes) -> bool:
    return os.path.isfile(os.path.join(directory, STATUS))
