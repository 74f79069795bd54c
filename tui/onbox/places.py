"""Files on the box: names that cannot lead elsewhere, and what tells that a file is the same."""

from __future__ import annotations

import errno
import os
import pwd
import stat
from typing import Any, BinaryIO, NamedTuple

WEIGHTS = b"weights"
SUFFIX = ".pt"
MAX_FILES = 200
MAX_ENTRIES = 5000


class Refused(Exception):
    """Why something is not done: a word for programs, a line for people, and more that is known."""

    def __init__(self, kind: str, message: str, **more: object) -> None:
        super().__init__(message)
        self.kind = kind
        self.more = more

    def values(self) -> dict[str, Any]:
        """What a reply says of it."""
        return {"kind": self.kind, "message": str(self), **self.more}


class Identity(NamedTuple):
    """What changes whenever a file is written to or replaced."""

    device: int
    inode: int
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, info: os.stat_result) -> Identity:
        """The identity in what stat says."""
        return cls(info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns)

    @classmethod
    def told(cls, values: object) -> Identity:
        """The identity that a request names. Raises Refused("usage") when it names none."""
        if isinstance(values, dict) and all(type(values.get(key)) is int for key in cls._fields):
            return cls(*(values[key] for key in cls._fields))
        raise Refused("usage", "the request names no identity")


class Weights:
    """The weights directory of a run. A name is one of its own files, or a link within it."""

    def __init__(self, run: str) -> None:
        """Raises Refused: "usage" for a path that is none, "missing", "denied"."""
        self.run = raw(run)
        if not run.startswith("/") or "\0" in run:
            raise Refused("usage", f"not an absolute path: {run}")
        self.path = os.path.join(self.run, WEIGHTS)
        try:
            self.real = os.path.realpath(self.path)
            if not stat.S_ISDIR(os.stat(self.real).st_mode):
                raise Refused("missing", f"{text(self.path)} is no directory")
        except OSError as error:
            raise explained(error, self.path) from None

    def names(self) -> list[str]:
        """Return the names that may be checkpoints, in no order. Raises Refused."""
        found = []
        try:
            with os.scandir(self.real) as entries:
                for count, entry in enumerate(entries):
                    name = text(entry.name)
                    if name.endswith(SUFFIX) and not name.startswith("."):
                        found.append(name)
                    if count > MAX_ENTRIES:
                        break
        except OSError as error:
            raise explained(error, self.path) from None
        return found

    def file(self, name: str) -> bytes:
        """Return the real path of a checkpoint. Raises Refused for a name that leads elsewhere."""
        if "/" in name or "\0" in name or name.startswith(".") or not name.endswith(SUFFIX):
            raise Refused("refused", f"{name} is no name of a checkpoint")
        real = os.path.realpath(os.path.join(self.real, raw(name)))
        if not real.startswith(self.real.rstrip(b"/") + b"/"):
            where = text(real)
            raise Refused("refused", f"{name} is a link that leads out of the weights, to {where}")
        return real


def open_file(path: bytes) -> int:
    """Open a regular file for reading, never through a link; raises Refused."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise explained(error, path) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Refused("refused", f"{text(os.path.basename(path))} is no regular file")
    return descriptor


def open_plain(path: bytes) -> BinaryIO:
    """Open a regular file wherever a link leads; what is none never holds us up. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file", path)
    return os.fdopen(descriptor, "rb")


def identity_of(path: bytes) -> Identity:
    """Return the identity of what lies at a path now. Raises Refused."""
    try:
        return Identity.of(os.stat(path))
    except OSError as error:
        raise explained(error, path) from None


def explained(error: OSError, path: bytes) -> Refused:
    """Return why a file cannot be read, in words."""
    name = text(os.path.basename(path))
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return Refused("missing", f"no such file: {name}")
    if error.errno in (errno.EACCES, errno.EPERM):
        return Refused("denied", f"permission denied: {name} (owner {_owner(path)})")
    return Refused("unreadable", f"{name}: {error.strerror or error}")


def raw(path: str) -> bytes:
    """Return a path as the disk has it, whatever the box's locale is."""
    return path.encode("utf-8", "surrogateescape")


def text(path: bytes) -> str:
    """Return a path as requests and replies have it."""
    return path.decode("utf-8", "surrogateescape")


def _owner(path: bytes) -> str:
    """Return who owns a file, or else the nearest directory above it that can be seen."""
    while True:
        try:
            uid = os.stat(path).st_uid
            break
        except OSError:
            if path in (b"/", b""):
                return "unknown"
            path = os.path.dirname(path)
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
