"""How far an upload is: bytes that were really read or sent, and since when nothing moved."""

from __future__ import annotations

import hashlib
import io
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tui.onbox.hub_facts import Problem
from tui.onbox.places import Identity, Refused

CHUNK = 1 << 20
BLOB_BYTES = 64 << 20
"""The Hub keeps what is larger by LFS or xet alone: git's own name for it proves nothing there."""


class Meter:
    """Stages and bytes of one upload; counted from any thread."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.stage = "preparing"
        self.moved = time.monotonic()
        self.note: str | None = None
        self.waiting_until: float | None = None
        self.way: str | None = None
        self.entered: Callable[[], None] = lambda: None
        """Called after every change of the stage."""
        self._lock = threading.Lock()
        self._read: dict[str, int] = {}
        self._sent = (0, 0)

    def enter(self, stage: str) -> None:
        """Begin a stage."""
        with self._lock:
            self.stage = stage
            self._read = {}
            self._move()
        self.entered()

    def read(self, path: str, position: int) -> None:
        """Count: this much of a file has been read."""
        with self._lock:
            self._read[path] = position
            if self.stage == "uploading":
                self.way = self.way or "lfs"
            self._move()

    def sent(self, done: int, transferred: int) -> None:
        """Count what the xet client says: bytes of files dealt with, bytes that went out."""
        with self._lock:
            self.way = "xet"
            if (done, transferred) != self._sent:
                self._sent = (done, transferred)
                self._move()

    def wait(self, seconds: float, note: str) -> None:
        """Note that the client waits before it tries again, as the Hub asked it to."""
        with self._lock:
            self.note = note
            self.waiting_until = time.monotonic() + seconds

    def idle(self) -> float:
        """Return for how many seconds nothing has moved, agreed waits not counted."""
        with self._lock:
            return max(0.0, time.monotonic() - max(self.moved, self.waiting_until or 0.0))

    def facts(self) -> dict[str, object]:
        """Return the progress: stage, bytes done and total, way, note, seconds still to wait."""
        with self._lock:
            read = sum(self._read.values())
            done = self.total
            if self.stage in ("preparing", "hashing", "uploading"):
                sent = self._sent[0] if self.stage == "uploading" else 0
                done = min(self.total, read + sent)
            left = (self.waiting_until or 0.0) - time.monotonic()
            facts: dict[str, object] = {"stage": self.stage, "done": done, "total": self.total}
            facts["way"] = self.way
            facts["note"] = self.note
            facts["waiting_s"] = round(left, 1) if left > 0 else None
            return facts

    def _move(self) -> None:
        self.moved = time.monotonic()
        self.note = self.waiting_until = None


class CountedReader(io.BufferedReader):
    """A file that tells a meter how far it has been read."""

    def __init__(self, path: str, meter: Meter) -> None:
        super().__init__(io.FileIO(path), CHUNK)
        self._path, self._meter = path, meter

    def read(self, size: int | None = -1, /) -> bytes:
        """Read as any file does."""
        data = super().read(size)
        self._meter.read(self._path, self.tell())
        return data


def hash_file(path: str, size: int, meter: Meter) -> dict[str, object]:
    """Return ``{size, sha256, blob_oid}`` of a file; ``blob_oid`` is git's name of its bytes.

    ``size`` is what it should have; above BLOB_BYTES ``blob_oid`` is None.
    """
    sha256 = hashlib.sha256()
    blob = hashlib.sha1(b"blob %d\0" % size)
    read = 0
    with open(path, "rb", buffering=0) as file:
        while True:
            data = file.read(CHUNK)
            if not data:
                break
            sha256.update(data)
            if size <= BLOB_BYTES:
                blob.update(data)
            read += len(data)
            meter.read(path, read)
    oid = blob.hexdigest() if size <= BLOB_BYTES else None
    return {"size": read, "sha256": sha256.hexdigest(), "blob_oid": oid}


def with_data(file: dict[str, object]) -> dict[str, object]:
    """Return a file of a push as it is uploaded: ``text`` becomes ``data``, which needs no disk."""
    if "text" not in file:
        return file
    data = str(file["text"]).encode("utf-8", "replace")
    known = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return {"path_in_repo": file["path_in_repo"], "data": data, **known}


def _facts_of(data: bytes) -> dict[str, object]:
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
    return {"size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "blob_oid": blob}


def check_in_place(files: list[dict[str, object]]) -> None:
    """Raise Problem ``Changed`` when a file that is read where it lies is no longer what it was."""
    for file in files:
        if file.get("identity") is None:
            continue
        path = str(file["local_path"])
        try:
            same = Identity.of(os.stat(path)) == Identity.told(file["identity"])
        except (OSError, Refused):
            same = False
        if not same:
            message = f"{path} changed while it was uploaded"
            raise Problem("Changed", message, path=file["path_in_repo"])


def check_files(files: list[dict[str, object]], meter: Meter) -> list[dict[str, object]]:
    """Hash what is about to be pushed; Problem ``Changed`` when it is not what was asked for.

    Returns ``[{path, size, sha256, blob_oid}]`` in the order of the request.
    """
    meter.enter("hashing")
    found = []
    for file in files:
        data = file.get("data")
        if isinstance(data, bytes):
            found.append({**_facts_of(data), "path": file["path_in_repo"]})
            continue
        path, size = str(file["local_path"]), int(str(file["size"]))
        if not Path(path).is_file():
            raise Problem("Changed", f"{path} is gone", path=file["path_in_repo"])
        facts = hash_file(path, size, meter)
        if facts["size"] != size or facts["sha256"] != file["sha256"]:
            raise Problem("Changed", f"{path} is not what it was", path=file["path_in_repo"])
        facts["path"] = file["path_in_repo"]
        found.append(facts)
    return found
