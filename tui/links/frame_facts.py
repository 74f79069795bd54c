"""Frames understood: a kind and its fields become a fact, and nothing is believed unchecked."""

from __future__ import annotations

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
from tui.links.vitals_text import VitalsReader
from tui.runs import files
from tui.text import said

MAX_PATH = 4096
MAX_RUNS = 2000
MAX_TEXT = 4000

NAMES = frozenset({*files.REPLACED, *files.APPENDED, files.CONSOLE})
"""A box may write these files of a run's copy and no others."""

_KINDS: tuple[str, ...] = get_args(FollowerKind)
_LARGEST = 2**62


class _OfRefusedRun(Exception):
    """A frame of a run that was refused: nothing is made of it."""


class FactReader:
    """Turns the frames of one connection into facts; knows which runs were announced.

    A run whose name or path cannot be believed is refused with all that is told of it.
    """

    def __init__(self) -> None:
        self._runs: set[str] = set()
        self._refused: set[bytes] = set()
        self._vitals = VitalsReader()

    def read(self, kind: bytes, fields: Sequence[bytes]) -> Fact | None:
        """Return a frame's fact, None where more frames belong to it.

        Raises ValueError, IndexError or OverflowError for a frame that cannot be believed.
        """
        handler = _HANDLERS.get(kind)
        if handler is None:
            raise ValueError(f"its kind is unknown: {kind.decode()}")
        try:
            return handler(self, fields)
        except _OfRefusedRun:
            return None

    def _run(self, path: bytes) -> str:
        """Return the path of a run that was announced."""
        text = path.decode("utf-8", "surrogateescape")
        if text in self._runs:
            return text
        if path[: MAX_PATH + 1] in self._refused:
            raise _OfRefusedRun
        raise ValueError("it names a run that was not announced")

    def _hello(self, fields: Sequence[bytes]) -> Fact:
        kind = fields[0].decode("ascii")
        if kind not in _KINDS:
            raise ValueError("unknown follower")
        return Hello(
            follower=kind,  # type: ignore[arg-type]  # one of FollowerKind's words, just checked
            box_time=read_seconds(fields[1]),
            user=read_text(fields[2]),
            hostname=read_text(fields[3]),
            missing_tools=tuple(read_text(fields[4]).split()),
            searched=tuple(read_path(field) for field in fields[5:]),
        )

    def _run_found(self, fields: Sequence[bytes]) -> Fact:
        raw_path, raw_name, raw_root = fields
        try:
            found = RunFound(read_path(raw_path), read_id(raw_name), read_path(raw_root))
            self._runs.add(found.path)
            self._refused.discard(raw_path)
        except ValueError:
            self._refused.add(raw_path[: MAX_PATH + 1])
            found = None
        if len(self._runs) + len(self._refused) > MAX_RUNS:
            raise ValueError(f"more than {MAX_RUNS} runs")
        name = said(raw_name.decode("utf-8", "replace"), 80)
        return found or Notice(f"a run is left out, its name or path is none: {name}")

    def _run_gone(self, fields: Sequence[bytes]) -> Fact:
        if fields[0][: MAX_PATH + 1] in self._refused:
            self._refused.discard(fields[0][: MAX_PATH + 1])
            raise _OfRefusedRun
        path = read_path(fields[0])
        self._runs.discard(path)
        self._vitals.forget(path)
        return RunGone(path)

    def _file_whole(self, fields: Sequence[bytes]) -> Fact:
        path, name, stat, data = fields
        return FileWhole(self._run(path), read_name(name), data, read_stat(stat))

    def _file_begins(self, fields: Sequence[bytes]) -> Fact:
        path, name, offset, head, head_size, stat = fields
        return FileBegins(
            self._run(path),
            read_name(name),
            read_integer(offset),
            read_digest(head),
            read_integer(head_size),
            read_stat(stat),
        )

    def _file_bytes(self, fields: Sequence[bytes]) -> Fact:
        path, name, offset, stat, data = fields
        return FileBytes(
            self._run(path), read_name(name), read_integer(offset), data, read_stat(stat)
        )

    def _file_trouble(self, fields: Sequence[bytes]) -> Fact:
        path, name, error, stat = fields
        return FileTrouble(
            self._run(path),
            read_name(name),
            read_text(error)[:80],
            read_stat(stat) if stat else None,
        )

    def _file_gone(self, fields: Sequence[bytes]) -> Fact:
        return FileGone(self._run(fields[0]), read_name(fields[1]))

    def _checkpoints(self, fields: Sequence[bytes]) -> Fact:
        path = self._run(fields[0])
        rows = (read_checkpoint(row) for row in fields[1:])
        return Checkpoints(path, tuple(row for row in rows if row is not None))

    def _vitals_item(self, fields: Sequence[bytes]) -> None:
        name, value = fields
        if name == b"run":
            self._vitals.end_run()
            self._vitals.begin_run(self._run(value))
        else:
            self._vitals.add(read_text(name), value)

    def _vitals_end(self, fields: Sequence[bytes]) -> Fact:
        return self._vitals.finish(read_seconds(fields[0]))

    def _beat(self, fields: Sequence[bytes]) -> Fact:
        return Beat(read_seconds(fields[0]))

    def _settled(self, fields: Sequence[bytes]) -> Fact:
        return Settled(read_seconds(fields[0]))

    def _notice(self, fields: Sequence[bytes]) -> Fact:
        return Notice(read_text(fields[0]))


