"""All mirrors below the data directory: one folder a box, a folder a root, one a run in it.

    <data>/boxes/<box>/box.json
    <data>/boxes/<box>/<root>/<run>/status.json …

Names from a box are quoted byte by byte, so that no name can leave its folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from tui.facts import RunFound, Vitals
from tui.rent import RentView
from tui.runs.mirror import MirrorError, RunMeta, RunMirror, decode, encode, replace
from tui.runs.proofs import NAME as PROOFS
from tui.runs.proofs import ProofFile
from tui.runs.root_folder import RootFolder

BOX_META = "box.json"
BOX_BYTES = 256_000_000
"""Above this a box's oldest finished runs are offered for removal."""

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ")


class BoxMeta(msgspec.Struct):
    """What was last known of a box as a whole. ``seen_at`` is this machine's clock.

    ``places`` maps roots as they were asked for (``~/runs``) to where they are on the box.
    """

    name: str
    text: str
    seen_at: float | None = None
    box_time: float | None = None
    vitals: Vitals | None = None
    price_per_hour: float | None = None
    rent: RentView | None = None
    places: dict[str, str] = {}


class BoxMirror:
    """The mirrored runs of one box; each root's folder has one writing process at a time."""

    def __init__(self, directory: Path, meta: BoxMeta) -> None:
        self.directory = directory
        self.meta = meta
        self._writes = False
        self._folders: dict[str, RootFolder] = {}

    def claim(self) -> None:
        """Write from now on: a root's folder is claimed when a run of it is first wanted."""
        self._writes = True

    @property
    def borrowed(self) -> bool:
        """Whether another boxtop writes a part of this, so that ours is a private copy."""
        return any(folder.borrowed for folder in self._folders.values())

    def release(self) -> None:
        """Let other processes write here."""
        for folder in self._folders.values():
            folder.release()
        self._folders.clear()
        self._writes = False

    def save(self) -> None:
        """Write what is known of the box as a whole, atomically."""
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        known = _box_meta(self.directory)
        if known is not None:
            self.meta.places = {**known.places, **self.meta.places}
        replace(self.directory / BOX_META, encode(self.meta), by=f"{os.getpid()}-{id(self):x}")

    def runs(self, wanted: Callable[[RunMeta], bool] = lambda _: True) -> Iterator[RunMirror]:
        """Yield every wanted run whose mirror can be read."""
        if not self.directory.is_dir():
            return
        for origin in sorted(path for path in self.directory.iterdir() if path.is_dir()):
            if any(wanted(run.meta) for run in RootFolder(origin).runs()):
                yield from (run for run in self._open(origin.name).runs() if wanted(run.meta))

    def run(self, found: RunFound) -> RunMirror:
        """Open or make the mirror of a run.

        Raises MirrorError when the folder belongs to another run or cannot be made.
        """
        try:
            folder = self._open(_folder(found.root))
            directory = folder.directory
            for part in found.id.split("/"):
                directory = directory / _folder(part)
            known = RunMirror.load(directory, folder.origin_of(directory))
            if known is not None and known.meta.path == found.path:
                return known
            if known is not None:
                directory = directory.with_name(directory.name + "@" + _digest(found.path))
            return RunMirror.create(directory, found, folder.origin_of(directory))
        except OSError as error:
            raise MirrorError(f"{self.directory}: {error.strerror}") from error

    def proofs(self, mirror: RunMirror) -> ProofFile:
        """Return the proofs of a run, which every process shares: a borrowed mirror's too."""
        return ProofFile(mirror.origin / PROOFS)

    def size(self) -> int:
        """Bytes of all copies of this box."""
        return sum(mirror.size() for mirror in self.runs())

    def remove(self, mirror: RunMirror) -> None:
        """Delete a run's mirror and the folders that it leaves empty.

        Proofs stay, and pushes that have not ended: they say where the weights are.
        """
        for entry in mirror.directory.iterdir():
            if not entry.name.startswith(PROOFS):
                entry.unlink()
        if not any(mirror.directory.iterdir()):
            mirror.directory.rmdir()
        roots = {folder.directory for folder in self._folders.values()}
        parent = mirror.directory.parent
        while parent not in roots and not any(parent.iterdir()):
            parent.rmdir()
            parent = parent.parent

    def _open(self, name: str) -> RootFolder:
        """Return a root's folder, claimed when this process writes."""
        if name not in self._folders:
            folder = RootFolder(self.directory / name)
            if self._writes:
                folder.claim()
            self._folders[name] = folder
        return self._folders[name]


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
