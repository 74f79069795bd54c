"""Following files that grow: by offset, generation after generation, and on after a break."""

import errno
import os
import time

from tui.links.follower.disk import Info, LocalDisk, number, stat_field
from tui.links.follower.followed import Followed, regular
from tui.links.follower.wire import Memory

CHUNK = 65536
HEAD_BYTES = 256
TAIL_BYTES = 64

NAMELESS = (0, 0)
"""The identity of every file on a disk that tells none (SFTP): its bytes alone identify it."""

MAX_NAMES = 5000
IDLE_SECONDS = 900
"""A file that was not written for so long is not kept open."""

AT_ONCE = 0.0
SHORTLY = 0.05


class Token:
    """Where an append-only file goes on, as the watching side remembers it."""

    def __init__(self, values: "list[object]") -> None:
        offset, device, inode, head, head_size, tail, tail_size = values
        self.offset = int(str(offset))
        self.identity = (int(str(device)), int(str(inode)))
        self.head = str(head)
        self.head_size = min(int(str(head_size)), HEAD_BYTES)
        self.tail = str(tail)
        self.tail_size = min(int(str(tail_size)), TAIL_BYTES)


def digest(data: bytes) -> str:
    """Return the sha256 of some bytes in hex."""
    for name in ("_sha256", "_sha2", "hashlib"):  # the first two load at once, one is there
        try:
            return str(__import__(name).sha256(data).hexdigest())
        except ImportError:
            continue
    raise OSError(errno.ENOSYS, "no sha256 here")