_HANDLERS: dict[bytes, Callable[[FactReader, Sequence[bytes]], Fact | None]] = {
    b"H": FactReader._hello,
    b"R": FactReader._run_found,
    b"r": FactReader._run_gone,
    b"W": FactReader._file_whole,
    b"B": FactReader._file_begins,
    b"b": FactReader._file_bytes,
    b"T": FactReader._file_trouble,
    b"g": FactReader._file_gone,
    b"C": FactReader._checkpoints,
    b"v": FactReader._vitals_item,
    b"V": FactReader._vitals_end,
    b"h": FactReader._beat,
    b"S": FactReader._settled,
    b"N": FactReader._notice,
}


def read_text(field: bytes) -> str:
    """Read text for people, of bounded length."""
    if len(field) > MAX_TEXT:
        raise ValueError("a text is too long")
    return field.decode("utf-8", "replace")


def read_path(field: bytes, absolute: bool = True) -> str:
    """Return a path that cannot lead out of anything."""
    if len(field) > MAX_PATH or b"\0" in field or not field:
        raise ValueError("not a path")
    if absolute != field.startswith(b"/") or b".." in field.split(b"/"):
        raise ValueError("not a full path")
    return field.decode("utf-8", "surrogateescape")


def read_id(field: bytes) -> str:
    """Return a run's path below its root, which no other spelling may name too."""
    if any(part in (b"", b".") for part in field.split(b"/")):
        raise ValueError("not a run's name")
    return read_path(field, absolute=False)


def read_name(field: bytes) -> str:
    """Read a file's name: one of a run's own."""
    name = field.decode("ascii")
    if name not in NAMES:
        raise ValueError("not a run's file")
    return name


def read_integer(field: bytes) -> int:
    """Read a size, offset or count."""
    if not field.isdigit() or len(field) > 19:
        raise ValueError("not a number")
    number = int(field)
    if number > _LARGEST:
        raise ValueError("too large a number")
    return number


def read_seconds(field: bytes) -> float:
    """Read a time by the box's clock."""
    number = float(field)
    if not 0 <= number < 1e12:
        raise ValueError("not a time")
    return number


def read_digest(field: bytes) -> str:
    """Read a sha256 in hex, or nothing."""
    if field and (len(field) != 64 or field.strip(b"0123456789abcdef")):
        raise ValueError("not a digest")
    return field.decode("ascii")


def read_stat(field: bytes) -> Stat:
    """Read ``size mtime inode device mode owner``."""
    size, mtime, inode, device, mode, owner = field.split(b" ", 5)
    return Stat(
        size=read_integer(size),
        mtime=read_moment(mtime),
        inode=read_identity(inode),
        device=read_identity(device),
        mode=read_integer(mode) & 0o7777,
        owner=read_text(owner)[:64],
    )


def read_identity(field: bytes) -> int:
    """Read an inode or device: 64 bits, whatever the file system makes of them."""
    if not field.isdigit() or len(field) > 20:
        raise ValueError("not a number")
    return int(field) & (2**64 - 1)


def read_moment(field: bytes) -> float:
    """Read when a file was changed; before the epoch is at its start."""
    number = float(field)
    if not number < 1e12:
        raise ValueError("not a time")
    return max(0.0, number)


def read_checkpoint(field: bytes) -> CheckpointStat | None:
    """Read ``size mtime inode complete name``; None for a row that says no such thing."""
    try:
        size, mtime, inode, complete, name = field.split(b" ", 4)
        if b"/" in name or b"\0" in name or name in (b"", b".", b".."):
            return None
        return CheckpointStat(
            name=name.decode("utf-8", "surrogateescape"),
            size=read_integer(size),
            mtime=read_moment(mtime),
            inode=read_identity(inode),
            complete={b"1": True, b"0": False}.get(complete),
        )
    except ValueError:
        return None
