"""All mirrors below the data directory: one folder a box, one folder a run in it.

    <data>/boxes/<box>/box.json
    <data>/boxes/<box>/<root>/<run>/status.json …

Names from a box are quoted byte by byte, so that no name can leave its folder.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from tui.facts import RunFound, Vitals
from tui.runs.mirror import META, MirrorError, RunMirror, decode, encode, replace
from tui.runs.proofs import NAME as PROOFS
from tui.runs.proofs import ProofFile

if TYPE_CHECKING:
    import tempfile

BOX_META = "box.json"
LOCK = ".lock"
BOX_BYTES = 256_000_000
"""Above this a box's oldest finished runs are offered for removal."""

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ")


class BoxMeta(msgspec.Struct):
    """What was last known of a box as a whole. ``seen_at`` is this machine's clock."""

    name: str
    text: str
    seen_at: float | None = None
    box_time: float | None = None
    vitals: Vitals | None = None
    price_per_hour: float | None = None


class BoxMirror:
    """The mirrored runs of one box; only the process that claimed it may write.

    ``origin`` is where every process looks; ``directory`` differs from it while it is borrowed.
    """

    def __init__(self, directory: Path, meta: BoxMeta) -> None:
        self.directory = self.origin = directory
        self.meta = meta
        self._lock: IO[bytes] | None = None
        self._borrowed: tempfile.TemporaryDirectory[str] | None = None

    def claim(self) -> None:
        """Become the only writer, or go on with a private copy when another boxtop writes here."""
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = (self.directory / LOCK).open("ab")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            self._borrow()
            return
        self._lock = lock

    @property
    def borrowed(self) -> bool:
        """Whether this is a private copy that ends with this process."""
        return self._borrowed is not None

    def release(self) -> None:
        """Let another process write here."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None
        if self._borrowed is not None:
            self._borrowed.cleanup()
            self._borrowed = None

    def save(self) -> None:
        """Write what is known of the box as a whole, atomically."""
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace(self.directory / BOX_META, encode(self.meta))

    def runs(self) -> Iterator[RunMirror]:
        """Yield every run whose mirror can be read."""
        if not self.directory.is_dir():
            return
        for meta in sorted(self.directory.rglob(META)):
            mirror = RunMirror.load(meta.parent)
            if mirror is not None:
                yield mirror

    def run(self, found: RunFound) -> RunMirror:
        """Open or make the mirror of a run.

        Raises MirrorError when the folder belongs to another run or cannot be made.
        """
        directory = self.directory / _folder(found.root)
        for part in found.id.split("/"):
            directory = directory / _folder(part)
        known = RunMirror.load(directory)
        if known is not None and known.meta.path == found.path:
            return known
        if known is not None:
            directory = directory.with_name(directory.name + "@" + _digest(found.path))
        try:
            return RunMirror.create(directory, found)
        except OSError as error:
            raise MirrorError(f"{directory}: {error.strerror}") from error

    def proofs(self, mirror: RunMirror) -> ProofFile:
        """Return the proofs of a run, which every process shares: a borrowed mirror's too."""
        return ProofFile(self.origin / mirror.directory.relative_to(self.directory) / PROOFS)

    def size(self) -> int:
        """Bytes of all copies of this box."""
        return sum(mirror.size() for mirror in self.runs())

    def remove(self, mirror: RunMirror) -> None:
        """Delete a run's mirror and the folders that it leaves empty."""
        import shutil

        shutil.rmtree(mirror.directory)
        parent = mirror.directory.parent
        while parent != self.directory and not any(parent.iterdir()):
            parent.rmdir()
            parent = parent.parent

    def _borrow(self) -> None:
        import shutil
        import tempfile

        self._borrowed = tempfile.TemporaryDirectory(prefix="boxtop-")
        private = Path(self._borrowed.name) / "box"
        shutil.copytree(self.directory, private, ignore=shutil.ignore_patterns(LOCK, "*.tmp"))
        for mirror in BoxMirror(private, self.meta).runs():
            _readdress(self.directory, private, mirror)
        self.directory = private


class Mirrors:
    """The mirrors of all boxes below a data directory."""

    def __init__(self, data: Path) -> None:
        self.directory = data / "boxes"

    def box(self, name: str, text: str) -> BoxMirror:
        """Open the mirror of a box, whether it exists or not; nothing is written yet."""
        directory = self.directory / _folder(name)
        meta = _box_meta(directory) or BoxMeta(name, text)
        meta.name, meta.text = name, text
        return BoxMirror(directory, meta)

    def known(self) -> Iterator[BoxMirror]:
        """Yield every box that was ever mirrored, in order of its name."""
        if not self.directory.is_dir():
            return
        for directory in sorted(self.directory.iterdir()):
            meta = _box_meta(directory)
            if meta is not None:
                yield BoxMirror(directory, meta)


def _box_meta(directory: Path) -> BoxMeta | None:
    try:
        return decode((directory / BOX_META).read_bytes(), BoxMeta)
    except (OSError, ValueError):
        return None


def _readdress(origin: Path, private: Path, mirror: RunMirror) -> None:
    """Give a copied run's lives the inodes of the copies; what changed meanwhile is read anew."""
    source = origin / mirror.directory.relative_to(private)
    lives = mirror.meta.generations
    for name, known in list(lives.items()):
        original, copy = source / name, mirror.directory / name
        if not original.exists() or not copy.exists():
            del lives[name]
            continue
        life = known.get(str(original.stat().st_ino))
        lives[name] = {str(copy.stat().st_ino): life} if life else {}
    mirror.save()


def _folder(name: str) -> str:
    """Return a folder name that is safe everywhere and differs for every name."""
    raw = os.fsencode(name)
    quoted = "".join(chr(b) if b in _PLAIN else f"%{b:02X}" for b in raw)
    if quoted.startswith("."):
        quoted = "%2E" + quoted[1:]
    if not quoted or len(quoted) > 180:
        return quoted[:120] + "@" + _digest(name)
    return quoted


def _digest(name: str) -> str:
    import hashlib

    return hashlib.sha256(os.fsencode(name)).hexdigest()[:16]
