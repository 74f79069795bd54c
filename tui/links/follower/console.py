"""Finding a run's console log: the file behind ``nohup … > train.log 2>&1``."""

import os
import stat

from tui.links.follower.processes import Entry, read

DELETED = b" (deleted)"
PATTERNS = (b"train.log", b"nohup.out", b"console.log")
LOG_SUFFIX = b".log"
MAX_NAMES = 2000


def regular(link: str) -> "bytes | None":
    """Return the regular file that an open descriptor leads to."""
    try:
        path = os.readlink(os.fsencode(link))
        if not path.startswith(b"/") or path.endswith(DELETED):
            return None
        return path if stat.S_ISREG(os.stat(path).st_mode) else None
    except OSError:
        return None


def output_of(pid: int) -> "bytes | None":
    """Return the regular file that a process writes its output or errors to."""
    return regular("/proc/%d/fd/1" % pid) or regular("/proc/%d/fd/2" % pid)


def tee_of(pid: int, processes: "dict[int, Entry]") -> "bytes | None":
    """Return the file of ``… | tee train.log`` when a process writes into such a pipe."""
    try:
        pipe = os.readlink("/proc/%d/fd/1" % pid)
        if not pipe.startswith("pipe:"):
            return None
    except OSError:
        return None
    for other in processes:
        try:
            if read("/proc/%d/comm" % other).strip() != b"tee":
                continue
            if os.readlink("/proc/%d/fd/0" % other) != pipe:
                continue
            for descriptor in sorted(os.listdir("/proc/%d/fd" % other), key=int)[3:]:
                path = regular("/proc/%d/fd/%s" % (other, descriptor))
                if path is not None:
                    return path
        except OSError:
            continue
    return None


def readable(pid: int) -> bool:
    """Whether we may see where a process writes to."""
    try:
        os.readlink("/proc/%d/fd/1" % pid)
        return True
    except OSError:
        return False


def beside(folders: "list[bytes]", begun: float, until: float) -> "list[bytes]":
    """Return the logs in these directories that were last written within a time.

    Those with a usual name come first, then the newest.
    """
    fitting = []
    for folder in folders:
        for name in names(folder):
            path = os.path.join(folder, name)
            try:
                found = os.stat(path)
            except OSError:
                continue
            if stat.S_ISREG(found.st_mode) and found.st_size and begun <= found.st_mtime <= until:
                fitting.append((name in PATTERNS, found.st_mtime, path))
    return [path for _, _, path in sorted(fitting, reverse=True)]


def names(folder: bytes) -> "list[bytes]":
    """Return the names in a directory that look like a console log's."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for count, one in enumerate(entries):
                if count >= MAX_NAMES:
                    break
                if one.name in PATTERNS or one.name.endswith(LOG_SUFFIX):
                    found.append(one.name)
    except OSError:
        return []
    return found
