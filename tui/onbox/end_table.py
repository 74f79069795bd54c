"""The process table of the box: who runs, who started whom, and what each does with signals."""

from __future__ import annotations

import os
import signal
import time
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

from tui.onbox.places import Refused

COMMAND_BYTES = 300
_PIECE = 1 << 16
_INTERRUPT_BIT = 1 << (signal.SIGINT - 1)


class Process(NamedTuple):
    """One line of the table; ``start`` in clock ticks since boot: with the pid it names it."""

    pid: int
    parent: int
    group: int
    session: int
    letter: str
    start: int

    @property
    def alive(self) -> bool:
        """Whether it has not ended; one that only waits for its parent to ask has."""
        return self.letter not in "ZXx"

    @property
    def stopped(self) -> bool:
        """Whether it is halted, by Ctrl-Z or a debugger: signals wait until it goes on."""
        return self.letter in "Tt"


Table = Dict[int, Process]


def process(pid: int) -> Optional[Process]:
    """Return a process, None where there is none or it cannot be read."""
    try:
        data = _read("/proc/%d/stat" % pid)
        rest = data[data.rindex(b")") + 2 :].split()
        group, session, start = int(rest[2]), int(rest[3]), int(rest[19])
        return Process(pid, int(rest[1]), group, session, rest[0].decode("latin-1"), start)
    except (OSError, ValueError, IndexError):
        return None


def table() -> Table:
    """Return every process that can be seen. Raises Refused where there is no /proc."""
    try:
        listed = os.listdir("/proc")
    except OSError:
        raise Refused("missing", "there is no /proc here to find the training in") from None
    found = (process(int(name)) for name in listed if name.isdigit())
    return {one.pid: one for one in found if one is not None}


def exists(pid: int) -> bool:
    """Whether a pid is taken, even where /proc hides it."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def command(pid: int) -> str:
    """Return a command line, its words joined by blanks; empty where it cannot be read."""
    try:
        line = _read("/proc/%d/cmdline" % pid)[:COMMAND_BYTES].rstrip(b"\0")
    except OSError:
        return ""
    return line.replace(b"\0", b" ").decode("utf-8", "replace")


def names(pid: int) -> List[str]:
    """Return the file names of the first words of the command, and of the program that runs."""
    words = command(pid).split(" ")[:4]
    found = [os.path.basename(word).lstrip("-") for word in words]
    try:
        found.append(os.path.basename(os.readlink("/proc/%d/exe" % pid)))
    except OSError:
        found.append("")
    return found


def owner(pid: int) -> Optional[int]:
    """Return the user id that a process belongs to."""
    try:
        return os.stat("/proc/%d" % pid).st_uid
    except OSError:
        return None


def ignores_interrupt(pid: int) -> Optional[bool]:
    """Whether SIGINT is ignored (bit 1 of SigIgn), None where it cannot be read."""
    value = _status_field(pid, b"SigIgn:")
    try:
        return bool(int(value[0], 16) & _INTERRUPT_BIT) if value else None
    except ValueError:
        return None


def inner_pids(pid: int) -> Tuple[int, ...]:
    """Return a process's pids from our own pid namespace to its innermost one."""
    try:
        return tuple(int(value) for value in _status_field(pid, b"NSpid:"))
    except ValueError:
        return ()


def descendants(pid: int, processes: Table) -> List[int]:
    """Return a process and everything below it, parents first."""
    children: Dict[int, List[int]] = {}
    for one in processes.values():
        children.setdefault(one.parent, []).append(one.pid)
    found, seen = [pid], {pid}
    for parent in found:
        for child in children.get(parent, ()):
            if child not in seen:
                seen.add(child)
                found.append(child)
    return found


def ancestors(pid: int, processes: Table) -> Set[int]:
    """Return a process and everything above it."""
    found: Set[int] = set()
    while pid in processes and pid not in found:
        found.add(pid)
        pid = processes[pid].parent
    return found


def started_at(start: int) -> Optional[float]:
    """Return a start by the box's clock, in seconds since the epoch."""
    try:
        boot = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
        return boot + start / os.sysconf("SC_CLK_TCK")
    except (AttributeError, OSError, ValueError):
        return None


def _status_field(pid: int, name: bytes) -> List[bytes]:
    try:
        for line in _read("/proc/%d/status" % pid).splitlines():
            if line.startswith(name):
                return line.split()[1:]
    except OSError:
        pass
    return []


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        data = piece = file.read(_PIECE) or b""
        while piece and len(data) < _PIECE:
            piece = file.read(_PIECE) or b""
            data += piece
    return data
