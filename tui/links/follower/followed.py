"""Following single files, and those that their writer replaces as a whole."""

import errno
import os
import time
from abc import ABC, abstractmethod

from tui.links.follower.disk import Info, LocalDisk, stat_field
from tui.links.follower.wire import Memory

NEXT_ROUND = 0.5

IRREGULAR = -1
"""Beside the codes of errno: a FIFO, socket, device or directory stands in the file's place."""

PASSING = (errno.ENOENT, errno.ENOTDIR, errno.ESTALE, errno.EIO)
"""Seen once, these may be an atomic replacement or a hiccup of a network disk."""


def words(code: int) -> bytes:
    """Return what is told of a trouble: errno's name, or the words for what has none there."""
    if code == IRREGULAR:
        return b"not a regular file"
    return errno.errorcode.get(code, str(code)).encode()


def regular(opened: Info) -> Info:
    """Return what an open handle is; OSError where something else took the file's place."""
    if not opened.regular:
        raise OSError(IRREGULAR, "not a regular file")
    return opened


class Guarded:
    """``with Guarded(file)``: a fault of ours within is that file's trouble and stops nothing else.

    What says that the watcher, or the way to the disk, is gone passes through.
    """

    def __init__(self, followed: "Followed") -> None:
        self.followed = followed

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: "BaseException | None", _: object) -> bool:
        gone: "tuple[type[Exception], ...]" = (ConnectionError, *self.followed.disk.gone)
        if not isinstance(error, Exception) or isinstance(error, gone):
            return False
        self.followed.failed(error)
        return True


class Followed(ABC):
    """One file of one run, looked at again and again by its path.

    ``known`` says that the watching side has heard of it, so that its going is news; ``seen`` is
    the signature up to which everything was sent; ``caught_up`` that there was nothing more to
    send at least once.
    """

    def __init__(self, disk: LocalDisk, output: Memory, run: bytes, name: bytes) -> None:
        self.disk = disk
        self.output = output
        self.run = run
        self.name = name
        self.path = os.path.join(run, name)
        self.known = False
        self.caught_up = False
        self.misses = 0
        self.missed_at = 0.0
        self.trouble: "tuple[object, ...] | None" = None
        self.seen: "tuple[int, ...] | None" = None
        self.modified = 0

    def check(self) -> "float | None":
        """Look at the file once; return in how many seconds to look again, None for no hurry."""
        info = None
        try:
            info = self.disk.info(self.path)
            if not info.regular:
                return self.missed(IRREGULAR, None)
            self.modified = info.modified
            again = self.take(info)
        except OSError as error:
            return self.missed(error.errno or errno.EIO, info)
        self.misses = 0
        self.trouble = None
        self.caught_up = self.caught_up or again is None
        return again

    @abstractmethod
    def take(self, info: Info) -> "float | None":
        """Send what is new of a readable file; return when to look again."""
        ...

    def missed(self, code: int, info: "Info | None") -> "float | None":
        """Note that the file could not be read; a second look, a round later, decides.

        One rename wakes us more than once: looks in the same moment are one look.
        """
        absent = code in (errno.ENOENT, errno.ENOTDIR)
        if absent and not self.known:
            return None
        now = time.monotonic()
        if self.misses and now < self.missed_at + NEXT_ROUND:
            return self.missed_at + NEXT_ROUND - now
        self.misses += 1
        self.missed_at = now
        hearsay = absent and not self.modified
        if code in PASSING and self.misses < 2 and not hearsay:
            return NEXT_ROUND
        self.release()
        if absent:
            self.output.send(b"g", self.run, self.name)
            self.forget()
        else:
            self.report(code, info)
        return None

    def report(self, code: int, info: "Info | None") -> None:
        """Send a trouble when it is a new one."""
        trouble = (code, info.signature() if info else None)
        if trouble != self.trouble:
            self.trouble = trouble
            self.known = True
            stat = stat_field(self.disk, info) if info else b""
            self.output.send(b"T", self.run, self.name, words(code), stat)

    def failed(self, error: Exception) -> None:
        """Send a fault of the follower itself as the file's trouble, once."""
        trouble = (type(error).__name__,)
        if trouble != self.trouble:
            self.trouble = trouble
            self.known = True
            word = b"the follower failed at it: " + trouble[0].encode()
            self.output.send(b"T", self.run, self.name, word, b"")

    def release(self) -> None:
        """Let go of the file: the next look reads it again, whatever its stat says."""
        self.seen = None

    def forget(self) -> None:
        """The file is gone: a later one of its name is a new one."""
        self.known = False
        self.misses = 0
        self.modified = 0
        self.trouble = None


class Replaced(Followed):
    """A file that its writer replaces: read whole by its path whenever its stat changed."""

    def __init__(
        self, disk: LocalDisk, output: Memory, run: bytes, name: bytes, limit: int
    ) -> None:
        Followed.__init__(self, disk, output, run, name)
        self.limit = limit

    def take(self, info: Info) -> "float | None":
        """Send the whole content when the file changed."""
        if info.signature() == self.seen:
            return None
        if info.size > self.limit:
            raise OSError(errno.EFBIG, "not a file of a run")
        handle = self.disk.open(self.path)
        try:
            opened = regular(self.disk.handle_info(handle))
            data = self.disk.read(handle, 0, min(opened.size, self.limit))
        finally:
            self.disk.close(handle)
        self.seen = opened.signature()
        self.known = True
        self.output.send(b"W", self.run, self.name, stat_field(self.disk, opened), data)
        self.taken(data)
        return None

    def taken(self, data: bytes) -> None:
        """Look at a content that was sent; most files are none of the follower's business."""
        return
