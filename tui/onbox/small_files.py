"""Copies of a run's small files: status, metrics, configuration, logs.

A file that is replaced is read from one handle; one that grows is cut at its size of the moment.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any, NamedTuple

from tui.onbox.copying import FORBIDDEN, FULL
from tui.onbox.hidden import Hidden
from tui.onbox.places import Identity, Refused, explained, open_file, raw, text

NAMES = (
    *("status.json", "metrics.jsonl", "results.csv", "summary.json", "train_config.yaml"),
    "train.log",
)
MAX_BYTES = 256 << 20
MAX_TEXT = 2 << 20
"""What is read of a file that cannot be copied."""
TRIES = 3
PIECE = 1 << 20


class NoCopy(Refused):
    """No file can be made beside the weights; the small file itself can still be read."""


class SmallFile(NamedTuple):
    """A copy at ``path``, of the ``size`` bytes that the source had."""

    name: str
    size: int
    sha256: str
    identity: Identity
    path: str

    def values(self) -> dict[str, Any]:
        """What a reply says of it."""
        return {**self._asdict(), "identity": self.identity._asdict()}


def take_small(run: bytes, name: str, hidden: Hidden, source: str = "") -> SmallFile:
    """Copy one small file of a run, by name; ``source`` is where the console log lies.

    Raises Refused: missing, denied, changed, disk_full, too_large, refused; NoCopy.
    """
    path = _path_of(run, name, source)
    for _ in range(TRIES):
        handle = open_file(path)
        try:
            before = Identity.of(os.fstat(handle))
            if before.size > MAX_BYTES:
                raise Refused("too_large", f"{name} has {before.size} bytes")
            sha256 = _copied(handle, before.size, name, hidden)
            after = Identity.of(os.fstat(handle))
        finally:
            os.close(handle)
        if sha256 and (before == after or after.size > before.size):
            return SmallFile(name, before.size, sha256, before, text(hidden.file(name)))
    hidden.discard(name)
    raise Refused("changed", f"{name} changed three times while it was read")


def read_small(run: bytes, name: str, source: str = "") -> tuple[dict[str, Any], str]:
    """Return what a reply says of a small file that cannot be copied, and its text.

    Of a log that is too long the end is read. Raises Refused.
    """
    handle = open_file(_path_of(run, name, source))
    with os.fdopen(handle, "rb") as file:
        identity = Identity.of(os.fstat(handle))
        if identity.size > MAX_TEXT:
            if not name.endswith(".log"):
                raise Refused("too_large", f"{name} has {identity.size} bytes, and no copy fits")
            file.seek(identity.size - MAX_TEXT)
        text = file.read(MAX_TEXT).decode("utf-8", "replace")
    data = text.encode("utf-8")
    digest = hashlib.sha256(data).hexdigest()
    return {**SmallFile(name, len(data), digest, identity, "").values(), "in_place": True}, text


def _path_of(run: bytes, name: str, source: str) -> bytes:
    if source and (not source.startswith("/") or "\0" in source):
        raise Refused("usage", f"not an absolute path: {source}")
    if not source and name not in NAMES:
        raise Refused("refused", f"{name} is no file of a run")
    return os.path.realpath(raw(source)) if source else _within(run, name)


def _within(run: bytes, name: str) -> bytes:
    base = os.path.realpath(run)
    path = os.path.realpath(os.path.join(base, raw(name)))
    if not path.startswith(base.rstrip(b"/") + b"/"):
        raise Refused("refused", f"{name} is a link that leads out of the run, to {text(path)}")
    return path


def _copied(handle: int, size: int, name: str, hidden: Hidden) -> str:
    """Copy the first bytes of a file; return their sha256, "" when there were fewer."""
    digest = hashlib.sha256()
    try:
        hidden.make()
        with os.fdopen(hidden.create(name), "wb") as target:
            left = size
            while left:
                piece = os.read(handle, min(PIECE, left))
                if not piece:
                    return ""
                digest.update(piece)
                target.write(piece)
                left -= len(piece)
    except OSError as error:
        hidden.discard(name)
        if error.errno in FULL:
            raise NoCopy("disk_full", "the box's disk is full") from None
        if error.errno in FORBIDDEN:
            raise NoCopy("denied", f"no file can be made beside the weights: {error}") from None
        raise explained(error, raw(name)) from None
    return digest.hexdigest()
