"""Checkpoints as large as real ones, written without holding them in memory."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

PIECE = 4 << 20


def write_checkpoint(path: Path, size: int, age: float = 3600.0) -> int:
    """Write a whole checkpoint of about ``size`` bytes that looks ``age`` seconds old.

    Returns its size in bytes.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("best/data.pkl", os.urandom(5000))
        for number in range(4):
            with archive.open(f"best/data/{number}", "w") as member:
                for _ in range(size // 4 // PIECE):
                    member.write(os.urandom(PIECE))
    info = path.stat()
    os.utime(path, (info.st_mtime - age, info.st_mtime - age))
    return info.st_size
