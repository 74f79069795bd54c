"""The mirror: byte-exact local copies of a run's small files, and where to go on reading.

A mirrored run is itself a valid run directory. The copy's own length is the resume offset, so a
crash between two writes loses nothing and repeats nothing: there is no second place that could
disagree. What the copy cannot tell (which file on the box it came from, and at which offset a log's
kept part begins) lies in ``.boxtop.json``, keyed by the copy's inode and written before the copy
takes its name.
"""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import TypeVar

import msgspec

from tui.facts import (
    CheckpointStat,
    FileBegins,
    FileBytes,
    FileWhole,
    ResumeToken,
    RunFound,
    RunVitals,
    Stat,
)
from tui.runs import files

Record = TypeVar("Record", bound=msgspec.Struct)

META = ".boxtop.json"
HEAD_BYTES = 256
TAIL_BYTES = 64
"""How much of a file's beginning, and of what was read last, a resume token holds."""
LOG_KEPT_BYTES = 4_000_000
"""A log's copy is cut back to its newest part of this size once it is half as large again."""
LATEST = 1e11
"""No file is written after this; a time beyond it, or none at all, is not kept."""
APPENDED_MAX_BYTES = 64_000_000
"""No metrics file of a sane run comes near this; a box that sends more is not believed."""


class Generation(msgspec.Struct):
    """One life of an append-only file on the box; ``base`` is the offset where the copy begins."""

    base: int
    device: int
    inode: int
    head: str
    head_size: int


class RunMeta(msgspec.Struct):
    """What the copies themselves cannot tell. ``generations`` maps name → local inode → life."""

    path: str
    id: str
    root: str
    generations: dict[str, dict[str, Generation]] = {}
    checkpoints: tuple[CheckpointStat, ...] = ()
    vitals: RunVitals | None = None
    box_time: float | None = None
    modes: dict[str, tuple[int, str]] = {}


class MirrorError(Exception):
    """Bytes that do not continue the copy, or a copy that cannot be written."""


