"""Writes a run directory the way LibreYOLO writes it: see tui/runs/files.py for the names."""

from __future__ import annotations

import os
import struct
import tempfile
import zlib
from functools import lru_cache
from pathlib import Path

from tui.runs import files

_MEMBER = b"archive/data.pkl"


class RunDirectory:
    """One run on a demo box; ``console`` is what the training's stdout goes to."""

    def __init__(self, path: Path, console: Path) -> None:
        self.path = path
        self.console = console
        (path / files.WEIGHTS).mkdir(parents=True)
        console.parent.mkdir(parents=True, exist_ok=True)

    def replace(self, name: str, text: str) -> None:
        """Replace a file by rename; its mode becomes 0600, as mkstemp makes it."""
        descriptor, fresh = tempfile.mkstemp(prefix=f".{name}.", suffix=".tmp", dir=self.path)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        Path(fresh).replace(self.path / name)

    def write(self, name: str, text: str) -> None:
        """Write a file that is written once (train_config.yaml)."""
        (self.path / name).write_text(text, encoding="utf-8")

    def append(self, name: str, text: str) -> None:
        """Append to a file; the console log lies outside of the run directory."""
        with self._place(name).open("a", encoding="utf-8") as file:
            file.write(text)

    def checkpoint(self, name: str, size: int, complete: int) -> None:
        """Write ``size`` of a checkpoint's ``complete`` bytes in place, as torch.save does.

        The file is a valid zip when it is complete; its content is a hole that takes no space.
        """
        head, tail = _checkpoint_ends(complete)
        with self._place(name).open("wb") as file:
            if size:
                file.write(head)
                file.truncate(max(size, len(head)))
            if size >= complete:
                file.seek(complete - len(tail))
                file.write(tail)

    def date(self, name: str, moment: float) -> None:
        """Give a file the time of a change that happened in the past."""
        os.utime(self._place(name), (moment, moment))

    def _place(self, name: str) -> Path:
        return self.console if name == files.CONSOLE else self.path / name


@lru_cache
def _checkpoint_ends(size: int) -> tuple[bytes, bytes]:
    """The bytes before and after the content of a zip of ``size`` bytes with one stored member.

    Layout: PKWARE APPNOTE 4.3: local header, content, central directory, end record.
    """
    overhead = (30 + len(_MEMBER)) + (46 + len(_MEMBER)) + 22
    length = size - overhead
    checksum = _checksum_of_zeros(length)
    common = struct.pack("<HHHHHLLLHH", 20, 0, 0, 0, 33, checksum, length, length, len(_MEMBER), 0)
    head = b"PK\3\4" + common + _MEMBER
    entry = b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHLL", 0, 0, 0, 0, 0)
    directory = entry + _MEMBER
    end = struct.pack("<HHHHLLH", 0, 0, 1, 1, len(directory), len(head) + length, 0)
    return head, directory + b"PK\5\6" + end


def _checksum_of_zeros(length: int) -> int:
    checksum, block = 0, bytes(1 << 20)
    for _ in range(length >> 20):
        checksum = zlib.crc32(block, checksum)
    return zlib.crc32(block[: length % (1 << 20)], checksum)
