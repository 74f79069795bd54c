"""The box itself: memory, load, disks. What is read here is understood on our side."""

import os

from tui.links.follower.processes import read

SHARED_MEMORY = b"/dev/shm"

OFTEN = (
    (b"loadavg", ("/proc/loadavg",), ()),
    (b"meminfo", ("/proc/meminfo",), (b"MemTotal:", b"MemAvailable:", b"MemFree:", b"Cached:")),
)  # fmt: skip
"""Name, where to read it (the first that says something), and the lines that matter."""

LIMITED = (
    (b"cgroup_used", ("/sys/fs/cgroup/memory.current",
                      "/sys/fs/cgroup/memory/memory.usage_in_bytes"), ()),
    (b"cgroup_stat", ("/sys/fs/cgroup/memory.stat",
                      "/sys/fs/cgroup/memory/memory.stat"),
     (b"inactive_file ", b"total_inactive_file ")),
)  # fmt: skip
"""What means nothing, and costs the kernel something, where the cgroup has no limit."""

SELDOM = (
    (b"cgroup_limit", ("/sys/fs/cgroup/memory.max",
                       "/sys/fs/cgroup/memory/memory.limit_in_bytes"), ()),
    (b"cgroup_cpu", ("/sys/fs/cgroup/cpu.max",), ()),
    (b"oom", ("/sys/fs/cgroup/memory.events",
              "/sys/fs/cgroup/memory/memory.oom_control",
              "/proc/vmstat"), (b"oom_kill ",)),
)  # fmt: skip
"""What hardly ever changes, or costs much to read."""

UNLIMITED_DIGITS = 18


class Machine:
    """The facts of this box, as text of its own files."""

    def __init__(self) -> None:
        self.seldom: "list[tuple[bytes, bytes]]" = []
        self.limited = False

    def refresh(self) -> None:
        """Read what hardly ever changes."""
        self.seldom = texts(SELDOM)
        limit = dict(self.seldom).get(b"cgroup_limit", b"max")
        self.limited = limit.isdigit() and len(limit) < UNLIMITED_DIGITS
        count = os.cpu_count()
        if hasattr(os, "sched_getaffinity"):
            count = len(os.sched_getaffinity(0))
        if count:
            self.seldom.append((b"cpus", b"%d" % count))

    def facts(self) -> "list[tuple[bytes, bytes]]":
        """Return everything known now."""
        found = self.seldom + texts(OFTEN)
        if self.limited:
            found += texts(LIMITED)
        shared = space(SHARED_MEMORY)
        if shared:
            found.append((b"shm", shared))
        return found


def texts(
    sources: "tuple[tuple[bytes, tuple[str, ...], tuple[bytes, ...]], ...]",
) -> "list[tuple[bytes, bytes]]":
    """Return the name and text of every source that says something."""
    found = []
    for name, paths, wanted in sources:
        for path in paths:
            text = lines(path, wanted)
            if text:
                found.append((name, text))
                break
    return found


def lines(path: str, wanted: "tuple[bytes, ...]") -> bytes:
    """Return a file's text, or only the lines that start with one of some words."""
    try:
        data = read(path)
    except OSError:
        return b""
    if not wanted:
        return data.strip()
    return b"\n".join(line for line in data.splitlines() if line.startswith(wanted))


def space(path: bytes) -> bytes:
    """Return ``free total inodes_free inodes_total`` of a path's file system, in bytes."""
    try:
        disk = os.statvfs(path)
    except OSError:
        return b""
    return b"%d %d %d %d" % (
        disk.f_bavail * disk.f_frsize,
        disk.f_blocks * disk.f_frsize,
        disk.f_favail,
        disk.f_files,
    )


def remote(device: int) -> bool:
    """Whether a device number is a network disk's, whose changes the kernel does not tell us."""
    wanted = b"%d:%d" % (os.major(device), os.minor(device))
    try:
        mounts = read("/proc/self/mountinfo", 1000000)
    except OSError:
        return False
    for line in mounts.splitlines():
        before, _, after = line.partition(b" - ")
        parts = before.split()
        if len(parts) > 2 and parts[2] == wanted:
            kind = after.split(b" ")[0]
            return kind.startswith(REMOTE) and kind != b"fuse.fuse-overlayfs"
    return False


REMOTE = (b"nfs", b"cifs", b"smb", b"9p", b"fuse", b"lustre", b"gpfs", b"ceph", b"beegfs",
          b"glusterfs", b"virtiofs", b"wekafs", b"afs", b"ocfs", b"gfs")  # fmt: skip
