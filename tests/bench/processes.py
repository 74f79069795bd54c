"""Processes as the kernel counts them: CPU time, memory, children; and starting them measured."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ended (Linux)."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def cpu_seconds(pid: int) -> float:
    """CPU time of all threads of a process so far, finer than a tick.

    /proc/PID/stat counts ticks of 10 ms, too coarse for a process that is almost idle; the
    scheduler's own count is exact but forgets threads that ended.
    """
    living = 0.0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            living += int((task / "schedstat").read_text().split()[0]) / 1e9
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return max(living, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))


def resident_bytes(pid: int) -> int:
    """Resident memory of a process, shared pages included."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Used:
    """What a process used over a while: its share of a core, and its resident memory at the end."""

    share: float
    resident_bytes: int


def used_over(pid: int, seconds: float) -> Used:
    """Watch a process for a while."""
    before, began = cpu_seconds(pid), time.monotonic()
    time.sleep(seconds)
    share = (cpu_seconds(pid) - before) / (time.monotonic() - began)
    return Used(share, resident_bytes(pid))


def parents() -> dict[int, int]:
    """The parent of every process of this machine."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                stat = (entry / "stat").read_text()
                found[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    return found


def descendants(pid: int) -> list[int]:
    """All processes below one, nearest first."""
    table = parents()
    found = [pid]
    for parent in found:
        found += [child for child, its_parent in table.items() if its_parent == parent]
    return found[1:]


def command(pid: int) -> str:
    """A process's command line, "" when it is gone."""
    try:
        return (
            Path(f"/proc/{pid}/cmdline")
            .read_bytes()
            .replace(b"\0", b" ")
            .decode("utf-8", "replace")
        )
    except OSError:
        return ""


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    """Send a signal to one process; one that is gone already is well."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def end_descendants() -> None:
    """Kill everything that this process started and that still runs, and take its farewell."""
    while left := descendants(os.getpid()):
        for pid in left:
            kill(pid)
        while _one_ended():
            pass
        time.sleep(0.01)


def _one_ended() -> bool:
    """Take the farewell of one ended child."""
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return False
