"""Checkpoints as torch writes them, of any size, and somebody who rewrites them in place."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import random
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.waiting import wait_until

REWRITER = """\
import itertools, sys, time
path, pause, piece, rest, *sources = sys.argv[1:]
versions = [open(source, "rb").read() for source in sources]
for version in itertools.cycle(versions):
    with open(path, "wb") as file:
        for at in range(0, len(version), int(piece)):
            file.write(version[at : at + int(piece)])
            file.flush()
            time.sleep(float(pause))
    time.sleep(float(rest))
"""


def checkpoint(size: int = 100_000, seed: int = 0) -> bytes:
    """Return a whole checkpoint with about ``size`` bytes of tensors, always the same."""
    source = random.Random(seed)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo("last/data.pkl"), source.randbytes(500))
        for number in range(4):
            tensor = zipfile.ZipInfo(f"last/data/{number}")
            archive.writestr(tensor, source.randbytes(size // 4))
        archive.writestr(zipfile.ZipInfo("last/version"), b"3\n")
    return file.getvalue()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def make_weights(run: Path, **contents: bytes) -> Path:
    """Write checkpoints (``best=…`` is best.pt), not written to for a minute; returns ``run``."""
    weights = run / "weights"
    weights.mkdir(parents=True, exist_ok=True)
    for name, data in contents.items():
        put(weights / f"{name}.pt", data)
    return run


def put(path: Path, data: bytes, age: float = 60.0) -> None:
    """Write a file in place that looks ``age`` seconds old."""
    path.write_bytes(data)
    changed = path.stat().st_mtime - age
    os.utime(path, (changed, changed))


def write_status(run: Path, **values: object) -> None:
    """Replace status.json, as LibreYOLO does."""
    new = run / ".status.json.tmp"
    new.write_text(json.dumps({"state": "running", "pid": os.getpid(), **values}))
    new.replace(run / "status.json")


@contextlib.contextmanager
def rewriting(
    path: Path, versions: Sequence[bytes], pause: float, piece: int, rest: float
) -> Iterator[None]:
    """Rewrite ``path`` in place all the time, as torch.save does, in a process of its own."""
    sources = []
    for number, version in enumerate(versions):
        source = path.parent.parent / f"version{number}"
        source.write_bytes(version)
        sources.append(str(source))
    numbers = (str(pause), str(piece), str(rest))
    process = subprocess.Popen([sys.executable, "-c", REWRITER, str(path), *numbers, *sources])
    try:
        wait_until(path.exists, what="the first write")
        yield
    finally:
        process.kill()
        process.wait()


def leftovers(run: Path) -> list[str]:
    """Return the names of hidden directories beside a run's checkpoints."""
    return [entry.name for entry in (run / "weights").iterdir() if entry.name.startswith(".")]
