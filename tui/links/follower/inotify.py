"""Being told of changes by the kernel, through ctypes; nothing depends on it."""

import os
import struct

MODIFY = 0x2
ATTRIBUTES = 0x4
MOVED_FROM = 0x40
MOVED_TO = 0x80
CREATE = 0x100
DELETE = 0x200
OVERFLOW = 0x4000
IGNORED = 0x8000
IS_DIRECTORY = 0x40000000

DIRECTORY_MASK = MOVED_FROM | MOVED_TO | CREATE | DELETE
RUN_MASK = DIRECTORY_MASK | MODIFY | ATTRIBUTES

NONBLOCK_CLOEXEC = os.O_NONBLOCK | os.O_CLOEXEC
HEADER = struct.Struct("iIII")
READ_BYTES = 65536


class Inotify:
    """One inotify instance; raises OSError where there is none."""

    def __init__(self) -> None:
        try:
            import ctypes

            library = ctypes.CDLL(None, use_errno=True)
            self.add_watch = library.inotify_add_watch
            self.remove_watch = library.inotify_rm_watch
            self.descriptor: int = library.inotify_init1(NONBLOCK_CLOEXEC)
        except (ImportError, AttributeError, TypeError) as error:
            raise OSError("no inotify here") from error
        if self.descriptor < 0:
            raise OSError("no inotify instance is left")
        self.paths: "dict[int, bytes]" = {}
        self.numbers: "dict[bytes, int]" = {}
        self.masks: "dict[bytes, int]" = {}
        self.exhausted = False

    def watch(self, path: bytes, mask: int) -> bool:
        """Watch a directory or file; False when the kernel has no room or the path is gone."""
        if self.masks.get(path, 0) & mask == mask:
            return True
        if self.exhausted:
            return False
        number: int = self.add_watch(self.descriptor, path, mask)
        if number < 0:
            import ctypes
            import errno

            self.exhausted = ctypes.get_errno() == errno.ENOSPC
            return False
        self.paths[number] = path
        self.numbers[path] = number
        self.masks[path] = mask
        return True

    def forget(self, path: bytes) -> None:
        """Stop watching a path."""
        self.masks.pop(path, None)
        number = self.numbers.pop(path, None)
        if number is not None:
            self.paths.pop(number, None)
            self.remove_watch(self.descriptor, number)

    def read(self) -> "list[tuple[bytes, bytes, int]]":
        """Return what happened as (watched path, name in it, mask); an overflow has no path."""
        try:
            data = os.read(self.descriptor, READ_BYTES)
        except OSError:
            return []
        events = []
        at = 0
        while at + HEADER.size <= len(data):
            number, mask, _, length = HEADER.unpack_from(data, at)
            at += HEADER.size
            name = data[at : at + length].rstrip(b"\0")
            at += length
            path = self.paths.get(number)
            if mask & OVERFLOW:
                events.append((b"", b"", mask))
            elif path is not None:
                events.append((path, name, mask))
                if mask & IGNORED:
                    del self.paths[number]
                    self.numbers.pop(path, None)
                    self.masks.pop(path, None)
        return events

    def close(self) -> None:
        """Close the instance; all of its watches go."""
        os.close(self.descriptor)
