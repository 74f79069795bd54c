"""The journal: every action that cannot be undone, one line each, only ever appended.

``journal.jsonl`` in the data directory, readable by its owner alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from tui.runs.mirror import decode, encode

NAME = "journal.jsonl"
_READ_MOST = 4_000_000


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One action. ``at`` is UTC (ISO 8601), ``run`` the run's path on the box.

    ``asked`` is what was to be done, ``seen`` what was seen of it, ``outcome`` one word: ``done``,
    ``left`` (something is left), ``unknown``, ``refused``.
    """

    at: str
    action: str
    box: str
    run: str | None = None
    outcome: str
    asked: dict[str, Any] = {}
    seen: dict[str, Any] = {}


class Journal:
    """The journal of one data directory. Any process may append."""

    def __init__(self, data: Path) -> None:
        self.path = data / NAME

    def add(self, entry: Entry) -> None:
        """Append one line, and see it onto the disk. Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
        with os.fdopen(os.open(self.path, flags, 0o600), "r+b", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            torn = size > 0 and os.pread(file.fileno(), 1, size - 1) != b"\n"
            file.write((b"\n" if torn else b"") + encode(entry) + b"\n")
            os.fsync(file.fileno())

    def entries(self) -> Iterator[Entry]:
        """Yield the newest entries that can be read, oldest first."""
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _READ_MOST))
                lines = file.read(_READ_MOST).splitlines(keepends=True)
        except OSError:
            return
        for line in lines:
            try:
                if line.endswith(b"\n"):
                    yield decode(line, Entry)
            except ValueError:
                continue


def now_text(seconds: float | None = None) -> str:
    """Return a time (now when None) as the journal has it: ``2026-11-30T02:00:00+00:00``."""
    moment = time.time() if seconds is None else seconds
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")
