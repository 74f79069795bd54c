"""The copies of the runs below one root: this process' alone, or a private copy of another's."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tui.runs.mirror import META, RunMirror

if TYPE_CHECKING:
    import tempfile

LOCK = ".lock"


class RootFolder:
    """One root's folder; ``origin`` is where every process looks.

    ``directory`` differs from it while another boxtop writes there.
    """

    def __init__(self, origin: Path) -> None:
        self.directory = self.origin = origin
        self._lock: IO[bytes] | None = None
        self._borrowed: tempfile.TemporaryDirectory[str] | None = None

    def claim(self) -> None:
        """Become the only writer, or go on with a private copy when another boxtop writes here.

        A folder that can be read and not written is copied, too. Raises OSError without one.
        """
        try:
            self.origin.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = (self.origin / LOCK).open("ab")
        except OSError:
            if not self.origin.is_dir():
                raise
            self._borrow()
            return
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

    def runs(self) -> Iterator[RunMirror]:
        """Yield every run whose copy can be read."""
        for meta in named_below(self.directory, META):
            mirror = RunMirror.load(meta.parent, self.origin_of(meta.parent))
            if mirror is not None:
                yield mirror

    def origin_of(self, directory: Path) -> Path:
        """Where every process looks for what lies in a directory of this folder."""
        return self.origin / directory.relative_to(self.directory)

    def _borrow(self) -> None:
        import shutil
        import tempfile

        self._borrowed = tempfile.TemporaryDirectory(prefix="boxtop-")
        self.directory = Path(self._borrowed.name) / "root"
        shutil.copytree(self.origin, self.directory, ignore=shutil.ignore_patterns(LOCK, "*.tmp"))
        for mirror in self.runs():
            _readdress(mirror)


def named_below(directory: Path, name: str) -> list[Path]:
    """Return the files of a name below a directory; what goes away meanwhile has none."""
    return sorted(Path(folder, name) for folder, _, names in os.walk(directory) if name in names)


def _readdress(mirror: RunMirror) -> None:
    """Give a copied run's lives the inodes of the copies; what changed meanwhile is read anew."""
    lives = mirror.meta.generations
    for name, known in list(lives.items()):
        original, copy = mirror.origin / name, mirror.directory / name
        if not original.exists() or not copy.exists():
            del lives[name]
            continue
        life = known.get(str(original.stat().st_ino))
        lives[name] = {str(copy.stat().st_ino): life} if life else {}
    mirror.save()
