"""What the process table says of a training: the pid in status.json and its whole tree."""

import os
import time

BOOT_CLOCK = 7
"""CLOCK_BOOTTIME: what /proc/PID/stat counts from; Python names it only since 3.7."""

COMMAND_BYTES = 1000
MAX_TREE = 64

REUSE_SECONDS = 60.0
"""A process that started so long after the training began is another one with the same pid."""

LAUNCHERS = (b"python", b"libreyolo", b"torchrun", b"accelerate", b"deepspeed")
SHELLS = (b"sh", b"bash", b"dash", b"zsh", b"nohup", b"env", b"time", b"nice")
STRANGERS = (b"jupyter", b"ipykernel", b"supervisor", b"notebook", b"code-server", b"boxtop",
             b"tmux", b"sshd", b"gunicorn", b"uvicorn", b"celery", b"raylet")  # fmt: skip


class Entry:
    """One line of the process table; ``start`` in clock ticks since boot."""

    __slots__ = ("letter", "parent", "pid", "start")

    def __init__(self, pid: int, parent: int, letter: str, start: int) -> None:
        self.pid = pid
        self.parent = parent
        self.letter = letter
        self.start = start

    def zombie(self) -> bool:
        """Whether it has ended and only waits for its parent."""
        return self.letter in "ZXx"


def read(path: str, limit: int = 65536) -> bytes:
    """Return the start of a file of /proc, which may come in pieces."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = piece = os.read(descriptor, limit)
        while piece and len(data) < limit:
            piece = os.read(descriptor, limit - len(data))
            data += piece
        return data
    finally:
        os.close(descriptor)


def entry(pid: int) -> "Entry | None":
    """Return a process, None where there is none or it cannot be read."""
    try:
        data = read("/proc/%d/stat" % pid)
        rest = data[data.rindex(b")") + 2 :].split()
        return Entry(pid, int(rest[1]), rest[0].decode("latin-1"), int(rest[19]))
    except (OSError, ValueError, IndexError):
        return None


def exists(pid: int) -> bool:
    """Whether a pid is taken, even where /proc hides it."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def command(pid: int) -> bytes:
    """Return a process's command line, its words joined by blanks."""
    try:
        return read("/proc/%d/cmdline" % pid, COMMAND_BYTES).rstrip(b"\0").replace(b"\0", b" ")
    except OSError:
        return b""


def ignores_interrupt(pid: int) -> bytes:
    """Return 1 where SIGINT is ignored (bit 1 of SigIgn), 0 where not, ``-`` if unknown."""
    try:
        for line in read("/proc/%d/status" % pid).splitlines():
            if line.startswith(b"SigIgn:"):
                return b"1" if int(line.split()[1], 16) & 2 else b"0"
    except (OSError, ValueError, IndexError):
        return b"-"
    return b"-"


