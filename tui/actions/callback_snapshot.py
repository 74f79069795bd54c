"""The files of one push from within a training: copies taken at once, examined later.

Copying is all that a training waits for. Each checkpoint stands for itself: one that cannot be
copied, or is damaged, holds up no other.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tui.onbox import archive
from tui.onbox.copying import FORBIDDEN, FULL, copy
from tui.onbox.hidden import Hidden, sweep
from tui.onbox.places import Identity, Refused, Weights, explained, identity_of, open_file, text
from tui.onbox.small_files import NAMES, take_small
from tui.onbox.snapshot import SPARE_BYTES

NO_ROOM = "no room for a copy of it beside the weights"


class File(NamedTuple):
    """A file to be pushed; ``identity`` is what one that is read in place has to stay.

    ``source`` is what a checkpoint was when it was taken.
    """

    name: str
    path: str
    identity: Identity | None = None
    source: Identity | None = None

    @property
    def is_checkpoint(self) -> bool:
        """Whether it is no small file of the run."""
        return self.name.endswith(".pt")

    def measured(self) -> dict[str, Any]:
        """Return size and sha256. Raises OSError, Refused for a checkpoint that is not whole."""
        if not self.is_checkpoint:
            data = Path(self.path).read_bytes()
            return {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        with open(self.path, "rb") as file:
            self._must_be_same(os.fstat(file.fileno()))
            found = archive.examine(file)
            self._must_be_same(os.fstat(file.fileno()))
        if self.identity is not None:
            self._must_be_same(Path(self.path).stat())
        if found.reason is not None:
            raise Refused("damaged", f"{self.name} is not a complete checkpoint: {found.reason}")
        return {"size": found.size, "sha256": found.sha256}

    def _must_be_same(self, info: os.stat_result) -> None:
        if self.identity not in (None, Identity.of(info)):
            raise Refused("changed", f"{self.name} changed while it was read")


class Snapshot:
    """What was taken of a run's ``files``, and why checkpoints were ``refused``, by their names.

    ``in_place`` uses a checkpoint itself where there can be no copy: nobody may be training on.
    """

    def __init__(self, run: Path, *, in_place: bool) -> None:
        """Raises Refused where there are no weights. Sweeps away what killed trainings left."""
        self._weights = Weights(str(run))
        self._in_place = in_place
        sweep(self._weights)
        self.hidden = Hidden(self._weights)
        self.files: list[File] = []
        self.refused: dict[str, Refused] = {}

    def take(self, names: Sequence[str]) -> None:
        """Copy checkpoints of these names, those that there are, and then the small files."""
        try:
            for name in names:
                self._take(name)
            if self.files:
                self._take_small_files()
        except BaseException:
            self.hidden.remove()
            raise
        if not self.copied:
            self.hidden.remove()

    @property
    def copied(self) -> bool:
        """Whether there are copies, which somebody has to remove."""
        return any(file.identity is None for file in self.files)

    def _take(self, name: str) -> None:
        try:
            path = self._weights.file(name)
            if os.path.lexists(path):
                self.files.append(self._taken(name, path))
        except Refused as refused:
            self.refused[name] = refused

    def _taken(self, name: str, path: bytes) -> File:
        source = open_file(path)
        try:
            found = Identity.of(os.fstat(source))
            if self._has_room(found.size):
                self.hidden.make()
                self._copy(name, source, found.size)
                return File(name, text(self.hidden.file(name)), source=found)
        except OSError as error:
            self.hidden.discard(name)
            if error.errno not in FULL + FORBIDDEN:
                raise explained(error, path) from None
        finally:
            os.close(source)
        if not self._in_place:
            raise Refused("disk_full", f"{name} is not pushed: {NO_ROOM}")
        identity = identity_of(path)
        return File(name, text(path), identity, identity)

    def _copy(self, name: str, source: int, size: int) -> None:
        target = self.hidden.create(name)
        try:
            copy(source, target, size, lambda _done: None)
        finally:
            os.close(target)

    def _has_room(self, size: int) -> bool:
        """Whether a copy leaves room for the training's next saves."""
        disk = os.statvfs(self._weights.real)
        return disk.f_bavail * disk.f_frsize >= 3 * size + SPARE_BYTES

    def _take_small_files(self) -> None:
        for name in NAMES:
            try:
                taken = take_small(self._weights.run, name, self.hidden)
                self.files.append(File(name, taken.path))
            except Refused:
                continue  # missing ones are the rule, and none is worth the weights