class RunMirror:
    """The copy of one run. One writer at a time: see ``RootFolder.claim``.

    ``origin`` is where every process looks for it; another place than ``directory`` for a copy of
    the copy.
    """

    def __init__(self, directory: Path, meta: RunMeta, origin: Path | None = None) -> None:
        self.directory = directory
        self.origin = origin or directory
        self.meta = meta

    @classmethod
    def create(cls, directory: Path, found: RunFound, origin: Path | None = None) -> RunMirror:
        """Make the directory for a run that was just found."""
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        mirror = cls(directory, RunMeta(found.path, found.id, found.root), origin)
        mirror.save()
        return mirror

    @classmethod
    def load(cls, directory: Path, origin: Path | None = None) -> RunMirror | None:
        """Open a mirrored run, or None where the directory holds none that can be read."""
        try:
            return cls(directory, decode((directory / META).read_bytes(), RunMeta), origin)
        except (OSError, ValueError):
            return None

    def save(self) -> None:
        """Write what the copies cannot tell, atomically."""
        replace(self.directory / META, encode(self.meta))

    def read(self, name: str) -> bytes:
        """Return the copy of a file, empty where there is none."""
        try:
            return (self.directory / name).read_bytes()
        except FileNotFoundError:
            return b""

    def stat(self, name: str) -> Stat | None:
        """Size (as on the box, with the part that was not kept) and change time of a file."""
        try:
            found = (self.directory / name).stat()
        except FileNotFoundError:
            return None
        life = self._generation(name, found.st_ino)
        mode, owner = self.meta.modes.get(name, (0o600, ""))
        base = life.base if life else 0
        return Stat(size=base + found.st_size, mtime=found.st_mtime, mode=mode, owner=owner)

    def write_whole(self, fact: FileWhole) -> None:
        """Replace a file's copy."""
        target = self.directory / fact.name
        replace(target, fact.data)
        self._stamp(target, fact.stat)

    def begin(self, fact: FileBegins) -> None:
        """Start a new life of an append-only file; the copy of the old one becomes ``NAME.1``."""
        target = self.directory / fact.name
        fresh = self.directory / f".{fact.name}.new.tmp"
        fresh.unlink(missing_ok=True)
        fresh.touch(mode=0o600)
        life = Generation(fact.offset, fact.stat.device, fact.stat.inode, fact.head, fact.head_size)
        self._adopt(fact.name, fresh, life)
        if target.exists() and target.stat().st_size:
            target.replace(self.directory / f"{fact.name}.1")
        fresh.replace(target)

    def append(self, fact: FileBytes) -> bytes:
        """Append bytes and return those that were new; a repeated part is dropped.

        Raises MirrorError when the bytes leave a gap after the copy, OSError when they cannot be
        kept or a metrics file is too large to be one.
        """
        target = self.directory / fact.name
        try:
            found = target.stat()
        except FileNotFoundError:
            raise MirrorError(f"{fact.name}: bytes came before the file's beginning") from None
        life = self._generation(fact.name, found.st_ino)
        end = (life.base if life else 0) + found.st_size
        if fact.offset > end:
            raise MirrorError(f"{fact.name}: bytes {end} to {fact.offset} are missing")
        new = fact.data[end - fact.offset :]
        if new:
            if found.st_size + len(new) > APPENDED_MAX_BYTES and fact.name not in files.TAILED:
                size = f"{fact.name} is larger than {APPENDED_MAX_BYTES // 10**6} MB"
                raise OSError(errno.EFBIG, size)
            _append(target, new)
            if fact.name in files.TAILED and found.st_size + len(new) > LOG_KEPT_BYTES * 3 // 2:
                self._trim(fact.name)
        self._stamp(target, fact.stat)
        return new

    def remove_file(self, name: str) -> None:
        """The file is gone on the box: its copy becomes ``NAME.1``."""
        target = self.directory / name
        if target.exists():
            target.replace(self.directory / f"{name}.1")

    def token(self, name: str) -> ResumeToken | None:
        """Where to go on reading a file, or None to read it from its beginning.

        A copy that has the file's first bytes tells them itself: when it began there may have been
        too few to tell one life from the next.
        """
        import hashlib

        target = self.directory / name
        try:
            with target.open("rb") as copy:
                found = os.fstat(copy.fileno())
                life = self._generation(name, found.st_ino)
                if life is None:
                    return None
                head, head_size = life.head, life.head_size
                if life.base == 0:
                    first = copy.read(HEAD_BYTES)
                    head, head_size = hashlib.sha256(first).hexdigest(), len(first)
                tail_size = min(TAIL_BYTES, found.st_size)
                copy.seek(found.st_size - tail_size)
                tail = copy.read(tail_size)
        except FileNotFoundError:
            return None
        return ResumeToken(
            offset=life.base + found.st_size,
            device=life.device,
            inode=life.inode,
            head=head,
            head_size=head_size,
            tail=hashlib.sha256(tail).hexdigest(),
            tail_size=tail_size,
        )

    def is_empty(self) -> bool:
        """Whether no byte of the run was ever kept."""
        return all(entry.name == META for entry in self.directory.iterdir())

    def size(self) -> int:
        """Bytes that this run's copies take on this disk."""
        return sum(entry.stat().st_size for entry in self.directory.iterdir() if entry.is_file())

    def _generation(self, name: str, inode: int) -> Generation | None:
        return self.meta.generations.get(name, {}).get(str(inode))

    def _adopt(self, name: str, fresh: Path, life: Generation) -> None:
        """Note where a copy begins before it takes its name: the old copy stays valid till then."""
        lives = dict(self.meta.generations.get(name, {}))
        current = self.directory / name
        kept = str(current.stat().st_ino) if current.exists() else ""
        lives = {inode: known for inode, known in lives.items() if inode == kept}
        lives[str(fresh.stat().st_ino)] = life
        self.meta.generations[name] = lives
        self.save()

    def _trim(self, name: str) -> None:
        target = self.directory / name
        life = self._generation(name, target.stat().st_ino)
        if life is None:
            return
        content = target.read_bytes()
        kept_from = len(content) - LOG_KEPT_BYTES
        cut = content.find(b"\n", kept_from) + 1 or kept_from
        fresh = self.directory / f".{name}.new.tmp"
        fresh.unlink(missing_ok=True)
        _append(fresh, content[cut:])
        self._adopt(
            name,
            fresh,
            Generation(life.base + cut, life.device, life.inode, life.head, life.head_size),
        )
        fresh.replace(target)

    def _stamp(self, target: Path, stat: Stat) -> None:
        moment = stat.mtime if 0 <= stat.mtime < LATEST else 0.0
        os.utime(target, (moment, moment))
        if self.meta.modes.get(target.name) != (stat.mode, stat.owner):
            self.meta.modes[target.name] = (stat.mode, stat.owner)
            self.save()


def encode(record: msgspec.Struct) -> bytes:
    """A record as JSON; unlike msgspec's own encoder it takes names that are no valid UTF-8."""
    return json.dumps(msgspec.to_builtins(record)).encode("ascii")


def decode(raw: bytes, kind: type[Record]) -> Record:
    """Read what ``encode`` wrote. Raises ValueError when it is not such a record."""
    return msgspec.convert(json.loads(raw), kind)


def replace(target: Path, data: bytes, by: str = "") -> None:
    """Write a small file so that a crash leaves the old one or the new one.

    ``by`` tells its writers apart, where there may be several.
    """
    fresh = target.with_name(f".{target.name.lstrip('.')}{by}.tmp")
    fresh.unlink(missing_ok=True)
    _append(fresh, data)
    fresh.replace(target)


def _append(target: Path, data: bytes) -> None:
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
    finally:
        os.close(handle)