class Appended(Followed):
    """A file that grows: sent by offset, generation after generation.

    The handle stays open while the file is busy, so that what was written before a rotation is
    read to its end before the new file is opened. Whether bytes already sent are still there is
    asked with every read, by the file's first and the newest sent bytes.
    """

    def __init__(
        self, disk: LocalDisk, output: Memory, run: bytes, name: bytes, token: "Token | None"
    ) -> None:
        Followed.__init__(self, disk, output, run, name)
        self.token = token
        self.handle: "int | None" = None
        self.identity: "tuple[int, int] | None" = None
        self.told = -1
        self.offset = 0
        self.head = b""
        self.tail = b""

    def take(self, info: Info) -> "float | None":
        """Send what was appended; begin a new generation where the file is another one."""
        self.pick_up(info.identity())
        if self.identity is not None and info.identity() != self.identity:
            if self.handle is not None:
                again = self.pull(self.disk.handle_info(self.handle))
                if again is not None:
                    return again
            self.release()
            self.identity = None
        if info.signature() == self.seen:
            return None
        if self.handle is None:
            self.handle = self.disk.open(self.path)
        opened = regular(self.disk.handle_info(self.handle))
        if self.identity is None:
            self.identity = opened.identity()
            if not self.resume(opened):
                self.begin(opened)
        elif opened.identity() != self.identity:
            self.release()
            return AT_ONCE
        return self.settle(opened, self.pull(opened))

    def pick_up(self, identity: "tuple[int, int] | None") -> None:
        """Open the file that the token speaks of where it was renamed while nobody watched."""
        token = self.token
        if token is None or self.handle is not None or identity in (token.identity, NAMELESS):
            return
        path = self.renamed(token.identity)
        if path is not None:
            self.handle = self.disk.open(path)
            opened = self.disk.handle_info(self.handle)
            self.identity = opened.identity()
            if not self.resume(opened):
                self.release()
                self.identity = None

    def renamed(self, identity: "tuple[int, int]") -> "bytes | None":
        """Return the path of a file beside ours whose name only adds to ours (train.log.1)."""
        folder = os.path.dirname(self.path)
        for name in self.disk.listing(folder, MAX_NAMES)[1]:
            if identity[1] and name.startswith(self.name) and name != self.name:
                path = os.path.join(folder, name)
                if self.disk.info(path).identity() == identity:
                    return path
        return None

    def settle(self, opened: Info, again: "float | None") -> "float | None":
        """Remember up to where the file was sent, and close it when it is idle."""
        if again is None:
            self.seen = opened.signature()
            if self.trouble or self.told != opened.modified:
                self.send(b"", opened)
            idle = opened.modified < (time.time() - IDLE_SECONDS) * 1e9
            if self.handle is not None and (idle or not self.disk.keeps_handles):
                self.disk.close(self.handle)
                self.handle = None
        return again

    def missed(self, code: int, info: "Info | None") -> "float | None":
        """Read what was written before the file went; then as every file."""
        if code in (errno.ENOENT, errno.ENOTDIR):
            try:
                self.pick_up(None)
                if self.handle is not None:
                    again = self.pull(self.disk.handle_info(self.handle))
                    if again is not None:
                        return again
            except OSError:
                self.release()
        return Followed.missed(self, code, info)

    def resume(self, info: Info) -> bool:
        """Go on where the watching side stands, if this is still the file it knows."""
        token, self.token = self.token, None
        if token is None or info.size < token.offset:
            return False
        if info.identity() != token.identity and NAMELESS not in (info.identity(), token.identity):
            return False
        head = self.read(0, token.head_size)
        tail_size = min(token.tail_size, token.offset)
        tail = self.read(token.offset - tail_size, tail_size)
        if digest(head) != token.head or digest(tail) != token.tail:
            return False
        self.offset = token.offset
        self.head = head
        self.tail = tail
        self.known = True
        self.send(b"", info)
        return True

    def begin(self, info: Info) -> None:
        """Start a new generation at the place where this kind of file starts."""
        self.offset = self.start(info.size)
        self.head = self.read(0, min(HEAD_BYTES, info.size))
        self.tail = b""
        self.known = True
        self.told = info.modified
        self.output.send(
            b"B",
            self.run,
            self.name,
            number(self.offset),
            digest(self.head).encode(),
            number(len(self.head)),
            stat_field(self.disk, info),
        )

    def start(self, size: int) -> int:
        """Return the offset at which a new generation of this size begins."""
        return 0

    def allowed(self) -> int:
        """Return how many bytes may be sent now."""
        return CHUNK

    def behind(self, size: int) -> bool:
        """Whether so much is waiting that older bytes are skipped."""
        return False

    def pull(self, info: Info) -> "float | None":
        """Send the next bytes of the open file; return when to go on, None at its end."""
        if info.size < self.offset or self.behind(info.size):
            self.begin(info)
        size = min(self.allowed(), info.size - self.offset)
        block = self.read(self.offset - len(self.tail), len(self.tail) + max(size, 0))
        if not block.startswith(self.tail) or self.read(0, len(self.head)) != self.head:
            self.begin(info)
            return SHORTLY
        data = block[len(self.tail) :]
        if data:
            self.send(data, info)
        if self.offset >= info.size:
            return None
        return AT_ONCE if data else SHORTLY

    def send(self, data: bytes, info: Info) -> None:
        """Send appended bytes; none at all say that the file is there as it was."""
        stat = stat_field(self.disk, info)
        self.output.send(b"b", self.run, self.name, number(self.offset), stat, data)
        if self.offset == len(self.head):
            self.head = (self.head + data)[:HEAD_BYTES]
        self.offset += len(data)
        self.tail = (self.tail + data)[-TAIL_BYTES:]
        self.told = info.modified

    def read(self, offset: int, size: int) -> bytes:
        """Read from the open handle."""
        if self.handle is None or size <= 0:
            return b""
        return self.disk.read(self.handle, offset, size)

    def release(self) -> None:
        """Close the handle; the next look opens the file again."""
        Followed.release(self)
        if self.handle is not None:
            self.disk.close(self.handle)
            self.handle = None

    def forget(self) -> None:
        """The file is gone."""
        Followed.forget(self)
        self.identity = None
        self.token = None
