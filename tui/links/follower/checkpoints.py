"""The weights of a run: what lies there, and whether each file was written to its end."""

import os
import struct
import time

from tui.links.follower.disk import LocalDisk
from tui.links.follower.wire import Memory

MAX_FILES = 200
"""Of more files those that matter and the newest are shown."""

MATTER = (b"best.pt", b"last.pt")

MAX_ENTRIES = 5000
SETTLED_SECONDS = 2.0
"""A file changed later than this is being written: nobody looks inside."""

END_RECORD = b"PK\x05\x06"
END_RECORD_64 = b"PK\x06\x06"
LOCATOR_64 = b"PK\x06\x07"
DIRECTORY_ENTRY = b"PK\x01\x02"
FIRST_ENTRY = b"PK\x03\x04"
PICKLE = b"\x80"
END_SIZE = 22
LOCATOR_SIZE = 20
MAX_DIRECTORY = 16000000


class Checkpoints:
    """The checkpoints of one run, sent whenever any of them changed."""

    def __init__(
        self, disk: LocalDisk, output: Memory, run: bytes, folder: bytes, suffix: bytes
    ) -> None:
        self.disk = disk
        self.output = output
        self.run = run
        self.path = os.path.join(run, folder)
        self.suffix = suffix
        self.looked: "dict[bytes, tuple[tuple[int, ...], bytes]]" = {}
        self.sent: "list[bytes] | None" = None
        self.newest = 0

    def check(self) -> None:
        """Look at the directory and send the list when it changed."""
        rows = []
        try:
            names = self.disk.listing(self.path, MAX_ENTRIES)[1]
        except OSError:
            names = []
        for name in names:
            if name.endswith(self.suffix) and not name.startswith(b"."):
                row = self.row(name)
                if row is not None:
                    rows.append((name in MATTER, row[0], row[1]))
        rows.sort(reverse=True)
        self.newest = max((modified for _, modified, _ in rows), default=0)
        lines = [line for _, _, line in rows[:MAX_FILES]]
        if lines != self.sent:
            self.sent = lines
            self.output.send(b"C", self.run, *lines)

    def row(self, name: bytes) -> "tuple[int, bytes] | None":
        """Return a file's change time and its ``size mtime inode complete name``."""
        path = os.path.join(self.path, name)
        try:
            info = self.disk.info(path)
        except OSError:
            return None
        if not info.regular:
            return None
        signature = info.signature()
        known = self.looked.get(name)
        if known is None or known[0] != signature:
            settled = info.modified < (time.time() - SETTLED_SECONDS) * 1e9
            complete = self.complete(path) if settled else b"-"
            if settled:
                self.looked[name] = (signature, complete)
        else:
            complete = known[1]
        seconds, rest = divmod(info.modified, 1000000000)
        fields = (info.size, seconds, rest, info.inode, complete, name)
        return info.modified, b"%d %d.%09d %d %s %s" % fields

    def complete(self, path: bytes) -> bytes:
        """Return 1 for a whole zip archive, 0 for a broken one, ``-`` where nobody can tell."""
        try:
            handle = self.disk.open(path)
        except OSError:
            return b"-"
        try:
            size = self.disk.handle_info(handle).size
            start = self.disk.read(handle, 0, 4)
            if start[:1] == PICKLE:
                return b"-"
            return b"1" if start == FIRST_ENTRY and self.whole(handle, size) else b"0"
        except (OSError, struct.error):
            return b"-"
        finally:
            self.disk.close(handle)

    def whole(self, handle: int, size: int) -> bool:
        """Whether a zip's end record leads to a directory that has all of its entries."""
        end = self.disk.read(handle, max(0, size - END_SIZE), END_SIZE)
        if len(end) < END_SIZE or not end.startswith(END_RECORD):
            return False
        count, length, offset = struct.unpack("<HII", end[10:20])
        before = size - END_SIZE
        if count == 0xFFFF or length == 0xFFFFFFFF or offset == 0xFFFFFFFF:
            locator = self.disk.read(handle, before - LOCATOR_SIZE, LOCATOR_SIZE)
            if not locator.startswith(LOCATOR_64):
                return False
            before = struct.unpack("<Q", locator[8:16])[0]
            record = self.disk.read(handle, before, 56)
            if len(record) < 56 or not record.startswith(END_RECORD_64):
                return False
            count, length, offset = struct.unpack("<QQQ", record[32:56])
        if offset + length > before or length > MAX_DIRECTORY:
            return False
        return entries(self.disk.read(handle, offset, length)) == int(count)


def entries(directory: bytes) -> int:
    """Count the entries of a zip's central directory; -1 where it is not one."""
    count = at = 0
    while at < len(directory):
        if directory[at : at + 4] != DIRECTORY_ENTRY or at + 46 > len(directory):
            return -1
        name, extra, comment = struct.unpack("<HHH", directory[at + 28 : at + 34])
        at += 46 + name + extra + comment
        count += 1
    return count if at == len(directory) else -1
