"""``NAME.part``: what has come of a file, next to a note that says of which file it is a part.

Everything happens within one opened directory, through no link: nothing that lies there in advance
can lead a pull elsewhere. A file gets its name only when all of its bytes are proven.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import msgspec

from tui.actions.copies import Copy
from tui.actions.errors import ActionError
from tui.onbox import archive
from tui.runs.words import size_text
from tui.text import one_line

PART = ".part"
NOTE = ".part.json"
MAX_NOTE = 1 << 20
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

Span = tuple[int, int]


class Note(msgspec.Struct):
    """Which bytes have come (``done``: from, to) of a file of this size and hash."""

    size: int
    sha256: str
    done: list[Span]


class Part:
    """A file on its way into a directory. ``write`` may come from several threads.

    ``copy`` is known once the file has its name: after ``finish``, or when ``is_there`` found it.
    """

    copy: Copy

    def __init__(self, directory: Path, name: str, size: int, sha256: str) -> None:
        """Take up what an earlier pull of the same bytes left, else begin anew.

        Raises ActionError: refused, denied, missing, busy (another pull is at it), disk_full.
        """
        check_name(name)
        self.name = name
        self.directory = directory
        self._note = Note(size, sha256, [])
        self._lock = threading.Lock()
        with self._words("cannot be opened"):
            self._folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with self._words("cannot be made"):
                self._file = self._open_part()
        except BaseException:
            os.close(self._folder)
            raise
        try:
            self._resume()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Part:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def done(self) -> int:
        """How many bytes have come."""
        return sum(end - start for start, end in self._note.done)

    def missing(self, block: int) -> Iterator[Span]:
        """Yield what has not come, in pieces of at most ``block`` bytes."""
        at = 0
        for start, end in [*self._note.done, (self._note.size, self._note.size)]:
            while at < start:
                yield at, min(at + block, start)
                at = min(at + block, start)
            at = max(at, end)

    def write(self, offset: int, data: bytes | memoryview) -> None:
        """Write bytes that have come. Raises ActionError("disk_full") and others in words."""
        with self._words("cannot be written"):
            view = memoryview(data)
            while view:
                written = os.pwrite(self._file, view, offset)
                view, offset = view[written:], offset + written

    def came(self, start: int, end: int) -> None:
        """Remember that a span has come."""
        with self._lock:
            self._note.done = _merged([*self._note.done, (start, end)], self._note.size)

    def save_note(self) -> None:
        """Write the note, so that another pull can go on here; a full disk is no error."""
        with self._lock:
            data = msgspec.json.encode(self._note)
        new = self.name + NOTE + ".new"
        with contextlib.suppress(OSError):
            self._unlink(new)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            with os.fdopen(os.open(new, flags, 0o644, dir_fd=self._folder), "wb") as file:
                file.write(data)
            os.rename(new, self.name + NOTE, src_dir_fd=self._folder, dst_dir_fd=self._folder)

    def prove(self, tell: Callable[[int], None]) -> None:
        """Read all that has come: its size and hash must be what the box told, its CRCs right.

        Raises ActionError("damaged"); what came is thrown away then.
        """
        with self._words("cannot be read"), self._reader() as file:
            found = archive.examine(file, tell)
            if found.sha256 == "":
                file.seek(0)
                found = found._replace(sha256=archive.digest(file)[1])
        reason = found.reason
        if (found.size, found.sha256) != (self._note.size, self._note.sha256):
            reason = "its hash is not the one that the box told"
        if reason is not None:
            self.discard()
            raise ActionError("damaged", f"{one_line(self.name)} arrived damaged: {reason}")

    def finish(self) -> Path:
        """Give the proven file its name, on disk for good; an older file goes only now."""
        with self._words("cannot be finished"):
            os.fsync(self._file)
            self.copy = Copy.of(self._file)
            folder = self._folder
            lies = os.stat(self.name + PART, dir_fd=folder, follow_symlinks=False)
            if not os.path.samestat(lies, os.fstat(self._file)):
                raise OSError(errno.ESTALE, "somebody put another file in its place")
            os.rename(self.name + PART, self.name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
        self._unlink(self.name + NOTE)
        return self.directory / self.name

    def discard(self) -> None:
        """Throw away what came: other bytes are to come."""
        self._note.done = []
        with contextlib.suppress(OSError):
            os.ftruncate(self._file, 0)
        self._unlink(self.name + NOTE)

    def need_room(self) -> None:
        """Raise ActionError("disk_full") when what is missing has no room."""
        disk = os.fstatvfs(self._file)
        missing = self._note.size - self.done
        if disk.f_bavail * disk.f_frsize < missing:
            raise self._full(missing)

    def close(self) -> None:
        """Leave the part as it is, for another pull."""
        os.close(self._file)
        os.close(self._folder)

    def is_there(self) -> bool:
        """Whether the file lies there already with its own name, byte for byte."""
        try:
            handle = os.open(self.name, _OPEN & ~os.O_RDWR, dir_fd=self._folder)
        except OSError:
            return False
        with os.fdopen(handle, "rb") as file:
            info = os.fstat(handle)
            if not stat.S_ISREG(info.st_mode) or info.st_size != self._note.size:
                return False
            try:
                self.copy = Copy.of(handle)
                same = archive.digest(file)[1] == self._note.sha256
                return same and Copy.of(handle) == self.copy
            except OSError:
                return False

    def drop(self) -> None:
        """Remove the part and its note."""
        self._unlink(self.name + PART)
        self._unlink(self.name + NOTE)

    def _open_part(self) -> int:
        """Open the part, or a new one where a link, or no plain file of one name, lies there."""
        name = self.name + PART
        for _ in range(3):
            with contextlib.suppress(FileNotFoundError, OSError):
                found = os.open(name, _OPEN, dir_fd=self._folder)
                info = os.fstat(found)
                if stat.S_ISREG(info.st_mode) and info.st_nlink == 1:
                    return self._locked(found)
                os.close(found)
            self._unlink(name)
            with contextlib.suppress(FileExistsError):
                flags = _OPEN | os.O_CREAT | os.O_EXCL
                return self._locked(os.open(name, flags, 0o644, dir_fd=self._folder))
        raise OSError(errno.EEXIST, "it appears again and again")

    def _locked(self, handle: int) -> int:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            name = one_line(self.name)
            raise ActionError("busy", f"another pull of {name} to {self.directory} runs") from None
        except OSError:
            return handle  # some network disks have no locks
        return handle

    def _resume(self) -> None:
        note = self._read_note()
        same = note is not None and (note.size, note.sha256) == (self._note.size, self._note.sha256)
        length = os.fstat(self._file).st_size
        if note is not None and same and length <= note.size:
            spans = [(start, min(end, length)) for start, end in note.done]
            self._note.done = _merged(spans, note.size)
        else:
            self.discard()

    def _read_note(self) -> Note | None:
        try:
            handle = os.open(self.name + NOTE, _OPEN & ~os.O_RDWR, dir_fd=self._folder)
            with os.fdopen(handle, "rb") as file:
                return msgspec.json.decode(file.read(MAX_NOTE), type=Note)
        except (OSError, msgspec.DecodeError):
            return None

    def _reader(self) -> BinaryIO:
        file = os.fdopen(os.dup(self._file), "rb")
        file.seek(0)
        return file

    def _unlink(self, name: str) -> None:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=self._folder)

    def _full(self, missing: int) -> ActionError:
        message = f"no room in {self.directory} for {one_line(self.name)}: "
        return ActionError(
            "disk_full",
            f"{message}{size_text(missing)} are missing",
            "what has come stays: make room, then pull again",
        )

    @contextlib.contextmanager
    def _words(self, what: str) -> Iterator[None]:
        """Turn this machine's errors into ours."""
        try:
            yield
        except OSError as error:
            if error.errno in _FULL:
                raise self._full(self._note.size - self.done) from error
            kind = "denied" if isinstance(error, PermissionError) else "unreadable"
            kind = "missing" if isinstance(error, FileNotFoundError) else kind
            where = self.directory / one_line(self.name)
            message = f"{where} {what}: {error.strerror or error}"
            raise ActionError(kind, message) from error  # type: ignore[arg-type]  # one of three


def check_name(name: str) -> None:
    """Raise ActionError("refused") for a name that is no plain file name."""
    if not name or "/" in name or "\0" in name or name.startswith("."):
        raise ActionError("refused", f"{one_line(name) or 'an empty name'} is no name of a file")


def _merged(spans: list[Span], size: int) -> list[Span]:
    """Return the spans in order, joined where they touch; nonsense is dropped."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if not 0 <= start < end <= size:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
