"""That boxtop ended a run's training: one small record, beside the run's proofs.

It lies beside a run's mirror, or, for a run on this machine, in the data directory. It names the
process that was told to end, so it says nothing of a training that begins there later.
"""

from __future__ import annotations

import os

import msgspec

from tui.runs.mirror import decode, encode, replace
from tui.runs.proofs import ProofFile
from tui.runs.status import read_status

SUFFIX = ".ended.json"
WRITTEN_ON_SECONDS = 180.0
"""A training that still wrote a status so long after it was told to end was not ended by that."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """What was told to end: ``pid`` and ``started_at`` as the status has them.

    ``at`` is the box's time of the first signal, ``seen`` whether nothing of it was left then.
    ``left`` are the processes that were: pid, and start in clock ticks.
    """

    pid: int
    started_at: float | None
    at: float
    seen: bool = False
    left: tuple[tuple[int, int], ...] = ()

    def is_of(self, pid: int | None, started_at: float | None) -> bool:
        """Whether it speaks of the training that a status names so."""
        return (pid, started_at) == (self.pid, self.started_at)

    def explains(self, status: bytes | None) -> bool:
        """Whether it is why the run with this status does not go on.

        It is not while workers were left that outlived the training itself.
        """
        found = read_status(status).file
        if found is None or not self.is_of(found.pid, found.started_at):
            return False
        if any(pid != self.pid for pid, _ in self.left):
            return False
        late = found.updated_at is not None and found.updated_at > self.at + WRITTEN_ON_SECONDS
        return self.seen or not late


class EndedFile:
    """The record of one run; reads its file again only when that changed."""

    def __init__(self, proofs: ProofFile) -> None:
        self.path = proofs.path.with_suffix(SUFFIX)
        self._read: tuple[int, int] | None = None
        self._record: Ended | None = None

    def write(self, record: Ended) -> None:
        """Keep a record in the place of the last one. Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace(self.path, encode(record), by=f"-{os.getpid()}")

    def record(self) -> Ended | None:
        """Return the record, None where there is none that can be read."""
        try:
            found = self.path.stat()
            if (found.st_mtime_ns, found.st_ino) != self._read:
                self._record = decode(self.path.read_bytes(), Ended)
                self._read = (found.st_mtime_ns, found.st_ino)
        except (OSError, ValueError):
            self._read = self._record = None
        return self._record
