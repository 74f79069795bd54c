"""Pushes that were begun and whose end is not known yet: one small file each, beside the proofs.

It is written before the upload begins and removed when its end was seen, so that a push which
outlives boxtop, or the link, is learned of on return.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from tui.runs.mirror import decode, encode, replace
from tui.runs.proofs import Proof, ProofFile

_SUFFIX = ".push"
_MOST = 100


class Sent(msgspec.Struct, frozen=True):
    """A file of a push: ``path`` in the repository, and what the box's file was."""

    name: str
    path: str
    size: int
    sha256: str
    mtime: float
    inode: int
    epoch: int | None = None
    checkpoint: bool = True


class Owner(msgspec.Struct, frozen=True):
    """The process of this machine that begins a push: ``since`` tells it from a later one."""

    machine: str
    container: str
    pid: int
    since: str


class PendingPush(msgspec.Struct, frozen=True):
    """One push under way: ``job`` names it where it runs, which is ``via`` the box or here.

    ``at`` is when it was noted, ``owner`` who is about to begin it or follows it; None: nobody.
    """

    job: str
    box: str
    run: str
    repo: str
    via: str
    at: float
    files: tuple[Sent, ...]
    owner: Owner | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The checkpoints of it."""
        return tuple(file.name for file in self.files if file.checkpoint)

    def proofs(self, commit: str, at: float) -> tuple[Proof, ...]:
        """Return the proofs of its checkpoints, once the Hub was seen to list them all."""
        return tuple(
            Proof(
                name=file.name,
                where=f"hf://{self.repo}/{file.path}",
                sha256=file.sha256,
                bytes=file.size,
                at=at,
                commit=commit,
                epoch=file.epoch,
                mtime=file.mtime,
                inode=file.inode,
            )
            for file in self.files
            if file.checkpoint
        )


class PendingFile:
    """The pushes of one run whose end is not known."""

    def __init__(self, proofs: ProofFile) -> None:
        self._proofs = proofs.path
        self.folder = proofs.path.parent

    def add(self, push: PendingPush) -> None:
        """Remember a push that is about to begin. Raises OSError."""
        self._proofs.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace(self._path(push.job), encode(push))

    def remove(self, job: str) -> None:
        """Forget a push whose end was seen."""
        self._path(job).unlink(missing_ok=True)

    def has(self, job: str) -> bool:
        """Whether the end of this push is still to be learned."""
        return self._path(job).exists()

    def all(self) -> Iterator[PendingPush]:
        """Yield every push whose end is not known, in no order."""
        if not self._proofs.parent.is_dir():
            return
        found = sorted(self._proofs.parent.glob(f"{self._proofs.name}.*{_SUFFIX}"))
        for path in found[:_MOST]:
            try:
                yield decode(path.read_bytes(), PendingPush)
            except (OSError, ValueError):
                continue

    def _path(self, job: str) -> Path:
        return self._proofs.with_name(f"{self._proofs.name}.{job}{_SUFFIX}")