def table() -> "dict[int, Entry]":
    """Return the whole process table."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            process = entry(int(name))
            if process is not None:
                found[process.pid] = process
    return found


def words(pid: int) -> "tuple[bytes, bool]":
    """Return the program's own name, and whether its command line is a stranger's."""
    line = command(pid)
    parts = line.split(b" ")
    start = b" ".join(os.path.basename(part) for part in parts[:4])
    return os.path.basename(parts[0]).lstrip(b"-"), any(word in start for word in STRANGERS)


def program(pid: int) -> bytes:
    """Return the name of the file that a process runs: it stays when the process renames itself."""
    try:
        return os.path.basename(os.readlink(b"/proc/%d/exe" % pid))
    except OSError:
        return b""


def top(pid: int, processes: "dict[int, Entry]") -> int:
    """Climb from a training's pid to its topmost ancestor that still belongs to it.

    Shells between two launchers are passed over; pid 1, our own ancestors, and servers that
    people start things from (sshd, tmux, jupyter) never belong to a training.
    """
    ours = ancestors(os.getpid(), processes)
    highest = pid
    at = processes[pid].parent
    while at > 1 and at in processes and at not in ours:
        name, stranger = words(at)
        if stranger:
            break
        if name.startswith(LAUNCHERS):
            highest = at
        elif name not in SHELLS:
            break
        at = processes[at].parent
    return highest


def ancestors(pid: int, processes: "dict[int, Entry]") -> "set[int]":
    """Return a process and everything above it."""
    found: "set[int]" = set()
    while pid in processes and pid not in found:
        found.add(pid)
        pid = processes[pid].parent
    return found


def descendants(pid: int, processes: "dict[int, Entry]") -> "list[int]":
    """Return a process and everything below it."""
    children: "dict[int, list[int]]" = {}
    for process in processes.values():
        children.setdefault(process.parent, []).append(process.pid)
    found = [pid]
    for parent in found:
        found.extend(child for child in children.get(parent, ()) if child not in found)
    return found


class Training:
    """The process of one run, and those that belong to it, from look to look.

    ``alive`` says that the pid is a running process, ``genuine`` that it is still the training's:
    not a later process with the same pid, nor a program that trains nothing.
    """

    def __init__(self) -> None:
        self.pid = 0
        self.begun = 0.0
        self.boot = boot_time()
        self.family: "dict[int, int]" = {}
        self.process: "Entry | None" = None
        self.alive = False
        self.genuine = False
        self.described = -1
        self.command = b""
        self.signal = b"-"

    def name(self, pid: int, begun: float) -> bool:
        """Take the pid that status.json gives, and when it says to have begun; True when new."""
        self.begun = begun
        if pid == self.pid:
            return False
        self.pid = pid
        self.family = {}
        return True

    def look(self) -> None:
        """See whether the process lives; what it is called is read once for each process."""
        self.process = entry(self.pid) if self.pid else None
        self.alive = self.process is not None and not self.process.zombie()
        if self.process is None or not self.alive:
            self.genuine = False
        elif self.process.start != self.described:
            self.described = self.process.start
            self.command = command(self.pid)
            self.signal = ignores_interrupt(self.pid)
            self.genuine = self.fits(self.process)

    def fits(self, process: Entry) -> bool:
        """Whether start and name are those of a training that began when status.json says."""
        started = None if self.boot is None else self.boot + process.start / clock_ticks()
        if self.begun and started is not None and started > self.begun + REUSE_SECONDS:
            return False
        return words(self.pid)[0].startswith(LAUNCHERS) or program(self.pid).startswith(LAUNCHERS)

    def facts(self) -> "list[tuple[bytes, bytes]]":
        """Return what is to be sent of this training: ``process``, ``command``, ``task``…"""
        if not self.pid:
            return []
        if self.process is None:
            state = b"unreadable" if exists(self.pid) else b"gone"
            return [(b"process", b"%d %s - -" % (self.pid, state)), *self.tasks()]
        state = b"alive" if self.alive else b"zombie"
        line = b"%d %s %s %s" % (self.pid, state, self.started(self.process.start), self.signal)
        return [(b"process", line), (b"command", self.command), *self.tasks()]

    def started(self, ticks: int) -> bytes:
        """Return a start time by the box's clock, ``-`` where the boot time is not known."""
        if self.boot is None:
            return b"-"
        return b"%.2f" % (self.boot + ticks / clock_ticks())

    def tasks(self) -> "list[tuple[bytes, bytes]]":
        """Return the other processes of the tree; those that outlived the training too."""
        facts: "list[tuple[bytes, bytes]]" = []
        for pid, start in list(self.family.items()):
            process = entry(pid)
            if process is None or process.start != start:
                del self.family[pid]
                continue
            state = b"zombie" if process.zombie() else b"alive"
            line = b"%d %d %s %s" % (pid, process.parent, state, command(pid))
            facts.append((b"task", line))
        return facts

    def survey(self, processes: "dict[int, Entry]") -> None:
        """Find the members of the tree in a fresh process table."""
        self.described = -1
        self.look()
        if self.genuine and self.pid in processes:
            heads = [top(self.pid, processes)]
        else:
            heads = [pid for pid in self.family if pid in processes]
        for head in heads:
            for pid in descendants(head, processes):
                if pid != self.pid and len(self.family) < MAX_TREE:
                    self.family[pid] = processes[pid].start


def clock_ticks() -> int:
    """Return how many ticks of the process table make a second."""
    return os.sysconf("SC_CLK_TCK")


def boot_time() -> "float | None":
    """Return when the box booted, by its clock."""
    try:
        return time.time() - time.clock_gettime(BOOT_CLOCK)
    except (AttributeError, OSError):
        return None
