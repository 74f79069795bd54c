"""The frames between a follower and us: bytes in, facts out, nothing believed without a look.

One frame is ``@@MARKER KIND LENGTH…``, a newline, the fields one after another, a newline. Numbers
are decimal text; paths and names are the box's bytes. The marker is drawn anew for every
connection, so whatever else a login prints between frames is told apart and dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import get_args

from tui.facts import (
    Beat,
    Checkpoints,
    CheckpointStat,
    Fact,
    FileBegins,
    FileBytes,
    FileGone,
    FileTrouble,
    FileWhole,
    FollowerKind,
    Hello,
    Notice,
    RunFound,
    RunGone,
    Settled,
    Stat,
)
from tui.links.base import LinkError
from tui.links.follower.wire import PREFIX
from tui.links.noise import explain_noise
from tui.links.vitals_text import VitalsReader
from tui.runs import files

MAX_HEADER = 4096
MAX_FIELDS = 512
MAX_BODY = 2_000_000
MAX_NOISE = 1_000_000
KEPT_NOISE = 4096
MAX_PATH = 4096
MAX_RUNS = 2000
MAX_TEXT = 4000

ASK_FOR_SHELL = b"sh"
"""The kind of the one frame that a box without a usable python sends: it wants the sh source."""

NAMES = frozenset({*files.REPLACED, *files.APPENDED, files.CONSOLE})

_HEADER = re.compile(rb"([A-Za-z]{1,8})((?: [0-9]{1,7}){0,512})")
_KINDS: tuple[str, ...] = get_args(FollowerKind)
_LARGEST = 2**62


class Decoder:
    """Turns the bytes of one connection into facts.

    Memory stays bounded whatever the box sends. ``started`` becomes true with the first frame,
    ``wants_shell`` when the box asks for the sh follower.
    """

    def __init__(self, marker: str) -> None:
        self._prefix = PREFIX + marker.encode("ascii") + b" "
        self._buffer = bytearray()
        self._noise = bytearray()
        self._dropped = 0
        self._runs: set[str] = set()
        self._vitals = VitalsReader()
        self.started = False
        self.wants_shell = False

    @property
    def noise(self) -> bytes:
        """What was printed before the first frame, its newest part."""
        return bytes(self._noise)

    def feed(self, data: bytes) -> list[Fact]:
        """Take the next bytes and return the facts that are complete.

        Raises LinkError("protocol") for a frame that cannot be one, LinkError("no_exec") when far
        too much was printed without any.
        """
        self._buffer += data
        facts: list[Fact] = []
        while self._align():
            frame = self._next_frame()
            if frame is None:
                break
            kind, fields = frame
            fact = self._fact(kind, fields)
            if fact is not None:
                facts.append(fact)
        return facts

    def finish(self) -> None:
        """Say that no more bytes come; raises LinkError when that cuts a reply off."""
        if not self.started:
            raise self.explain()
        if self._buffer:
            raise LinkError("protocol", "reply cut: the connection ended within a message")

    def explain(self, errors: str = "") -> LinkError:
        """Return why no frame came, from what was printed instead."""
        text = self.noise.decode("utf-8", "replace") or self._buffer.decode("utf-8", "replace")
        return explain_noise(text, errors)

    def _align(self) -> bool:
        """Drop what stands before the next frame; False when its start has not come yet."""
        if self._buffer.startswith(self._prefix):
            return True
        at = self._buffer.find(self._prefix)
        if at < 0:
            at = len(self._buffer) - self._partial_prefix()
            self._drop(at)
            return False
        self._drop(at)
        return True

    def _partial_prefix(self) -> int:
        """Return how many bytes at the end may be the start of a prefix."""
        longest = min(len(self._prefix) - 1, len(self._buffer))
        for size in range(longest, 0, -1):
            if self._buffer.endswith(self._prefix[:size]):
                return size
        return 0

    def _drop(self, size: int) -> None:
        if not self.started:
            self._noise += self._buffer[:size]
            del self._noise[:-KEPT_NOISE]
        del self._buffer[:size]
        self._dropped += size
        if self._dropped > MAX_NOISE:
            raise self.explain() if not self.started else _broken("much that is no message")

    def _next_frame(self) -> tuple[bytes, list[bytes]] | None:
        """Cut the next frame off the buffer, None while it is not complete."""
        start = len(self._prefix)
        end = self._buffer.find(b"\n", start, start + MAX_HEADER)
        if end < 0:
            if len(self._buffer) >= start + MAX_HEADER:
                raise _broken("a message without an end of its first line")
            return None
        header = _HEADER.fullmatch(self._buffer, start, end)
        if header is None:
            raise _broken("a first line that says no lengths")
        sizes = [int(size) for size in header[2].split()]
        total = sum(sizes)
        if total > MAX_BODY:
            raise _broken(f"a message of {total} bytes")
        if len(self._buffer) < end + total + 2:
            return None
        if self._buffer[end + 1 + total] != 0x0A:
            raise _broken("a message that does not end where it says")
        kind = bytes(header[1])
        fields, at = [], end + 1
        for size in sizes:
            fields.append(bytes(self._buffer[at : at + size]))
            at += size
        del self._buffer[: at + 1]
        self.started = True
        return kind, fields

    def _fact(self, kind: bytes, fields: Sequence[bytes]) -> Fact | None:
        if kind == ASK_FOR_SHELL:
            self.wants_shell = True
            return None
        handler = _HANDLERS.get(kind)
        if handler is None:
            raise _broken(f"a message of unknown kind {kind.decode()}")
        try:
            return handler(self, fields)
        except (ValueError, IndexError, OverflowError) as error:
            raise _broken(f"a message that cannot be read ({error})") from error

    def _run(self, path: bytes) -> str:
        """Return the path of a run that was announced."""
        text = path.decode("utf-8", "surrogateescape")
        if text not in self._runs:
            raise ValueError("it names a run that was not announced")
        return text

    def _hello(self, fields: Sequence[bytes]) -> Fact:
        kind = fields[0].decode("ascii")
        if kind not in _KINDS:
            raise ValueError("unknown follower")
        return Hello(
            follower=kind,  # type: ignore[arg-type]  # one of FollowerKind's words, just checked
            box_time=_seconds(fields[1]),
            user=_text(fields[2]),
            hostname=_text(fields[3]),
            missing_tools=tuple(_text(fields[4]).split()),
            searched=tuple(_path(field) for field in fields[5:]),
        )

    def _run_found(self, fields: Sequence[bytes]) -> Fact:
        path, name, root = _path(fields[0]), _path(fields[1], absolute=False), _path(fields[2])
        self._runs.add(path)
        if len(self._runs) > MAX_RUNS:
            raise ValueError(f"more than {MAX_RUNS} runs")
        return RunFound(path, name, root)

    def _run_gone(self, fields: Sequence[bytes]) -> Fact:
        path = _path(fields[0])
        self._runs.discard(path)
        self._vitals.forget(path)
        return RunGone(path)

    def _file_whole(self, fields: Sequence[bytes]) -> Fact:
        path, name, stat, data = fields
        return FileWhole(self._run(path), _name(name), data, _stat(stat))

    def _file_begins(self, fields: Sequence[bytes]) -> Fact:
        path, name, offset, head, head_size, stat = fields
        return FileBegins(
            self._run(path),
            _name(name),
            _integer(offset),
            _digest(head),
            _integer(head_size),
            _stat(stat),
        )

    def _file_bytes(self, fields: Sequence[bytes]) -> Fact:
        path, name, offset, stat, data = fields
        return FileBytes(self._run(path), _name(name), _integer(offset), data, _stat(stat))

    def _file_trouble(self, fields: Sequence[bytes]) -> Fact:
        path, name, error, stat = fields
        return FileTrouble(
            self._run(path), _name(name), _text(error)[:40], _stat(stat) if stat else None
        )

    def _file_gone(self, fields: Sequence[bytes]) -> Fact:
        return FileGone(self._run(fields[0]), _name(fields[1]))

    def _checkpoints(self, fields: Sequence[bytes]) -> Fact:
        return Checkpoints(self._run(fields[0]), tuple(_checkpoint(row) for row in fields[1:]))

    def _vitals_item(self, fields: Sequence[bytes]) -> None:
        name, value = fields
        if name == b"run":
            self._vitals.begin_run(self._run(value))
        else:
            self._vitals.add(_text(name), value)

    def _vitals_end(self, fields: Sequence[bytes]) -> Fact:
        return self._vitals.finish(_seconds(fields[0]))

    def _beat(self, fields: Sequence[bytes]) -> Fact:
        return Beat(_seconds(fields[0]))

    def _settled(self, fields: Sequence[bytes]) -> Fact:
        return Settled(_seconds(fields[0]))

    def _notice(self, fields: Sequence[bytes]) -> Fact:
        return Notice(_text(fields[0]))


_HANDLERS: dict[bytes, Callable[[Decoder, Sequence[bytes]], Fact | None]] = {
    b"H": Decoder._hello,
    b"R": Decoder._run_found,
    b"r": Decoder._run_gone,
    b"W": Decoder._file_whole,
    b"B": Decoder._file_begins,
    b"b": Decoder._file_bytes,
    b"T": Decoder._file_trouble,
    b"g": Decoder._file_gone,
    b"C": Decoder._checkpoints,
    b"v": Decoder._vitals_item,
    b"V": Decoder._vitals_end,
    b"h": Decoder._beat,
    b"S": Decoder._settled,
    b"N": Decoder._notice,
}


def _broken(what: str) -> LinkError:
    return LinkError("protocol", f"the box's reply is broken: {what}")


def _text(field: bytes) -> str:
    if len(field) > MAX_TEXT:
        raise ValueError("a text is too long")
    return field.decode("utf-8", "replace")


def _path(field: bytes, absolute: bool = True) -> str:
    """Return a path that cannot lead out of anything."""
    if len(field) > MAX_PATH or b"\0" in field or not field:
        raise ValueError("not a path")
    if absolute != field.startswith(b"/") or b".." in field.split(b"/"):
        raise ValueError("not a full path")
    return field.decode("utf-8", "surrogateescape")


def _name(field: bytes) -> str:
    name = field.decode("ascii")
    if name not in NAMES:
        raise ValueError("not a run's file")
    return name


def _integer(field: bytes) -> int:
    if not field.isdigit() or len(field) > 19:
        raise ValueError("not a number")
    number = int(field)
    if number > _LARGEST:
        raise ValueError("too large a number")
    return number


def _seconds(field: bytes) -> float:
    number = float(field)
    if not 0 <= number < 1e12:
        raise ValueError("not a time")
    return number


def _digest(field: bytes) -> str:
    if field and (len(field) != 64 or field.strip(b"0123456789abcdef")):
        raise ValueError("not a digest")
    return field.decode("ascii")


def _stat(field: bytes) -> Stat:
    """Read ``size mtime inode device mode owner``."""
    size, mtime, inode, device, mode, owner = field.split(b" ", 5)
    return Stat(
        size=_integer(size),
        mtime=max(0.0, float(mtime)),
        inode=_identity(inode),
        device=_identity(device),
        mode=_integer(mode) & 0o7777,
        owner=_text(owner)[:64],
    )


def _identity(field: bytes) -> int:
    """Read an inode or device: 64 bits, whatever the file system makes of them."""
    if not field.isdigit() or len(field) > 20:
        raise ValueError("not a number")
    return int(field) & (2**64 - 1)


def _checkpoint(field: bytes) -> CheckpointStat:
    """Read ``size mtime inode complete name``."""
    size, mtime, inode, complete, name = field.split(b" ", 4)
    if b"/" in name or b"\0" in name or name in (b"", b".", b".."):
        raise ValueError("not a file name")
    return CheckpointStat(
        name=name.decode("utf-8", "surrogateescape"),
        size=_integer(size),
        mtime=max(0.0, float(mtime)),
        inode=_identity(inode),
        complete={b"1": True, b"0": False}.get(complete),
    )
