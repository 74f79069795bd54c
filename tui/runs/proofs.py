"""Proofs that a checkpoint was saved: one line each, only ever appended.

They lie beside a run's mirror (``.boxtop-saved.jsonl``), or, for a run on this machine, in the data
directory. Any process may append; a line is written at once, so a kill leaves at most a torn last
line, which nobody reads.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from tui.facts import CheckpointStat
from tui.runs.mirror import decode, encode
from tui.runs.model import Saved

NAME = ".boxtop-saved.jsonl"
FOLDER = "saved"
SAME_TIME_SECONDS = 1e-5
"""Times of change pass through text and floats on their way here."""
_READ_MOST = 4_000_000


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """A checkpoint whose bytes were seen elsewhere with the size and hash that the box told.

    ``where`` is ``hf://owner/name/path`` or the absolute path of a verified copy on this machine,
    ``commit`` the Hub's commit id. ``mtime`` and ``inode`` are those of the file on the box,
    ``copy_mtime_ns`` and ``copy_inode`` those of the verified copy.
    """

    name: str
    where: str
    sha256: str
    bytes: int
    at: float
    commit: str | None = None
    epoch: int | None = None
    mtime: float
    inode: int = 0
    copy_mtime_ns: int | None = None
    copy_inode: int | None = None

    @property
    def on_hub(self) -> bool:
        """Whether it is a commit on the Hub, not a copy on this machine."""
        return self.commit is not None

    def fits(self, file: CheckpointStat) -> bool:
        """Whether the file on the box is still the one that was saved."""
        if file.size != self.bytes or (file.inode and self.inode and file.inode != self.inode):
            return False
        if float(file.mtime).is_integer():  # a box without python tells whole seconds
            return int(file.mtime) == int(self.mtime)
        return abs(file.mtime - self.mtime) <= SAME_TIME_SECONDS


class ProofFile:
    """The proofs of one run; reads its file again only when that changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read: tuple[int, int] | None = None
        self._proofs: tuple[Proof, ...] = ()

    def add(self, proofs: Iterable[Proof]) -> None:
        """Append proofs, and see them onto the disk. Raises OSError."""
        lines = b"".join(encode(proof) + b"\n" for proof in proofs)
        if not lines:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
        with os.fdopen(os.open(self.path, flags, 0o600), "r+b", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            torn = size > 0 and os.pread(file.fileno(), 1, size - 1) != b"\n"
            file.write(b"\n" + lines if torn else lines)
            os.fsync(file.fileno())

    def all(self) -> tuple[Proof, ...]:
        """Every proof ever kept, oldest first; a line that cannot be read is left out."""
        try:
            found = self.path.stat()
            if (found.st_mtime_ns, found.st_size) == self._read:
                return self._proofs
            with self.path.open("rb") as file:
                file.seek(max(0, found.st_size - _READ_MOST))
                lines = file.read(_READ_MOST).splitlines(keepends=True)
        except OSError:
            self._read, self._proofs = None, ()
            return ()
        self._proofs = tuple(_decoded(lines))
        self._read = (found.st_mtime_ns, found.st_size)
        return self._proofs

    def standing(self) -> tuple[Proof, ...]:
        """Proofs that still stand: a copy on this machine only while it lies there whole."""
        return tuple(proof for proof in self.all() if proof.on_hub or _lies_there(proof))


def local_proof_file(data: Path, run_path: str) -> ProofFile:
    """Return the proofs of a run that has no mirror because it lies on this machine."""
    return _named(data, os.path.realpath(run_path))


def unmirrored_proof_file(data: Path, kept_as: str, run_path: str) -> ProofFile:
    """Return the proofs of a run of a box (as mirrors call it) that has no mirror yet."""
    return _named(data, f"{kept_as}:{run_path}")


def _named(data: Path, name: str) -> ProofFile:
    import hashlib  # not for every look: it costs 2 ms

    digest = hashlib.sha256(os.fsencode(name)).hexdigest()[:32]
    return ProofFile(data / FOLDER / f"{digest}.jsonl")


def saved_as(
    file: CheckpointStat, proofs: Iterable[Proof], began: float | None = None
) -> Saved | None:
    """Return the best proof of a checkpoint: one that fits it, else the newest; the Hub first.

    A proof from before the training ``began`` (seconds since the epoch) that does not fit is of
    another training at the same path, and says nothing.
    """
    own = [
        proof
        for proof in proofs
        if proof.name == file.name and (began is None or proof.at >= began or proof.fits(file))
    ]
    if not own:
        return None
    best = max(own, key=lambda proof: (proof.fits(file), proof.on_hub, proof.at))
    if not best.fits(file):
        best = max(own, key=lambda proof: proof.at)
    return Saved(best.where, best.sha256, best.commit, best.at, best.fits(file), best.epoch)


def _decoded(lines: Iterable[bytes]) -> Iterator[Proof]:
    for line in lines:
        if not line.endswith(b"\n"):
            continue
        try:
            yield decode(line, Proof)
        except ValueError:
            continue


def _lies_there(proof: Proof) -> bool:
    """Whether a copy is still the file that was verified: bytes of the same size are not enough."""
    try:
        found = Path(proof.where).stat()
    except (OSError, ValueError):
        return False
    same = (found.st_size, found.st_mtime_ns, found.st_ino)
    return same == (proof.bytes, proof.copy_mtime_ns, proof.copy_inode)
